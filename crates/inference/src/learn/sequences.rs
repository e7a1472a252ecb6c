//! Sequences: what happened to each instance, from one loss or end of the trace to the next.

use std::collections::{BTreeMap, HashMap};

use super::events::Events;
use super::roles::{CUT, FIRST, Key, Usual, kind_of};

/// What an event is to an instance, with the value of the field that distinguishes events of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Label {
    pub(super) token: u32,
    pub(super) value: Option<u32>,
}

/// A piece of what happened to one instance, whole: nothing in it was lost.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Sequence {
    /// Indices into the labels.
    pub(super) labels: Vec<u32>,
    /// It begins where the instance does.
    pub(super) begins: bool,
    /// It ends where the instance does.
    pub(super) ends: bool,
}

/// All sequences of a key.
#[derive(Debug, Clone, Default)]
pub(super) struct Sequences {
    pub(super) labels: Vec<Label>,
    pub(super) all: Vec<Sequence>,
    /// Events that came after what hardly ever comes before them.
    pub(super) odd: u64,
}

/// Instances that show how one begins or ends, at least.
const FEWEST: usize = 12;
/// Part of them that may do otherwise.
const OTHERWISE: f64 = 0.01;
/// Part of them that one way of beginning or ending must have.
const USUAL: f64 = 0.02;
/// Part of the trace in which instances may have begun before it, or end behind it.
const EDGE: f64 = 0.3;

impl Sequences {
    pub(super) fn new(events: &Events, key: &Key, fields: &BTreeMap<u32, u16>) -> Sequences {
        let mut sequences = Sequences::default();
        let mut numbers: HashMap<Label, u32> = HashMap::new();
        // By instance: its first and its last row with their labels.
        let mut firsts: Vec<(u32, u32)> = Vec::new();
        let mut lasts: Vec<(u32, u32)> = Vec::new();
        let mut is_first: Vec<bool> = Vec::new();
        let pairs = Usual::new(key, events);
        for (before, named) in key.pairs(events) {
            // What is odd is not learned: there a sequence ends.
            let is_odd = before < CUT && pairs.is_odd(before, named.token);
            sequences.odd += u64::from(is_odd);
            let before = if is_odd { CUT } else { before };
            let field = fields.get(&kind_of(named.token));
            let value = field.and_then(|field| events.value(named.row as usize, *field));
            let label = Label { token: named.token, value };
            let number = *numbers.entry(label).or_insert_with(|| {
                sequences.labels.push(label);
                sequences.labels.len() as u32 - 1
            });
            if before == FIRST {
                firsts.push((named.row, number));
                lasts.push((named.row, number));
            }
            if before >= CUT {
                sequences.all.push(Sequence::default());
                is_first.push(before == FIRST);
            }
            if let Some(sequence) = sequences.all.last_mut() {
                sequence.labels.push(number);
            }
            if let Some(last) = lasts.last_mut() {
                *last = (named.row, number);
            }
        }
        let rows = events.len() as f64;
        let inner: Vec<u32> =
            firsts.iter().filter(|(row, _)| f64::from(*row) > EDGE * rows).map(|(_, label)| *label).collect();
        let begins = usual(&inner, sequences.labels.len());
        let inner: Vec<u32> = lasts
            .iter()
            .filter(|(row, _)| f64::from(*row) < (1.0 - EDGE) * rows)
            .map(|(_, label)| *label)
            .collect();
        let ends = usual(&inner, sequences.labels.len());
        let count = sequences.all.len();
        for number in 0..count {
            let is_last = is_first.get(number + 1).is_none_or(|first| *first);
            let (Some(sequence), Some(is_first)) = (sequences.all.get_mut(number), is_first.get(number))
            else {
                continue;
            };
            let is_in =
                |labels: &Vec<u32>, label: Option<&u32>| label.is_some_and(|one| labels.contains(one));
            sequence.begins = *is_first && is_in(&begins, sequence.labels.first());
            sequence.ends = is_last && is_in(&ends, sequence.labels.last());
        }
        sequences
    }
}

/// The labels with which instances begin, or end; none where they do so in any way.
fn usual(seen: &[u32], labels: usize) -> Vec<u32> {
    if seen.len() < FEWEST {
        return Vec::new();
    }
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    seen.iter().for_each(|label| *counts.entry(*label).or_default() += 1);
    let all = seen.len() as f64;
    counts.retain(|_, times| *times as f64 >= USUAL * all);
    let covered: usize = counts.values().sum();
    if (seen.len() - covered) as f64 > OTHERWISE * all || counts.len() >= labels {
        return Vec::new();
    }
    counts.into_keys().collect()
}
