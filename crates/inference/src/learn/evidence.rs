//! Evidence: how far the trace bears a learned machine out, and what it is good for.

use super::events::Events;
use super::merge::Automaton;
use super::roles::Key;
use super::sequences::Sequences;

/// What a machine stands on.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Evidence {
    /// Instances seen.
    pub instances: u64,
    /// Events of them.
    pub events: u64,
    /// Pieces without a loss in which they came.
    pub sequences: u64,
    /// Events that do not fit: they come hundreds of times less often after the one before than by chance.
    pub odd: u64,
    /// Bits an event, where each is encoded by itself.
    pub bits_alone: f64,
    /// Bits an event, where each is encoded by the one before it in its instance.
    pub bits: f64,
    /// Events with others before and behind that were left out one by one, at most [`MOST_TRIED`].
    pub tried: u64,
    /// Of these, how often the machine reported that something is missing.
    pub missed: u64,
}

/// Events that are left out to see whether they are missed.
const MOST_TRIED: usize = 20_000;
/// Events behind it at which that may show.
const LOOKAHEAD: usize = 4;

impl Evidence {
    pub(super) fn new(events: &Events, key: &Key, sequences: &Sequences, machine: &Automaton) -> Evidence {
        let length = key.length(events);
        let named = key.named.len();
        let each = |bits: f64| bits / named.max(1) as f64;
        let (tried, missed) = tried(sequences, machine, named.div_ceil(MOST_TRIED).max(1));
        Evidence {
            instances: key.instances() as u64,
            events: named as u64,
            sequences: sequences.all.len() as u64,
            odd: sequences.odd,
            bits_alone: each(length.alone),
            bits: each(length.apart),
            tried,
            missed,
        }
    }

    /// Part of the single losses that would be noticed.
    pub fn noticed(&self) -> f64 {
        self.missed as f64 / self.tried.max(1) as f64
    }
}

/// Leaves out every `each`-th event that has others before and behind it.
fn tried(sequences: &Sequences, machine: &Automaton, each: usize) -> (u64, u64) {
    let (mut tried, mut missed, mut number) = (0, 0, 0usize);
    for sequence in &sequences.all {
        let begin = |node: &usize| machine.nodes.get(*node).is_some_and(|node| node.begins > 0);
        let all = 0..machine.nodes.len();
        let mut before: Vec<usize> =
            if sequence.begins { all.filter(begin).collect() } else { all.collect() };
        for (index, label) in sequence.labels.iter().enumerate() {
            let after = sequence.labels.get(index + 1..).unwrap_or_default();
            if !after.is_empty() && (index > 0 || sequence.begins) {
                number += 1;
                if number.is_multiple_of(each) {
                    tried += 1;
                    missed += u64::from(!accepts(machine, &before, after.iter().take(LOOKAHEAD)));
                }
            }
            before = steps(machine, &before, *label);
        }
    }
    (tried, missed)
}

fn steps(machine: &Automaton, from: &[usize], label: u32) -> Vec<usize> {
    let mut to: Vec<usize> = from.iter().filter_map(|node| machine.step(*node, label)).collect();
    to.sort_unstable();
    to.dedup();
    to
}

/// Whether these labels may follow in one of some states.
pub(super) fn accepts<'l>(
    machine: &Automaton,
    from: &[usize],
    labels: impl Iterator<Item = &'l u32>,
) -> bool {
    let mut states = from.to_vec();
    for label in labels {
        states = steps(machine, &states, *label);
        if states.is_empty() {
            return false;
        }
    }
    true
}
