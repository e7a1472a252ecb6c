//! Shapes: what two calls or turns have in common that are told together.

use model::code::{BlockId, MethodId};
use model::flow::Left;
use rustc_hash::FxHashMap;

use crate::replay::{Item, Kind, NodeId, Replay, What};

/// One place in a shape: what lies there, without what it did inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Slot {
    /// Blocks that ran; their repetitions count.
    Block(BlockId, u32),
    Catch(BlockId),
    Gap(u32),
    /// Calls of one method that ended in the same way, by recorded code.
    Call(MethodId, Left),
    /// Calls of one method in a row, by code that was not recorded.
    Again(MethodId),
    Loop(Option<u32>),
}

impl Slot {
    pub(super) fn of(replay: &Replay, item: Item) -> Slot {
        match item.what() {
            What::Block(block) => Slot::Block(block, item.times),
            What::Catch(block) => Slot::Catch(block),
            What::Gap(lost) => Slot::Gap(lost),
            What::Node(node) => match replay.kind(node) {
                Kind::Frame { method, left, .. } => Slot::Call(method, left),
                Kind::Again { method } => Slot::Again(method),
                Kind::Loop { index, .. } => Slot::Loop(index),
                Kind::Turn { .. } | Kind::Root => Slot::Loop(None),
            },
        }
    }

    /// Whether an item with the same slot directly behind belongs to it.
    pub(super) fn joins(self, next: Slot) -> bool {
        self == next && matches!(self, Slot::Call(..) | Slot::Again(_))
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
#[derive(Debug, Default)]
pub(super) struct Shapes {
    /// By node; 0: not looked at yet.
    nodes: Vec<u32>,
    known: FxHashMap<(Owner, Box<[Slot]>), u32>,
}

impl Shapes {
    /// The shape of a node; equal numbers mean equal shapes.
    pub(super) fn of(&mut self, replay: &Replay, node: NodeId) -> u32 {
        if self.nodes.is_empty() {
            self.nodes.resize(replay.len(), 0);
        }
        let at = node.0 as usize;
        if let Some(&known) = self.nodes.get(at).filter(|known| **known != 0) {
            return known;
        }
        let owner = match replay.kind(node) {
            Kind::Frame { method, left, .. } => Owner::Frame(method, left),
            Kind::Loop { method, .. } | Kind::Turn { method } | Kind::Again { method } => {
                Owner::Inside(method)
            }
            Kind::Root => Owner::Root,
        };
        let mut slots: Vec<Slot> = vec![];
        for &item in replay.items(node) {
            let slot = Slot::of(replay, item);
            if !slots.last().is_some_and(|last| last.joins(slot)) {
                slots.push(slot);
            }
        }
        let next = self.known.len() as u32 + 1;
        let shape = *self.known.entry((owner, slots.into_boxed_slice())).or_insert(next);
        if let Some(place) = self.nodes.get_mut(at) {
            *place = shape;
        }
        shape
    }
}
