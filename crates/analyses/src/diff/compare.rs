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

use model::code::{BlockId, MethodId};
use model::flow::Left;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

use super::change::{Change, Difference, Next};
use super::edit;
use super::join::Joint;
use super::parting::{begin, left_of};
use crate::replay::{Item, Kind, NodeId, What};

/// Pairs that are looked at.
const PAIRS: usize = 300_000;
/// Items of a pair that may have no counterpart when they are aligned one by one.
const MOST: usize = 1_000;
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
    pairs: Vec<Pair>,
    known: FxHashMap<Pair, usize>,
    events: Vec<Vec<Event>>,
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

/// An item with where it stands.
#[derive(Clone, Copy)]
struct Slot {
    key: (u8, u32),
    at: usize,
}

impl PartialEq for Slot {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Slot {}

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
                let events = self.look(self.pairs[at]);
                if let Some(place) = self.events.get_mut(at) {
                    *place = events;
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

    fn look(&mut self, pair: Pair) -> Vec<Event> {
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
    fn seen_items(&self, node: NodeId) -> (&'j [Item], bool) {
        let items = self.joint.replay.items(node);
        let is_end = |item: &Item| match item.what() {
            What::Gap(_) => true,
            What::Node(inner) => {
                let seen = self.joint.seen(inner);
                let is_unseen = matches!(
                    self.joint.replay.kind(inner),
                    Kind::Frame { entered: model::flow::Entered::Unseen, .. }
                );
                is_unseen
                    || seen.is_open
                    || seen.has_gap && !matches!(self.joint.replay.kind(inner), Kind::Frame { .. })
            }
            What::Block(_) | What::Catch(_) => false,
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
        let exact = |item: &Item| match item.what() {
            What::Block(block) => (0, block),
            What::Catch(block) => (1, block),
            What::Gap(lost) => (3, lost),
            What::Node(node) => (2, node.0),
        };
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

    /// The same thing in a row, more or fewer times.
    fn counted(&mut self, hunks: &Hunks, items: [Item; 2], at: [usize; 2], events: &mut Vec<Event>) {
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
                _ => Next::Around,
            },
        }
    }

    /// What lies between two equal items: aligned by names.
    fn between(
        &mut self,
        hunks: &Hunks,
        all: [&[Item]; 2],
        ranges: [std::ops::Range<usize>; 2],
        events: &mut Vec<Event>,
    ) {
        let [a, b] = [0, 1].map(|side: usize| {
            let slots =
                ranges[side].clone().filter_map(|at| Some(Slot { key: self.slot(*all[side].get(at)?), at }));
            slots.collect::<Vec<_>>()
        });
        let aligned = match edit::matches(&a, &b, MOST) {
            Some(aligned) => aligned,
            None => by_name(&a, &b),
        };
        let (mut x, mut y) = (0, 0);
        for (to_x, to_y) in aligned.into_iter().chain([(a.len(), b.len())]) {
            let (one, other) = (a.get(x..to_x).unwrap_or(&[]), b.get(y..to_y).unwrap_or(&[]));
            if !one.is_empty() || !other.is_empty() {
                let places = [ranges[0].start + x, ranges[1].start + y];
                self.hunk(hunks, all, places, [one, other], events);
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

    /// Items without a counterpart. `places`: where they begin on each side.
    fn hunk(
        &mut self,
        hunks: &Hunks,
        all: [&[Item]; 2],
        places: [usize; 2],
        slots: [&[Slot]; 2],
        events: &mut Vec<Event>,
    ) {
        let is_tail =
            |side: usize| slots[side].last().map_or(places[side], |slot| slot.at + 1) >= all[side].len();
        // Where a side was not seen to its end, what the other has behind that says nothing.
        let is_unknown = |side: usize| is_tail(side) && !hunks.whole[side];
        if [0, 1].iter().all(|&side| slots[side].is_empty() || is_unknown(1 - side)) {
            return;
        }
        let is_block = |slot: &Slot| slot.key.0 != 2;
        let next = [0, 1].map(|side| self.next(hunks, side, places[side]));
        if slots.iter().any(|slots| slots.iter().any(is_block)) && !next.contains(&Next::Unseen) {
            let after = self.caller(hunks, places);
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
                    What::Block(_) | What::Gap(_) => {}
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

    /// What an item names.
    fn slot(&self, item: Item) -> (u8, u32) {
        match item.what() {
            What::Block(block) => (0, block),
            What::Catch(block) => (1, block),
            What::Gap(lost) => (5, lost),
            What::Node(node) => match self.joint.replay.kind(node) {
                Kind::Frame { method, .. } | Kind::Again { method } => (2, method.0),
                Kind::Loop { index, .. } => (3, index.unwrap_or(u32::MAX)),
                Kind::Iteration { .. } | Kind::Root => (4, 0),
            },
        }
    }

    /// What tells kinds of iterations, or of calls, apart: what they name, in order.
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

    /// The events of all pairs in the order of the run, alike ones put together.
    fn collect(&self, tops: &[usize]) -> Vec<Difference> {
        let mut order: Vec<Option<u64>> = vec![None; self.pairs.len()];
        let mut finished: Vec<usize> = Vec::with_capacity(self.pairs.len());
        let mut places: Vec<(usize, usize, u64)> = vec![];
        let mut next = 0u64;
        for &top in tops {
            let mut open: Vec<(usize, usize)> = vec![];
            if order[top].is_none() {
                order[top] = Some(next);
                open.push((top, 0));
            }
            // A list of what is open, as calls may nest deeper than our own stack.
            while let Some((pair, at)) = open.last_mut() {
                let (pair, here) = (*pair, *at);
                *at += 1;
                match self.events[pair].get(here) {
                    None => {
                        finished.push(pair);
                        open.pop();
                    }
                    Some(Event::Change(..)) => {
                        places.push((pair, here, next));
                        next += 1;
                    }
                    Some(Event::Pair(inner, _)) if order[*inner].is_none() => {
                        order[*inner] = Some(next);
                        open.push((*inner, 0));
                    }
                    Some(Event::Pair(..)) => {}
                }
            }
        }
        // How often a pair was met: whoever is around it was finished after it.
        let mut times = vec![0u64; self.pairs.len()];
        tops.iter().for_each(|&top| times[top] = times[top].saturating_add(1));
        for &pair in finished.iter().rev() {
            for event in &self.events[pair] {
                if let Event::Pair(inner, count) = event {
                    times[*inner] = times[*inner].saturating_add(times[pair].saturating_mul(*count));
                }
            }
        }
        let mut found: Vec<Difference> = vec![];
        let mut known: FxHashMap<(MethodId, Change), usize> = FxHashMap::default();
        for (pair, at, order) in places {
            let Some(Event::Change(change, counts)) = self.events[pair].get(at) else { continue };
            let method = self.method(self.pairs[pair].nodes);
            // The example of a kind of iteration is no part of what it is.
            let key = match *change {
                Change::Variant { index, shape, .. } => Change::Variant { index, shape, example: 0 },
                other => other,
            };
            let place = *known.entry((method, key)).or_insert(found.len());
            if place == found.len() {
                found.push(Difference { method, change: *change, times: 0, counts: [0, 0], order });
            }
            let Some(difference) = found.get_mut(place) else { continue };
            difference.times = difference.times.saturating_add(times[pair]);
            for side in [0, 1] {
                let more = counts[side].saturating_mul(times[pair]);
                difference.counts[side] = difference.counts[side].saturating_add(more);
            }
        }
        found
    }

    /// Whose difference one inside a pair is: the method, or for what a thread calls itself none that exists.
    fn method(&self, nodes: [NodeId; 2]) -> MethodId {
        match self.joint.replay.kind(nodes[0]) {
            Kind::Frame { method, .. }
            | Kind::Loop { method, .. }
            | Kind::Iteration { method }
            | Kind::Again { method } => method,
            Kind::Root => THREAD,
        }
    }
}

/// Stands for the thread itself where a difference is of no method: what calls the outermost ones.
pub const THREAD: MethodId = MethodId(u32::MAX);

/// Two nodes and whether each was seen to its end.
struct Hunks {
    nodes: [NodeId; 2],
    whole: [bool; 2],
    /// Items that were seen.
    lengths: [usize; 2],
}

/// Calls that are gone at one place and made at another are the same calls.
fn moved(events: &mut Vec<Event>) {
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
                let places = if counts[1] == 0 { [one, other] } else { [other, one] };
                events[at] = Event::Change(Change::Moved { at: places, callee }, [counts[0] + counts[1]; 2]);
            }
        }
        at += 1;
    }
}

/// Too much differs to align in order: the n-th of each name is the n-th of the other side, as far as that keeps the order.
fn by_name(a: &[Slot], b: &[Slot]) -> Vec<(usize, usize)> {
    let mut places: FxHashMap<(u8, u32), VecDeque<usize>> = FxHashMap::default();
    for (at, slot) in b.iter().enumerate() {
        places.entry(slot.key).or_default().push_back(at);
    }
    let mut found = vec![];
    let mut least = 0;
    for (at, slot) in a.iter().enumerate() {
        let Some(waiting) = places.get_mut(&slot.key) else { continue };
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
