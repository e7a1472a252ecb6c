//! The differences of all pairs, in the order in which they are met along the run, alike ones put together.

use model::code::MethodId;
use rustc_hash::FxHashMap;

use super::change::{Change, Difference};
use super::compare::{Compare, Event, THREAD};
use crate::replay::{Kind, NodeId};

impl Compare<'_> {
    /// The events of all pairs in the order of the run, alike ones put together.
    pub(super) fn collect(&self, tops: &[usize]) -> Vec<Difference> {
        let mut order: Vec<Option<u64>> = vec![None; self.pairs.len()];
        let mut finished: Vec<usize> = Vec::with_capacity(self.pairs.len());
        let mut branches: Vec<(usize, usize, u64)> = vec![];
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
                        branches.push((pair, here, next));
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
        for (pair, at, order) in branches {
            let Some(Event::Change(change, counts)) = self.events[pair].get(at) else { continue };
            let method = self.method(self.pairs[pair].nodes);
            // The example of a kind of iteration is no part of what it is.
            let key = match *change {
                Change::Variant { index, shape, .. } => Change::Variant { index, shape, example: 0 },
                other => other,
            };
            let slot = *known.entry((method, key)).or_insert(found.len());
            if slot == found.len() {
                found.push(Difference { method, change: *change, times: 0, counts: [0, 0], order });
            }
            let Some(difference) = found.get_mut(slot) else { continue };
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
