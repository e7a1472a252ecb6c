//! The code of several recordings as one: methods by name and descriptor, blocks by what they do.
//!
//! ```text
//! first   bake  0 call open  1 branch  2 return
//! second  bake  0 call open  1 call check  2 branch  3 return      one block more, lines moved
//! joint   bake  0 call open  1 branch  2 return  3 call check      blocks of the first keep their numbers
//! ```
//!
//! So an inserted line moves nothing, and steps of both sides can be compared as numbers. Which line a joint block has
//! is asked of a side ([`JointCode::block_of`]). Where the source of both sides is known, so is which line of one is which
//! of the other ([`OldLines`]), and blocks are matched by that first.

use std::sync::Arc;

use model::code::{BlockId, ClassId, CodeMap, Ending, Method, MethodId};
use rustc_hash::FxHashMap;

use super::edit;

/// For a class of a side by line: the line of the first side that has the same source text, 0 where none has. `None` where
/// that is not known; then lines are counted from the first of each method.
pub type OldLines<'a> = dyn Fn(ClassId) -> Option<Arc<[u16]>> + 'a;

/// Blocks of a method that may have no counterpart; behind that they are compared by their numbers.
const MOST: usize = 500;

/// The methods of all sides.
#[derive(Debug, Default)]
pub struct JointCode {
    methods: Vec<JointMethod>,
    by_name: FxHashMap<(String, String, String), Vec<MethodId>>,
    sides: Vec<Translation>,
}

#[derive(Debug, Default)]
struct JointMethod {
    /// By side.
    of: Vec<Option<MethodId>>,
    is_initializer: bool,
    /// What the blocks of the first side do, in the order of the code.
    first: Vec<Does>,
    /// The first line of the method on the first side.
    base: u16,
    /// How many blocks there are.
    blocks: u32,
    /// The loops by their heads.
    heads: Vec<BlockId>,
}

/// How the numbers of a side become joint ones.
#[derive(Debug, Default)]
struct Translation {
    methods: Vec<MethodId>,
    /// By the side's method; `None` where they are the same.
    blocks: Vec<Option<Box<[BlockId]>>>,
    /// By the side's method.
    loops: Vec<Box<[u32]>>,
}

/// What a block does, as far as it says.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Does {
    ending: Ending<(String, String)>,
    is_handler: bool,
    /// Its lines, counted from the first of the method.
    lines: Vec<u16>,
}

impl Does {
    /// What the blocks of a method do, and its first line.
    fn of(method: &Method) -> (u16, Vec<Does>) {
        let first = method.blocks.iter().filter_map(|block| block.lines.first()).min().copied().unwrap_or(0);
        let does = |block: &model::code::Block| Does {
            ending: block.ending.map_call(|call| (call.class.clone(), call.name.clone() + &call.descriptor)),
            is_handler: block.is_handler,
            lines: block.lines.iter().map(|line| line.saturating_sub(first)).collect(),
        };
        (first, method.blocks.iter().map(does).collect())
    }

    /// Whatever its lines are.
    fn is_like(&self, other: &Does) -> bool {
        (&self.ending, self.is_handler) == (&other.ending, other.is_handler)
    }
}

/// A block with its lines as numbers that both sides have, to be compared.
#[derive(Debug, PartialEq, Eq)]
struct Exact<'d> {
    ending: &'d Ending<(String, String)>,
    is_handler: bool,
    lines: Vec<u32>,
}

/// The blocks of a method, each with the numbers of its lines.
fn exact<'d>(does: &'d [Does], line: impl Fn(u16) -> u32) -> Vec<Exact<'d>> {
    let one = |does: &'d Does| Exact {
        ending: &does.ending,
        is_handler: does.is_handler,
        lines: does.lines.iter().map(|own| line(*own)).collect(),
    };
    does.iter().map(one).collect()
}

/// A block without its lines, to be compared.
#[derive(Debug)]
struct Like<'d>(&'d Does);

