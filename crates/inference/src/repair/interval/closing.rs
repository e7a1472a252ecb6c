//! From an interval in doubt to inferred events: ask, weigh, and believe the result.

use model::machine::Machine;

use crate::choices::hypothesis_choices::take_positions;
use crate::estimate::cpus::monitor::CpuMonitor;
use crate::estimate::instances::costs::{DECLARED, UNDECLARED};
use crate::estimate::instances::instance::{IDLE, Ix, NO_INSTANCE};
use crate::estimate::instances::shared::Shared;
use crate::explain::lost_event::Candidates;
use crate::explain::lost_event::Lost;
use crate::explain::lost_event::What;
use crate::model::Hypotheses;
use crate::repair::interval::candidates::{Weights, most_probable, toggled};
use crate::repair::interval::hypothesis::Hypothesis;
use crate::repair::interval::idle::Planned;
use crate::repair::interval::{DeclaredLoss, Interval};
use crate::state_machines::arrival::{Arrival, NO_CPU};
use crate::state_machines::state_estimate::StateEstimate;
use crate::state_set::StateSet;
use crate::value::Name;
use crate::windows::LossSite;

/// Events of one explanation, at most.
const MOST: usize = 24;
/// The weight of all explanations that the search does not return, beside the best, for each event
/// of the best: the more was lost, the more else may have been. Found by evaluation on the great
/// trace; without a declared count nothing is ever sure.
const REST_OF_ALL: f64 = 0.02;
/// The least of that where nobody says how much was lost: however few events explain it, it may have been more.
/// Evaluation deletes bursts too, of which a single event often seems to be all.
const LONGER: f64 = 0.045;
/// The same for each event that was declared lost and that the best does not account for.
const LEFT_OVER: f64 = 0.05;
/// An event that is less probable than this is not reported,
pub(crate) const LEAST: f64 = 0.5;
/// but where one leaves for one of several, or one of several for one, so probable is enough
const LEAST_OF_SEVERAL: f64 = 0.4;
/// if it is so probable that one of them did.
const SOME: f64 = 0.8;

/// What the lost events of an interval have in common.
#[derive(Clone, Copy)]
struct Closing<'a> {
    interval: &'a Interval<'a>,
    sites: &'a [LossSite],
    switch: u32,
    woken: i64,
    number: u32,
    incoherence: Option<usize>,
}

