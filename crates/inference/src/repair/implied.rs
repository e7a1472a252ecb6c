//! Those that are not where they should be while they do not run: they came though nobody made them
//! ready, or were made ready twice.

use model::machine::Machine;

use crate::estimate::cpus::monitor::CpuMonitor;
use crate::estimate::instances::instance::{IDLE, Ix};
use crate::estimate::instances::monitor::Monitor;
use crate::estimate::instances::shared::Shared;
use crate::explain::lost_event::Candidates;
use crate::explain::lost_event::Lost;
use crate::explain::lost_event::What;
use crate::repair::interval::closing::LEAST;
use crate::repair::single_instance::{About, Goal};
use crate::state_machines::arrival::Arrival;
use crate::state_machines::plan::LostArc;
use crate::state_machines::plan::Part;
use crate::state_machines::state_estimate::{ANY, StateEstimate};
use crate::state_set::StateSet;
use crate::windows::LossSite;

/// How sure it is that an event is missing where nobody declared a loss, and where one was declared
/// and nothing else could have happened.
const UNDECLARED_SHARE: f64 = 0.5;
const DECLARED_SHARE: f64 = 0.9;

impl CpuMonitor {
    /// An instance comes to a CPU from a state in which it cannot: something made it ready unseen.
    pub(crate) fn came_unready(
        &mut self,
        shared: &mut Shared,
        machine: &Machine,
        now: &Arrival<'_>,
        (ix, since): (Ix, i64),
        (before, accepts): (StateEstimate, StateSet),
        window: Option<usize>,
    ) {
        let who = self.show(shared, ix);
        let states = Monitor::show(machine, before.set);
        let Some(key) = self.monitor.instances.get(ix).map(|one| one.key) else { return };
        let sentence = format!("{who} runs, though it was in {states} and nothing led it out");
        let number =
            self.monitor.inconsistency(shared, now, (key, since), (before.set, accepts), window, sentence);
        let row = self.switch().map(|(_, _, comes)| comes);
        self.implied(shared, machine, now, (ix, since), before, (row, Some(number)));
    }

    /// The events that lead an instance to what was seen, while it does not run. Whether there are any.
    pub(crate) fn implied(
        &mut self,
        shared: &mut Shared,
        machine: &Machine,
        now: &Arrival<'_>,
        (ix, since): (Ix, i64),
        before: StateEstimate,
        (row, incoherence): (Option<u32>, Option<usize>),
    ) -> bool {
        let on = self.on();
        let elsewhere = |arc: &LostArc| {
            matches!(arc.part, Part::Field(_)) && !on.has(arc.from) && arc.to.and(on).is_empty()
        };
        let path = row.and_then(|row| self.monitor.path(before, Goal::Row(row), &elsewhere));
        let Some(path) = path else {
            self.unexplained += u64::from(incoherence.is_some());
            return false;
        };
        let sites: Vec<LossSite> = shared.windows.over(since, now.time).take(8).collect();
        let (window, cpu, from, to, share) = match sites.as_slice() {
            [] if shared.windows.all.is_empty() => (None, now.cpu, since, now.time, UNDECLARED_SHARE),
            [] => {
                self.unexplained += u64::from(incoherence.is_some());
                return false;
            }
            [first, rest @ ..] => {
                let others = rest.iter().filter(|site| site.window != first.window).count();
                let share = if others == 0 { DECLARED_SHARE } else { UNDECLARED_SHARE };
                (Some(first.window), first.cpu, first.from.max(since), first.to.min(now.time), share)
            }
        };
        if path.steps.iter().any(|(.., probability)| probability * share < LEAST) {
            // That something is missing is reported; where it was, nothing says.
            self.unexplained += u64::from(incoherence.is_some());
            return false;
        }
        if let Some(incoherence) = incoherence.and_then(|number| shared.incoherences.get_mut(number)) {
            incoherence.is_explained = true;
        }
        let reason = format!("{} went on though nothing was seen that let it", self.show(shared, ix));
        let about = About { ix, from, to, cpu, incoherence, window, share, has_next: false, reason: &reason };
        self.monitor.report_path(shared, machine, &path, &about);
        true
    }

