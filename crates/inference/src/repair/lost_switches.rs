//! Who ran while a declared loss lasted: marks for the estimate, and its outcome as inferred events.

use std::collections::{HashMap, HashSet};

use model::machine::Machine;
use model::{Scalar, Timestamp};

use crate::estimate::cpus::monitor::CpuMonitor;
use crate::estimate::instances::instance::{IDLE, Ix, NO_INSTANCE};
use crate::estimate::instances::shared::Shared;
use crate::estimate::losses::marks::{Mark, What as Seen};
use crate::estimate::losses::{self, Long, Loss, Losses, LostSwitch};
use crate::explain::lost_event::Lost;
use crate::explain::lost_event::What;
use crate::explain::lost_event::{Candidate, Candidates};
use crate::model::{Alternative, Hypotheses, InferredEvent, InferredField, LongLoss, RunningTime};
use crate::state_machines::arrival::{Arrival, NO_CPU};
use crate::state_machines::facts::Facts;
use crate::state_machines::plan::{Part, Role};
use crate::value::Value;
use crate::windows::LossSite;

/// What is certain by counting is so probable where a recording lost more than it says.
const SILENT: f64 = 0.99;

/// Groups of estimated events are numbered from here on, those of others are below.
const GROUPS: usize = usize::MAX / 2;

/// The losses that were declared so far.
struct Declared<'a> {
    by_window: &'a HashMap<u32, Loss>,
    sites: &'a [LossSite],
}

impl Losses for Declared<'_> {
    fn of(&self, window: u32) -> Option<Loss> {
        self.by_window.get(&window).copied()
    }

    fn may_be(&self, cpu: u32, from: i64, to: i64) -> bool {
        let is_here = |site: &LossSite| site.cpu.is_none_or(|of| of == cpu);
        self.sites.iter().any(|site| is_here(site) && site.from <= to && site.to >= from)
    }
}

impl CpuMonitor {
    /// Marks an event; what it shows of instances is added when it is taken.
    #[inline]
    pub(crate) fn mark(&self, shared: &mut Shared, now: &Arrival<'_>) {
        let Some(cpu) = now.cpu else { return };
        let is_own = self.monitor.rules.plan(now.symbol.0).is_some_and(|plan| plan.role == Role::Running);
        let what = if is_own { Seen::Own } else { Seen::Other };
        shared.marks.push(Mark { time: now.time, cpu, symbol: now.symbol.0, what });
    }

    /// The latest mark is one by which one leaves and another comes.
    pub(crate) fn mark_switch(&self, shared: &mut Shared, (prev, row): (Ix, Option<u32>), next: Ix) {
        let (on, off) = (self.on(), self.off());
        let following = row.and_then(|row| self.monitor.rules.row(row)).and_then(|row| row.anew(on));
        let stays_ready = following.and_then(|step| {
            let ready = step.after.set.and(off);
            match () {
                () if ready.is_empty() => Some(false),
                () if ready == step.after.set => Some(true),
                () => None,
            }
        });
        shared.marks.set_latest(Seen::Switch { prev, next, stays_ready });
    }

    /// The latest event makes this one ready, if it is such an event.
    pub(crate) fn mark_ready(
        &self,
        shared: &mut Shared,
        now: &Arrival<'_>,
        (ix, row): (Ix, u32),
        sent: Option<u32>,
    ) {
        let (Some(cpu), off, away) = (now.cpu, self.off(), self.on().others()) else { return };
        let Some(row) = self.monitor.rules.row(row) else { return };
        let is_ready =
            row.anew(away).is_some_and(|step| step.after.set.and(off) == step.after.set && row.moves(away));
        if is_ready {
            let what = Seen::Ready { who: ix, target: sent.unwrap_or(cpu) };
            shared.marks.push(Mark { time: now.time, cpu, symbol: now.symbol.0, what });
        }
    }

    /// Estimates what is ripe.
    pub(crate) fn settle(&mut self, shared: &mut Shared, machine: &Machine, is_over: bool) {
        let mut marks = std::mem::take(&mut shared.marks);
        for mark in marks.iter() {
            shared.last_of.insert(mark.cpu, mark.time);
        }
        let found = {
            let mut sites: HashMap<u32, Loss> = HashMap::new();
            for site in &shared.windows.sites {
                let lost = shared.windows.all.get(site.window).and_then(crate::LossWindow::lost);
                let loss = Loss { lost, from: site.from, to: site.to, is_elsewhere: false };
                let known = sites.entry(site.window as u32).or_insert(loss);
                known.is_elsewhere |= (known.from, known.to) != (site.from, site.to);
            }
            let declared = Declared { by_window: &sites, sites: &shared.windows.sites };
            losses::settle(&mut marks, &declared, is_over)
        };
        shared.marks = marks;
        let before = shared.settled.len();
        shared.settled.extend(found.settled);
        for long in found.long {
            let loss = self.long_loss(shared, long);
            shared.long_losses.push(loss);
        }
        let Some((switch, ..)) = self.switch() else { return };
        for one in found.switches {
            let segment = before + one.segment;
            self.report_estimated(shared, machine, switch, LostSwitch { segment, ..one });
        }
    }

