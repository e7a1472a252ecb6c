//! Pairs of nodes, each aligned once: which parts of one side are which of the other, in order.
//!
//! Calls and iterations are aligned as the diff does it: equal items first, then those that name the same method or loop.
//! Iterations of a loop are aligned in order too: equal ones first, what is left between them one by one.

use std::collections::VecDeque;
use std::ops::Range;

use model::flow::Left;
use rustc_hash::FxHashMap;

use super::super::compare::{Compare, MOST, Pair, exact};
use super::super::edit;
use super::super::join::Joint;
use super::{Entry, PairRows, Part, Sums};
use crate::replay::{Item, Kind, Measure, NodeId};

/// Pairs that are aligned.
const PAIRS: usize = 300_000;
/// Items that are looked at in all pairs together.
const WORK: u64 = 60_000_000;

/// See the module's head.
pub(super) struct Align<'j> {
    compare: Compare<'j>,
    drafts: Vec<Draft>,
    known: FxHashMap<Pair, u32>,
    waiting: VecDeque<u32>,
    /// The pair of each thread.
    pub(super) tops: Vec<u32>,
    work: u64,
    pub(super) is_cut: bool,
}

/// A pair before anything is summed up.
#[derive(Default)]
struct Draft {
    pair: Option<Pair>,
    is_row: bool,
    /// The code of the method itself ran differently in it.
    differs: bool,
    parts: Vec<(Part, u32)>,
}

/// What is known where an item stands: on each side, how many items were seen, and whether that was all.
struct Known {
    seen: [usize; 2],
    whole: [bool; 2],
}

impl Known {
    /// Whether the item `at` of a side is known to be missing on the other, which stands at `other` there.
    fn is_missing(&self, side: usize, at: usize, other: usize) -> bool {
        at < self.seen[side] && (other < self.seen[1 - side] || self.whole[1 - side])
    }
}

