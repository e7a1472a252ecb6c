//! The items between equal ones of two calls or iterations: aligned by the methods and loops that they name; those
//! without a counterpart are reported as paths, calls, handlers.

use std::collections::VecDeque;

use model::code::{BlockId, MethodId};
use rustc_hash::FxHashMap;

use super::change::{Change, Next};
use super::compare::{Compare, Event, MOST, Pair};
use super::edit;
use super::parting::{begin, left_of};
use crate::replay::{Item, Kind, NodeId, What};

/// An item with where it stands.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    key: (u8, u32),
    pub(super) at: usize,
}

impl PartialEq for Slot {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Slot {}

impl Compare<'_> {
    /// The same thing in a row, more or fewer times.
    pub(super) fn counted(
        &mut self,
        hunks: &Hunks,
        items: [Item; 2],
        at: [usize; 2],
        events: &mut Vec<Event>,
    ) {
        let counts = items.map(|item| u64::from(item.times));
        match items[0].node().map(|node| self.joint.replay.kind(node)) {
            Some(Kind::Frame { method, .. } | Kind::Again { method }) => {
                let at = self.caller(hunks, at);
                events.push(Event::Change(Change::Calls { at, callee: method }, counts));
            }
            Some(_) => {}
            None => {
                let next = [0, 1].map(|side| self.next(hunks, side, at[side]));
                let after = items[0].block();
                events.push(Event::Change(Change::Path { after, next }, [1, 1]));
            }
        }
    }

    fn caller(&self, hunks: &Hunks, at: [usize; 2]) -> Option<BlockId> {
        let last = |side: usize| self.joint.replay.last_block(hunks.nodes[side], at[side]);
        last(0).or_else(|| last(1))
    }

    fn next(&self, hunks: &Hunks, side: usize, at: usize) -> Next {
        let node = hunks.nodes[side];
        match self.joint.replay.items(node).get(at) {
            Some(item) => begin(self.joint, item.what()),
            None => match self.joint.replay.kind(node) {
                Kind::Frame { left, .. } => left_of(left),
                Kind::Root if self.joint.seen(node).is_whole() => Next::Nothing,
                Kind::Root => Next::Unseen,
                _ => Next::LoopAgain,
            },
        }
    }

    /// What lies between two equal items: aligned by names.
    pub(super) fn between(
        &mut self,
        hunks: &Hunks,
        all: [&[Item]; 2],
        ranges: [std::ops::Range<usize>; 2],
        events: &mut Vec<Event>,
    ) {
        let [a, b] = [0, 1].map(|side: usize| self.slots(all[side], ranges[side].clone()));
        let aligned = match edit::matches(&a, &b, MOST) {
            Some(aligned) => aligned,
            None => by_name(&a, &b),
        };
        let (mut x, mut y) = (0, 0);
        for (to_x, to_y) in aligned.into_iter().chain([(a.len(), b.len())]) {
            let (one, other) = (a.get(x..to_x).unwrap_or(&[]), b.get(y..to_y).unwrap_or(&[]));
            if !one.is_empty() || !other.is_empty() {
                let positions = [ranges[0].start + x, ranges[1].start + y];
                self.hunk(hunks, all, positions, [one, other], events);
            }
            if let (Some(one), Some(other)) = (a.get(to_x), b.get(to_y)) {
                self.matched(hunks, [all[0][one.at], all[1][other.at]], [one.at, other.at], events);
            }
            (x, y) = (to_x + 1, to_y + 1);
        }
    }

    /// Two items that name the same.
    fn matched(&mut self, hunks: &Hunks, items: [Item; 2], at: [usize; 2], events: &mut Vec<Event>) {
        let (Some(one), Some(other)) = (items[0].node(), items[1].node()) else {
            if items[0].times != items[1].times {
                self.counted(hunks, items, at, events);
            }
            return;
        };
        let calls = |node: NodeId, times: u32| match self.joint.replay.kind(node) {
            Kind::Frame { method, .. } => Some((method, u64::from(times))),
            Kind::Again { method } => {
                let items = self.joint.replay.items(node).iter();
                Some((method, u64::from(times) * items.map(|item| u64::from(item.times)).sum::<u64>()))
            }
            _ => None,
        };
        let counts = [calls(one, items[0].times), calls(other, items[1].times)];
        // What a side was seen doing last may have gone on.
        let is_open = [0, 1].map(|side| !hunks.whole[side] && at[side] + 1 == hunks.lengths[side]);
        let is_open = match self.joint.replay.kind(one) {
            Kind::Frame { .. } => [false, false],
            _ => is_open,
        };
        if one != other
            && let Some(pair) = self.pair(Pair { nodes: [one, other], is_open })
        {
            events.push(Event::Pair(pair, u64::from(items[0].times.min(items[1].times))));
        }
        let is_row = [one, other].iter().any(|node| self.joint.replay.kind(*node).has_iterations());
        if let [Some((callee, a)), Some((_, b))] = counts
            && a != b
            && !is_row
        {
            let at = self.caller(hunks, at);
            events.push(Event::Change(Change::Calls { at, callee }, [a, b]));
        }
    }

