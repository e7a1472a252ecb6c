//! What is kept of the past of instances: how long each was in which set of states.

use model::{Certainty, Evidence, Span, Timestamp};

use crate::estimate::instances::instance::Ix;
use crate::estimate::instances::monitor::Monitor;
use crate::estimate::instances::shared::Shared;
use crate::estimate::instances::spans::InstanceSpan;
use crate::state_machines::arrival::Arrival;
use crate::state_machines::state_estimate::StateEstimate;
use crate::state_set::StateSet;
use crate::value::Name;

impl Monitor {
    /// The set of states of an instance is another one now, and no loss had a part in it.
    #[inline]
    pub(crate) fn changed(&mut self, shared: &mut Shared, now: &Arrival<'_>, ix: Ix, before: StateSet) {
        let ends = self.rules.shape.ends;
        let Some(instance) = self.instances.get_mut(ix) else { return };
        if !instance.was_certain && instance.estimate.set.only().is_some() {
            instance.was_certain = true;
            self.tally.ever_certain += 1;
        }
        instance.moved = now.time;
        let (key, since) = (instance.key, std::mem::replace(&mut instance.since, now.time));
        if before.and(ends) != before {
            self.close(shared, key, before, since, now.time);
        }
    }

    /// Puts down what is believed of an instance from now on.
    pub(crate) fn believe(
        &mut self,
        shared: &mut Shared,
        now: &Arrival<'_>,
        ix: Ix,
        (before, window): (StateEstimate, Option<usize>),
        after: StateEstimate,
    ) {
        let Some(instance) = self.instances.get_mut(ix) else { return };
        let (previous, old) = (instance.time, instance.estimate);
        instance.time = now.time;
        if let Some(cpu) = now.cpu {
            instance.cpu = cpu;
        }
        instance.estimate = after;
        if old.set == after.set && before.set == old.set {
            return;
        }
        if let Some(number) = window
            && before.set != old.set
        {
            instance.window = Some(number);
            if let Some(window) = shared.windows.all.get_mut(number) {
                window.widened += 1;
            }
        }
        if after.set.only().is_some() {
            if let Some(number) = instance.window.take()
                && let Some(window) = shared.windows.all.get_mut(number)
            {
                window.recovered += 1;
            }
            if !std::mem::replace(&mut instance.was_certain, true) {
                self.tally.ever_certain += 1;
            }
        }
        instance.moved = now.time;
        let (key, since) = (instance.key, std::mem::replace(&mut instance.since, now.time));
        let is_over = self.rules.shape.ends;
        if before.set == old.set || old.set.and(is_over) == old.set {
            if old.set.and(is_over) != old.set {
                self.close(shared, key, old.set, since, now.time);
            }
        } else {
            // What was known ended with the loss; from then on it was one of the wider set.
            let from = window.and_then(|number| shared.windows.all.get(number)?.gap.from);
            let from = from.map_or(previous, |from| from.0).max(previous).min(now.time);
            self.close(shared, key, old.set, since, from);
            self.close(shared, key, before.set, from, now.time);
        }
    }

    /// Counts the time that a set of states lasted, and keeps it as a span.
    #[inline]
    fn close(&mut self, shared: &mut Shared, key: Name, set: StateSet, from: i64, to: i64) {
        // Exact where it is not negative, even between the ends of time.
        let lasted = if to > from { u128::from(to.wrapping_sub(from) as u64) } else { 0 };
        let (from, to) = (Timestamp(from), Timestamp(to));
        let is_certain = set.only().is_some();
        *if is_certain { &mut self.tally.certain_ns } else { &mut self.tally.uncertain_ns } += lasted;
        if !shared.retention.spans.wants(is_certain) || from == to && !shared.is_over {
            return;
        }
        let certainty = if is_certain { Certainty::OnlyWay } else { Certainty::Unknown };
        let evidence = Evidence::Inferred { by: "certainty", certainty };
        let span = Span { from, to: Some(to), value: set, evidence };
        shared.spans.push(InstanceSpan { machine: self.rules.index, key, span });
    }

    /// The trace is over: what lasts ends now.
    pub(crate) fn finish(&mut self, shared: &mut Shared, end: i64) {
        let ends = self.rules.shape.ends;
        let all: Vec<(Name, StateSet, i64)> =
            self.instances.iter().map(|(_, one)| (one.key, one.estimate.set, one.since)).collect();
        for (key, set, since) in all {
            if set.and(ends) != set {
                self.close(shared, key, set, since, end);
            }
        }
    }
}
