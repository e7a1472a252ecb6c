//! How calls went on at each point of a method, and how often: one walk over the tree, whatever the run's length.

use model::code::{BlockId, MethodId};
use rustc_hash::FxHashMap;

use super::change::Next;
use super::compare::THREAD;
use super::coverage;
use super::join::{Joint, Side};
use super::parting::{begin, left_of};
use crate::replay::{Kind, NodeId, What};

/// A point in a method: behind a block, and behind the call that the block made, if it made one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct After {
    pub(super) block: Option<BlockId>,
    pub(super) called: Option<MethodId>,
}

/// What came next at a point, each with how often.
pub(super) type Nexts = Vec<(Next, u64)>;

/// The counts of one side, by joint numbers.
#[derive(Debug, Default)]
pub(super) struct Decisions {
    of: FxHashMap<MethodId, FxHashMap<After, Nexts>>,
}

impl Decisions {
    /// Of some threads of a side, by their indices, and of its class initialisers.
    pub(super) fn of(joint: &Joint, side: &Side, wanted: impl Fn(usize) -> bool) -> Decisions {
        let mut decisions = Decisions::default();
        let times = coverage::times(joint, side, wanted);
        for (node, times) in (0..).map(NodeId).zip(times).filter(|(_, times)| *times > 0) {
            match joint.replay.kind(node) {
                Kind::Root => decisions.in_order(joint, node, THREAD, times),
                Kind::Frame { method, .. } | Kind::Iteration { method } => {
                    decisions.in_order(joint, node, method, times);
                }
                Kind::Loop { method, .. } => decisions.rounds(joint, node, method, times),
                Kind::Again { .. } => {}
            }
        }
        decisions
    }

    fn in_order(&mut self, joint: &Joint, node: NodeId, method: MethodId, times: u64) {
        let kind = joint.replay.kind(node);
        // How an iteration begins is counted where the loop goes on.
        let is_iteration = matches!(kind, Kind::Iteration { .. });
        let mut after = (!is_iteration).then(After::default);
        for item in joint.replay.items(node) {
            if matches!(item.what(), What::Gap(_) | What::Inferred(_) | What::Observed) {
                after = None;
                continue;
            }
            let next = begin(joint, item.what());
            if let Some(after) = after {
                self.add(method, after, next, times);
            }
            let own = point_after(joint, item.what(), after.and_then(|after| after.block));
            self.add(method, own, next, times.saturating_mul(u64::from(item.times.saturating_sub(1))));
            after = Some(own);
        }
        let end = match kind {
            Kind::Frame { left, .. } => left_of(left),
            Kind::Root if joint.seen(node).is_whole() => Next::Nothing,
            _ => return,
        };
        if let Some(after) = after.filter(|_| end != Next::Unseen) {
            self.add(method, after, end, times);
        }
    }

    /// The iterations of a loop but for the last, behind which the loop was left.
    fn rounds(&mut self, joint: &Joint, node: NodeId, method: MethodId, times: u64) {
        let items = joint.replay.items(node);
        for (at, item) in items.iter().enumerate() {
            let rounds = item.times.saturating_sub(u32::from(at + 1 == items.len()));
            let own = point_after(joint, item.what(), None);
            self.add(method, own, Next::LoopAgain, times.saturating_mul(u64::from(rounds)));
        }
    }

    fn add(&mut self, method: MethodId, after: After, next: Next, times: u64) {
        if times == 0 {
            return;
        }
        let nexts = self.of.entry(method).or_default().entry(after).or_default();
        match nexts.iter_mut().find(|known| known.0 == next) {
            Some(known) => known.1 = known.1.saturating_add(times),
            None => nexts.push((next, times)),
        }
    }

    /// The methods that ran, in no order.
    pub(super) fn methods(&self) -> impl Iterator<Item = MethodId> + '_ {
        self.of.keys().copied()
    }

    /// The points of a method, in no order.
    pub(super) fn branches(&self, method: MethodId) -> impl Iterator<Item = (&After, &Nexts)> {
        self.of.get(&method).into_iter().flatten()
    }

    /// How often something came next at a point, and how often anything did.
    pub(super) fn rate(&self, method: MethodId, after: &After, next: Next) -> [u64; 2] {
        let nexts =
            self.of.get(&method).and_then(|branches| branches.get(after)).map_or(&[][..], Vec::as_slice);
        let count = nexts.iter().find(|known| known.0 == next).map_or(0, |known| known.1);
        [count, nexts.iter().map(|known| known.1).fold(0, u64::saturating_add)]
    }
}

/// The point behind an item; `block`: the one before it.
fn point_after(joint: &Joint, what: What, block: Option<BlockId>) -> After {
    let What::Node(node) = what else {
        return After { block: what_block(what), called: None };
    };
    match joint.replay.kind(node) {
        Kind::Frame { method, .. } | Kind::Again { method } => After { block, called: Some(method) },
        Kind::Root => After::default(),
        Kind::Loop { .. } | Kind::Iteration { .. } => {
            let items = joint.replay.items(node);
            let before = joint.replay.last_block(node, items.len().saturating_sub(1));
            items.last().map_or_else(After::default, |last| point_after(joint, last.what(), before.or(block)))
        }
    }
}

fn what_block(what: What) -> Option<BlockId> {
    match what {
        What::Block(block) | What::Catch(block) => Some(block),
        _ => None,
    }
}
