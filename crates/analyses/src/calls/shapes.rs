//! Shapes: what two calls or iterations have in common that are reported together.

use model::code::{BlockId, MethodId};
use model::flow::Left;
use rustc_hash::FxHashMap;

use crate::replay::{Inferred, Item, Kind, NodeId, Replay, What};

/// One place in a shape: what lies there, without what it did inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Slot {
    /// A block that ran, so many times in a row. Where lines are compared: some blocks of one line.
    Block(BlockId, u32),
    Catch(BlockId),
    Gap(u32),
    Inferred(Inferred),
    Observed,
    /// Calls of one method that ended in the same way, by recorded code.
    Call(MethodId, Left),
    /// Calls of one method in a row, by code that was not recorded.
    Again(MethodId),
    Loop(Option<u32>),
}

/// Gives blocks of a method that are to be reported as one the same number.
pub type Lines<'a> = dyn Fn(MethodId, BlockId) -> u32 + 'a;

impl Slot {
    /// The slot of an item of a node of method `owner`.
    pub(super) fn of(
        replay: &Replay,
        item: Item,
        owner: Option<MethodId>,
        lines: Option<&Lines<'_>>,
    ) -> Slot {
        match item.what() {
            What::Block(block) => match (owner, lines) {
                (Some(owner), Some(lines)) => Slot::Block(lines(owner, block), 0),
                _ => Slot::Block(block, item.times),
            },
            What::Catch(block) => Slot::Catch(block),
            What::Gap(lost) => Slot::Gap(lost),
            What::Inferred(inferred) => Slot::Inferred(inferred),
            What::Observed => Slot::Observed,
            What::Node(node) => match replay.kind(node) {
                Kind::Frame { method, left, .. } => Slot::Call(method, left),
                Kind::Again { method } => Slot::Again(method),
                Kind::Loop { index, .. } => Slot::Loop(index),
                Kind::Iteration { .. } | Kind::Root => Slot::Loop(None),
            },
        }
    }

    /// Whether an item with the same slot directly behind belongs to it.
    pub(super) fn joins(self, next: Slot) -> bool {
        self == next && matches!(self, Slot::Call(..) | Slot::Again(_) | Slot::Block(_, 0))
    }
}

/// The method whose blocks a node has.
pub(super) fn owner(kind: Kind) -> Option<MethodId> {
    match kind {
        Kind::Frame { method, .. } | Kind::Loop { method, .. } | Kind::Iteration { method } => Some(method),
        Kind::Root | Kind::Again { .. } => None,
    }
}

/// What kind of node has the shape: nodes of different kinds are never alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Owner {
    Frame(MethodId, Left),
    Inside(MethodId),
    Root,
}

/// Shapes as numbers.
#[derive(Default)]
pub(crate) struct Shapes<'a> {
    /// By node; 0: not looked at yet.
    nodes: Vec<u32>,
    known: FxHashMap<(Owner, Box<[Slot]>), u32>,
    /// By number, from 1.
    slots: Vec<Box<[Slot]>>,
    lines: Option<&'a Lines<'a>>,
}

impl<'a> Shapes<'a> {
    /// With or without comparing lines.
    pub(crate) fn new(lines: Option<&'a Lines<'a>>) -> Shapes<'a> {
        Shapes { lines, ..Shapes::default() }
    }

    /// The shape of a node; equal numbers mean equal shapes.
    pub(crate) fn of(&mut self, replay: &Replay, node: NodeId) -> u32 {
        if self.nodes.is_empty() {
            self.nodes.resize(replay.len(), 0);
        }
        let at = node.0 as usize;
        if let Some(&known) = self.nodes.get(at).filter(|known| **known != 0) {
            return known;
        }
        let kind = replay.kind(node);
        let of = match kind {
            Kind::Frame { method, left, .. } => Owner::Frame(method, left),
            Kind::Loop { method, .. } | Kind::Iteration { method } | Kind::Again { method } => {
                Owner::Inside(method)
            }
            Kind::Root => Owner::Root,
        };
        let mut slots: Vec<Slot> = vec![];
        for &item in replay.items(node) {
            let slot = Slot::of(replay, item, owner(kind), self.lines);
            if !slots.last().is_some_and(|last| last.joins(slot)) {
                slots.push(slot);
            }
        }
        let next = self.known.len() as u32 + 1;
        let slots = slots.into_boxed_slice();
        let shape = *self.known.entry((of, slots.clone())).or_insert(next);
        if shape == next {
            self.slots.push(slots);
        }
        if let Some(entry) = self.nodes.get_mut(at) {
            *entry = shape;
        }
        shape
    }

    /// Whether the shape of `short` is the beginning of that of `long`, not all of it, and only blocks.
    pub(crate) fn begins(&mut self, replay: &Replay, short: NodeId, long: NodeId) -> bool {
        let (short, long) = (self.of(replay, short), self.of(replay, long));
        let slots = |shape: u32| self.slots.get(shape as usize - 1).map_or(&[][..], |slots| slots);
        let only_blocks = slots(short).iter().all(|slot| matches!(slot, Slot::Block(..)));
        short != long && only_blocks && slots(long).starts_with(slots(short))
    }
}
