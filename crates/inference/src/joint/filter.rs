//! An event of one instance of a machine whose instances are each for themselves.

use model::machine::Machine;

use crate::estimate::cpus::monitor::CpuMonitor;
use crate::estimate::instances::instance::Ix;
use crate::estimate::instances::monitor::{Monitor, Took};
use crate::estimate::instances::shared::Shared;
use crate::repair::single_instance::{About, Goal};
use crate::state_machines::arrival::Arrival;
use crate::state_machines::plan::Part;
use crate::value::Name;

/// An event of one instance of a machine that is for itself; 1 if it does not fit and nothing
/// explains it.
pub(crate) fn narrow(
    monitor: &mut Monitor,
    shared: &mut Shared,
    cpu_monitor: Option<&CpuMonitor>,
    (machine, site): (&Machine, usize),
    now: &Arrival<'_>,
) -> u64 {
    let Some(plan) = monitor.rules.plan(now.symbol.0) else { return 0 };
    let Some(&part) = plan.parts.get(site) else { return 0 };
    let key = match part {
        Part::Field(slot) => shared.facts.get(slot).and_then(|value| shared.key_of(value)),
        Part::Cpu => now.cpu.map(|cpu| Name::Number(i64::from(cpu))),
        Part::Runs => match (cpu_monitor, &now.input) {
            (Some(cpu_monitor), _) => cpu_monitor.running(now.cpu),
            (None, Some(input)) => input.running.map(Name::Number),
            _ => None,
        },
    };
    let Some(mut key) = key.filter(|key| !plan.except.contains(key)) else { return 0 };
    if let Some(within) = plan.within {
        let within = shared.facts.get(within).and_then(|value| shared.key_of(value));
        let Some(within) = within else { return 0 };
        key = monitor.pairs.whole(&mut shared.world.texts, within, key);
    }
    let is_new = monitor.instances.find(key).is_none();
    let ix = monitor.find_or_add(key, now.time);
    let Some(row) = monitor.row(shared, now, part, ix) else { return 0 };
    let since = monitor.lives(shared, (ix, is_new), row, now.time);
    let unexplained = came(monitor, shared, cpu_monitor, machine, now, (ix, key, row, since));
    monitor.carried.record(shared, now, ix);
    unexplained
}

/// The event comes to the instance, which it leads on or does not fit.
fn came(
    monitor: &mut Monitor,
    shared: &mut Shared,
    cpu_monitor: Option<&CpuMonitor>,
    machine: &Machine,
    now: &Arrival<'_>,
    (ix, key, row, since): (Ix, Name, u32, i64),
) -> u64 {
    let (before, accepts, window) = match monitor.take(shared, machine, now, (ix, row), None) {
        Took::Inconsistent { before, accepts, window } => (before, accepts, window),
        Took::ByLoss { known, .. } => {
            // Only a loss made it possible: what it hid is implied, if there was one site for it.
            let sites: Vec<_> = shared.windows.over(since, now.time).take(2).collect();
            if let [site] = sites.as_slice()
                && !cpu_monitor.is_some_and(|cpu_monitor| cpu_monitor.concerns(now.symbol))
                && let Some(path) = monitor.path(known, Goal::Row(row), &|_| true)
            {
                let reason = "it went on though nothing was seen that let it";
                let (from, to) = (site.from.max(since), site.to.min(now.time));
                let (cpu, window) = (site.cpu.or(now.cpu), Some(site.window));
                if path.steps.len() as u64 <= shared.windows.capacity(site.window) {
                    let about = About {
                        ix,
                        from,
                        to,
                        cpu,
                        incoherence: None,
                        window,
                        share: 0.9,
                        has_next: true,
                        reason,
                    };
                    monitor.report_path(shared, machine, &path, &about);
                }
            }
            return 0;
        }
        Took::Nothing | Took::Fits(_) => return 0,
    };
    // Who ran was uncertain already: it is the same loss.
    if cpu_monitor
        .is_some_and(|cpu_monitor| cpu_monitor.concerns(now.symbol) && cpu_monitor.is_reported(shared, now))
    {
        return 0;
    }
    let name = shared.world.texts.show_name(key);
    let states = Monitor::show(machine, before.set);
    let sentence = format!("{} of {} {name}, which is in {states}", shared.name(now.symbol), machine.id);
    let number = monitor.inconsistency(shared, now, (key, since), (before.set, accepts), window, sentence);
    let Some(path) = monitor.path(before, Goal::Row(row), &|_| true) else { return 1 };
    if let Some(incoherence) = shared.incoherences.get_mut(number) {
        incoherence.is_explained = true;
    }
    let reason =
        format!("{} {name} was in {states}, and {} does not follow", machine.id, shared.name(now.symbol));
    let about = About {
        ix,
        from: since,
        to: now.time,
        cpu: now.cpu,
        incoherence: Some(number),
        window: None,
        share: 0.98,
        has_next: true,
        reason: &reason,
    };
    monitor.report_path(shared, machine, &path, &about);
    0
}
