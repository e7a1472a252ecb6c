//! An interval with a great declared loss in it: only what both sides imply is reported.

use model::machine::Machine;

use crate::estimate::cpus::monitor::CpuMonitor;
use crate::estimate::instances::instance::{IDLE, Ix, NO_INSTANCE};
use crate::estimate::instances::shared::Shared;
use crate::explain::lost_event::Candidates;
use crate::explain::lost_event::Lost;
use crate::explain::lost_event::What;
use crate::repair::single_instance::Goal;
use crate::state_machines::arrival::{Arrival, NO_CPU};
use crate::state_machines::plan::Part;
use crate::state_machines::state_estimate::{ANY, StateEstimate};

/// How sure it is that somebody left who ran before the loss and not behind it.
const IMPLIED: f64 = 0.99;

/// Events by which one leaves and another comes that must have been seen before they say who is likely.
const ENOUGH: f64 = 16.0;

impl CpuMonitor {
    /// That the one before left and the one behind came is implied; who ran in between nobody knows.
    pub(crate) fn close_window(
        &mut self,
        shared: &mut Shared,
        machine: &Machine,
        now: &Arrival<'_>,
        (number, last): (u32, Ix),
    ) {
        let sites = self.sites(shared, number);
        let Some(cpu) = self.cpus.get_mut(number as usize) else { return };
        let gaps = std::mem::take(&mut cpu.gaps);
        let seen = std::mem::take(&mut cpu.seen);
        let (first, start, left_by) = (cpu.first, cpu.start, cpu.left_by);
        let first_estimate = cpu.first_estimate;
        let before = gaps.first().map_or(0, |(_, before)| *before);
        let after = gaps.last().map_or(0, |(_, after)| *after);
        let rules = &self.monitor.rules;
        let mut estimate = first_estimate;
        for seen in seen.iter().take(before).filter(|seen| seen.who == NO_INSTANCE) {
            let step = rules.row(seen.row).and_then(|row| row.step(estimate, ANY));
            estimate = step.map_or(estimate, |step| step.after);
        }
        // The events after the loss show by themselves the state of who runs then.
        let on = self.on();
        let mut following = StateEstimate::of(on);
        for seen in seen.iter().skip(after).filter(|seen| seen.who == NO_INSTANCE) {
            let row = rules.row(seen.row);
            let step = row.and_then(|row| row.step(following, ANY).or_else(|| row.anew(on)));
            following = step.map_or(following, |step| step.after);
        }
        let (Some(opening), Some(closing)) = (sites.first().copied(), sites.last().copied()) else {
            return;
        };
        let Some((switch, ..)) = self.switch() else { return };
        if first != NO_INSTANCE && first != last {
            let (leaves, comes) = (self.show(shared, first), self.show(shared, last));
            let mut reported = None;
            // An unknown instance on one side is taken as idle, if that is the more frequent.
            let [[to_one, to_none], [from_none, _]] =
                self.to_rest.map(|row| row.map(|times| f64::from(times) + 0.5));
            let share = |of: f64, other: f64| Some(of / (of + other)).filter(|_| of + other > ENOUGH);
            let likely = |share: &f64| *share > 0.5;
            let leaves_for = share(to_none, to_one).filter(|share| first != IDLE && likely(share));
            let comes_from = share(from_none, to_one).filter(|share| last != IDLE && likely(share));
            let known = |share: Option<f64>| if share.is_some() { IDLE } else { NO_INSTANCE };
            let sides = [
                (
                    What::Switch(known(leaves_for)),
                    first,
                    leaves_for,
                    opening,
                    left_by,
                    format!("{leaves} ran before the declared loss on CPU {number}, and not behind it"),
                ),
                (
                    What::Switch(last),
                    known(comes_from),
                    comes_from,
                    closing,
                    i64::MAX,
                    format!("{comes} runs behind the declared loss on CPU {number}, and did not before"),
                ),
            ];
            for (what, subject, share, site, until, reason) in sides {
                let (from, to) = (site.from.max(start), site.to.min(now.time).min(until));
                let Some(window) = shared.windows.near(&sites, site) else { continue };
                let lost = Lost {
                    what,
                    subject,
                    cpu: number,
                    from,
                    to: to.max(from),
                    probability: IMPLIED * share.unwrap_or(1.0),
                    is_sure: false,
                    incoherence: None,
                    window: Some(window),
                    reason,
                    candidates: Candidates::default(),
                    together: None,
                };
                let number = self.report(shared, machine, switch, lost);
                if subject == first {
                    reported = number;
                }
            }
            if first != IDLE {
                let nothing = StateEstimate::of(crate::StateSet::default());
                self.left(shared, (first, number), opening.from.max(start), nothing, reported);
            }
            let on = self.monitor.instances.get(last).map_or(NO_CPU, |one| one.on);
            if on != NO_CPU && on != number {
                self.seen_elsewhere(shared, now, (last, on, number));
            }
        } else if first != NO_INSTANCE && first != IDLE {
            self.same_after(shared, machine, now, (number, first), estimate, &seen[after.min(seen.len())..]);
        }
        self.runs(number, last, Some(following));
    }

    /// The same one runs on both sides: what the first event behind the loss needs, in one step.
    fn same_after(
        &mut self,
        shared: &mut Shared,
        machine: &Machine,
        now: &Arrival<'_>,
        (number, ix): (u32, Ix),
        estimate: StateEstimate,
        following: &[crate::estimate::cpus::cpu::Seen],
    ) {
        let is_own = |seen: &&crate::estimate::cpus::cpu::Seen| {
            seen.who == NO_INSTANCE || seen.is_here && seen.who == ix
        };
        let Some(next) = following.iter().find(is_own) else { return };
        let row = self.monitor.rules.row(next.row);
        if row.is_none_or(|row| row.step(estimate, ANY).is_some()) {
            return;
        }
        let path = self.monitor.path(estimate, Goal::Row(next.row), &|arc| arc.part == Part::Runs);
        let Some(path) = path.filter(|path| path.steps.len() == 1) else { return };
        let sites = self.sites(shared, number);
        let Some(site) = sites.last().copied() else { return };
        let Some(window) = shared.windows.near(&sites, site) else { return };
        let Some(&(arc, stem, probability)) = path.steps.first() else { return };
        let what = What::Own { arc, stem };
        let reason = self.reason(shared, what, ix, ix, number);
        let (from, to) = (site.from, site.to.min(now.time).min(next.time));
        let lost = Lost {
            what,
            subject: ix,
            cpu: number,
            from,
            to: to.max(from),
            probability: probability.min(IMPLIED),
            is_sure: false,
            incoherence: None,
            window: Some(window),
            reason,
            candidates: Candidates::default(),
            together: None,
        };
        if let Some((switch, ..)) = self.switch() {
            self.report(shared, machine, switch, lost);
        }
    }
}
