//! Kinds of rows.

use analyses::timeline::RowKind;

/// What a machine of a kernel model is about.
pub(super) fn row_kind(machine: &str) -> RowKind {
    match machine {
        id if id.contains("interrupt") || id.contains("irq") => RowKind::Interrupts,
        id if id.contains("cpu") => RowKind::Cpu,
        id if id.contains("process") || id.contains("thread") || id.contains("task") => RowKind::Thread,
        _ => RowKind::Machine,
    }
}
