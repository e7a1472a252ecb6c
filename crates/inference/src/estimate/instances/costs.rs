//! How probable each transition is, counted over what fitted: costs are its -log, smoothed.
//!
//! Source: our notes on inference (point 3). Only events that fitted are counted, never what was
//! inferred, and only where the state before was certain. Each event counts by its own name: what a
//! `*` of the model stands for is not mixed together, and sums are taken over names.

use crate::state_machines::state_estimate::{ANY, NOTHING, StateEstimate};

/// Costs in thousandths of a nat, so that they can be ordered.
pub(crate) type Cost = u32;

/// So many times rarer than another, an event is not believed.
pub(crate) const UNHEARD_OF: u32 = 30;

/// What losing one event costs where no loss was declared, on top of what it is.
pub(crate) const UNDECLARED: Cost = 9_000;
/// What one more lost event costs beside one that was lost undeclared: losses come together.
pub(crate) const SECOND: Cost = 5_000;
/// What it costs where a loss was declared.
pub(crate) const DECLARED: Cost = 300;

/// What is known of one who comes to a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Placement {
    /// It was sent there, or elsewhere, or nobody sent it since it ran.
    SentHere,
    SentElsewhere,
    Unsent,
    /// It may be in one of several states, or in the midst of nobody knows what.
    Uncertain,
}

/// No context: the state was not certain.
pub(crate) const NO_CONTEXT: u32 = u32::MAX;

/// What came next after one state with one thing open.
#[derive(Debug, Default)]
struct Context {
    all: u32,
    kinds: u32,
    by_symbol: Vec<u32>,
    leaves: u32,
    /// Nanoseconds from the last sign of life to leaving, added up.
    dwell: u64,
}

/// Counts over what fitted.
#[derive(Debug, Default)]
pub(crate) struct Costs {
    /// Nothing is ever open in the instances, so it is not asked what is.
    pub(crate) is_closed: bool,
    /// By state and what is open (0: nothing).
    contexts_of: Vec<Vec<u32>>,
    list: Vec<Context>,
    /// How often an instance came of whom so much was known, by [`Placement`].
    came: [u32; 4],
    /// By symbol: how often an event made an instance ready, and how often that one ran and went on.
    wakes: Vec<(u32, u32)>,
}

/// Things that are open beyond this number share no statistics.
const MOST_OPEN: u32 = 1 << 14;

pub(crate) fn cost(probability: f64) -> Cost {
    (-probability.ln() * 1000.0).clamp(0.0, 40_000.0) as Cost
}

impl Costs {
    /// The context of an estimate.
    #[inline]
    pub(crate) fn context(&mut self, estimate: StateEstimate) -> u32 {
        let Some(state) = estimate.set.only() else { return NO_CONTEXT };
        let open = match estimate.open {
            NOTHING => 0,
            ANY if self.is_closed => 0,
            ANY => return NO_CONTEXT,
            open if open < MOST_OPEN => open as usize + 1,
            _ => return NO_CONTEXT,
        };
        if self.contexts_of.len() <= state {
            self.contexts_of.resize(state + 1, Vec::new());
        }
        let Some(row) = self.contexts_of.get_mut(state) else { return NO_CONTEXT };
        if row.len() <= open {
            row.resize(open + 1, NO_CONTEXT);
        }
        let Some(slot) = row.get_mut(open) else { return NO_CONTEXT };
        if *slot == NO_CONTEXT {
            *slot = self.list.len() as u32;
            self.list.push(Context::default());
        }
        *slot
    }

    fn find(&self, state: usize, open: u32) -> Option<&Context> {
        let open = match open {
            NOTHING => 0,
            ANY if self.is_closed => 0,
            open => open.checked_add(1)? as usize,
        };
        let context = *self.contexts_of.get(state)?.get(open)?;
        self.list.get(context as usize)
    }

    /// An event of this name came next.
    #[inline]
    pub(crate) fn came(&mut self, context: u32, symbol: u32) {
        let Some(context) = self.list.get_mut(context as usize) else { return };
        let symbol = symbol as usize;
        if context.by_symbol.len() <= symbol {
            context.by_symbol.resize(symbol + 1, 0);
        }
        if let Some(times) = context.by_symbol.get_mut(symbol) {
            context.kinds += u32::from(*times == 0);
            *times += 1;
        }
        context.all += 1;
    }

