//! How instances of a machine begin and end, where the model says in which states they do.
//!
//! An instance that is first seen in the midst of a trace began there, so its first event must be one with which
//! they begin; at the beginning of a trace most are older than it. When that changes nobody says: it is taken to
//! be so once [`PROPER`] instances more began as they should than did not. One that is left alone in a state in
//! which none ends, much longer than any was before, went on unseen.

use model::machine::Machine;

use super::instances::Ix;
use super::shared::Shared;
use super::single_instance::{About, Goal};
use super::state_estimate::{ANY, StateEstimate};
use super::watched::Watched;
use crate::state_set::StateSet;
use model::Timestamp;

/// How many more begin as they should before others are a surprise, and how many of these count no more.
const PROPER: i32 = 24;
const MOST_PROPER: i32 = 64;
/// What one that begins otherwise takes away.
const IMPROPER: i32 = 4;
/// Waits of a state that must have been seen, and how much longer than the longest a wait must be.
const FEWEST: u32 = 12;
const LONGER: i64 = 2;
/// How sure it is that an event is missing, where nothing but silence tells.
const SILENCE_SHARE: f64 = 0.95;

/// What is known of the lives of a machine's instances.
#[derive(Debug, Default)]
pub(super) struct Lives {
    begins: StateSet,
    ends: StateSet,
    proper: i32,
    first: Option<i64>,
    /// By state: how many waits, and the longest.
    waits: Vec<(u32, i64)>,
}

impl Lives {
    pub(super) fn new(machine: &Machine) -> Lives {
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

impl Watched {
    /// An event of `row` comes to an instance; since when it may have been lost what led there.
    pub(super) fn lives(&mut self, shared: &Shared, (ix, is_new): (Ix, bool), row: u32, now: i64) -> i64 {
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

    /// The trace is over: those that had no event for too long went on unseen.
    pub(super) fn ended_unseen(&self, shared: &mut Shared, machine: &Machine, end: i64) {
        if self.lives.ends.is_empty() {
            return;
        }
        let alone: Vec<(Ix, usize, i64, u32)> = self
            .instances
            .iter()
            .filter_map(|(ix, one)| Some((ix, one.estimate.set.only()?, one.time, one.cpu)))
            .collect();
        for (ix, state, since, cpu) in alone {
            let Some(&(times, longest)) = self.lives.waits.get(state) else { continue };
            let until = since.saturating_add(longest.saturating_mul(LONGER));
            let is_lost = shared.windows.after(Timestamp(since), None).is_some();
            if self.lives.ends.has(state) || times < FEWEST || until >= end || is_lost {
                continue;
            }
            let Some(one) = self.instances.get(ix) else { continue };
            let Some(path) = self.path(one.estimate, Goal::State(self.lives.ends), &|_| true) else {
                continue;
            };
            let states = Watched::show(machine, one.estimate.set);
            let name = shared.world.texts.show_name(one.key);
            let reason = format!("{} {name} was left alone in {states}, where none ends", machine.id);
            let about = About {
                ix,
                from: since,
                to: until,
                cpu: Some(cpu).filter(|cpu| *cpu != super::instances::NO_CPU),
                incoherence: None,
                window: None,
                share: SILENCE_SHARE,
                has_next: false,
                reason: &reason,
            };
            self.report_path(shared, machine, &path, &about);
        }
    }
}
