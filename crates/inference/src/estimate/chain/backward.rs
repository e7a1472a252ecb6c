//! The sum backward, and what both say together: who ran, and which switches were lost.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use super::layer::{Layer, State};
use super::{Item, MOST, Problem, RUNNERS, Runner};

/// A lost switch that some history has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Switch {
    /// The gap in which it is.
    pub gap: usize,
    /// Its number among the switches of the gap, from 0.
    pub number: usize,
    /// Who leaves.
    pub leaves: Runner,
    /// Who comes.
    pub comes: Runner,
    /// The share of the weight of all histories that have it.
    pub probability: f64,
    /// How probable it is that it has it and who leaves stays ready.
    pub stays_ready: f64,
    /// The first and last item at which it may be.
    pub items: (usize, usize),
}

/// What the sum says.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// All switches that some history has.
    pub switches: Vec<Switch>,
    /// By item: who runs before it, with which probability.
    pub running: Vec<[f64; RUNNERS]>,
    /// By gap: how probable each number of switches is.
    pub counts: Vec<Vec<f64>>,
    /// Whether all histories were weighed.
    pub is_exact: bool,
}

/// By gap, switches before it, who leaves and comes: how probable it is, and that it stays ready; first and last item.
type Found = HashMap<(usize, u8, u8, u8), (f64, f64, usize, usize), FxBuildHasher>;

impl Problem {
    /// Weighs all histories from their end and puts both sums together; `before`: by item, the layer before it.
    pub(super) fn backward(&self, layers: &[Layer], before: &[usize], is_exact: bool) -> Option<Answer> {
        let end = layers.last()?;
        let mut remaining: Vec<f64> = end.states.iter().map(|state| self.ends(*state)).collect();
        let total: f64 = end.forward.iter().zip(&remaining).map(|(one, other)| one * other).sum();
        if total <= 0.0 || !total.is_finite() {
            return None;
        }
        remaining.iter_mut().for_each(|weight| *weight /= total);
        let mut found: Found = HashMap::default();
        let mut running = vec![[0.0; RUNNERS]; layers.len()];
        let mut counts: Vec<Vec<f64>> = self.gaps.iter().map(|kinds| vec![0.0; kinds.len()]).collect();
        for (number, layer) in layers.iter().enumerate().rev() {
            for ((state, forward), remaining) in layer.states.iter().zip(&layer.forward).zip(&remaining) {
                if let Some(index) =
                    running.get_mut(number).and_then(|row| row.get_mut(usize::from(state.runner)))
                {
                    *index += forward * remaining;
                }
            }
            let Some(last) = number.checked_sub(1).and_then(|last| layers.get(last)) else { break };
            let mut earlier = vec![0.0; last.states.len()];
            let scaled = (last.scale - layer.scale).exp();
            for edge in &layer.edges {
                let Some(after) = remaining.get(edge.to as usize) else { continue };
                let weight = edge.weight * after * scaled;
                if let Some(index) = earlier.get_mut(edge.from as usize) {
                    *index += weight;
                }
                let share = last.forward.get(edge.from as usize).copied().unwrap_or(0.0) * weight;
                let used = last.states.get(edge.from as usize).map_or(0, |state| state.used);
                match self.items.get(layer.item) {
                    Some(Item::Slot { gap, .. }) if edge.leaves != edge.comes => {
                        let key = (*gap, used, edge.leaves, edge.comes);
                        let one = found.entry(key).or_insert((0.0, 0.0, layer.item, layer.item));
                        one.0 += share;
                        one.1 += if edge.stays_ready { share } else { 0.0 };
                        one.2 = one.2.min(layer.item);
                        one.3 = one.3.max(layer.item);
                    }
                    Some(Item::End { gap }) => {
                        let count = counts.get_mut(*gap).and_then(|of| of.get_mut(usize::from(used)));
                        count.into_iter().for_each(|count| *count += share);
                    }
                    _ => {}
                }
            }
            remaining = earlier;
        }
        let mut switches: Vec<Switch> = found
            .into_iter()
            .filter(|(_, (probability, ..))| *probability > 0.0)
            .map(|((gap, number, leaves, comes), (probability, stays_ready, first, last))| Switch {
                gap,
                number: usize::from(number),
                leaves: usize::from(leaves),
                comes: usize::from(comes),
                probability: probability.min(1.0),
                stays_ready,
                items: (first, last),
            })
            .collect();
        switches.sort_by_key(|one| (one.gap, one.number, one.leaves, one.comes));
        let mut of_items = Vec::with_capacity(before.len() + 1);
        of_items.extend(before.iter().filter_map(|layer| running.get(*layer).copied()));
        of_items.extend(running.last().copied());
        Some(Answer { switches, running: of_items, counts, is_exact })
    }

    fn ends(&self, state: State) -> f64 {
        if usize::from(state.runner) != self.last {
            return 0.0;
        }
        let weight = |&(who, ready, not): &(Runner, f64, f64)| {
            if who >= MOST || state.ready >> who & 1 == 0 { not } else { ready }
        };
        self.later.iter().map(weight).product()
    }
}
