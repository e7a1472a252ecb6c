//! Which of the ways through a lattice are the likeliest.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::frequencies::{Behind, Frequencies};
use super::lattice::Lattice;
use super::record::Record;

/// So many ways are looked at.
const WAYS: usize = 200;

/// So many beginnings of ways are looked at.
const STEPS: usize = 40_000;

/// A way, and its share of all that were looked at.
#[derive(Debug)]
pub(super) struct Ranked {
    pub(super) records: Vec<Record>,
    pub(super) share: f64,
}

struct Begun {
    /// The logarithm of its chance.
    chance: f64,
    place: usize,
    behind: Behind,
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
        self.chance.total_cmp(&other.chance).then(other.last.cmp(&self.last))
    }
}

/// The likeliest ways, the likeliest first. `behind`: what came before the gap; `after`: for what is open at the end of a way,
/// the first records behind the gap with the places where they came and how many could.
pub(super) fn ranked(
    lattice: &Lattice,
    frequencies: &Frequencies,
    behind: Behind,
    lost: usize,
    after: impl Fn(usize) -> Vec<(Record, u64, usize)>,
) -> Vec<Ranked> {
    let mut chain: Vec<(usize, Record)> = vec![];
    let mut heap = BinaryHeap::from([Begun { chance: 0.0, place: 0, behind, last: 0, is_whole: false }]);
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
            whole.push((begun.chance, records));
            if whole.len() >= WAYS {
                break;
            }
            continue;
        }
        let Some(place) = lattice.places.get(begun.place) else { continue };
        if place.words == lost {
            let (mut chance, mut behind) = (begun.chance, begun.behind);
            for (record, at, choices) in after(begun.place) {
                chance += frequencies.chance(&behind, at, record, choices).ln();
                behind = behind.then(record);
            }
            heap.push(Begun { chance, is_whole: true, ..begun });
            continue;
        }
        for way in &place.on {
            let chance = frequencies.chance(&begun.behind, place.at, way.record, place.choices);
            chain.push((begun.last, way.record));
            heap.push(Begun {
                chance: begun.chance + chance.ln(),
                place: way.to,
                behind: begun.behind.then(way.record),
                last: chain.len(),
                is_whole: false,
            });
        }
    }
    let best = whole.iter().map(|(chance, _)| *chance).fold(f64::NEG_INFINITY, f64::max);
    let all: f64 = whole.iter().map(|(chance, _)| (chance - best).exp()).sum();
    whole.sort_by(|one, other| other.0.total_cmp(&one.0));
    whole
        .into_iter()
        .map(|(chance, records)| Ranked { records, share: (chance - best).exp() / all })
        .collect()
}
