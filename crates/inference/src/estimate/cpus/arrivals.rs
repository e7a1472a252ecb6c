//! Who may come to a CPU, and by what: those sent there first.

use crate::estimate::cpus::cpu::Other;
use crate::estimate::cpus::monitor::CpuMonitor;
use crate::estimate::instances::costs::Placement;
use crate::estimate::instances::instance::Ix;
use crate::state_machines::arrival::NO_CPU;
use crate::state_machines::plan::{Part, Role};
use crate::state_machines::state_estimate::{ANY, StateEstimate};
use crate::state_set::StateSet;

impl CpuMonitor {
    /// Those that could come to a CPU and do this there, those sent to it first.
    pub(crate) fn others(&self, number: u32, row: u32) -> Vec<Other> {
        let Some(comes) = self.switch_row() else { return Vec::new() };
        let (Some(comes), Some(row)) = (self.monitor.rules.row(comes), self.monitor.rules.row(row)) else {
            return Vec::new();
        };
        let on = self.on();
        let fits = |(ix, one): (Ix, &crate::estimate::instances::instance::Instance)| {
            // A loss may have widened what is known of it: then it may run, too.
            let off = StateEstimate { set: one.estimate.set.and(on.others()), open: one.estimate.open };
            let is_off = one.on == NO_CPU || off.set == one.estimate.set;
            let step = comes.step(off, ANY).filter(|_| is_off)?;
            row.step(step.after, ANY)?;
            let how = self.placement(one, number);
            let cost = self.monitor.costs.comes(how);
            let order = (cost, one.cpu != number, std::cmp::Reverse(one.moved));
            Some((order, how, Other { ix, since: one.moved, estimate: off, cost }))
        };
        let fitting: Vec<_> = self.monitor.instances.iter().filter_map(fits).collect();
        // One of many of a kind is as much less probable.
        let alike = |how: Placement| fitting.iter().filter(|(_, of, _)| *of == how).count();
        let kinds = [Placement::SentHere, Placement::SentElsewhere, Placement::Unsent, Placement::Uncertain]
            .map(alike);
        let mut others: Vec<_> = fitting
            .into_iter()
            .map(|(order, how, mut other)| {
                let many = kinds.get(how as usize).map_or(1.0, |many| *many as f64);
                other.cost =
                    other.cost.saturating_add(crate::estimate::instances::costs::cost(1.0 / many.max(1.0)));
                (order, other)
            })
            .collect();
        others.sort_by_key(|(order, _)| *order);
        others.truncate(6);
        others.into_iter().map(|(_, other)| other).collect()
    }

    /// What is known of one who may come to a CPU.
    pub(crate) fn placement(
        &self,
        one: &crate::estimate::instances::instance::Instance,
        number: u32,
    ) -> Placement {
        let is_certain = one.estimate.open != ANY && one.estimate.set.and(self.on()).is_empty();
        match () {
            () if one.target == number => Placement::SentHere,
            () if one.target != NO_CPU => Placement::SentElsewhere,
            () if is_certain => Placement::Unsent,
            () => Placement::Uncertain,
        }
    }

    /// The most frequent event by which one leaves and another comes, and its rows.
    pub(crate) fn switch(&self) -> Option<(u32, u32, u32)> {
        let &(symbol, _) = self.switches.iter().max_by_key(|(_, times)| *times)?;
        let plan = self.monitor.rules.plan(symbol)?;
        let Role::Switch { prev_field, next_field } = plan.role else { return None };
        Some((symbol, plan.lost_as(Part::Field(prev_field))?, plan.lost_as(Part::Field(next_field))?))
    }

    fn switch_row(&self) -> Option<u32> {
        self.switch().map(|(_, _, comes)| comes)
    }

    /// States from which an instance comes to a CPU.
    pub(crate) fn off(&self) -> StateSet {
        let row = self.switch_row().and_then(|row| self.monitor.rules.row(row));
        row.map_or(StateSet::default(), |row| row.accepts)
    }
}