impl PartialEq for Like<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_like(other.0)
    }
}

impl Eq for Like<'_> {}

impl JointCode {
    /// Adds the code of one more side; its number.
    pub(super) fn add(&mut self, code: &CodeMap, old_lines: &OldLines<'_>) -> usize {
        let side = self.sides.len();
        let mut translation = Translation::default();
        let mut known: FxHashMap<ClassId, Option<Arc<[u16]>>> = FxHashMap::default();
        for (id, method) in (0..).map(MethodId).zip(&code.methods) {
            let class = code.class(method.class).map_or("", |class| &class.name);
            let key = (stable_name(class), method.name.clone(), method.descriptor.clone());
            let (base, does) = Does::of(method);
            let joint = self.find(key, side, &does);
            let Some(about) = self.methods.get_mut(joint.0 as usize) else { continue };
            about.of.resize(side + 1, None);
            if let Some(slot) = about.of.last_mut().filter(|slot| slot.is_none()) {
                *slot = Some(id);
            }
            if about.blocks == 0 {
                about.is_initializer = method.name == "<clinit>";
                about.blocks = does.len() as u32;
                about.base = base;
                about.first.clone_from(&does);
            }
            let old_lines = known.entry(method.class).or_insert_with(|| old_lines(method.class));
            let blocks = about.translated(&does, old_lines.as_deref().map(|lines| (base, lines)));
            let block = |block: BlockId| match &blocks {
                Some(blocks) => blocks.get(block as usize).copied().unwrap_or(block),
                None => block,
            };
            let loops = method.loops.iter().map(|found| about.loop_at(block(found.head))).collect();
            translation.methods.push(joint);
            translation.loops.push(loops);
            translation.blocks.push(blocks);
        }
        self.sides.push(translation);
        side
    }

    /// The joint method of this name: one that does the same, else one that the side has none for yet, else a new one.
    fn find(&mut self, key: (String, String, String), side: usize, does: &[Does]) -> MethodId {
        let new = MethodId(self.methods.len() as u32);
        let known = self.by_name.entry(key).or_default();
        let about = |id: &&MethodId| self.methods.get(id.0 as usize);
        let same = known.iter().find(|id| {
            about(id).is_some_and(|about| {
                about.first.len() == does.len() && about.first.iter().zip(does).all(|(a, b)| a.is_like(b))
            })
        });
        let free = || {
            known
                .iter()
                .find(|id| about(id).is_some_and(|about| about.of.get(side).copied().flatten().is_none()))
        };
        if let Some(id) = same.or_else(free) {
            return *id;
        }
        known.push(new);
        self.methods.push(JointMethod::default());
        new
    }

    /// How many methods there are.
    pub fn len(&self) -> usize {
        self.methods.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.methods.is_empty()
    }

    /// The method of a side; `None` if it does not have it.
    pub fn method_of(&self, side: usize, method: MethodId) -> Option<MethodId> {
        self.methods.get(method.0 as usize)?.of.get(side).copied().flatten()
    }

    /// The block of a side that a joint block stands for.
    pub fn block_of(&self, side: usize, method: MethodId, block: BlockId) -> Option<BlockId> {
        let own = self.method_of(side, method)?;
        match self.sides.get(side)?.blocks.get(own.0 as usize)? {
            Some(blocks) => blocks.iter().position(|joint| *joint == block).map(|at| at as BlockId),
            None => Some(block),
        }
    }

    /// The loop of a side that a joint loop stands for.
    pub fn loop_of(&self, side: usize, method: MethodId, index: u32) -> Option<u32> {
        let own = self.method_of(side, method)?;
        let loops = self.sides.get(side)?.loops.get(own.0 as usize)?;
        loops.iter().position(|joint| *joint == index).map(|at| at as u32)
    }

    pub(super) fn is_initializer(&self, method: MethodId) -> bool {
        self.methods.get(method.0 as usize).is_some_and(|about| about.is_initializer)
    }

