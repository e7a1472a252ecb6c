//! Two nodes held against each other, and whatever differs inside: a graph of pairs, each looked at once.
//!
//! ```text
//! main ── 0 [bake] 1 (loop) 2        bake and bake' differ: one more pair
//! main' ─ 0 [bake'] 1 (loop') 3      the loops too; behind them 2 and 3: the sides go on in different ways
//! ```
//!
//! The items of calls and iterations are aligned in order: first equal ones ([`edit`]), then, in what lies between,
//! those that name the same method or loop, which become pairs. Iterations of a loop are held against each other by
//! their number and kind instead ([`super::iterations`]), for one more at the beginning moves all of them.
//!
//! What is not known is not compared: behind a loss, and behind the end of what was seen of a side, nothing of the other
//! side counts as one more.

use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

use model::code::MethodId;
use model::flow::{Entered, Left};
use rustc_hash::{FxHashMap, FxHasher};

use super::change::{Change, Difference};
use super::edit;
use super::hunks::{Hunks, moved};
use super::join::Joint;
use crate::replay::{Item, Kind, NodeId, What};

/// Pairs that are looked at.
const PAIRS: usize = 300_000;
/// Items of a pair that may have no counterpart when they are aligned one by one.
pub(super) const MOST: usize = 1_000;
/// Items that are looked at in all pairs together.
const WORK: u64 = 60_000_000;

/// What is found in a pair, in the order of the run.
pub(super) enum Event {
    Change(Change, [u64; 2]),
    /// Another pair, met so many times.
    Pair(usize, u64),
}

/// The pairs.
pub(super) struct Compare<'j> {
    pub(super) joint: &'j Joint,
    pub(super) pairs: Vec<Pair>,
    known: FxHashMap<Pair, usize>,
    pub(super) events: Vec<Vec<Event>>,
    waiting: VecDeque<usize>,
    pub(super) work: u64,
    /// Something was left out, as there would be too much of it.
    pub(super) is_cut: bool,
    /// By node, 0 for those that nobody asked for.
    shapes: FxHashMap<NodeId, u64>,
}

/// Two nodes, and whether each was going on when what is around it was seen last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Pair {
    pub(super) nodes: [NodeId; 2],
    pub(super) is_open: [bool; 2],
}

impl<'j> Compare<'j> {
    pub(super) fn new(joint: &'j Joint) -> Self {
        Compare {
            joint,
            pairs: vec![],
            known: FxHashMap::default(),
            events: vec![],
            waiting: VecDeque::new(),
            work: 0,
            is_cut: false,
            shapes: FxHashMap::default(),
        }
    }

    /// The differences inside these pairs of nodes, in the order in which they are met.
    pub(super) fn run(&mut self, roots: &[[NodeId; 2]]) -> Vec<Difference> {
        let mut tops = vec![];
        for &nodes in roots.iter().filter(|nodes| nodes[0] != nodes[1]) {
            if let Some(pair) = self.pair(Pair { nodes, is_open: [false, false] }) {
                tops.push(pair);
            }
            while let Some(at) = self.waiting.pop_front() {
                let events = self.examine(self.pairs[at]);
                if let Some(index) = self.events.get_mut(at) {
                    *index = events;
                }
            }
        }
        self.collect(&tops)
    }

    /// The number of a pair of different nodes.
    pub(super) fn pair(&mut self, pair: Pair) -> Option<usize> {
        if let Some(&known) = self.known.get(&pair) {
            return Some(known);
        }
        if self.pairs.len() >= PAIRS || self.work > WORK {
            self.is_cut = true;
            return None;
        }
        let at = self.pairs.len();
        self.pairs.push(pair);
        self.events.push(vec![]);
        self.known.insert(pair, at);
        self.waiting.push_back(at);
        Some(at)
    }

