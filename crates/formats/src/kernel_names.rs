//! Kernel tracepoints: what events and fields are called, as LTTng calls them where kernel models ask for it.
//! Whoever reads what perf or ftrace recorded gives them these names, so that one model serves all tracers.
//!
//! | in perf                                  | here                                                  |
//! |------------------------------------------|-------------------------------------------------------|
//! | `sched:sched_switch` and all of `sched:` | `sched_switch`                                        |
//! | `raw_syscalls:sys_enter`                 | `syscall_entry_read` and so on, by the number `id`    |
//! | `raw_syscalls:sys_exit`                  | `syscall_exit_read` and so on                         |
//! | the same, number or machine unknown      | `syscall_entry_unknown`, `syscall_exit_unknown`       |
//! | `syscalls:sys_enter_read`                | `syscall_entry_read`; `sys_exit_*` likewise           |
//! | `irq:irq_handler_entry`                  | `irq_handler_entry`                                   |
//! | `irq:softirq_entry`, `irq:tasklet_entry` | `irq_softirq_entry`, `irq_tasklet_entry`              |
//! | `irq_vectors:local_timer_entry`          | `x86_irq_vectors_local_timer_entry`                   |
//! | `exceptions:page_fault_user`             | `x86_exceptions_page_fault_user`                      |
//! | `timer:hrtimer_start`                    | `timer_hrtimer_start`                                 |
//! | any other                                | `system:name`, as perf has it                         |
//!
//! | field of a tracepoint of `sched`         | here                                                  |
//! |------------------------------------------|-------------------------------------------------------|
//! | `pid`                                    | `tid`, for the kernel means the thread                |
//! | `prev_pid`, `next_pid`, `child_pid`, ... | `prev_tid`, `next_tid`, `child_tid`, ...              |
//!
//! Values are as the kernel wrote them: `prev_state` of a thread that was preempted is 256, of which
//! kernel models know that it is none of the states of a thread that waits.
//!
//! Where the number of a system call is not known, its event is called `syscall_entry_unknown`. All other fields keep
//! their names, `id`, `args` and `ret` of system calls too. 32-bit programs use other numbers, but raw_syscalls does not
//! mark their calls: they get wrong names.

/// Which end of a system call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Entry,
    Exit,
}

/// The name of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Name {
    Fixed(String),
    /// It depends on the number of the call.
    Syscall(End),
}

impl End {
    /// What the names of these events begin with.
    pub(crate) fn prefix(self) -> &'static str {
        match self {
            End::Entry => "syscall_entry_",
            End::Exit => "syscall_exit_",
        }
    }
}

/// What the tracepoint `name` of `system` is called.
pub(crate) fn event(system: &str, name: &str) -> Name {
    Name::Fixed(match (system, name) {
        ("raw_syscalls", "sys_enter") => return Name::Syscall(End::Entry),
        ("raw_syscalls", "sys_exit") => return Name::Syscall(End::Exit),
        ("sched", _) => name.into(),
        ("irq", _) if name.starts_with("irq_") => name.into(),
        ("irq", _) => format!("irq_{name}"),
        ("irq_vectors", _) => format!("x86_irq_vectors_{name}"),
        ("exceptions", _) => format!("x86_exceptions_{name}"),
        ("timer", _) if name.starts_with("timer_") => name.into(),
        ("timer", _) => format!("timer_{name}"),
        ("syscalls", _) => match (name.strip_prefix("sys_enter_"), name.strip_prefix("sys_exit_")) {
            (Some(call), _) => format!("{}{call}", End::Entry.prefix()),
            (_, Some(call)) => format!("{}{call}", End::Exit.prefix()),
            _ => format!("{system}:{name}"),
        },
        _ => format!("{system}:{name}"),
    })
}

/// What the field `name` of a tracepoint of `system` is called.
pub(crate) fn field(system: &str, name: &str) -> String {
    match (system, name.strip_suffix("_pid")) {
        ("sched", _) if name == "pid" => "tid".into(),
        ("sched", Some(whose)) => format!("{whose}_tid"),
        _ => name.into(),
    }
}

/// The system of `sched:sched_switch`, and what that is called here; `None` if this is no tracepoint that kernel
/// models may ask for.
pub(crate) fn known(full: &str) -> Option<(&str, String)> {
    let (system, name) = full.split_once(':')?;
    match system {
        "sched" | "raw_syscalls" | "irq" | "irq_vectors" | "exceptions" | "timer" | "syscalls" => {}
        _ => return None,
    }
    Some(match event(system, name) {
        Name::Fixed(name) => (system, name),
        Name::Syscall(end) => (system, format!("{}unknown", end.prefix())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_models_find_the_names_that_they_know() {
        let name = |system, name| match event(system, name) {
            Name::Fixed(name) => name,
            Name::Syscall(end) => format!("{}*", end.prefix()),
        };
        for (system, tracepoint, expected) in [
            ("sched", "sched_switch", "sched_switch"),
            ("raw_syscalls", "sys_enter", "syscall_entry_*"),
            ("raw_syscalls", "sys_exit", "syscall_exit_*"),
            ("syscalls", "sys_enter_openat", "syscall_entry_openat"),
            ("syscalls", "sys_exit_openat", "syscall_exit_openat"),
            ("irq", "irq_handler_exit", "irq_handler_exit"),
            ("irq", "softirq_raise", "irq_softirq_raise"),
            ("irq_vectors", "local_timer_exit", "x86_irq_vectors_local_timer_exit"),
            ("timer", "timer_start", "timer_start"),
            ("timer", "hrtimer_start", "timer_hrtimer_start"),
            ("block", "block_rq_issue", "block:block_rq_issue"),
        ] {
            assert_eq!(name(system, tracepoint), expected);
        }
        assert_eq!(known("sched:sched_waking"), Some(("sched", "sched_waking".to_owned())));
        assert_eq!(known("raw_syscalls:sys_exit"), Some(("raw_syscalls", "syscall_exit_unknown".to_owned())));
        assert_eq!(known("shop:sched_switch"), None);
        assert_eq!(field("sched", "next_pid"), "next_tid");
        assert_eq!(field("sched", "pid"), "tid");
        assert_eq!(field("signal", "pid"), "pid");
    }
}