impl<'j> Align<'j> {
    pub(super) fn of(joint: &'j Joint, roots: &[[Option<NodeId>; 2]]) -> Align<'j> {
        let mut align = Align {
            compare: Compare::new(joint),
            drafts: vec![],
            known: FxHashMap::default(),
            waiting: VecDeque::new(),
            tops: vec![],
            work: 0,
            is_cut: false,
        };
        for roots in roots {
            let parts = match *roots {
                [Some(one), Some(other)] => {
                    align.same_or_pair([one, other], [1, 1], [false, false], [true, true])
                }
                [Some(node), None] => vec![(Part::Only { side: 0, node, is_known: true }, 1)],
                [None, Some(node)] => vec![(Part::Only { side: 1, node, is_known: true }, 1)],
                [None, None] => vec![],
            };
            align.tops.push(align.drafts.len() as u32);
            align.drafts.push(Draft { parts, ..Draft::default() });
            while let Some(at) = align.waiting.pop_front() {
                let Some(pair) = align.drafts.get(at as usize).and_then(|draft| draft.pair) else { continue };
                let draft = align.draft(pair);
                if let Some(index) = align.drafts.get_mut(at as usize) {
                    *index = draft;
                }
            }
        }
        align
    }

    /// The parts for an item of each side that name the same, `times` each; `missing`: whether more of a side count as
    /// missing on the other.
    fn same_or_pair(
        &mut self,
        nodes: [NodeId; 2],
        times: [u32; 2],
        is_open: [bool; 2],
        missing: [bool; 2],
    ) -> Vec<(Part, u32)> {
        let common = times[0].min(times[1]);
        let only = |side: u8, times: u32, is_known: bool| {
            (Part::Only { side, node: nodes[usize::from(side)], is_known }, times)
        };
        let mut parts = match () {
            () if nodes[0] == nodes[1] => vec![(Part::Same(nodes[0]), common)],
            () => match self.pair(Pair { nodes, is_open }) {
                Some(pair) => vec![(Part::Pair(pair), common)],
                None => vec![only(0, common, true), only(1, common, true)],
            },
        };
        for side in [0u8, 1] {
            let (at, more) = (usize::from(side), times[usize::from(side)] - common);
            if more > 0 {
                parts.push(only(side, more, missing[at]));
            }
        }
        parts
    }

    /// The number of a pair of different nodes; `None`: there are too many.
    fn pair(&mut self, pair: Pair) -> Option<u32> {
        if let Some(&known) = self.known.get(&pair) {
            return Some(known);
        }
        if self.drafts.len() >= PAIRS || self.work > WORK {
            self.is_cut = true;
            return None;
        }
        let at = self.drafts.len() as u32;
        self.drafts.push(Draft { pair: Some(pair), ..Draft::default() });
        self.known.insert(pair, at);
        self.waiting.push_back(at);
        Some(at)
    }

    fn kind(&self, node: NodeId) -> Kind {
        self.compare.joint.replay.kind(node)
    }

    fn is_call(&self, node: NodeId) -> bool {
        matches!(self.kind(node), Kind::Frame { .. } | Kind::Again { .. })
    }

    fn draft(&mut self, pair: Pair) -> Draft {
        let kinds = pair.nodes.map(|node| self.kind(node));
        let mut draft = Draft { pair: Some(pair), ..Draft::default() };
        if kinds.iter().any(|kind| kind.has_iterations()) {
            self.iterations(pair, &mut draft);
            return draft;
        }
        self.body(pair, &mut draft);
        if let [Kind::Frame { left: one, .. }, Kind::Frame { left: other, .. }] = kinds {
            draft.is_row = true;
            let is_seen = |left: &Left| matches!(left, Left::Returned | Left::Threw);
            draft.differs |= one != other && [one, other].iter().all(is_seen);
        }
        draft
    }

    /// The items of two calls or iterations.
    fn body(&mut self, pair: Pair, draft: &mut Draft) {
        let [(one, one_whole), (other, other_whole)] = pair.nodes.map(|node| self.compare.seen_items(node));
        let whole = [one_whole && !pair.is_open[0], other_whole && !pair.is_open[1]];
        let known = Known { seen: [one.len(), other.len()], whole };
        // What stands behind a loss is aligned as well as it goes, so that it can be looked at.
        let all = pair.nodes.map(|node| self.compare.joint.replay.items(node));
        self.work += (all[0].len() + all[1].len()) as u64;
        let keys = all.map(|items| items.iter().map(exact).collect::<Vec<_>>());
        let matches = edit::matches(&keys[0], &keys[1], MOST).unwrap_or_default();
        let mut from = [0, 0];
        for (x, y) in matches.into_iter().chain([(all[0].len(), all[1].len())]) {
            self.hunk(&known, all, [from[0]..x, from[1]..y], draft);
            if x < all[0].len() {
                self.matched(&known, all, [x, y], draft);
            }
            from = [x + 1, y + 1];
        }
    }

    /// Items that are not equal: aligned by what they name.
    fn hunk(&mut self, known: &Known, all: [&[Item]; 2], ranges: [Range<usize>; 2], draft: &mut Draft) {
        let slots = [0, 1].map(|side: usize| self.compare.slots(all[side], ranges[side].clone()));
        let aligned = match edit::matches(&slots[0], &slots[1], MOST) {
            Some(aligned) => aligned,
            None => super::super::hunks::by_name(&slots[0], &slots[1]),
        };
        let mut from = [0, 0];
        for to in aligned.into_iter().chain([(slots[0].len(), slots[1].len())]) {
            let to = [to.0, to.1];
            for side in [0, 1] {
                let other = slots[1 - side].get(to[1 - side]).map_or(ranges[1 - side].end, |slot| slot.at);
                for slot in slots[side].get(from[side]..to[side]).unwrap_or(&[]) {
                    let Some(item) = all[side].get(slot.at) else { continue };
                    self.only(*item, side, known.is_missing(side, slot.at, other), draft);
                }
            }
            if let (Some(one), Some(other)) = (slots[0].get(to[0]), slots[1].get(to[1])) {
                self.matched(known, all, [one.at, other.at], draft);
            }
            from = [to[0] + 1, to[1] + 1];
        }
    }

    /// An item of one side only.
    fn only(&self, item: Item, side: usize, is_known: bool, draft: &mut Draft) {
        match item.node() {
            Some(node) => {
                draft.differs |= is_known && !self.is_call(node);
                draft.parts.push((Part::Only { side: side as u8, node, is_known }, item.times));
            }
            None => draft.differs |= is_known,
        }
    }

    /// Two items that name the same.
    fn matched(&mut self, known: &Known, all: [&[Item]; 2], at: [usize; 2], draft: &mut Draft) {
        let (Some(one), Some(other)) = (all[0].get(at[0]), all[1].get(at[1])) else { return };
        let times = [one.times, other.times];
        let missing = [0, 1].map(|side| known.is_missing(side, at[side], at[1 - side] + 1));
        let more = usize::from(times[1] > times[0]);
        let (Some(a), Some(b)) = (one.node(), other.node()) else {
            draft.differs |= times[0] != times[1] && missing[more];
            return;
        };
        draft.differs |= times[0] != times[1] && missing[more] && !self.is_call(a);
        let is_last = |side: usize| !known.whole[side] && at[side] + 1 == known.seen[side];
        let is_open = match self.kind(a) {
            Kind::Frame { .. } => [false, false],
            _ => [is_last(0), is_last(1)],
        };
        let parts = self.same_or_pair([a, b], times, is_open, missing);
        draft.parts.extend(parts);
    }

    /// Iterations of a loop, or calls in a row.
    fn iterations(&mut self, pair: Pair, draft: &mut Draft) {
        let lists = pair.nodes.map(|node| self.list(node));
        self.work += (lists[0].len() + lists[1].len()) as u64;
        let whole =
            [0, 1].map(|side| self.compare.joint.seen(pair.nodes[side]).is_whole() && !pair.is_open[side]);
        let last = [0, 1].map(|side| lists[side].last().map(|last| last.0).filter(|_| !whole[side]));
        let keys = lists.each_ref().map(|list| list.iter().map(|one| one.0).collect::<Vec<_>>());
        let matches = edit::matches(&keys[0], &keys[1], MOST).unwrap_or_default();
        let mut waiting: [VecDeque<(NodeId, u32)>; 2] = [VecDeque::new(), VecDeque::new()];
        let mut from = [0, 0];
        for (x, y) in matches.into_iter().chain([(lists[0].len(), lists[1].len())]) {
            for (side, to) in [x, y].into_iter().enumerate() {
                waiting[side].extend(lists[side].get(from[side]..to).unwrap_or(&[]));
            }
            let (Some(one), Some(other)) = (lists[0].get(x), lists[1].get(y)) else {
                self.one_by_one(&mut waiting, last, whole, draft);
                break;
            };
            let common = one.1.min(other.1);
            let more = usize::from(other.1 > one.1);
            let rest = [one, other][more].1 - common;
            // What one side has more of stands for what the other has instead, before or behind.
            let is_before = rest > 0 && !waiting[1 - more].is_empty();
            if is_before {
                waiting[more].push_back((one.0, rest));
            }
            self.one_by_one(&mut waiting, last, whole, draft);
            draft.parts.push((Part::Same(one.0), common));
            if rest > 0 && !is_before {
                waiting[more].push_back((one.0, rest));
            }
            from = [x + 1, y + 1];
        }
    }

    /// The iterations; a single call is a row of one.
    fn list(&self, node: NodeId) -> Vec<(NodeId, u32)> {
        match self.kind(node) {
            Kind::Frame { .. } => vec![(node, 1)],
            _ => {
                let items = self.compare.joint.replay.items(node).iter();
                items.filter_map(|item| Some((item.node()?, item.times))).collect()
            }
        }
    }

    /// Pairs what waits on both sides in order; what is left has no counterpart.
    fn one_by_one(
        &mut self,
        waiting: &mut [VecDeque<(NodeId, u32)>; 2],
        last: [Option<NodeId>; 2],
        whole: [bool; 2],
        draft: &mut Draft,
    ) {
        while let (Some(one), Some(other)) = (waiting[0].front().copied(), waiting[1].front().copied()) {
            let common = one.1.min(other.1);
            let is_open = [last[0] == Some(one.0), last[1] == Some(other.0)];
            let parts = self.same_or_pair([one.0, other.0], [common, common], is_open, [true, true]);
            draft.parts.extend(parts);
            for (side, times) in [one.1, other.1].into_iter().enumerate() {
                match waiting[side].front_mut().filter(|_| times > common) {
                    Some(front) => front.1 -= common,
                    None => drop(waiting[side].pop_front()),
                }
            }
        }
        for side in [0, 1] {
            for (node, times) in waiting[side].drain(..) {
                let is_known = whole[1 - side];
                draft.differs |= is_known && !self.is_call(node);
                draft.parts.push((Part::Only { side: side as u8, node, is_known }, times));
            }
        }
    }
}

/// The rows of all pairs; `calls` is the measure of calls in the joint tree.
pub(super) fn summed(align: &Align<'_>, calls: &Measure) -> Vec<PairRows> {
    let mut pairs: Vec<PairRows> =
        std::iter::repeat_with(PairRows::default).take(align.drafts.len()).collect();
    let mut differs: Vec<bool> = align.drafts.iter().map(|draft| draft.differs).collect();
    // What is inside of a node has a smaller number, so what is inside of a pair is summed up before it.
    let weight = |at: &u32| {
        let pair = align.drafts.get(*at as usize).and_then(|draft| draft.pair);
        pair.map_or(u64::MAX, |pair| u64::from(pair.nodes[0].0) + u64::from(pair.nodes[1].0))
    };
    let mut order: Vec<u32> = (0..align.drafts.len() as u32).collect();
    order.sort_by_key(weight);
    for at in order.into_iter().map(|at| at as usize) {
        let Some(draft) = align.drafts.get(at) else { continue };
        let mut rows = PairRows::default();
        let mut end = Sums::default();
        for &(part, times) in &draft.parts {
            let sums = match part {
                Part::Pair(inner) => {
                    let inner = inner as usize;
                    let is_row = align.drafts.get(inner).is_some_and(|inner| inner.is_row);
                    // Of a loop in the method: its difference is the method's.
                    differs[at] |= !is_row && differs.get(inner).copied().unwrap_or(false);
                    pairs.get(inner).map_or(Sums::default(), PairRows::all).times(u64::from(times))
                }
                Part::Same(node) | Part::Only { node, .. } => {
                    Sums::of_part(part, calls.of_node(node).saturating_mul(u64::from(times)))
                }
            };
            if sums.rows > 0 {
                end = end.plus(sums);
                rows.entries.push(Entry { part, end });
            }
        }
        if draft.is_row {
            let differences = u64::from(differs[at]);
            rows.own = Sums { rows: 1, differences, calls: [1, 1], ..Sums::default() };
        }
        pairs[at] = rows;
    }
    pairs
}
