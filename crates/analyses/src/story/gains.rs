//! What a scene shows, as things that can be counted: a thing that was shown brings nothing a second time.

use model::code::MethodId;
use model::flow::Left;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::calls::Shapes;
use crate::replay::{Kind, Measure, NodeId, Replay};

use super::firsts::Firsts;
use super::made::walk;
use super::ranking::{SourceLines, Weight};

/// Something that a scene may show first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Thing {
    /// A line of a method.
    Line(MethodId, u32),
    /// Iterations of one shape.
    Variant(MethodId, Option<u32>, u32),
    /// That the method ends with an exception.
    Threw(MethodId),
    /// The method, by the logarithm of the blocks of its largest call.
    Method(MethodId),
}

/// What things are worth.
const LINE: u64 = 4;
const VARIANT: u64 = 4;
const THREW: u64 = 12;
const METHOD: u64 = 6;
/// Calls that are looked through for one that is known.
const FEW: usize = 64;
/// So much more is one's own code worth.
const OWN: u64 = 10;

/// By call, what it brings.
pub(super) struct Gains<'a> {
    replay: &'a Replay,
    blocks: &'a Measure,
    lines: &'a SourceLines<'a>,
    things: FxHashMap<Thing, usize>,
    /// By thing.
    worth: Vec<u64>,
    shown: Vec<bool>,
    /// By thing, the calls to whom it counts.
    brought_by: Vec<Vec<NodeId>>,
    /// By node, what it would bring now.
    gains: Vec<u64>,
}

impl<'a> Gains<'a> {
    /// Of the calls below some roots; `weight` of a node's method.
    pub(super) fn of(
        replay: &'a Replay,
        blocks: &'a Measure,
        firsts: &Firsts,
        lines: &'a SourceLines<'a>,
        shapes: &mut Shapes<'a>,
        weight: &dyn Fn(NodeId) -> Weight,
    ) -> Gains<'a> {
        let mut gains = Gains {
            replay,
            blocks,
            lines,
            things: FxHashMap::default(),
            worth: vec![],
            shown: vec![],
            brought_by: vec![],
            gains: vec![0; replay.len()],
        };
        let mut largest: FxHashMap<MethodId, u64> = FxHashMap::default();
        for node in (0..replay.len() as u32).map(NodeId).filter(|node| firsts.times(*node) > 0) {
            if let Kind::Frame { method, .. } = replay.kind(node) {
                let known = largest.entry(method).or_default();
                *known = blocks.of_node(node).max(*known);
            }
        }
        for node in (0..replay.len() as u32).rev().map(NodeId).filter(|node| firsts.times(*node) > 0) {
            let kind = replay.kind(node);
            // What lies in a loop counts to the call that ran it first.
            let call = if matches!(kind, Kind::Frame { .. }) { Some(node) } else { firsts.around(node) };
            let Some(call) = call else { continue };
            let factor = match weight(call) {
                Weight::Own => OWN,
                Weight::Other => 1,
                Weight::Hidden(_) => continue,
            };
            for thing in own(replay, node, lines, shapes) {
                let worth = match thing {
                    Thing::Line(..) => LINE,
                    Thing::Variant(..) => VARIANT,
                    Thing::Threw(_) => THREW,
                    Thing::Method(method) => {
                        METHOD + u64::from(largest.get(&method).copied().unwrap_or(0).max(1).ilog2())
                    }
                };
                gains.add(call, thing, worth * factor);
            }
        }
        gains
    }

    fn add(&mut self, call: NodeId, thing: Thing, worth: u64) {
        let next = self.worth.len();
        let at = *self.things.entry(thing).or_insert(next);
        if at == next {
            self.worth.push(worth);
            self.shown.push(false);
            self.brought_by.push(vec![]);
        }
        // A call comes for itself and for each loop of its own. Where many bring the same, what is counted twice is also
        // taken back twice.
        let Some(by) = self.brought_by.get_mut(at).filter(|by| by.len() > FEW || !by.contains(&call)) else {
            return;
        };
        by.push(call);
        if let (Some(gain), Some(worth)) = (self.gains.get_mut(call.0 as usize), self.worth.get(at)) {
            *gain += worth;
        }
    }

    /// What a call would bring now.
    pub(super) fn of_call(&self, call: NodeId) -> u64 {
        self.gains.get(call.0 as usize).copied().unwrap_or(0)
    }

    /// A call is shown: whatever it shows brings nothing any more. Its lines.
    pub(super) fn show(&mut self, call: NodeId, shapes: &mut Shapes<'_>) -> FxHashSet<(MethodId, u32)> {
        let (replay, lines) = (self.replay, self.lines);
        let mut things: FxHashSet<Thing> = own(replay, call, lines, shapes).collect();
        let mut seen = FxHashSet::default();
        walk(replay, self.blocks, call, |one| {
            if !matches!(replay.kind(one.node), Kind::Frame { .. }) && seen.insert(one.node) {
                things.extend(own(replay, one.node, lines, shapes));
            }
        });
        for thing in &things {
            let Some(&at) = self.things.get(thing) else { continue };
            let Some(shown) = self.shown.get_mut(at).filter(|shown| !**shown) else { continue };
            *shown = true;
            let worth = self.worth.get(at).copied().unwrap_or(0);
            for call in self.brought_by.get(at).into_iter().flatten() {
                if let Some(gain) = self.gains.get_mut(call.0 as usize) {
                    *gain = gain.saturating_sub(worth);
                }
            }
        }
        let line = |thing| match thing {
            Thing::Line(method, line) => Some((method, line)),
            _ => None,
        };
        things.into_iter().filter_map(line).collect()
    }
}

/// What a node shows itself, without what lies in nodes inside.
pub(super) fn own(
    replay: &Replay,
    node: NodeId,
    lines: &SourceLines<'_>,
    shapes: &mut Shapes<'_>,
) -> impl Iterator<Item = Thing> {
    let kind = replay.kind(node);
    let mut things = vec![];
    match kind {
        Kind::Frame { method, left, .. } => {
            things.push(Thing::Method(method));
            things.extend((left == Left::Threw).then_some(Thing::Threw(method)));
        }
        Kind::Loop { method, index } => {
            let iterations = replay.items(node).iter().filter_map(|item| item.node());
            things.extend(
                iterations.map(|iteration| Thing::Variant(method, index, shapes.of(replay, iteration))),
            );
        }
        Kind::Root | Kind::Iteration { .. } | Kind::Again { .. } => {}
    }
    if let Kind::Frame { method, .. } | Kind::Iteration { method } | Kind::Loop { method, .. } = kind {
        for block in replay.items(node).iter().filter_map(|item| item.block()) {
            lines(method, block, &mut |line| things.push(Thing::Line(method, line)));
        }
    }
    things.sort_unstable();
    things.dedup();
    things.into_iter()
}
