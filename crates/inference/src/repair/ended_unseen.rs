//! Instances that ended without an event: left alone in a state in which none ends, much longer than any was before,
//! they went on unseen.

use model::Timestamp;
use model::machine::Machine;

use crate::estimate::instances::instance::Ix;
use crate::estimate::instances::lives::LONGER;
use crate::estimate::instances::monitor::Monitor;
use crate::estimate::instances::shared::Shared;
use crate::repair::single_instance::{About, Goal};
use crate::state_machines::arrival::NO_CPU;

/// Waits of a state that must have been seen.
const FEWEST: u32 = 12;
/// How sure it is that an event is missing, where only silence says so.
const SILENCE_SHARE: f64 = 0.95;

impl Monitor {
    /// The trace is over: those that had no event for too long went on unseen.
    pub(crate) fn ended_unseen(&self, shared: &mut Shared, machine: &Machine, end: i64) {
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
            let states = Monitor::show(machine, one.estimate.set);
            let name = shared.world.texts.show_name(one.key);
            let reason = format!("{} {name} was left alone in {states}, where none ends", machine.id);
            let about = About {
                ix,
                from: since,
                to: until,
                cpu: Some(cpu).filter(|cpu| *cpu != NO_CPU),
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
