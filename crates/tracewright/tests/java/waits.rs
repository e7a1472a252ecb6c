//! Programs that wait: those that wait for ever are named with method and line, those that wait for work are not accused.
//!
//! `programs/Wait.java` has them and marks their lines; the tables here say how the answer begins.

use crate::hangs::{How, hangs_of, lines_of, numbers};
use crate::jdk::program;

/// The argument of the program, how the first line begins, and how many lines of the program it names.
const FOR_EVER: [(&str, &str, usize); 14] = [
    ("twoMonitors", "deadlock of 2 threads: ", 1),
    ("threeMonitors", "deadlock of 3 threads: ", 1),
    ("twoLocks", "deadlock of 2 threads: ", 1),
    ("mixed", "deadlock of 2 threads: ", 2),
    ("joins", "deadlock of 2 threads: ", 1),
    ("upgrade", "deadlock of 1 thread: upgrades waited for ", 1),
    ("initialisers", "deadlock of 2 threads: ", 2),
    ("superclass", "deadlock of 2 threads: ", 1),
    ("lostWakeUp", "nothing goes on: the only thread waits: ", 1),
    ("starved", "nothing goes on: 2 threads wait and none runs: ", 1),
    ("latch", "nothing goes on: the only thread waits: ", 1),
    ("condition", "nothing goes on: the only thread waits: ", 1),
    ("socket", "nothing goes on: the only thread waits: ", 1),
    ("semaphore", "nothing goes on: the only thread waits: ", 1),
];

const FOR_WORK: [&str; 10] = [
    "accepts",
    "selects",
    "takes",
    "pool",
    "idlePool",
    "keepAlive",
    "joinsIdle",
    "sleeps",
    "polls",
    "waitsTimed",
];

fn check(how: How) {
    let Some(java) = program("Wait") else { return };
    for (argument, begins, count) in FOR_EVER {
        let (hangs, _) = hangs_of(&java, "Wait", argument, how);
        let answer = hangs.lines().next().unwrap_or_default();
        assert!(answer.starts_with(begins), "{argument}: {hangs}");
        let named = numbers(answer);
        let expected = lines_of("Wait", argument);
        let found = expected.iter().filter(|line| named.contains(line)).count();
        assert!(found >= count, "{argument}, lines {expected:?}: {hangs}");
    }
    for argument in FOR_WORK {
        let (hangs, status) = hangs_of(&java, "Wait", argument, how);
        let accuses = ["deadlock", "nothing goes on", "stays in", "stay where"];
        assert!(!accuses.iter().any(|word| hangs.contains(word)), "{argument}: {hangs}");
        assert!(!status.contains("no record for"), "{argument}: {status}");
    }
}

#[test]
fn who_waits_for_ever_is_named_after_a_stop_and_who_waits_for_work_is_not() {
    check(How::Stop);
}

#[test]
fn who_waits_for_ever_is_named_after_a_kill_and_who_waits_for_work_is_not() {
    check(How::Kill);
}

#[test]
fn who_waits_for_ever_is_named_after_attaching_and_who_waits_for_work_is_not() {
    check(How::Attach);
}

#[test]
fn a_deadlock_names_every_member_with_lock_and_holder() {
    let Some(java) = program("Wait") else { return };
    let (hangs, _) = hangs_of(&java, "Wait", "twoMonitors", How::Stop);
    let line = lines_of("Wait", "twoMonitors")[0];
    let member = |thread: &str, other: &str| {
        format!(
            "{thread} waited for the monitor of java.lang.Object, held by {other}, in Wait.both (Wait.java:{line})"
        )
    };
    let expected =
        format!("deadlock of 2 threads: {}; {}", member("first", "second"), member("second", "first"));
    let other =
        format!("deadlock of 2 threads: {}; {}", member("second", "first"), member("first", "second"));
    let answer = hangs.lines().next().unwrap_or_default();
    assert!(answer == expected || answer == other, "{hangs}");
}
