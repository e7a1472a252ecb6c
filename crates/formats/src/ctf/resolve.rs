//! References between fields: which field a length or a tag means
//! (CTF 1.8.3 specification, sections 4.2.3, 4.2.4 and 7.3.2).
//!
//! A path is looked for among the fields before the one that has it: in its own structure, then in
//! those around it, then in the parts of the event that were read before. A path that starts with
//! the name of a part (`stream.event.context.len`) is looked for only there.

use std::collections::HashMap;
use std::rc::Rc;

use super::class::{Form, Kind, Length, NONE, NodeId, Show, plain_name};
use super::compile::Compiler;
use super::ranges::Ranges;
use super::tsdl::Refusal;
use super::tsdl::metadata::{Choice, Member, Path, Start};

/// A length or a tag.
pub(super) struct Reference {
    /// The sequence or the variant.
    pub(super) node: NodeId,
    pub(super) path: Rc<Path>,
    pub(super) options: Options,
}

/// What the value decides.
#[derive(Debug, Clone)]
pub(super) enum Options {
    /// Nothing: it is a length.
    None,
    /// The label of the value names the option of a variant.
    Labels(Rc<[Member]>),
    /// Each option has its values; whether those are of a boolean.
    Ranges(Rc<[Choice]>, bool),
}

/// The parts of an event in the order in which they are read, `NONE` where one is missing.
pub(super) struct Scope {
    pub(super) roots: [NodeId; 6],
}

/// What the parts are called in metadata, in the order of [`Scope::roots`].
const NAMES: [&[&str]; 6] = [
    &["trace", "packet", "header"],
    &["stream", "packet", "context"],
    &["stream", "event", "header"],
    &["stream", "event", "context"],
    &["event", "context"],
    &["event", "fields"],
];

/// Resolves all references below `targets`, and forgets them. References must have been made in the
/// order of nodes, which is that of reading.
pub(super) fn resolve(compiler: &mut Compiler<'_>, scope: &Scope, targets: &[NodeId]) -> Result<(), Refusal> {
    for &root in targets {
        if root == NONE {
            continue;
        }
        let end = compiler.end_of(root);
        let first = compiler.references.partition_point(|reference| reference.node < root);
        let last = compiler.references.partition_point(|reference| reference.node < end);
        for index in first..last {
            let Some(reference) = compiler.references.get(index) else { break };
            let (node, path, options) = (reference.node, reference.path.clone(), reference.options.clone());
            let targets = compiler.find(scope, root, node, &path)?;
            compiler.connect(node, &targets, &path, &options)?;
        }
    }
    Ok(())
}

fn shown(path: &Path) -> String {
    let words: Vec<&str> = path.words.iter().map(|word| &**word).take(8).collect();
    words.join(".").chars().take(80).collect()
}

