//! One leaves a CPU and another comes: what that says of both, and of where they were before.

use crate::estimate::cpus::monitor::{ABOUT_TO_LEAVE, CpuMonitor, Named, TRAIL};
use crate::estimate::instances::costs::Placement;
use crate::estimate::instances::instance::{IDLE, Ix};
use crate::estimate::instances::monitor::Took;
use crate::estimate::instances::shared::Shared;
use crate::state_machines::arrival::{Arrival, NO_CPU};
use crate::state_machines::state_estimate::{ANY, StateEstimate};
use crate::state_set::StateSet;
use model::machine::Machine;

impl CpuMonitor {
    pub(crate) fn on_switch(
        &mut self,
        shared: &mut Shared,
        machine: &Machine,
        now: &Arrival<'_>,
        (number, (prev, prev_row), (next, next_row)): (u32, Named, Named),
    ) {
        let symbol = now.symbol.0;
        self.mark_switch(shared, (prev, prev_row), next);
        let kind = (usize::from(prev == IDLE), usize::from(next == IDLE));
        self.to_rest[kind.0][kind.1] += 1;
        match self.switches.iter_mut().find(|(known, _)| *known == symbol) {
            Some((_, times)) => *times += 1,
            None => {
                self.switches.push((symbol, 1));
                self.refused.clear();
            }
        }
        let Some(cpu) = self.cpu_mut(number) else { return };
        let (running, last) = (cpu.running, cpu.seen.last().map_or(cpu.start, |seen| seen.time));
        // It was seen off the CPU while it seemed to run. Between being about to leave and leaving that
        // is no wonder; that long after its last sign of life it had left.
        let was_away =
            cpu.woken != i64::MAX && prev != IDLE && cpu.woken.saturating_sub(last) > ABOUT_TO_LEAVE;
        let is_clear = cpu.uncertainty.is_none() && cpu.gaps.is_empty();
        let is_here = |one: &crate::estimate::instances::instance::Instance| one.on == number;
        let is_known =
            running == prev && (prev == IDLE || self.monitor.instances.get(prev).is_some_and(is_here));
        let mut fits = is_clear && is_known && !was_away;
        if fits
            && prev != IDLE
            && let Some(row) = prev_row
        {
            let (before, _) = self.monitor.before(shared, prev);
            fits = self.monitor.rules.row(row).is_some_and(|row| row.step(before, ANY).is_some());
            if fits {
                self.monitor.costs.dwelt(before, now.time.saturating_sub(last));
                if let Some(cpu) = self.cpus.get_mut(number as usize) {
                    cpu.quiet_intervals.add(now.time.saturating_sub(last));
                }
            }
        }
        if !fits {
            if let Some(cpu) = self.cpus.get_mut(number as usize) {
                cpu.was_uncertain = shared.ordinal;
            }
            self.close(shared, machine, now, (number, prev, prev_row));
        }
        if prev != IDLE
            && let Some(row) = prev_row
        {
            self.leaves(shared, machine, now, (number, prev, row));
        }
        self.comes(shared, machine, now, (number, next, next_row));
        self.monitor.rules.count_values(symbol, &shared.facts);
        self.remember(shared, (symbol, number), prev, next);
    }

    /// Somebody was seen to leave a CPU, where it ran.
    pub(crate) fn leaves(
        &mut self,
        shared: &mut Shared,
        machine: &Machine,
        now: &Arrival<'_>,
        (number, ix, row): (u32, Ix, u32),
    ) {
        let on = self.on();
        // What is not known of it is not held against it: that was settled before.
        if let Some(one) = self.monitor.instances.get_mut(ix)
            && one.estimate.set.and(on).is_empty()
        {
            one.estimate = StateEstimate { set: on, open: one.estimate.open };
        }
        self.monitor.take(shared, machine, now, (ix, row), None);
        if let Some(one) = self.monitor.instances.get_mut(ix) {
            (one.on, one.target, one.pending) = (NO_CPU, NO_CPU, None);
        }
        self.walked(ix, (now.time, number), row);
    }

    /// Notes an event on the way of an instance.
    pub(crate) fn walked(&mut self, ix: Ix, at: (i64, u32), row: u32) {
        let Some(one) = self.monitor.instances.get_mut(ix) else { return };
        if one.trail.len() >= TRAIL {
            one.trail.clear();
            (one.trail_from, one.trail_estimate) = (at, one.estimate);
            return;
        }
        one.trail.push(crate::estimate::instances::instance::Trail {
            time: at.0,
            cpu: at.1,
            row,
            after: one.estimate,
        });
    }

    /// Somebody was seen to come to a CPU.
    pub(crate) fn comes(
        &mut self,
        shared: &mut Shared,
        machine: &Machine,
        now: &Arrival<'_>,
        (number, ix, row): (u32, Ix, Option<u32>),
    ) {
        let mut estimate = StateEstimate::of(StateSet::default());
        if let Some(row) = row.filter(|_| ix != IDLE) {
            let one = self.monitor.instances.get(ix);
            let (on, how) =
                one.map_or((NO_CPU, Placement::Uncertain), |one| (one.on, self.placement(one, number)));
            if on != NO_CPU && on != number {
                self.seen_elsewhere(shared, now, (ix, on, number));
            }
            let previous = self.monitor.instances.get(ix).map_or(now.time, |one| one.time);
            match self.monitor.take(shared, machine, now, (ix, row), None) {
                Took::Inconsistent { before, accepts, window } if on == NO_CPU || on == number => {
                    self.came_unready(shared, machine, now, (ix, previous), (before, accepts), window);
                }
                Took::ByLoss { known, .. } if on == NO_CPU && known.set.and(self.on()).is_empty() => {
                    self.implied(shared, machine, now, (ix, previous), known, (Some(row), None));
                }
                Took::Fits(_) => self.monitor.costs.came_to_run(how),
                _ => {}
            }
            if let Some(one) = self.monitor.instances.get_mut(ix) {
                (one.on, one.pending) = (number, None);
                estimate = one.estimate;
            }
            self.walked(ix, (now.time, number), row);
        }
        if let Some(cpu) = self.cpu_mut(number) {
            cpu.begin(ix, estimate, now.time);
        }
    }

    /// Somebody who is believed to run on `on` was seen on another CPU.
    pub(crate) fn seen_elsewhere(
        &mut self,
        shared: &mut Shared,
        now: &Arrival<'_>,
        (ix, on, number): (Ix, u32, u32),
    ) {
        let (off, running) = (self.off(), self.on());
        let who = self.show(shared, ix);
        let Some(one) = self.monitor.instances.get_mut(ix) else { return };
        let (key, previous, states) = (one.key, one.time, one.estimate.set);
        one.on = NO_CPU;
        // It left there unseen, so it was ready here, in whatever.
        one.estimate = StateEstimate::of(off);
        let Some(cpu) = self.cpus.get_mut(on as usize) else { return };
        if cpu.first != ix || cpu.left_by != i64::MAX {
            return;
        }
        cpu.left_by = now.time;
        if cpu.uncertainty.is_none() && cpu.gaps.is_empty() {
            let sentence = format!("{who} comes to CPU {number} while it runs on CPU {on}");
            let states = (states.and(running), off);
            let index = self.monitor.inconsistency(shared, now, (key, previous), states, None, sentence);
            if let Some(cpu) = self.cpus.get_mut(on as usize) {
                cpu.uncertainty = Some(index);
            }
        }
    }
}