    /// Items without a counterpart. `positions`: where they begin on each side.
    fn hunk(
        &mut self,
        hunks: &Hunks,
        all: [&[Item]; 2],
        positions: [usize; 2],
        slots: [&[Slot]; 2],
        events: &mut Vec<Event>,
    ) {
        let is_tail =
            |side: usize| slots[side].last().map_or(positions[side], |slot| slot.at + 1) >= all[side].len();
        // Where a side was not seen to its end, what the other has behind that says nothing.
        let is_unknown = |side: usize| is_tail(side) && !hunks.whole[side];
        if [0, 1].iter().all(|&side| slots[side].is_empty() || is_unknown(1 - side)) {
            return;
        }
        let is_block = |slot: &Slot| slot.key.0 != 2;
        let next = [0, 1].map(|side| self.next(hunks, side, positions[side]));
        if slots.iter().any(|slots| slots.iter().any(is_block)) && !next.contains(&Next::Unseen) {
            let after = self.caller(hunks, positions);
            events.push(Event::Change(Change::Path { after, next }, [1, 1]));
        }
        let mut found: [Vec<(usize, MethodId, u64)>; 2] = [vec![], vec![]];
        for side in [0, 1] {
            if is_unknown(1 - side) {
                continue;
            }
            for slot in slots[side] {
                let item = all[side][slot.at];
                match item.what() {
                    What::Catch(block) => {
                        let mut counts = [0, 0];
                        counts[side] = u64::from(item.times);
                        events.push(Event::Change(Change::Caught { block }, counts));
                    }
                    What::Node(node) => match self.joint.replay.kind(node) {
                        Kind::Frame { method, .. } => {
                            found[side].push((slot.at, method, u64::from(item.times)))
                        }
                        Kind::Again { method } => {
                            let items = self.joint.replay.items(node).iter();
                            let calls = items.map(|item| u64::from(item.times)).sum();
                            found[side].push((slot.at, method, calls));
                        }
                        _ => {}
                    },
                    What::Block(_) | What::Gap(_) | What::Inferred(_) | What::Observed => {}
                }
            }
        }
        for (side, list) in found.into_iter().enumerate() {
            for (at, callee, times) in list {
                let mut counts = [0, 0];
                counts[side] = times;
                let at = self.joint.replay.last_block(hunks.nodes[side], at);
                events.push(Event::Change(Change::Calls { at, callee }, counts));
            }
        }
    }

    /// What some items name, and where each stands.
    pub(super) fn slots(&self, items: &[Item], range: std::ops::Range<usize>) -> Vec<Slot> {
        range.filter_map(|at| Some(Slot { key: self.slot(*items.get(at)?), at })).collect()
    }

    /// What an item names.
    pub(super) fn slot(&self, item: Item) -> (u8, u32) {
        match item.what() {
            What::Block(block) => (0, block),
            What::Catch(block) => (1, block),
            What::Gap(lost) => (5, lost),
            What::Inferred(inferred) => (6, inferred.records),
            What::Observed => (7, 0),
            What::Node(node) => match self.joint.replay.kind(node) {
                Kind::Frame { method, .. } | Kind::Again { method } => (2, method.0),
                Kind::Loop { index, .. } => (3, index.unwrap_or(u32::MAX)),
                Kind::Iteration { .. } | Kind::Root => (4, 0),
            },
        }
    }
}

/// Two nodes and whether each was seen to its end.
pub(super) struct Hunks {
    pub(super) nodes: [NodeId; 2],
    pub(super) whole: [bool; 2],
    /// Items that were seen.
    pub(super) lengths: [usize; 2],
}

/// Calls that are gone at one place and made at another are the same calls.
pub(super) fn moved(events: &mut Vec<Event>) {
    let mut at = 0;
    while at < events.len() {
        if let Some(Event::Change(Change::Calls { at: one, callee }, counts)) = events.get(at)
            && counts.contains(&0)
        {
            let (one, callee, counts) = (*one, *callee, *counts);
            let opposite = [counts[1], counts[0]];
            let other = events.iter().skip(at + 1).position(|event| {
                matches!(event, Event::Change(Change::Calls { callee: other, .. }, others)
                    if *other == callee && *others == opposite)
            });
            if let Some(Event::Change(Change::Calls { at: other, .. }, _)) =
                other.map(|other| events.remove(at + 1 + other))
            {
                let positions = if counts[1] == 0 { [one, other] } else { [other, one] };
                events[at] =
                    Event::Change(Change::Moved { at: positions, callee }, [counts[0] + counts[1]; 2]);
            }
        }
        at += 1;
    }
}

/// Too much differs to align in order: the n-th of each name is the n-th of the other side, as far as that keeps the order.
pub(super) fn by_name(a: &[Slot], b: &[Slot]) -> Vec<(usize, usize)> {
    let mut positions: FxHashMap<(u8, u32), VecDeque<usize>> = FxHashMap::default();
    for (at, slot) in b.iter().enumerate() {
        positions.entry(slot.key).or_default().push_back(at);
    }
    let mut found = vec![];
    let mut least = 0;
    for (at, slot) in a.iter().enumerate() {
        let Some(waiting) = positions.get_mut(&slot.key) else { continue };
        while waiting.front().is_some_and(|front| *front < least) {
            waiting.pop_front();
        }
        if let Some(other) = waiting.pop_front() {
            found.push((at, other));
            least = other + 1;
        }
    }
    found
}