    fn long_loss(&self, shared: &Shared, long: Long) -> LongLoss {
        let running = long.running.iter().map(|one| RunningTime {
            instance: if one.who == IDLE { None } else { self.key(shared, one.who) },
            usual: one.usual,
            mean: one.mean,
            most: one.most,
            band: one.band.to_vec(),
        });
        LongLoss {
            window: long.window as usize,
            cpu: long.cpu,
            from: Timestamp(long.from),
            to: Timestamp(long.to),
            switches: long.switches,
            running: running.collect(),
            others: long.others.to_vec(),
            intervals: long.intervals,
        }
    }

    fn report_estimated(&self, shared: &mut Shared, machine: &Machine, switch: u32, lost: LostSwitch) {
        let (Some(prev), Some(next)) = (lost.prev, lost.next) else { return };
        let mut candidates = Candidates::default();
        if !lost.is_certain {
            for &(leaves, comes, probability) in &lost.others {
                let candidate = |who: Ix| Candidate { who, probability, hypotheses: Hypotheses::ALL };
                match (leaves == lost.prev, comes == lost.next) {
                    (true, _) => {
                        candidates.left.0 += probability;
                        comes.into_iter().for_each(|who| candidates.next.push(candidate(who)));
                    }
                    (_, true) => {
                        candidates.came.0 += probability;
                        leaves.into_iter().for_each(|who| candidates.prev.push(candidate(who)));
                    }
                    _ => {}
                }
            }
        }
        let (leaves, comes) = (self.show(shared, prev), self.show(shared, next));
        let cpu = lost.cpu;
        let reason = match (lost.is_certain, lost.window) {
            (true, _) => {
                format!("one event was lost between {leaves} coming to CPU {cpu} and {comes} leaving it")
            }
            (false, None) => format!(
                "another one leaves CPU {cpu} than came to it; of all that may have happened between, {leaves} leaving \
                 for {comes} is the most probable here"
            ),
            (false, Some(_)) => format!(
                "of all that may have happened on CPU {cpu} while events were lost, {leaves} leaving for {comes} is the \
                 most probable here"
            ),
        };
        let event = Lost {
            what: What::Switch(next),
            subject: prev,
            cpu,
            from: lost.from,
            to: lost.to.max(lost.from),
            probability: if lost.is_certain { 1.0 } else { lost.probability },
            is_sure: lost.is_certain,
            incoherence: None,
            window: lost.window.map(|window| window as usize),
            reason,
            candidates,
            together: Some(GROUPS + lost.segment),
        };
        if self.report(shared, machine, switch, event).is_some()
            && let Some(mut event) = shared.inferred.pop()
        {
            self.goes_on_as(shared, switch, &mut event, (prev, lost.stays_ready));
            shared.estimated.push(event);
        }
    }

    /// Sets the fields that say how the one who leaves goes on.
    fn goes_on_as(
        &self,
        shared: &Shared,
        switch: u32,
        event: &mut InferredEvent,
        (prev, stays_ready): (Ix, f64),
    ) {
        if prev == IDLE || prev == NO_INSTANCE {
            return;
        }
        let Some(plan) = self.monitor.rules.plan(switch) else { return };
        let Role::Switch { prev_field, .. } = plan.role else { return };
        let (on, off) = (self.on(), self.off());
        let all = event.probability.unwrap_or(1.0);
        for (slot, values) in &plan.values {
            let name = shared.facts.name(*slot);
            let Some(field) = event.fields.iter_mut().find(|field| field.name == name) else { continue };
            let is_ready = |value: i64| {
                let known = |asked: usize| (asked == *slot).then_some(Some(Value::Long(value)));
                let following = plan.after(on, Part::Field(prev_field), &shared.world.texts, &known);
                !following.and(off).is_empty()
            };
            let sum = |ready: bool| -> f64 {
                let of = values.iter().filter(|(value, _)| is_ready(*value) == ready);
                of.map(|(_, times)| f64::from(*times)).sum()
            };
            let sums = [sum(false), sum(true)];
            let mut found = InferredField::new(&field.name, None, all);
            for &(value, times) in values {
                let ready = is_ready(value);
                let share = if ready { stays_ready } else { 1.0 - stays_ready };
                let of = sums.get(usize::from(ready)).copied().unwrap_or(1.0).max(1.0);
                let probability = Some(all * share * f64::from(times) / of);
                found.alternatives.push(Alternative {
                    value: Scalar::Number(value),
                    probability,
                    hypotheses: Hypotheses::ALL,
                });
            }
            found.rank();
            found.alternatives.retain(|known| known.probability.is_some_and(|share| share > 1e-3));
            found.possible = found.alternatives.len();
            found.value = found.alternatives.first().map(|known| known.value.clone());
            *field = found;
        }
    }