    pub(super) fn joint_method(&self, side: usize, method: MethodId) -> MethodId {
        let known = self.sides.get(side).and_then(|side| side.methods.get(method.0 as usize));
        // Steps of a damaged recording may name what is not there: each such number stays a method of its own.
        known.copied().unwrap_or(MethodId((self.methods.len() as u32).saturating_add(method.0)))
    }

    /// The joint number of a block of a side.
    pub fn joint_block(&self, side: usize, method: MethodId, block: BlockId) -> BlockId {
        let known = self.sides.get(side).and_then(|side| side.blocks.get(method.0 as usize)?.as_ref());
        known.and_then(|blocks| blocks.get(block as usize)).copied().unwrap_or(block)
    }

    pub(super) fn joint_loop(&self, side: usize, method: MethodId, index: u32) -> u32 {
        let known = self.sides.get(side).and_then(|side| side.loops.get(method.0 as usize));
        known.and_then(|loops| loops.get(index as usize)).copied().unwrap_or(index)
    }
}

impl JointMethod {
    /// The joint blocks of a side that does this; `None`: its own numbers.
    /// `old_lines`: the first line of the method there, and for each line of the file the one of the first side.
    fn translated(&mut self, does: &[Does], old_lines: Option<(u16, &[u16])>) -> Option<Box<[BlockId]>> {
        let is_same =
            self.first.len() == does.len() && self.first.iter().zip(does).all(|(a, b)| a.is_like(b));
        if is_same {
            return None;
        }
        let old = |line: u16| self.base.saturating_add(line);
        let new = |(base, lines): (u16, &[u16]), line: u16| {
            let line = base.saturating_add(line);
            let old = lines.get(usize::from(line)).copied().filter(|old| *old > 0);
            // Nothing that the first side has.
            old.map_or(0x1_0000 + u32::from(line), u32::from)
        };
        let sides: [Vec<Exact<'_>>; 2] = match old_lines {
            Some(known) => {
                [exact(&self.first, |line| u32::from(old(line))), exact(does, |line| new(known, line))]
            }
            None => [exact(&self.first, u32::from), exact(does, u32::from)],
        };
        let equal = edit::matches(&sides[0], &sides[1], MOST).unwrap_or_default();
        let mut joint = vec![None; does.len()];
        let mut from = (0, 0);
        for (a, b) in equal.into_iter().chain([(self.first.len(), does.len())]) {
            let (one, other) = (self.first.get(from.0..a).unwrap_or(&[]), does.get(from.1..b).unwrap_or(&[]));
            let one: Vec<Like<'_>> = one.iter().map(Like).collect();
            let other: Vec<Like<'_>> = other.iter().map(Like).collect();
            for (x, y) in edit::matches(&one, &other, MOST).unwrap_or_default() {
                joint[from.1 + y] = Some((from.0 + x) as BlockId);
            }
            if let Some(slot) = joint.get_mut(b) {
                *slot = Some(a as BlockId);
            }
            from = (a + 1, b + 1);
        }
        let mut numbered = |known: Option<BlockId>| {
            known.unwrap_or_else(|| {
                self.blocks += 1;
                self.blocks - 1
            })
        };
        Some(joint.into_iter().map(&mut numbered).collect())
    }

    fn loop_at(&mut self, head: BlockId) -> u32 {
        let known = self.heads.iter().position(|known| *known == head);
        known.unwrap_or_else(|| {
            self.heads.push(head);
            self.heads.len() - 1
        }) as u32
    }
}

/// The name of a class without what differs from run to run: the numbers of hidden classes and proxies.
fn stable_name(name: &str) -> String {
    for counted in ["$$Lambda", "$Proxy", "GeneratedMethodAccessor", "GeneratedConstructorAccessor"] {
        if let Some(at) = name.find(counted) {
            return name[..at + counted.len()].to_owned();
        }
    }
    name.split("/0x").next().unwrap_or(name).to_owned()
}
