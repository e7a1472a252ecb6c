//! What the kernel writes, as Perfetto numbers it: events, their systems, and the names of their fields by number.
//!
//! The numbers are those of Perfetto's published descriptions; one never changes its meaning there.

/// An event: number, system, name, fields.
type Described = (u32, &'static str, &'static str, &'static [(u32, &'static str)]);

/// In the order of the numbers.
const EVENTS: &[Described] = &[
    (3, "ftrace", "print", &[(1, "ip"), (2, "buf")]),
    (
        4,
        "sched",
        "sched_switch",
        &[
            (1, "prev_comm"),
            (2, "prev_pid"),
            (3, "prev_prio"),
            (4, "prev_state"),
            (5, "next_comm"),
            (6, "next_pid"),
            (7, "next_prio"),
        ],
    ),
    (11, "power", "cpu_frequency", &[(1, "state"), (2, "cpu_id")]),
    (13, "power", "cpu_idle", &[(1, "state"), (2, "cpu_id")]),
    (17, "sched", "sched_wakeup", &[(1, "comm"), (2, "pid"), (3, "prio"), (4, "success"), (5, "target_cpu")]),
    (18, "sched", "sched_blocked_reason", &[(1, "pid"), (2, "caller"), (3, "io_wait")]),
    (20, "sched", "sched_waking", &[(1, "comm"), (2, "pid"), (3, "prio"), (4, "success"), (5, "target_cpu")]),
    (24, "irq", "softirq_entry", &[(1, "vec")]),
    (25, "irq", "softirq_exit", &[(1, "vec")]),
    (26, "irq", "softirq_raise", &[(1, "vec")]),
    (36, "irq", "irq_handler_entry", &[(1, "irq"), (2, "name"), (3, "handler")]),
    (37, "irq", "irq_handler_exit", &[(1, "irq"), (2, "ret")]),
    (
        45,
        "block",
        "block_rq_issue",
        &[(1, "dev"), (2, "sector"), (3, "nr_sector"), (4, "bytes"), (5, "rwbs"), (6, "comm"), (7, "cmd")],
    ),
    (57, "workqueue", "workqueue_execute_end", &[(1, "work"), (2, "function")]),
    (58, "workqueue", "workqueue_execute_start", &[(1, "work"), (2, "function")]),
    (113, "power", "suspend_resume", &[(1, "action"), (2, "val"), (3, "start")]),
    (
        114,
        "sched",
        "sched_wakeup_new",
        &[(1, "comm"), (2, "pid"), (3, "prio"), (4, "success"), (5, "target_cpu")],
    ),
    (
        125,
        "block",
        "block_rq_complete",
        &[(1, "dev"), (2, "sector"), (3, "nr_sector"), (4, "errors"), (5, "rwbs"), (6, "cmd"), (7, "error")],
    ),
    (
        126,
        "block",
        "block_rq_insert",
        &[(1, "dev"), (2, "sector"), (3, "nr_sector"), (4, "bytes"), (5, "rwbs"), (6, "comm"), (7, "cmd")],
    ),
    (235, "task", "task_newtask", &[(1, "pid"), (2, "comm"), (3, "clone_flags"), (4, "oom_score_adj")]),
    (236, "task", "task_rename", &[(1, "pid"), (2, "oldcomm"), (3, "newcomm"), (4, "oom_score_adj")]),
    (237, "sched", "sched_process_exec", &[(1, "filename"), (2, "pid"), (3, "old_pid")]),
    (238, "sched", "sched_process_exit", &[(1, "comm"), (2, "pid"), (3, "tgid"), (4, "prio")]),
    (
        239,
        "sched",
        "sched_process_fork",
        &[(1, "parent_comm"), (2, "parent_pid"), (3, "child_comm"), (4, "child_pid")],
    ),
    (240, "sched", "sched_process_free", &[(1, "comm"), (2, "pid"), (3, "prio")]),
    (242, "sched", "sched_process_wait", &[(1, "comm"), (2, "pid"), (3, "prio")]),
    (324, "signal", "signal_deliver", &[(1, "code"), (2, "sa_flags"), (3, "sig")]),
    (
        325,
        "signal",
        "signal_generate",
        &[(1, "code"), (2, "comm"), (3, "group"), (4, "pid"), (5, "result"), (6, "sig")],
    ),
    (329, "raw_syscalls", "sys_enter", &[(1, "id"), (2, "args")]),
    (330, "raw_syscalls", "sys_exit", &[(1, "id"), (2, "ret")]),
    (353, "sched", "sched_pi_setprio", &[(1, "comm"), (2, "newprio"), (3, "oldprio"), (4, "pid")]),
    (
        491,
        "sched",
        "sched_migrate_task",
        &[
            (1, "comm"),
            (2, "pid"),
            (3, "prio"),
            (4, "orig_cpu"),
            (5, "dest_cpu"),
            (6, "running"),
            (7, "load"),
        ],
    ),
    (
        551,
        "timer",
        "hrtimer_start",
        &[(1, "hrtimer"), (2, "function"), (3, "expires"), (4, "softexpires"), (5, "mode")],
    ),
    (552, "timer", "hrtimer_cancel", &[(1, "hrtimer")]),
    (553, "timer", "hrtimer_expire_entry", &[(1, "hrtimer"), (2, "now"), (3, "function")]),
    (554, "timer", "hrtimer_expire_exit", &[(1, "hrtimer")]),
    (
        555,
        "timer",
        "timer_start",
        &[
            (1, "timer"),
            (2, "function"),
            (3, "expires"),
            (4, "now"),
            (5, "deferrable"),
            (6, "flags"),
            (7, "bucket_expiry"),
        ],
    ),
    (556, "timer", "timer_cancel", &[(1, "timer")]),
    (557, "timer", "timer_expire_entry", &[(1, "timer"), (2, "now"), (3, "function"), (4, "baseclk")]),
    (558, "timer", "timer_expire_exit", &[(1, "timer")]),
    (559, "irq_vectors", "local_timer_entry", &[(1, "vector")]),
    (560, "irq_vectors", "local_timer_exit", &[(1, "vector")]),
];

/// The description of an event by its number.
pub(super) fn described(number: u32) -> Option<&'static Described> {
    let at = EVENTS.binary_search_by_key(&number, |event| event.0).ok()?;
    EVENTS.get(at)
}