impl CpuMonitor {
    /// Closes the interval of a CPU, at an event by which `last` leaves although another instance was estimated
    /// to run, or after something in between did not fit.
    pub(crate) fn close(
        &mut self,
        shared: &mut Shared,
        machine: &Machine,
        now: &Arrival<'_>,
        (number, last, last_row): (u32, Ix, Option<u32>),
    ) {
        let Some(cpu) = self.cpus.get(number as usize) else { return };
        let sites = self.sites(shared, number);
        let declared = shared.windows.count(&sites);
        if !sites.is_empty() && (cpu.first == NO_INSTANCE || declared.is_none_or(|lost| lost > MOST as u64)) {
            self.close_window(shared, machine, now, (number, last));
            return;
        }
        if cpu.first == NO_INSTANCE {
            // The start of the trace: this event is the first to show who ran.
            self.unexplained += u64::from(cpu.uncertainty.is_some());
            let ghost = if cpu.uncertainty.is_some() { StateEstimate::of(self.on()) } else { cpu.ghost };
            self.runs(number, last, Some(ghost));
            return;
        }
        // What a declared loss explains is no contradiction.
        let incoherence = match cpu.uncertainty {
            None if sites.is_empty() => {
                Some(self.left_unexpectedly(shared, machine, now, (number, last, last_row)))
            }
            uncertainty => uncertainty,
        };
        let first = self.cpus.get(number as usize).map_or(NO_INSTANCE, |cpu| cpu.first);
        if last != IDLE && last != first {
            let on = self.monitor.instances.get(last).map_or(NO_CPU, |one| one.on);
            if on != NO_CPU && on != number {
                self.seen_elsewhere(shared, now, (last, on, number));
            } else if on == NO_CPU {
                self.must_have_come(shared, machine, now, last);
            }
        }
        let Some(cpu) = self.cpus.get_mut(number as usize) else { return };
        let seen = std::mem::take(&mut cpu.seen);
        let others = std::mem::take(&mut cpu.others);
        let (first, start, left_by, woken) = (cpu.first, cpu.start, cpu.left_by, cpu.woken);
        let first_estimate = cpu.first_estimate;
        let takes = self.idle_symbols(&seen);
        let capacity =
            |site: &LossSite| DeclaredLoss { site: *site, capacity: shared.windows.capacity(site.window) };
        let declared_losses: Vec<DeclaredLoss> = sites.iter().map(capacity).collect();
        let Some(switch) = self.switch() else { return };
        let mut interval = Interval {
            monitor: &self.monitor,
            switch,
            first,
            first_estimate,
            start,
            seen: &seen,
            last,
            last_row,
            end: now.time,
            left_by,
            others: &others,
            sites: &declared_losses,
            idle_takes: &|symbol| !takes.contains(&symbol),
            most: declared.map_or(MOST, |lost| MOST.min(lost as usize)),
            uncertainties: if sites.is_empty() { UNDECLARED / 2 } else { 10 * DECLARED },
        };
        interval.left_by = left_by.min(woken);
        if !sites.is_empty()
            && first == last
            && let Some(end) = interval.fits(&[])
        {
            // Nothing is implied; what was lost is counted.
            self.runs(number, last, Some(end.estimate).filter(|_| last != IDLE));
            return;
        }
        let (mut found, mut is_all) = (Vec::new(), false);
        for limit in [left_by.min(woken), left_by] {
            interval.left_by = limit;
            (found, is_all) = interval.hypotheses();
            if !found.is_empty() || woken == i64::MAX {
                break;
            }
        }
        let hypotheses: Vec<Hypothesis> =
            found.into_iter().map(|(moves, cost)| interval.hypothesis(moves, cost)).collect();
        let Some(best) = hypotheses.first() else {
            self.unexplained += 1;
            self.left(shared, (first, number), start, StateEstimate::of(StateSet::default()), None);
            self.runs(number, last, None);
            return;
        };
        if let Some(incoherence) = incoherence.and_then(|number| shared.incoherences.get_mut(number)) {
            incoherence.is_explained = true;
        }
        let left_over = declared.map(|lost| lost.saturating_sub(best.moves.len() as u64));
        let planned = self.plan(&interval, best, left_over);
        let left_over = left_over.map(|lost| lost.saturating_sub((planned.len() - best.moves.len()) as u64));
        // Certain is only what every history has. One lost event between two that were seen is what makes
        // the one before it leave and the one behind it come; between two lost ones somebody may have run
        // who left no mark at all, and no search can say that nobody did.
        let is_alone = matches!(sites.as_slice(), [site] if shared.windows.capacity(site.window) == 1);
        let is_sure = is_all
            && is_alone
            && incoherence.is_none()
            && hypotheses.len() == 1
            && left_over == Some(0)
            && planned.len() == 1
            && (first == IDLE || first_estimate.set.only().is_some());
        let others = match left_over {
            Some(0) if is_sure => 0.0,
            Some(0) => LEFT_OVER,
            Some(left_over) => LEFT_OVER * left_over as f64,
            None => (REST_OF_ALL * best.moves.len() as f64)
                .max(REST_OF_ALL / self.usual(&interval, best, &planned))
                .max(LONGER),
        };
        let is_sure = is_sure && planned.len() == best.moves.len();
        let weights = Weights::new(&hypotheses, others);
        let explanations = weights.explanations(&planned);
        let closing =
            Closing { interval: &interval, sites: &sites, switch: switch.0, woken, number, incoherence };
        let first_reported = shared.inferred.len();
        let lost = planned.iter().enumerate().map(|(position, one)| {
            let candidates = if is_sure {
                Candidates::default()
            } else {
                weights.candidates(&planned, position, &explanations)
            };
            (one, one.share * weights.share(best, one.index, Hypotheses::ALL), candidates)
        });
        let lost = self.lost(shared, &closing, best, lost, is_sure);
        let mut left = self.report_all(shared, machine, &closing, lost, LEAST);
        let mut believed = best;
        if let Some((allowed, by)) = shared.decided(first_reported)
            && let Some(chosen) = most_probable(&explanations, allowed)
            && let Some(hypothesis) = hypotheses.get(chosen.hypothesis)
        {
            let reported = shared.take_back(first_reported);
            let mut planned = match chosen.hypothesis {
                0 => planned,
                _ => self.plan(&interval, hypothesis, left_over),
            };
            if let Some(index) = chosen.idle_share {
                planned = toggled(planned, hypothesis, index);
            }
            let weights = weights.among(allowed, chosen);
            let lost = planned.iter().map(|one| {
                (one, one.share * weights.share(hypothesis, one.index, allowed), Candidates::default())
            });
            let lost = self.lost(shared, &closing, hypothesis, lost, false);
            left = self.report_all(shared, machine, &closing, lost, 0.0);
            believed = hypothesis;
            if let Some(new) = shared.inferred.get_mut(first_reported..) {
                take_positions(new, &reported, &by);
            }
        }
        let best = believed.clone();
        let of = |who: Ix| best.estimates.iter().find(|(by, _)| *by == who).map(|(_, estimate)| *estimate);
        for (who, reported, from) in left {
            if who != last && who != IDLE && who != NO_INSTANCE {
                let estimate = of(who).unwrap_or(StateEstimate::of(StateSet::default()));
                self.left(shared, (who, number), from, estimate, reported);
            }
        }
        if woken != i64::MAX && first != last && first != IDLE {
            self.was_woken(shared, first, woken);
        }
        self.runs(number, last, of(last));
    }

