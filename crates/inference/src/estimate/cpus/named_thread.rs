//! Events that name an instance: they may say that it runs here, or that it does not.

use crate::estimate::cpus::cpu::Seen;
use crate::estimate::cpus::monitor::CpuMonitor;
use crate::estimate::instances::instance::{Ix, NO_INSTANCE};
use crate::estimate::instances::monitor::Took;
use crate::estimate::instances::shared::Shared;
use crate::state_machines::arrival::{Arrival, NO_CPU};
use crate::state_machines::plan::Part;
use crate::state_set::StateSet;
use crate::value::Name;
use model::machine::Machine;

impl CpuMonitor {
    /// An event that names its instances: it may say that one runs here, or that it does not.
    pub(crate) fn on_named(
        &mut self,
        shared: &mut Shared,
        machine: &Machine,
        now: &Arrival<'_>,
        position: usize,
    ) {
        let Some(plan) = self.monitor.rules.plan(now.symbol.0) else { return };
        let Some(&part) = plan.parts.get(position) else { return };
        let key = match part {
            Part::Field(slot) => shared.facts.get(slot).and_then(|value| shared.key_of(value)),
            Part::Runs => self.running(now.cpu),
            Part::Cpu => now.cpu.map(|cpu| Name::Number(i64::from(cpu))),
        };
        let sends_to = plan.sends_to;
        let Some(key) = key.filter(|key| !plan.except.contains(key)) else { return };
        let ix = self.monitor.find_or_add(key, now.time);
        let Some(row) = self.monitor.row(shared, now, part, ix) else { return };
        let Some(accepts) = self.monitor.rules.row(row).map(|row| row.accepts) else { return };
        if accepts.is_empty() {
            return;
        }
        let on = self.on();
        let is_here = accepts.and(on) == accepts;
        if is_here {
            shared.marks.set_latest(crate::estimate::losses::marks::What::Here { who: ix });
            self.on_here(shared, machine, now, (ix, row));
            return;
        }
        let sent = sends_to
            .and_then(|slot| shared.facts.get(slot)?.as_i64())
            .and_then(|cpu| u32::try_from(cpu).ok());
        self.mark_ready(shared, now, (ix, row), sent);
        let (runs_on, since, target) = self
            .monitor
            .instances
            .get(ix)
            .map_or((NO_CPU, now.time, NO_CPU), |one| (one.on, one.moved, one.target));
        if let Some(cpu) = self.cpus.get_mut(runs_on as usize)
            && cpu.first == ix
            && !accepts.and(on).is_empty()
            && self.monitor.rules.row(row).is_some_and(|row| row.moves(on.others()))
        {
            // The instance accepts this while it runs, but only off its CPU would it change state: another CPU saw that
            // it is off. Its own CPU would have reported its leaving, too.
            let costs = &mut self.monitor.costs;
            if !cpu.is_open() && now.cpu == Some(runs_on) {
                costs.woke(now.symbol.0, false);
                return;
            }
            if cpu.is_open() {
                cpu.push(&self.monitor.rules, Seen { time: now.time, who: ix, is_here: false, row });
            } else if cpu.woken == i64::MAX {
                let last = cpu.seen.last().map_or(cpu.start, |seen| seen.time);
                let estimate = self.monitor.instances.get(ix).map(|one| one.estimate);
                cpu.wakes =
                    estimate.map_or(0, |estimate| costs.stays(estimate, now.time.saturating_sub(last)));
                (cpu.woken, cpu.woken_by) = (now.time, now.symbol.0);
            }
            cpu.wakes = cpu.wakes.saturating_add(costs.goes_on(now.symbol.0));
            costs.woke(now.symbol.0, false);
            if let Some(one) = self.monitor.instances.get_mut(ix) {
                one.time = now.time;
            }
            return;
        }
        let took = self.monitor.take(shared, machine, now, (ix, row), None);
        match took {
            Took::Inconsistent { before, accepts, window } => {
                self.strayed(shared, machine, now, (ix, since, target), (before, accepts), window);
            }
            Took::Fits(_) => {}
            Took::ByLoss { known, .. } if known.set.and(on).is_empty() => {
                let rows = (Some(row), None);
                if !self.implied(shared, machine, now, (ix, since), known, rows) {
                    self.ran_unseen(shared, machine, (ix, None), (since, now.time), target);
                }
            }
            Took::ByLoss { .. } => {}
            Took::Nothing => return,
        }
        if let Some(one) = self.monitor.instances.get_mut(ix) {
            if one.estimate.set.and(on).is_empty() {
                one.on = NO_CPU;
            }
            if let Some(sent) = sent {
                one.target = sent;
            }
        }
        self.walked(ix, (now.time, NO_CPU), row);
        if self.monitor.rules.row(row).is_some_and(|row| row.moves(on.others())) {
            self.monitor.costs.woke(now.symbol.0, false);
        }
        // Perhaps it ran where nobody knows who does, and so it says that it did not just now.
        if !accepts.and(on).is_empty() {
            let seen = Seen { time: now.time, who: ix, is_here: false, row };
            for cpu in self.cpus.iter_mut().filter(|cpu| cpu.is_open()) {
                cpu.push(&self.monitor.rules, seen);
            }
        }
    }

    /// An event that only who runs takes: it says who runs here.
    pub(crate) fn on_here(
        &mut self,
        shared: &mut Shared,
        machine: &Machine,
        now: &Arrival<'_>,
        (ix, row): (Ix, u32),
    ) {
        let Some(number) = now.cpu else { return };
        let Some(cpu) = self.cpu_mut(number) else { return };
        let running = cpu.running;
        let seen = Seen { time: now.time, who: ix, is_here: true, row };
        let Some(cpu) = self.cpus.get_mut(number as usize) else { return };
        cpu.push(&self.monitor.rules, seen);
        if cpu.uncertainty.is_some() {
            return;
        }
        if running == ix {
            self.monitor.take(shared, machine, now, (ix, row), None);
            return;
        }
        if running == NO_INSTANCE {
            return;
        }
        let Some(one) = self.monitor.instances.get(ix) else { return };
        let (key, previous, states) = (one.key, one.time, one.estimate.set);
        let accepts = self.monitor.rules.row(row).map_or(StateSet::default(), |row| row.accepts);
        let sentence = format!(
            "{} of {} on CPU {number}, where {} runs",
            self.what(shared, row),
            self.show(shared, ix),
            self.show(shared, running)
        );
        let index =
            self.monitor.inconsistency(shared, now, (key, previous), (states, accepts), None, sentence);
        if let Some(cpu) = self.cpus.get_mut(number as usize) {
            cpu.uncertainty = Some(index);
        }
    }
}
