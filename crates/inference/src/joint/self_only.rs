//! Traces of a recorder that follows its own threads only, as `perf record -- command` does.
//!
//! Each event names the thread that did it. That another thread made one of them ready, or that one was
//! switched in for another thread, is not recorded: between two events of a thread anything may have been
//! done to it while it did not run. What a thread does itself is complete, so missing events can be found there.

use model::machine::Machine;
use model::{Event, OuterFields, Scope};

use crate::estimate::cpus::monitor::CpuMonitor;
use crate::estimate::instances::instance::Ix;
use crate::estimate::instances::monitor::{Monitor, Took};
use crate::estimate::instances::shared::Shared;
use crate::repair::single_instance::{About, Goal};
use crate::state_machines::arrival::{Arrival, NO_CPU};
use crate::state_machines::plan::{Part, Role};
use crate::value::Name;

/// How sure it is that an event of a thread is missing between two others.
const SHARE: f64 = 0.98;

impl CpuMonitor {
    /// Takes an event of one of the threads.
    pub(crate) fn observe_own(
        &mut self,
        shared: &mut Shared,
        machine: &Machine,
        now: &Arrival<'_>,
        event: &Event<'_>,
    ) {
        // The recorder adds to each event the thread that did it.
        let mut tid = None;
        let mut doer = OuterFields::new(|name, value| {
            if name == "tid" {
                tid = value.as_i64();
            }
        });
        event.fields.visit(Scope::Context, &mut doer);
        let Some(doer) = tid.map(Name::Number) else { return };
        let Some(plan) = self.monitor.rules.plan(now.symbol.0) else { return };
        let (role, parts, except) = (plan.role, plan.parts.clone(), plan.except.clone());
        if except.contains(&doer) {
            return;
        }
        let ix = self.monitor.find_or_add(doer, now.time);
        self.arrives(ix, now);
        match role {
            Role::Running => {
                if let Some(row) = self.monitor.row(shared, now, Part::Runs, ix) {
                    self.does(shared, machine, now, (ix, row));
                }
            }
            Role::Switch { prev_field, .. } => {
                let key = shared.facts.get(prev_field).and_then(|value| shared.key_of(value));
                if key == Some(doer)
                    && let Some(row) = self.monitor.row(shared, now, Part::Field(prev_field), ix)
                {
                    self.does(shared, machine, now, (ix, row));
                    if let Some(one) = self.monitor.instances.get_mut(ix) {
                        one.on = NO_CPU;
                    }
                }
            }
            Role::Plain => {
                for part in parts {
                    let Part::Field(slot) = part else { continue };
                    let key = shared.facts.get(slot).and_then(|value| shared.key_of(value));
                    let Some(key) = key.filter(|key| !except.contains(key)) else { continue };
                    let other = self.monitor.find_or_add(key, now.time);
                    let Some(row) = self.monitor.row(shared, now, part, other) else { continue };
                    if other == ix {
                        self.does(shared, machine, now, (ix, row));
                    } else {
                        // Others did things to it that were not recorded: whatever it accepts is right.
                        self.monitor.take(shared, machine, now, (other, row), None);
                        self.stopped(other);
                    }
                }
            }
        }
    }

    /// A thread does something, so it runs here, whatever was seen of it before.
    fn arrives(&mut self, ix: Ix, now: &Arrival<'_>) {
        let (on, rules) = (self.on(), &self.monitor.rules);
        let Some(one) = self.monitor.instances.get_mut(ix) else { return };
        if one.estimate.set.and(on).is_empty() || one.on == NO_CPU {
            one.estimate = rules.unseen_until_it_runs(one.estimate);
        }
        one.on = now.cpu.unwrap_or(NO_CPU);
    }

    /// It may run somewhere, for all that is known.
    fn stopped(&mut self, ix: Ix) {
        if let Some(one) = self.monitor.instances.get_mut(ix) {
            one.on = NO_CPU;
        }
    }

    fn does(&mut self, shared: &mut Shared, machine: &Machine, now: &Arrival<'_>, (ix, row): (Ix, u32)) {
        let Some((key, since)) = self.monitor.instances.get(ix).map(|one| (one.key, one.time)) else {
            return;
        };
        let Took::Inconsistent { before, accepts, window } =
            self.monitor.take(shared, machine, now, (ix, row), None)
        else {
            return;
        };
        let name = shared.world.texts.show_name(key);
        let states = Monitor::show(machine, before.set);
        let sentence = format!("{} of {name}, which is in {states}", shared.name(now.symbol));
        let states = (before.set, accepts);
        let number = self.monitor.inconsistency(shared, now, (key, since), states, window, sentence);
        let path = self.monitor.path(before, Goal::Row(row), &|arc| arc.part == Part::Runs);
        let Some(path) = path else {
            self.unexplained += 1;
            return;
        };
        if let Some(incoherence) = shared.incoherences.get_mut(number) {
            incoherence.is_explained = true;
        }
        let reason = format!("{name} went on from another state than the one it was in");
        let (incoherence, from, to, cpu) = (Some(number), since, now.time, now.cpu);
        let about = About {
            ix,
            from,
            to,
            cpu,
            incoherence,
            window: None,
            share: SHARE,
            has_next: false,
            reason: &reason,
        };
        self.monitor.report_path(shared, machine, &path, &about);
    }
}