    /// The lost events of a hypothesis, with what else each may have been, ready to be reported.
    fn lost<'p>(
        &self,
        shared: &Shared,
        closing: &Closing<'_>,
        hypothesis: &Hypothesis,
        planned: impl Iterator<Item = (&'p Planned, f64, Candidates)>,
        is_sure: bool,
    ) -> Vec<Lost> {
        let Closing { interval, number, woken, incoherence, .. } = *closing;
        let lost = planned.map(|(planned, probability, candidates)| {
            let (from, to, cpu) = self.times(interval, hypothesis, planned, woken, number);
            let (what, subject) = (planned.what, planned.subject);
            let reason = self.reason(shared, what, subject, interval.last, number);
            let together = Some(shared.inferred.len());
            let window = None;
            Lost {
                what,
                subject,
                cpu,
                from,
                to,
                probability,
                is_sure,
                incoherence,
                window,
                reason,
                candidates,
                together,
            }
        });
        lost.collect()
    }

    /// Reports those that are as probable as `least`; who left, by which of them, and from when on.
    fn report_all(
        &self,
        shared: &mut Shared,
        machine: &Machine,
        closing: &Closing<'_>,
        lost: Vec<Lost>,
        least: f64,
    ) -> Vec<(Ix, Option<usize>, i64)> {
        let mut left: Vec<(Ix, Option<usize>, i64)> = Vec::new();
        for mut lost in lost {
            let (what, subject, since) = (lost.what, lost.subject, lost.from);
            let mut reported = None;
            if lost.probability >= least
                || lost.probability >= LEAST_OF_SEVERAL && lost.probability + lost.candidates.some() >= SOME
            {
                (lost.window, lost.from, lost.to) = shared.windows.charge(closing.sites, lost.from, lost.to);
                reported = self.report(shared, machine, closing.switch, lost);
            }
            if let What::Switch(next) = what {
                left.retain(|&(who, ..)| who != next && who != subject);
                left.push((subject, reported, since));
            }
        }
        left
    }

    /// The incoherence that a CPU is left by somebody who does not run there, or cannot leave so.
    fn left_unexpectedly(
        &mut self,
        shared: &mut Shared,
        machine: &Machine,
        now: &Arrival<'_>,
        (number, last, last_row): (u32, Ix, Option<u32>),
    ) -> usize {
        let running = self.cpus.get(number as usize).map_or(NO_INSTANCE, |cpu| cpu.running);
        // An idle CPU is recognized by whom it should have run.
        let about = if last == IDLE { running } else { last };
        let one = self.monitor.instances.get(about);
        let (key, states, previous) = one.map_or((Name::Number(-1), StateSet::default(), now.time), |one| {
            (one.key, one.estimate.set, one.time)
        });
        let accepts = last_row
            .and_then(|row| self.monitor.rules.row(row))
            .map_or(StateSet::default(), |row| row.accepts);
        let start = self.cpus.get(number as usize).map_or(previous, |cpu| cpu.start);
        let _ = machine;
        let sentence = format!(
            "CPU {number} switches away from {} while {} runs there",
            self.show(shared, last),
            self.show(shared, running)
        );
        self.monitor.inconsistency(shared, now, (key, previous.min(start)), (states, accepts), None, sentence)
    }

    /// Symbols that a resting CPU refuses, among those seen.
    fn idle_symbols(&self, seen: &[crate::estimate::cpus::cpu::Seen]) -> Vec<u32> {
        let symbols = seen.iter().filter_map(|seen| self.monitor.rules.row(seen.row)).map(|row| row.symbol);
        let mut symbols: Vec<u32> = symbols.collect();
        symbols.sort_unstable();
        symbols.dedup();
        let refuses = |symbol: &u32| !matches!(self.refused.get(*symbol as usize), Some(Some(None)));
        symbols.retain(refuses);
        symbols
    }

    /// Where declared losses of a CPU may be, and whether one has room.
    pub(crate) fn sites(&self, shared: &Shared, number: u32) -> Vec<LossSite> {
        let cpu = self.cpus.get(number as usize);
        let gaps = cpu.map_or(&[][..], |cpu| &cpu.gaps);
        gaps.iter().filter_map(|(site, _)| shared.windows.sites.get(*site).copied()).collect()
    }
}
