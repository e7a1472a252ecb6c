//! States that are possible at one moment, with their weights and what leads to them.

/// States at once.
pub(crate) const MOST_STATES: usize = 4_096;
/// What weighs less beside the heaviest is dropped once there are too many.
const LIGHT: f64 = 1e-9;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub(super) used: u8,
    pub(super) runner: u8,
    /// In a slot: whether more switches may come in it, and how many did.
    pub(super) in_slot: u8,
    /// Whether who runs did nothing since it came.
    pub(super) is_fresh: bool,
    pub(super) ready: u32,
    pub(super) here: u32,
}

/// Not in a slot, or no more switches in it.
pub(super) const DONE: u8 = u8::MAX;

#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) weight: f64,
    /// Who leaves and comes, and whether it stays ready; the same twice: no switch.
    pub(super) leaves: u8,
    pub(super) comes: u8,
    pub(super) stays_ready: bool,
}

/// States that are possible before an item or within a slot.
#[derive(Debug, Default)]
pub(super) struct Layer {
    pub(super) states: Vec<State>,
    pub(super) forward: Vec<f64>,
    /// From the layer before.
    pub(super) edges: Vec<Edge>,
    pub(super) item: usize,
    /// Logarithm of what the weights were divided by.
    pub(super) scale: f64,
}

impl Layer {
    /// Drops what is improbable where there are too many.
    pub(super) fn prune(&mut self) {
        if self.states.len() <= MOST_STATES {
            return;
        }
        let mut order: Vec<usize> = (0..self.states.len()).collect();
        let weight = |index: usize| self.forward.get(index).copied().unwrap_or(0.0);
        order.sort_by(|one, other| weight(*other).total_cmp(&weight(*one)));
        let most = order.first().map_or(0.0, |first| weight(*first));
        order.truncate(MOST_STATES);
        order.retain(|index| weight(*index) >= LIGHT * most);
        let mut moved = vec![u32::MAX; self.states.len()];
        for (to, from) in order.iter().enumerate() {
            if let Some(index) = moved.get_mut(*from) {
                *index = to as u32;
            }
        }
        self.states = order.iter().filter_map(|index| self.states.get(*index).copied()).collect();
        self.forward = order.iter().map(|index| weight(*index)).collect();
        self.edges.retain_mut(|edge| {
            edge.to = moved.get(edge.to as usize).copied().unwrap_or(u32::MAX);
            edge.to != u32::MAX
        });
    }

    /// Keeps the weights away from 0.
    pub(super) fn normalise(&mut self, before: f64) {
        let most = self.forward.iter().copied().fold(0.0, f64::max);
        self.scale = before;
        if most > 0.0 && !(1e-30..1e30).contains(&most) {
            self.forward.iter_mut().for_each(|weight| *weight /= most);
            self.scale += most.ln();
        }
    }
}
