//! Kinds of rows, and which row an instance of a machine has.

use analyses::timeline::RowKind;
use model::machine::{EventPattern, KeySource, Machine};

/// What a machine is about.
///
/// A name alone says little: a field `task` or `process` of a program's own log is no thread. So it counts only in a
/// machine of the kernel's scheduler, or in one whose model says which of its states are waits.
pub(super) fn row_kind(machine: &Machine) -> RowKind {
    if !is_of_the_kernel(machine) && !machine.states.iter().any(|state| state.waits) {
        return RowKind::Machine;
    }
    match &*machine.id {
        id if id.contains("interrupt") || id.contains("irq") => RowKind::Interrupts,
        id if id.contains("cpu") => RowKind::Cpu,
        id if id.contains("process") || id.contains("thread") || id.contains("task") => RowKind::Thread,
        _ => RowKind::Machine,
    }
}

fn is_of_the_kernel(machine: &Machine) -> bool {
    let is_named = |events: &EventPattern| !events.is_any() && events.matches("sched_switch");
    let mut rules = machine.keys.iter().flatten();
    let mut transitions = machine.states.iter().flat_map(|state| &state.transitions);
    rules.any(|rule| {
        let names = |source: &KeySource| matches!(source, KeySource::Cpu | KeySource::RunningThread);
        is_named(&rule.events) || rule.sources.iter().any(names)
    }) || transitions.any(|transition| is_named(&transition.events))
}

/// The kind and the key of the row of an instance: machines that are neither of CPUs nor of threads share a kind.
pub(in crate::serve) fn row_of(machine: &Machine, instance: &str) -> (RowKind, String) {
    match row_kind(machine) {
        RowKind::Machine => (RowKind::Machine, format!("{} {instance}", machine.id).trim_end().to_owned()),
        kind => (kind, instance.to_owned()),
    }
}