    /// Whether two lost context switches have the same previous and next instance.
    fn is_same(&self, facts: &Facts, one: &InferredEvent, other: &InferredEvent) -> bool {
        let Some((switch, ..)) = self.switch() else { return false };
        let Some(plan) = self.monitor.rules.plan(switch) else { return false };
        let Role::Switch { prev_field, next_field } = plan.role else { return false };
        [prev_field, next_field].into_iter().all(|slot| {
            let value =
                |event: &InferredEvent| event.field(facts.name(slot)).and_then(|field| field.value.clone());
            value(one).is_some() && value(one) == value(other)
        })
    }

    /// Puts what was estimated in place of what the search found for the same losses, and lists no more events of a
    /// loss than it had.
    pub(crate) fn merge(&self, shared: &mut Shared) {
        if shared.windows.all.is_empty() && shared.settled.is_empty() {
            return;
        }
        let name = |(symbol, _): &(u32, u64)| shared.name(model::Symbol(*symbol)).to_owned();
        let switches: Vec<String> = self.switches.iter().map(name).collect();
        let mut settled: HashMap<u32, Vec<(i64, i64)>> = HashMap::new();
        for one in &shared.settled {
            settled.entry(one.cpu).or_default().push((one.from, one.to));
        }
        settled.values_mut().for_each(|spans| spans.sort_unstable());
        let span = |event: &InferredEvent| {
            let spans = settled.get(&event.cpu?)?;
            let count = spans.partition_point(|(from, _)| *from <= event.time.0);
            let (from, to) = spans.get(count.checked_sub(1)?)?;
            (event.time.0 <= *to && switches.contains(&event.key.name)).then_some((event.cpu, *from))
        };
        let mut inferred = std::mem::take(&mut shared.inferred);
        // Where no loss was declared, a search that found several events found more of them than the sum, which
        // stops at a few: its events stay.
        let mut searched: HashMap<(Option<u32>, i64), usize> = HashMap::new();
        for span in inferred.iter().filter_map(span) {
            *searched.entry(span).or_default() += 1;
        }
        let has_several = |event: &InferredEvent| span(event).and_then(|span| searched.get(&span)) > Some(&1);
        shared.estimated.retain(|event| event.window.is_some() || !has_several(event));
        let estimated: HashSet<(Option<u32>, i64)> =
            shared.estimated.iter().filter(|event| event.window.is_none()).filter_map(span).collect();
        let mut replaced: HashMap<(Option<u32>, i64), InferredEvent> = HashMap::new();
        inferred.retain(|event| {
            let Some(span) = span(event).filter(|span| event.window.is_some() || estimated.contains(span))
            else {
                return true;
            };
            replaced.insert(span, event.clone());
            false
        });
        for event in shared.estimated.iter_mut().filter(|event| event.window.is_none()) {
            let Some(searched) = span(event).and_then(|span| replaced.get(&span)) else { continue };
            // It repairs the same contradiction, and if it is the same event the search knows better when it was:
            // what fits one alone bounds it, however little that weighs.
            event.inconsistency = searched.inconsistency;
            let (from, to) = (event.key.from.max(searched.key.from), event.key.to.min(searched.key.to));
            if self.is_same(&shared.facts, event, searched) && from <= to {
                (event.key.from, event.key.to, event.time) = (from, to, searched.time);
            }
        }
        // A recording that contradicts itself where nobody declared a loss lost more than it says, so that counting
        // proves nothing.
        if shared.incoherences.iter().any(|found| found.window.is_none()) {
            for event in
                shared.estimated.iter_mut().chain(&mut inferred).filter(|event| event.is_only_explanation)
            {
                (event.is_only_explanation, event.probability) = (false, Some(SILENT));
            }
        }
        inferred.append(&mut shared.estimated);
        inferred.sort_by(|one, other| {
            let weight = |event: &InferredEvent| event.probability.unwrap_or(0.0);
            weight(other).total_cmp(&weight(one)).then(one.time.cmp(&other.time))
        });
        shared.windows.all.iter_mut().for_each(|window| window.inferred = 0);
        inferred.retain(|event| {
            let Some(window) = event.window.and_then(|window| shared.windows.all.get_mut(window)) else {
                return true;
            };
            let has_capacity = window.lost().is_none_or(|lost| window.inferred < lost);
            window.inferred += u64::from(has_capacity);
            has_capacity
        });
        shared.inferred = inferred;
    }
}

const _: () = assert!(NO_CPU == u32::MAX && IDLE == crate::estimate::losses::marks::NONE);
