//! References between fields: which field a length or a tag means
//! (CTF 1.8.3 specification, sections 4.2.3, 4.2.4 and 7.3.2).
//!
//! A path is looked for among the fields before the one that has it: in its own structure, then in
//! those around it, then in the parts of the event that were read before. A path that starts with
//! the name of a part (`stream.event.context.len`) is looked for only there.

use std::collections::HashMap;
use std::rc::Rc;

use super::class::{Kind, NONE, NodeId, plain_name};
use super::compile::Compiler;
use super::ranges::Ranges;
use super::tsdl::Refusal;
use super::tsdl::metadata::{Member, Path};

/// A length or a tag.
pub(super) struct Reference {
    /// The sequence or the variant.
    pub(super) node: NodeId,
    pub(super) path: Rc<Path>,
    /// The options of the variant.
    pub(super) options: Option<Rc<[Member]>>,
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
            let target = compiler.find(scope, root, node, &path)?;
            compiler.connect(node, target, &path, options.as_deref())?;
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
    fn end_of(&self, root: NodeId) -> NodeId {
        let mut last = root;
        loop {
            let below = match self.kind(last) {
                Some(Kind::Struct(structure)) => structure.members.last().map(|member| member.node),
                Some(Kind::Variant(variant)) => variant.options.last().copied(),
                Some(Kind::Array { element, .. } | Kind::Sequence { element, .. }) => Some(*element),
                _ => None,
            };
            match below {
                Some(node) => last = node,
                None => return last + 1,
            }
        }
    }

    fn find(&mut self, scope: &Scope, root: NodeId, node: NodeId, path: &Path) -> Result<NodeId, Refusal> {
        let own = scope.roots.iter().position(|&other| other == root).unwrap_or(0);
        for (part, names) in NAMES.iter().enumerate() {
            let matches = path.words.len() > names.len()
                && names.iter().zip(&path.words).all(|(name, word)| *name == &**word);
            if !matches {
                continue;
            }
            let rest = path.words.get(names.len()..).unwrap_or_default();
            if part <= own
                && let Some(&start) = scope.roots.get(part)
                && let Some(found) = self.descend(start, rest, node, false)
            {
                return Ok(found);
            }
            let what = format!("There is no field `{}` before the one that refers to it.", shown(path));
            return Err(Refusal::new(path.at, what));
        }
        // A name as it was declared wins over one that differs in its underscore, however far away.
        for exact in [true, false] {
            let mut at = node;
            while let Some(&(parent, _)) = self.parents.get(at as usize) {
                if parent == NONE {
                    break;
                }
                if let Some(found) = self.descend(parent, &path.words, node, exact) {
                    return Ok(found);
                }
                at = parent;
            }
            for &start in scope.roots.get(..own).unwrap_or_default().iter().rev() {
                if let Some(found) = self.descend(start, &path.words, node, exact) {
                    return Ok(found);
                }
            }
        }
        let what = format!("There is no field `{}` before the one that refers to it.", shown(path));
        Err(Refusal::new(path.at, what))
    }

    /// Follows `words` down from `start`, to a field that is read before `node`.
    fn descend(&mut self, start: NodeId, words: &[Rc<str>], node: NodeId, exact: bool) -> Option<NodeId> {
        let mut at = start;
        for word in words {
            at = self.member(at, word, exact)?;
        }
        // A tree is numbered in the order of reading; other trees are only looked at when they are
        // read before. What holds the node is not before it.
        let inside = self.parents.get(start as usize).is_some() && at > start;
        let before = at < node || !self.same_tree(start, node);
        (inside && before && at != node).then_some(at)
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
        let place = if found.members.len() <= 8 {
            let declared = found.members.iter().position(|member| member.declared() == &**word);
            declared.or_else(|| {
                let plain = |member: &super::class::Member| !exact && member.name() == plain_name(word);
                found.members.iter().position(plain)
            })?
        } else {
            let [declared, plain] = self.indexes.entry(structure).or_insert_with(|| {
                let mut index: [HashMap<Rc<str>, u32>; 2] = Default::default();
                let [declared, plain] = &mut index;
                for (place, member) in found.members.iter().enumerate() {
                    declared.insert(Rc::from(member.declared()), place as u32);
                    plain.entry(Rc::from(member.name())).or_insert(place as u32);
                }
                index
            });
            let near = || if exact { None } else { plain.get(plain_name(word)) };
            *declared.get(word).or_else(near)? as usize
        };
        found.members.get(place).map(|member| member.node)
    }

    /// Connects a sequence or variant with the field that it refers to.
    fn connect(
        &mut self,
        node: NodeId,
        target: NodeId,
        path: &Path,
        options: Option<&[Member]>,
    ) -> Result<(), Refusal> {
        let refuse = |what: &str| Err(Refusal::new(path.at, format!("`{}` {what}", shown(path))));
        let Some(options) = options else {
            let signed = match self.kind(target) {
                Some(Kind::Integer(integer) | Kind::Enum(integer, _)) => integer.signed,
                _ => return refuse("is the length of a sequence, but no integer."),
            };
            if signed {
                return refuse("is the length of a sequence, but a signed integer.");
            }
            let (slot, _) =
                self.slot(target, "length").map_err(|refusal| Refusal { at: path.at, ..refusal })?;
            if let Some(Kind::Sequence { length, .. }) = self.kind_mut(node) {
                *length = slot;
            }
            return Ok(());
        };
        let Some(Kind::Enum(integer, labels)) = self.kind(target) else {
            return refuse("is the tag of a variant, but no enumeration.");
        };
        let (is_signed, labels) = (integer.signed, labels.clone());
        let (mut ranges, mut chosen) = (Vec::new(), Vec::new());
        for (place, option) in options.iter().enumerate() {
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
            chosen.resize(ranges.len(), place as u32);
        }
        let (slot, _) = self.slot(target, "tag").map_err(|refusal| Refusal { at: path.at, ..refusal })?;
        if let Some(Kind::Variant(variant)) = self.kind_mut(node) {
            variant.tag = slot;
            variant.signed = is_signed;
            variant.ranges = Ranges::new(&ranges);
            variant.chosen = chosen;
        }
        Ok(())
    }
}
