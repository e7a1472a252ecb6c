//! Which of the ways through a lattice are the likeliest.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::frequencies::{Context, Frequencies};
use super::lattice::Lattice;
use super::record::Record;

/// So many paths are tried.
const BRANCHES: usize = 200;

/// So many beginnings of paths are tried.
const STEPS: usize = 40_000;

/// A path, and its share of all that were tried.
#[derive(Debug)]
pub(super) struct Ranked {
    pub(super) records: Vec<Record>,
    pub(super) share: f64,
}

struct Begun {
    /// The logarithm of its chance.
    probability: f64,
    node: usize,
    preceding: Context,
    /// Its last record in `chain`, plus 1.
    last: usize,
    is_whole: bool,
}

impl PartialEq for Begun {
    fn eq(&self, other: &Begun) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Begun {}
impl PartialOrd for Begun {
    fn partial_cmp(&self, other: &Begun) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Begun {
    fn cmp(&self, other: &Begun) -> Ordering {
        self.probability.total_cmp(&other.probability).then(other.last.cmp(&self.last))
    }
}

/// The likeliest paths, the likeliest first. `preceding`: what came before the gap; `after`: for what is open at the end of a way,
/// the first records after the gap with the nodes where they came and how many could.
pub(super) fn ranked(
    lattice: &Lattice,
    frequencies: &Frequencies,
    preceding: Context,
    lost: usize,
    after: impl Fn(usize) -> Vec<(Record, u64, usize)>,
) -> Vec<Ranked> {
    let mut chain: Vec<(usize, Record)> = vec![];
    let mut heap =
        BinaryHeap::from([Begun { probability: 0.0, node: 0, preceding, last: 0, is_whole: false }]);
    let mut whole: Vec<(f64, Vec<Record>)> = vec![];
    for _ in 0..STEPS {
        let Some(begun) = heap.pop() else { break };
        if begun.is_whole {
            let (mut records, mut at) = (vec![], begun.last);
            while let Some((before, record)) = at.checked_sub(1).and_then(|at| chain.get(at)) {
                records.push(*record);
                at = *before;
            }
            records.reverse();
            whole.push((begun.probability, records));
            if whole.len() >= BRANCHES {
                break;
            }
            continue;
        }
        let Some(node) = lattice.nodes.get(begun.node) else { continue };
        if node.words == lost {
            let (mut probability, mut preceding) = (begun.probability, begun.preceding);
            for (record, at, choices) in after(begun.node) {
                probability += frequencies.probability(&preceding, at, record, choices).ln();
                preceding = preceding.then(record);
            }
            heap.push(Begun { probability, is_whole: true, ..begun });
            continue;
        }
        for branch in &node.on {
            let probability = frequencies.probability(&begun.preceding, node.at, branch.record, node.choices);
            chain.push((begun.last, branch.record));
            heap.push(Begun {
                probability: begun.probability + probability.ln(),
                node: branch.to,
                preceding: begun.preceding.then(branch.record),
                last: chain.len(),
                is_whole: false,
            });
        }
    }
    let best = whole.iter().map(|(probability, _)| *probability).fold(f64::NEG_INFINITY, f64::max);
    let all: f64 = whole.iter().map(|(probability, _)| (probability - best).exp()).sum();
    whole.sort_by(|one, other| other.0.total_cmp(&one.0));
    whole
        .into_iter()
        .map(|(probability, records)| Ranked { records, share: (probability - best).exp() / all })
        .collect()
}