    /// It left its CPU next, so long after its last sign of life.
    pub(crate) fn dwelt(&mut self, estimate: StateEstimate, nanoseconds: i64) {
        let context = self.context(estimate);
        let Some(context) = self.list.get_mut(context as usize) else { return };
        context.leaves += 1;
        context.dwell = context.dwell.saturating_add(u64::try_from(nanoseconds).unwrap_or(0));
    }

    /// What it costs that an instance stays that long after its last sign of life: -log of the tail
    /// of an exponential distribution with the mean that was seen.
    pub(crate) fn stays(&self, estimate: StateEstimate, nanoseconds: i64) -> Cost {
        let context = estimate.set.only().and_then(|state| self.find(state, estimate.open));
        let Some(context) = context.filter(|context| context.leaves >= 8 && nanoseconds > 0) else {
            return 0;
        };
        let mean = context.dwell as f64 / f64::from(context.leaves);
        (nanoseconds as f64 / mean.max(1_000.0) * 1000.0).min(40_000.0) as Cost
    }

    /// What it costs that an event of this name comes next; `None`: of a name that was never seen.
    pub(crate) fn of(&self, estimate: StateEstimate, symbol: Option<u32>) -> Cost {
        let contexts = estimate.set.iter().filter_map(|state| self.find(state, estimate.open));
        let costs = contexts.map(|context| {
            let times =
                symbol.and_then(|symbol| context.by_symbol.get(symbol as usize)).copied().unwrap_or(0);
            cost(f64::from(times + 1) / f64::from(context.all + context.kinds + 1))
        });
        costs.min().unwrap_or(0)
    }

    /// What it costs that an event is of a name that never came, from no state.
    pub(crate) fn unheard_of(&self) -> Cost {
        let all: u64 = self.list.iter().map(|context| u64::from(context.all)).sum();
        cost(1.0 / (all + 1) as f64)
    }

    /// How often an event of this name came next from a state, whatever was open.
    pub(crate) fn times(&self, state: usize, symbol: u32) -> u32 {
        let contexts = self.contexts_of.get(state).into_iter().flatten();
        let found = contexts.filter_map(|context| self.list.get(*context as usize));
        found.filter_map(|context| context.by_symbol.get(symbol as usize)).sum()
    }

    /// An event made an instance ready.
    pub(crate) fn woke(&mut self, symbol: u32, went_on: bool) {
        let symbol = symbol as usize;
        if self.wakes.len() <= symbol {
            self.wakes.resize(symbol + 1, (0, 0));
        }
        if let Some((all, running)) = self.wakes.get_mut(symbol) {
            *if went_on { running } else { all } += 1;
        }
    }

    /// What it costs that an instance was made ready while it ran, and went on.
    pub(crate) fn goes_on(&self, symbol: u32) -> Cost {
        let (all, running) = self.wakes.get(symbol as usize).copied().unwrap_or((0, 0));
        cost(f64::from(running + 1) / f64::from(all.max(running) + 2))
    }

    /// An instance came to a CPU.
    pub(crate) fn came_to_run(&mut self, how: Placement) {
        if let Some(times) = self.came.get_mut(how as usize) {
            *times += 1;
        }
    }

    /// What it costs that one comes to a CPU of whom so much is known.
    pub(crate) fn comes(&self, how: Placement) -> Cost {
        let [times, all] = [self.came.get(how as usize).copied().unwrap_or(0), self.came.iter().sum()];
        cost(f64::from(times + 1) / f64::from(all + 4))
    }

    /// How often instances run where they were sent.
    pub(crate) fn stays_on_target(&self) -> f64 {
        let [here, elsewhere, ..] = self.came;
        f64::from(here + 1) / f64::from(here + elsewhere + 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_set::StateSet;

    #[test]
    fn what_is_frequent_is_cheap() {
        let mut costs = Costs::default();
        let inside = StateEstimate { set: StateSet::one(2), open: 5 };
        let context = costs.context(inside);
        (0..30).for_each(|_| costs.came(context, 1));
        costs.came(context, 7);
        let other = StateEstimate { open: 6, ..inside };
        assert!(costs.of(inside, Some(1)) < costs.of(inside, Some(7)));
        assert!(costs.of(inside, Some(7)) < costs.of(inside, Some(3)));
        assert_eq!((costs.of(other, Some(1)), costs.times(2, 1)), (0, 30));
        assert_eq!(costs.context(StateEstimate::of(inside.set)), NO_CONTEXT);
        (0..8).for_each(|_| costs.dwelt(inside, 2_000));
        assert_eq!((costs.stays(inside, 4_000), costs.stays(inside, 0)), (2_000, 0));
    }
}
