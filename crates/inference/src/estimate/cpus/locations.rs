//! Who runs where, and who is off, behind what was concluded to be lost.

use crate::estimate::cpus::monitor::CpuMonitor;
use crate::estimate::instances::instance::Ix;
use crate::estimate::instances::shared::Shared;
use crate::state_machines::arrival::NO_CPU;
use crate::state_machines::state_estimate::{ANY, StateEstimate};
use crate::state_set::StateSet;

impl CpuMonitor {
    /// This one runs there now, with this estimate if any is better than what is known.
    pub(crate) fn runs(&mut self, number: u32, who: Ix, estimate: Option<StateEstimate>) {
        let on = self.on();
        if let Some(cpu) = self.cpus.get_mut(number as usize) {
            cpu.running = who;
        }
        if let Some(one) = self.monitor.instances.get_mut(who) {
            one.on = number;
            let set = estimate.map_or(on, |estimate| estimate.set.and(on));
            one.estimate = StateEstimate {
                set: if set.is_empty() { on } else { set },
                open: estimate.map_or(ANY, |estimate| estimate.open),
            };
        }
    }

    /// Somebody left the CPU by an event that was lost.
    pub(crate) fn left(
        &mut self,
        shared: &mut Shared,
        (ix, number): (Ix, u32),
        from: i64,
        estimate: StateEstimate,
        reported: Option<usize>,
    ) {
        let (off, on) = (self.off(), self.on());
        let leaves = self.switch().and_then(|(_, leaves, _)| self.monitor.rules.row(leaves));
        let following = leaves.and_then(|row| row.anew(on)).map_or(off, |step| step.after.set);
        let estimate = if estimate.set.is_empty() { StateEstimate::of(following) } else { estimate };
        let Some(one) = self.monitor.instances.get_mut(ix) else { return };
        if one.on != NO_CPU && one.on != number {
            // It was seen elsewhere since, without more: it never stopped being ready.
            if let Some(reported) = reported {
                shared.resolve(reported, off, &self.monitor.rules);
            }
            return;
        }
        if one.on == NO_CPU && one.time > from {
            // Another stream has reported it since.
            one.estimate.open = estimate.open;
            if let Some(reported) = reported {
                shared.resolve(reported, self.woken_from(shared), &self.monitor.rules);
            }
            return;
        }
        (one.on, one.cpu, one.target) = (NO_CPU, number, NO_CPU);
        (one.moved, one.pending) = (from, reported);
        one.estimate = estimate;
    }

    /// States that an event elsewhere takes an instance out of, so that it is ready.
    pub(crate) fn woken_from(&self, _: &Shared) -> StateSet {
        let (on, off) = (self.on(), self.off());
        let lost = self.monitor.rules.lost.iter();
        let wakes = lost.filter(|arc| {
            matches!(arc.part, crate::state_machines::plan::Part::Field(_))
                && !arc.to.and(off).is_empty()
                && !on.has(arc.from)
                && !self.monitor.rules.shape.initial.has(arc.from)
        });
        let from = wakes.fold(StateSet::default(), |set, arc| set.or(StateSet::one(arc.from)));
        let only = from.and(off.others());
        if only.is_empty() { from } else { only }
    }

    /// It left its CPU unseen and was seen off it at this moment.
    pub(crate) fn was_woken(&mut self, shared: &mut Shared, ix: Ix, woken: i64) {
        let (from, off) = (self.woken_from(shared), self.off());
        let Some(one) = self.monitor.instances.get_mut(ix) else { return };
        if one.on != NO_CPU {
            return;
        }
        if let Some(reported) = one.pending.take() {
            shared.resolve(reported, from, &self.monitor.rules);
        }
        let ready = self.monitor.rules.ready_after(one.estimate.set.and(from));
        let set = if ready.and(off).is_empty() { off } else { ready.and(off) };
        (one.estimate.set, one.moved) = (set, woken);
    }
}