impl Compiler<'_> {
    /// The first node behind the tree of `root`: nodes of a tree are numbered without holes.
    pub(super) fn end_of(&self, root: NodeId) -> NodeId {
        let mut last = root;
        loop {
            let below = match self.kind(last) {
                Some(Kind::Struct(structure)) => structure.members.last().map(|member| member.node),
                Some(Kind::Variant(variant) | Kind::Optional(variant)) => variant.options.last().copied(),
                Some(Kind::Array { element, .. } | Kind::Sequence { element, .. }) => Some(*element),
                _ => None,
            };
            match below {
                Some(node) => last = node,
                None => return last.saturating_add(1),
            }
        }
    }

    /// The fields that a path means: more than one where it leads through a variant.
    fn find(
        &mut self,
        scope: &Scope,
        root: NodeId,
        node: NodeId,
        path: &Path,
    ) -> Result<Vec<NodeId>, Refusal> {
        let own = scope.roots.iter().position(|&other| other == root).unwrap_or(0);
        let what = || format!("There is no field `{}` before the one that refers to it.", shown(path));
        let some = |found: Vec<NodeId>| {
            if found.is_empty() { Err(Refusal::new(path.at, what())) } else { Ok(found) }
        };
        match path.start {
            Start::Search => {}
            Start::Part(part) => {
                let start = scope.roots.get(part).copied().filter(|_| part <= own).unwrap_or(NONE);
                let found = self.descend(start, &path.words, node, true, path.at)?;
                return some(found);
            }
            Start::Up(up) => {
                let start = self.enclosing_structure(node, up).unwrap_or(NONE);
                let found = self.descend(start, &path.words, node, true, path.at)?;
                return some(found);
            }
        }
        for (part, names) in NAMES.iter().enumerate() {
            let matches = path.words.len() > names.len()
                && names.iter().zip(&path.words).all(|(name, word)| *name == &**word);
            if !matches {
                continue;
            }
            let rest = path.words.get(names.len()..).unwrap_or_default();
            let start = scope.roots.get(part).copied().filter(|_| part <= own).unwrap_or(NONE);
            let found = self.descend(start, rest, node, false, path.at)?;
            return some(found);
        }
        // A name as it was declared wins over one that differs in its underscore, however far away.
        for exact in [true, false] {
            let mut at = node;
            while let Some(&(parent, _)) = self.parents.get(at as usize) {
                if parent == NONE {
                    break;
                }
                let is_structure = matches!(self.kind(parent), Some(Kind::Struct(_)));
                let found = if is_structure {
                    self.descend(parent, &path.words, node, exact, path.at)?
                } else {
                    vec![]
                };
                if !found.is_empty() {
                    return Ok(found);
                }
                at = parent;
            }
            for &start in scope.roots.get(..own).unwrap_or_default().iter().rev() {
                let found = self.descend(start, &path.words, node, exact, path.at)?;
                if !found.is_empty() {
                    return Ok(found);
                }
            }
        }
        Err(Refusal::new(path.at, what()))
    }

    /// The structure that holds a field, or the one so many structures further out.
    fn enclosing_structure(&self, node: NodeId, up: u32) -> Option<NodeId> {
        let (mut at, mut left) = (node, up);
        loop {
            at = self.parents.get(at as usize).map(|&(parent, _)| parent).filter(|&parent| parent != NONE)?;
            if matches!(self.kind(at), Some(Kind::Struct(_))) {
                if left == 0 {
                    return Some(at);
                }
                left -= 1;
            }
        }
    }

    /// Follows `words` down from `start`, to fields that are read before `node`.
    fn descend(
        &mut self,
        start: NodeId,
        words: &[Rc<str>],
        node: NodeId,
        exact: bool,
        path_at: usize,
    ) -> Result<Vec<NodeId>, Refusal> {
        let mut at = vec![start];
        let mut is_partial = false;
        for word in words {
            let mut next = vec![];
            let mut missing = 0;
            for structure in at {
                for structure in self.reach(structure, node)? {
                    let member = self.member(structure, word, exact);
                    missing += usize::from(member.is_none());
                    next.extend(member);
                }
            }
            is_partial |= missing > 0 && !next.is_empty();
            at = next;
        }
        let mut found = vec![];
        for one in at {
            found.extend(self.reach(one, node)?);
        }
        // A tree is numbered in the order of reading; other trees are only looked at when they are
        // read before. What holds the node is not before it.
        let is_own = self.same_tree(start, node);
        found.retain(|&at| at > start && at != node && (at < node || !is_own));
        if is_partial && !found.is_empty() {
            let word = words.last().map_or("", |word| word);
            let word: String = word.chars().take(40).collect();
            let what =
                format!("A path leads through a variant of which not all options have the field `{word}`.");
            self.remark(path_at, what);
        }
        Ok(found)
    }

    /// What stands for a field on the way to `node`: the options of a variant, and the element of an array that
    /// holds the node.
    fn reach(&mut self, id: NodeId, node: NodeId) -> Result<Vec<NodeId>, Refusal> {
        let (mut todo, mut found) = (vec![id], vec![]);
        while let Some(id) = todo.pop() {
            match self.kind(id) {
                Some(Kind::Variant(variant) | Kind::Optional(variant)) => {
                    // Inside an option it is that one that is there.
                    let own = variant
                        .options
                        .iter()
                        .find(|&&option| option == node || self.same_tree(option, node));
                    match own {
                        Some(own) => todo.push(*own),
                        None => todo.extend(variant.options.iter().rev()),
                    }
                }
                Some(Kind::Array { element, .. } | Kind::Sequence { element, .. })
                    if self.same_tree(id, node) =>
                {
                    todo.push(*element);
                }
                _ => found.push(id),
            }
        }
        if found.len() > 1 {
            self.spend(found.len() as u64)?;
        }
        Ok(found)
    }

    fn same_tree(&self, root: NodeId, mut node: NodeId) -> bool {
        while let Some(&(parent, _)) = self.parents.get(node as usize) {
            if node == root {
                return true;
            }
            if parent == NONE {
                return false;
            }
            node = parent;
        }
        false
    }

    /// The member of a structure; unless `exact`, its name may be written with or without leading
    /// underscore.
    fn member(&mut self, structure: NodeId, word: &Rc<str>, exact: bool) -> Option<NodeId> {
        let Some(Kind::Struct(found)) = self.nodes.get(structure as usize).map(|node| &node.kind) else {
            return None;
        };
        let nth = if found.members.len() <= 8 {
            let declared = found.members.iter().position(|member| member.declared() == &**word);
            declared.or_else(|| {
                let plain = |member: &super::class::Member| !exact && member.name() == plain_name(word);
                found.members.iter().position(plain)
            })?
        } else {
            let [declared, plain] = self.indexes.entry(structure).or_insert_with(|| {
                let mut index: [HashMap<Rc<str>, u32>; 2] = Default::default();
                let [declared, plain] = &mut index;
                for (nth, member) in found.members.iter().enumerate() {
                    declared.insert(Rc::from(member.declared()), nth as u32);
                    plain.entry(Rc::from(member.name())).or_insert(nth as u32);
                }
                index
            });
            let near = || if exact { None } else { plain.get(plain_name(word)) };
            *declared.get(word).or_else(near)? as usize
        };
        found.members.get(nth).map(|member| member.node)
    }

    /// Connects a length or a selector with the fields that it refers to.
    fn connect(
        &mut self,
        node: NodeId,
        targets: &[NodeId],
        path: &Path,
        options: &Options,
    ) -> Result<(), Refusal> {
        let refuse = |what: &str| Err(Refusal::new(path.at, format!("`{}` {what}", shown(path))));
        let at_path = |refusal: Refusal| Refusal { at: path.at, ..refusal };
        let Some(&target) = targets.first() else { return refuse("is no field.") };
        let numbers: Vec<_> = targets.iter().map(|&target| self.number(target)).collect();
        let (mut ranges, mut chosen) = (Vec::new(), Vec::new());
        match options {
            Options::None => {
                for number in numbers {
                    match number {
                        None | Some((_, true)) => return refuse("is the length of a field, but no integer."),
                        Some((true, _)) => return refuse("is the length of a field, but a signed integer."),
                        Some((false, false)) => {}
                    }
                }
                let (slot, _) = self.share(targets, "length").map_err(at_path)?;
                self.uses.push((slot, node));
                match self.kind_mut(node) {
                    Some(Kind::Sequence { length, .. }) => *length = slot,
                    Some(Kind::Leaf(leaf)) => {
                        if let Form::Bytes(length, _) = &mut leaf.form {
                            *length = Length::Slot(slot);
                        }
                    }
                    _ => {}
                }
                return Ok(());
            }
            Options::Labels(options) => {
                let Some(Kind::Enum(_, labels)) = self.kind(target) else {
                    return refuse("is the tag of a variant, but no enumeration.");
                };
                let labels = labels.clone();
                if targets.len() > 1 {
                    return refuse("is the tag of a variant, but one of several fields.");
                }
                for (nth, option) in options.iter().enumerate() {
                    // Some tracers write the underscore on one side only.
                    let found = labels
                        .ranges_of(&option.name)
                        .or_else(|| labels.ranges_of(plain_name(&option.name)))
                        .or_else(|| labels.ranges_of(&format!("_{}", option.name)));
                    let Some(found) = found else {
                        let name = option.name.chars().take(40).collect::<String>();
                        return refuse(&format!(
                            "is the tag of a variant, but has no label for its option `{name}`."
                        ));
                    };
                    // A thousand variants may share an enumeration of a thousand labels.
                    self.spend(found.len() as u64)?;
                    ranges.extend(found);
                    chosen.resize(ranges.len(), nth as u32);
                }
            }
            Options::Ranges(options, is_boolean) => {
                for number in &numbers {
                    match number {
                        None => return refuse("is a selector, but no integer."),
                        Some((_, boolean)) if boolean != is_boolean => {
                            let kind = if *is_boolean { "is not a boolean" } else { "is a boolean" };
                            return refuse(&format!("is a selector, and {kind}."));
                        }
                        Some((is_signed, _)) if numbers.first() != Some(&Some((*is_signed, *is_boolean))) => {
                            return refuse("is a selector with a sign in one place and without in another.");
                        }
                        Some(_) => {}
                    }
                }
                for (nth, option) in options.iter().enumerate() {
                    self.spend(option.ranges.len() as u64)?;
                    ranges.extend(&option.ranges);
                    chosen.resize(ranges.len(), nth as u32);
                }
            }
        }
        let is_signed = numbers.first().copied().flatten().is_some_and(|(is_signed, _)| is_signed);
        let (slot, _) = self.share(targets, "tag").map_err(at_path)?;
        self.uses.push((slot, node));
        if let Some(Kind::Variant(variant) | Kind::Optional(variant)) = self.kind_mut(node) {
            variant.tag = slot;
            variant.signed = is_signed;
            variant.ranges = Ranges::new(&ranges);
            variant.chosen = chosen;
        }
        Ok(())
    }

    /// Whether an integer is signed, and whether it is a boolean; `None` for anything else.
    fn number(&self, node: NodeId) -> Option<(bool, bool)> {
        match self.kind(node)? {
            Kind::Integer(integer) | Kind::Enum(integer, _) => Some((integer.signed, false)),
            Kind::Leaf(leaf) => match (leaf.form, &leaf.show) {
                (Form::Bits, Show::Bool) => Some((false, true)),
                (Form::Bits | Form::Variable, Show::Number | Show::Labels(_))
                    if leaf.integer.base != model::Base::Hexadecimal || leaf.form == Form::Variable =>
                {
                    Some((leaf.integer.signed, false))
                }
                _ => None,
            },
            _ => None,
        }
    }
}