    fn examine(&mut self, pair: Pair) -> Vec<Event> {
        let nodes = pair.nodes;
        let kinds = nodes.map(|node| self.joint.replay.kind(node));
        let mut events = vec![];
        if kinds.iter().any(|kind| kind.has_iterations()) {
            self.iterations(pair, &mut events);
        } else {
            self.in_order(pair, &mut events);
        }
        if let [Kind::Frame { left: one, .. }, Kind::Frame { left: other, .. }] = kinds
            && one != other
            && [one, other].iter().all(|left| matches!(left, Left::Returned | Left::Threw))
        {
            events.push(Event::Change(Change::Ended { left: [one, other] }, [1, 1]));
        }
        events
    }

    /// The items of a side up to the first place behind which something is missing; whether that is all of them.
    pub(super) fn seen_items(&self, node: NodeId) -> (&'j [Item], bool) {
        let items = self.joint.replay.items(node);
        let is_end = |item: &Item| match item.what() {
            // What was deduced was not seen either.
            What::Gap(_) | What::Inferred(_) => true,
            What::Node(inner) => {
                let seen = self.joint.seen(inner);
                let is_unseen =
                    matches!(self.joint.replay.kind(inner), Kind::Frame { entered: Entered::Unseen, .. });
                is_unseen
                    || seen.is_open
                    || seen.has_gap && !matches!(self.joint.replay.kind(inner), Kind::Frame { .. })
            }
            What::Block(_) | What::Catch(_) | What::Observed => false,
        };
        match items.iter().position(is_end) {
            // What ends unseen was seen as far as it goes; a loss itself is nothing to compare.
            Some(at) => (items.get(..at + usize::from(items[at].node().is_some())).unwrap_or(items), false),
            None => (items, !self.joint.seen(node).is_open),
        }
    }

    fn in_order(&mut self, pair: Pair, events: &mut Vec<Event>) {
        let nodes = pair.nodes;
        let [(one, one_whole), (other, other_whole)] = nodes.map(|node| self.seen_items(node));
        let whole = [one_whole && !pair.is_open[0], other_whole && !pair.is_open[1]];
        self.work += (one.len() + other.len()) as u64;
        let hunks = Hunks { nodes, whole, lengths: [one.len(), other.len()] };
        let keys = |items: &[Item]| items.iter().map(exact).collect::<Vec<_>>();
        let matches = edit::matches(&keys(one), &keys(other), MOST).unwrap_or_default();
        let (mut a, mut b) = (0, 0);
        let end = Some((one.len(), other.len()));
        for (x, y) in matches.into_iter().chain(end) {
            if a < x || b < y {
                self.between(&hunks, [one, other], [a..x, b..y], events);
            }
            if let (Some(item), Some(same)) = (one.get(x), other.get(y))
                && item.times != same.times
            {
                self.counted(&hunks, [*item, *same], [x, y], events);
            }
            (a, b) = (x + 1, y + 1);
        }
        moved(events);
    }

    /// The kind of an iteration, or of a call: a hash of what it names, in order.
    pub(super) fn shape(&mut self, node: NodeId) -> u64 {
        if let Some(&known) = self.shapes.get(&node) {
            return known;
        }
        let mut hasher = FxHasher::default();
        let items = self.joint.replay.items(node);
        self.work += items.len() as u64;
        let mut last = None;
        for item in items {
            let slot = self.slot(*item);
            if last != Some(slot) || slot.0 != 2 {
                slot.hash(&mut hasher);
            }
            last = Some(slot);
        }
        if let Kind::Frame { left, .. } = self.joint.replay.kind(node) {
            left.hash(&mut hasher);
        }
        let shape = hasher.finish();
        self.shapes.insert(node, shape);
        shape
    }
}

/// What an item is, to be found equal on the other side, however often it comes.
pub(super) fn exact(item: &Item) -> (u8, u32) {
    match item.what() {
        What::Block(block) => (0, block),
        What::Catch(block) => (1, block),
        What::Gap(lost) => (3, lost),
        What::Inferred(inferred) => (4, inferred.records),
        What::Observed => (5, 0),
        What::Node(node) => (2, node.0),
    }
}

/// Stands for the thread itself where a difference is of no method: what calls the outermost ones.
pub const THREAD: MethodId = MethodId(u32::MAX);
