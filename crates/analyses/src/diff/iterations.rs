//! Iterations of a loop, or calls in a row, of two sides: how many there are of each kind, and in which order.

use rustc_hash::FxHashMap;

use super::change::Change;
use super::compare::{Compare, Event, Pair};
use crate::replay::{Item, Kind, NodeId};

/// Kinds of iterations of a pair of loops that are reported or compared.
const KINDS: usize = 16;

/// What one side has too much of, in the order of its iterations: nodes and how often.
type Rest = Vec<(NodeId, u64)>;

impl Compare<'_> {
    pub(super) fn iterations(&mut self, pair: Pair, events: &mut Vec<Event>) {
        let nodes = pair.nodes;
        let lists = nodes.map(|node| self.list(node));
        self.work += lists.iter().map(|list| list.len() as u64).sum::<u64>();
        let whole = [0, 1].map(|side| self.joint.seen(nodes[side]).is_whole() && !pair.is_open[side]);
        let totals = lists.each_ref().map(|list| list.iter().map(|item| u64::from(item.times)).sum::<u64>());
        let index = match self.joint.replay.kind(nodes[0]) {
            Kind::Loop { index, .. } => index,
            _ => None,
        };
        let rest = rest(&lists);
        let is_known = |more: usize| whole[1 - more] && (whole[more] || totals[more] > totals[1 - more]);
        let more = usize::from(totals[1] > totals[0]);
        if totals[0] != totals[1] && is_known(more) {
            let change = match self.joint.replay.kind(nodes[0]) {
                Kind::Again { method } => Change::Calls { at: None, callee: method },
                Kind::Frame { method, .. } => Change::Calls { at: None, callee: method },
                _ => Change::Iterations { index, after: None },
            };
            events.push(Event::Change(change, totals));
        }
        if rest.iter().all(Vec::is_empty) {
            if lists[0] != lists[1] {
                events.push(Event::Change(Change::Order { index }, [1, 1]));
            }
            return;
        }
        // Of the last iteration of an open loop only the beginning was seen.
        let last =
            [0, 1].map(|side| lists[side].last().and_then(|item| item.node()).filter(|_| !whole[side]));
        self.kinds(index, rest, last, events);
    }

    /// The iterations; a single call is a row of one.
    fn list(&self, node: NodeId) -> Vec<Item> {
        match self.joint.replay.kind(node) {
            Kind::Frame { .. } => vec![Item::new(crate::replay::What::Node(node), 1)],
            _ => self.joint.replay.items(node).to_vec(),
        }
    }

    /// Holds what is left of one side against what is left of the other: the same kinds first, then one by one.
    fn kinds(
        &mut self,
        index: Option<u32>,
        rest: [Rest; 2],
        last: [Option<NodeId>; 2],
        events: &mut Vec<Event>,
    ) {
        let whole = last.map(|last| last.is_none());
        let mut of: FxHashMap<u64, usize> = FxHashMap::default();
        let mut kinds: Vec<(u64, [Rest; 2])> = vec![];
        for (side, list) in rest.into_iter().enumerate() {
            for (node, times) in list {
                let shape = self.shape(node);
                let at = *of.entry(shape).or_insert(kinds.len());
                if at == kinds.len() {
                    kinds.push((shape, [vec![], vec![]]));
                }
                if let Some((_, kind)) = kinds.get_mut(at) {
                    kind[side].push((node, times));
                }
            }
        }
        let mut alone: [Rest; 2] = [vec![], vec![]];
        let mut reported = 0;
        for (shape, kind) in kinds {
            let counts = kind.each_ref().map(|list| list.iter().map(|(_, times)| times).sum::<u64>());
            let common = kind.each_ref().map(Vec::len).into_iter().min().unwrap_or(0);
            self.zip(&kind, last, events);
            let more = usize::from(counts[1] > counts[0]);
            let Some(&(example, _)) = kind[more].first() else { continue };
            if common == 0 {
                alone[more].push((example, counts[more]));
            }
            if counts[0] == counts[1] || !whole[1 - more] || last[more] == Some(example) {
                continue;
            }
            reported += 1;
            if reported <= KINDS && self.is_iteration(example) {
                events.push(Event::Change(Change::Variant { index, shape, example: example.0 }, counts));
            }
        }
        // Kinds that one side has and kinds that the other has in their place: where in them the sides part.
        self.zip(&alone, last, events);
    }

    fn is_iteration(&self, node: NodeId) -> bool {
        matches!(self.joint.replay.kind(node), Kind::Iteration { .. })
    }

    /// Pairs the nodes of two lists in order, each so often as both have it left.
    fn zip(&mut self, lists: &[Rest; 2], last: [Option<NodeId>; 2], events: &mut Vec<Event>) {
        let [mut one, mut other] = lists.each_ref().map(|list| list.iter().copied().peekable());
        let mut next = [one.next(), other.next()];
        let mut pairs = 0;
        while let [Some((a, a_times)), Some((b, b_times))] = next {
            let common = a_times.min(b_times);
            pairs += 1;
            // Each further pair of a kind mostly says what the first ones did.
            if pairs > 4 * KINDS {
                return;
            }
            let is_open = [last[0] == Some(a), last[1] == Some(b)];
            if let Some(pair) = self.pair(Pair { nodes: [a, b], is_open }) {
                events.push(Event::Pair(pair, common));
            }
            next = [
                if a_times > common { Some((a, a_times - common)) } else { one.next() },
                if b_times > common { Some((b, b_times - common)) } else { other.next() },
            ];
        }
    }
}

/// What each side has that the other has not so often.
fn rest(lists: &[Vec<Item>; 2]) -> [Rest; 2] {
    let mut counts: FxHashMap<NodeId, [u64; 2]> = FxHashMap::default();
    let mut order: Vec<NodeId> = vec![];
    for (side, list) in lists.iter().enumerate() {
        for (node, times) in list.iter().filter_map(|item| Some((item.node()?, u64::from(item.times)))) {
            let entry = counts.entry(node).or_insert_with(|| {
                order.push(node);
                [0, 0]
            });
            entry[side] += times;
        }
    }
    let mut rest: [Rest; 2] = [vec![], vec![]];
    for node in order {
        let [a, b] = counts.get(&node).copied().unwrap_or_default();
        if a > b {
            rest[0].push((node, a - b));
        } else if b > a {
            rest[1].push((node, b - a));
        }
    }
    rest
}