    /// A CPU is left by somebody who is not known to have come: was it ready?
    pub(crate) fn must_have_come(
        &mut self,
        shared: &mut Shared,
        machine: &Machine,
        now: &Arrival<'_>,
        ix: Ix,
    ) {
        let (before, window) = self.monitor.before(shared, ix);
        let Some((_, _, comes)) = self.switch() else { return };
        let Some((row, one)) = self.monitor.rules.row(comes).zip(self.monitor.instances.get(ix)) else {
            return;
        };
        let (since, pending, off) = (one.time, one.pending, row.accepts);
        if row.step(before, ANY).is_some() {
            if let Some(reported) = pending {
                shared.resolve(reported, off, &self.monitor.rules);
                if let Some(one) = self.monitor.instances.get_mut(ix) {
                    one.pending = None;
                }
            }
            return;
        }
        if self
            .monitor
            .rules
            .silently(before, machine, shared)
            .is_some_and(|wider| row.step(wider, ANY).is_some())
        {
            return;
        }
        self.came_unready(shared, machine, now, (ix, since), (before, off), window);
    }

    /// An event elsewhere does not fit an instance that does not run: it is made ready though it is
    /// ready. It must have run and left unseen.
    pub(crate) fn strayed(
        &mut self,
        shared: &mut Shared,
        machine: &Machine,
        now: &Arrival<'_>,
        (ix, since, target): (Ix, i64, u32),
        (before, accepts): (StateEstimate, StateSet),
        window: Option<usize>,
    ) {
        let who = self.show(shared, ix);
        let Some(key) = self.monitor.instances.get(ix).map(|one| one.key) else { return };
        let event = shared.name(now.symbol).to_owned();
        let states = Monitor::show(machine, before.set);
        let sentence = format!("{event} of {who}, which is in {states}: it must have gone on unseen");
        let number =
            self.monitor.inconsistency(shared, now, (key, since), (before.set, accepts), window, sentence);
        if !self.ran_unseen(shared, machine, (ix, Some(number)), (since, now.time), target) {
            self.unexplained += 1;
        }
    }

    /// A ready one ran and left between two moments. Where it was sent to a CPU that seemed to rest all
    /// the time since, it came and left there. What is uncertain, or lost events, is left to its end: there it is
    /// one of those who may have come.
    pub(crate) fn ran_unseen(
        &mut self,
        shared: &mut Shared,
        machine: &Machine,
        (ix, incoherence): (Ix, Option<usize>),
        (since, time): (i64, i64),
        sent: u32,
    ) -> bool {
        let Some(cpu) = self.cpus.get(sent as usize) else { return false };
        if cpu.is_open() {
            return cpu.others.iter().any(|other| other.ix == ix);
        }
        // The rest of that CPU when it became ready. One that began later says that nobody was ready any
        // more: then it ran before, and nothing says when.
        let now = (cpu.first == IDLE).then_some((cpu.start, i64::MAX));
        let mut idle_intervals = cpu.idle_intervals.iter().copied().chain(now);
        let Some((_, end)) = idle_intervals.find(|(start, end)| (*start..*end).contains(&since)) else {
            return false;
        };
        let time = end.min(time);
        let sites: Vec<LossSite> =
            shared.windows.over(since, time).filter(|site| site.cpu.is_none_or(|cpu| cpu == sent)).collect();
        let is_full = sites.iter().all(|site| shared.windows.capacity(site.window) < 2);
        if is_full && !shared.windows.all.is_empty() {
            return false;
        }
        let Some((switch, ..)) = self.switch() else { return false };
        let probability = self.monitor.costs.stays_on_target() * 0.98;
        let who = self.show(shared, ix);
        for (what, subject) in [(What::Switch(ix), IDLE), (What::Switch(IDLE), ix)] {
            let reason = format!(
                "{who} was ready for CPU {sent}, which seemed to rest, and had to be made ready again"
            );
            let (window, from, to) = shared.windows.charge(&sites, since, time);
            let lost = Lost {
                what,
                subject,
                cpu: sent,
                from,
                to,
                probability,
                is_sure: false,
                incoherence,
                window,
                reason,
                candidates: Candidates::default(),
                together: None,
            };
            let reported = self.report(shared, machine, switch, lost);
            if subject == ix
                && let Some(reported) = reported
            {
                let blocked = self.woken_from(shared);
                shared.resolve(reported, blocked, &self.monitor.rules);
            }
        }
        if let Some(incoherence) = incoherence.and_then(|number| shared.incoherences.get_mut(number)) {
            incoherence.is_explained = true;
        }
        true
    }
}
