//! The sum backward, and what both say together: who ran, and which switches were lost.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use super::layer::{Layer, State};
use super::{Item, MOST, Problem, Runner};

/// A lost switch that some history has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Switch {
    /// The gap in which it is.
    pub(crate) gap: usize,
    /// Its number among the switches of the gap, from 0.
    pub(crate) number: usize,
    /// Who leaves.
    pub(crate) leaves: Runner,
    /// Who comes.
    pub(crate) comes: Runner,
    /// The share of the weight of all histories that have it.
    pub(crate) probability: f64,
    /// How probable it is that it has it and who leaves stays ready.
    pub(crate) stays_ready: f64,
    /// The first and last item at which it may be.
    pub(crate) items: (usize, usize),
}

/// By gap, switches before it, who leaves and comes: how probable it is, and that it stays ready; first and last item.
type Found = HashMap<(usize, u8, u8, u8), (f64, f64, usize, usize), FxBuildHasher>;

impl Problem {
    /// Weighs all histories from their end and puts both sums together: the switches that some history has.
    pub(super) fn backward(&self, layers: &[Layer]) -> Option<Vec<Switch>> {
        let end = layers.last()?;
        let mut remaining: Vec<f64> = end.states.iter().map(|state| self.ends(*state)).collect();
        let total: f64 = end.forward.iter().zip(&remaining).map(|(one, other)| one * other).sum();
        if total <= 0.0 || !total.is_finite() {
            return None;
        }
        remaining.iter_mut().for_each(|weight| *weight /= total);
        let mut found: Found = HashMap::default();
        for (number, layer) in layers.iter().enumerate().rev() {
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
                if let Some(Item::Slot { gap, .. }) = self.items.get(layer.item)
                    && edge.leaves != edge.comes
                {
                    let key = (*gap, used, edge.leaves, edge.comes);
                    let one = found.entry(key).or_insert((0.0, 0.0, layer.item, layer.item));
                    one.0 += share;
                    one.1 += if edge.stays_ready { share } else { 0.0 };
                    one.2 = one.2.min(layer.item);
                    one.3 = one.3.max(layer.item);
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
        Some(switches)
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
