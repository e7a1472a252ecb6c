//! A child begins inside the system call of its parent, as far as that is known.

use crate::util::folder;

/// A thread opens, closes and clones; each child ends the call and goes. Of the last round the end of `close` and
/// the begin of `clone` are missing.
#[test]
fn a_child_is_not_blamed_for_what_its_parent_lost() {
    let mut lines = String::new();
    let mut time = 0;
    let mut event = |cpu: u32, name: &str, fields: &str| {
        time += 1000;
        lines += &format!(
            "{{\"ts\":{time},\"stream\":\"{cpu}\",\"cpu\":{cpu},\"name\":\"{name}\",\"fields\":{{{fields}}}}}\n"
        );
    };
    let switch = |prev: u32, next: u32| {
        format!(
            "\"prev_comm\":\"c\",\"prev_tid\":{prev},\"prev_state\":0,\"next_comm\":\"c\",\"next_tid\":{next}"
        )
    };
    event(0, "sched_switch", &switch(0, 10));
    event(1, "sched_switch", &switch(20, 0));
    for child in 100..140 {
        let is_last = child == 139;
        event(0, "syscall_entry_close", "");
        if !is_last {
            event(0, "syscall_exit_close", "");
            event(0, "syscall_entry_clone", "");
        }
        event(
            0,
            "sched_process_fork",
            &format!("\"parent_tid\":10,\"child_tid\":{child},\"child_comm\":\"c\""),
        );
        event(1, "sched_switch", &switch(0, child));
        event(0, "syscall_exit_clone", "");
        event(1, "syscall_exit_clone", "");
        event(1, "sched_switch", &switch(child, 0));
    }
    event(0, "sched_switch", &switch(10, 0));
    let folder = folder();
    // It comes once, so that no trials on such a small trace leave anything out.
    let ran = folder.run_with(["infer", "-", "--all"], &lines);
    assert_eq!(ran.code, 0, "{ran}");
    // The parent lost two events, and nothing is wrong with the child.
    assert!(ran.out.contains("2 events inferred"), "{ran}");
    for name in ["syscall_exit_close", "syscall_entry_clone"] {
        assert!(ran.out.contains(&format!("] {name} {{ }}\n    thread 10,")), "{ran}");
    }
    assert!(!ran.out.contains("thread 139,"), "{ran}");
}
