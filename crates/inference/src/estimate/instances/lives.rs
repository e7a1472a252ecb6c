//! How instances of a machine begin and end, where the model says in which states they do.
//!
//! An instance that is first seen in the midst of a trace began there, so its first event must be one with which
//! they begin; at the beginning of a trace most are older than it. When that changes nobody says: it is taken to
//! be so once [`PROPER`] instances more began as they should than did not.

use model::machine::Machine;

use crate::estimate::instances::instance::Ix;
use crate::estimate::instances::monitor::Monitor;
use crate::estimate::instances::shared::Shared;
use crate::state_machines::state_estimate::{ANY, StateEstimate};
use crate::state_set::StateSet;

/// How many more begin as they should before others are a surprise, and how many of these count no more.
const PROPER: i32 = 24;
const MOST_PROPER: i32 = 64;
/// What one that begins otherwise takes away.
const IMPROPER: i32 = 4;
/// How much longer than the longest a wait must be before something is missing.
pub(crate) const LONGER: i64 = 2;

/// What is known of the lives of a machine's instances.
#[derive(Debug, Default)]
pub(crate) struct Lives {
    begins: StateSet,
    pub(crate) ends: StateSet,
    proper: i32,
    first: Option<i64>,
    /// By state: how many waits, and the longest.
    pub(crate) waits: Vec<(u32, i64)>,
}

impl Lives {
    pub(crate) fn new(machine: &Machine) -> Lives {
        let set = |is_in: &dyn Fn(usize) -> bool| {
            let states = (0..machine.states.len()).filter(|state| is_in(*state));
            states.fold(StateSet::default(), |set, state| set.or(StateSet::one(state)))
        };
        let begins = set(&|state| machine.states.get(state).is_some_and(|state| state.begins));
        let ends = set(&|state| machine.states.get(state).is_some_and(|state| state.ends));
        Lives { begins, ends, waits: vec![(0, 0); machine.states.len()], ..Lives::default() }
    }

    /// An instance in this state had its next event so much later.
    fn waited(&mut self, state: usize, nanoseconds: i64) {
        if let Some((times, longest)) = self.waits.get_mut(state) {
            *times += 1;
            *longest = (*longest).max(nanoseconds);
        }
    }

    /// The longest wait in a state in which none ends.
    fn longest(&self) -> i64 {
        let states = self.waits.iter().enumerate().filter(|(state, _)| !self.ends.has(*state));
        states.map(|(_, (_, longest))| *longest).max().unwrap_or(0)
    }
}

impl Monitor {
    /// An event of `row` comes to an instance; since when it may have been lost what led there.
    pub(crate) fn lives(&mut self, shared: &Shared, (ix, is_new): (Ix, bool), row: u32, now: i64) -> i64 {
        let first = *self.lives.first.get_or_insert(now);
        let Some(instance) = self.instances.get(ix) else { return now };
        let (set, since) = (instance.estimate.set, instance.time);
        if !is_new {
            if let Some(state) = set.only() {
                self.lives.waited(state, now.saturating_sub(since));
            }
            return since;
        }
        if self.lives.begins.is_empty() {
            return now;
        }
        let Some(row) = self.rules.row(row).filter(|row| !row.accepts.is_empty()) else { return now };
        let is_proper = !row.accepts.and(self.lives.begins).is_empty();
        let is_known = self.lives.proper >= PROPER && shared.windows.all.is_empty();
        let change = if is_proper { 1 } else { -IMPROPER };
        self.lives.proper = (self.lives.proper + change).clamp(-MOST_PROPER, MOST_PROPER);
        if !is_known {
            return now;
        }
        if let Some(instance) = self.instances.get_mut(ix) {
            instance.estimate = StateEstimate { set: self.lives.begins, open: ANY };
        }
        now.saturating_sub(self.lives.longest().saturating_mul(LONGER)).max(first)
    }
}
