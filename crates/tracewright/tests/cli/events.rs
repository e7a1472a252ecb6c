//! `tracewright events`.

use crate::util::{LOSSY, WHOLE, folder};
use expect_test::{Expect, expect};

fn check(arguments: &str, expected: Expect) {
    let folder = folder().with("whole.jsonl", WHOLE).with("lossy.jsonl", LOSSY);
    expected.assert_eq(&folder.run(arguments).to_string());
}

#[test]
fn a_line_for_each_event() {
    check(
        "events whole.jsonl",
        expect![[r#"
        [2026-11-21 07:25:08.000000000] (cpu 0) start: { pid = 7 }
        [2026-11-21 07:25:08.100000000] (cpu 0) read: { bytes = 12, name = "a.txt" }
        [2026-11-21 07:25:08.200000000] (cpu 1) query: { state = RUN (2), rows = [1, 2.5, null], in = { a = true } }
        [2026-11-21 07:25:08.300000000] (cpu 1) query
        exit 0
    "#]],
    );
}

#[test]
fn a_line_for_each_loss_too() {
    check(
        "events lossy.jsonl",
        expect![[r#"
            [1970-01-01 00:00:00.000000100] (s) a
            [1970-01-01 00:00:00.000000100] (s) -- 7 events lost between 1970-01-01 00:00:00.000000100 and 00:00:00.000000200 --
            [1970-01-01 00:00:00.000000200] (s) a
            [1970-01-01 00:00:00.000000400] (s) b
            ! tracewright: lossy.jsonl: 7 events lost in 1 gap; `tracewright info` says where
            ! tracewright: lossy.jsonl, line 5: the line was left out: it ends at byte 34 where `,` or `}` should be
            exit 1
        "#]],
    );
}

#[test]
fn json_without_gaps_tells_of_losses_on_standard_error() {
    check(
        "events lossy.jsonl --json",
        expect![[r#"
            {"ts":100,"stream":"s","name":"a","fields":{}}
            {"ts":200,"stream":"s","name":"a","fields":{}}
            {"ts":400,"stream":"s","name":"b","fields":{}}
            ! tracewright: lossy.jsonl: 7 events lost in 1 gap; `tracewright info` says where
            ! tracewright: lossy.jsonl, line 5: the line was left out: it ends at byte 34 where `,` or `}` should be
            exit 1
        "#]],
    );
}

#[test]
fn json_with_gaps() {
    check(
        "events lossy.jsonl --json --gaps --allow-loss",
        expect![[r#"
            {"ts":100,"stream":"s","name":"a","fields":{}}
            {"ts":100,"stream":"s","lost":7,"unit":"events","from":100,"to":200}
            {"ts":100,"stream":"s","lost":0,"unit":"events","edge":"end","from":100,"to":200}
            {"ts":200,"stream":"s","name":"a","fields":{}}
            {"ts":400,"stream":"s","name":"b","fields":{}}
            ! tracewright: lossy.jsonl: 7 events lost in 1 gap; `tracewright info` says where
            ! tracewright: lossy.jsonl, line 5: the line was left out: it ends at byte 34 where `,` or `}` should be
            exit 0
        "#]],
    );
}

#[test]
fn events_written_and_read_again_are_the_same() {
    let folder = folder().with("whole.jsonl", WHOLE).with("lossy.jsonl", LOSSY);
    for (input, options) in [("whole.jsonl", ""), ("lossy.jsonl", " --gaps")] {
        let once = folder.run(&format!("events {input} --json{options}"));
        let arguments = format!("events - --json{options}");
        let twice = folder.run_with(arguments.split(' '), &once.out);
        assert_eq!(once.out, twice.out);
    }
    assert_eq!(folder.run("events whole.jsonl --json").out, WHOLE);
}

#[test]
fn the_first_events_only() {
    check(
        "events whole.jsonl --limit 1",
        expect![[r#"
        [2026-11-21 07:25:08.000000000] (cpu 0) start: { pid = 7 }
        exit 0
    "#]],
    );
}

#[test]
fn by_name() {
    check(
        "events whole.jsonl --name q*y --name start",
        expect![[r#"
        [2026-11-21 07:25:08.000000000] (cpu 0) start: { pid = 7 }
        [2026-11-21 07:25:08.200000000] (cpu 1) query: { state = RUN (2), rows = [1, 2.5, null], in = { a = true } }
        [2026-11-21 07:25:08.300000000] (cpu 1) query
        exit 0
    "#]],
    );
}

#[test]
fn by_time() {
    let folder = folder().with("whole.jsonl", WHOLE);
    let count = |options: &str| folder.run(&format!("events whole.jsonl {options}")).out.lines().count();
    assert_eq!(count("--from +0.1s"), 3);
    assert_eq!(count("--to +0.1s"), 2);
    assert_eq!(count("--from +100ms --to +200ms"), 2);
    assert_eq!(count("--from 07:25:08.25"), 1);
    assert_eq!(count("--from 2026-11-21T07:25:08.2 --to 1795245908200000000"), 1);
    let ran = folder.run("events whole.jsonl --from noon");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("`noon` is no moment; write nanoseconds since 1970"), "{ran}");
}

#[test]
fn by_track() {
    check(
        "events whole.jsonl --track-by cpu --track cpu?1",
        expect![[r#"
        [2026-11-21 07:25:08.200000000] (cpu 1) query: { state = RUN (2), rows = [1, 2.5, null], in = { a = true } }
        [2026-11-21 07:25:08.300000000] (cpu 1) query
        exit 0
    "#]],
    );
}

#[test]
fn a_track_that_is_not_there() {
    check(
        "events whole.jsonl --track nobody",
        expect![[r#"
        ! tracewright: whole.jsonl has no track called nobody; its tracks are: web, db (`tracewright loops` lists them)
        exit 2
    "#]],
    );
}

#[test]
fn a_broken_track_says_where() {
    check(
        "events lossy.jsonl --track s --allow-loss",
        expect![[r#"
            [1970-01-01 00:00:00.000000100] (s) a
            [1970-01-01 00:00:00.000000100] (s) -- 7 events lost between 1970-01-01 00:00:00.000000100 and 00:00:00.000000200 --
            -- events of this track may be missing here --
            [1970-01-01 00:00:00.000000200] (s) a
            [1970-01-01 00:00:00.000000400] (s) b
            ! tracewright: lossy.jsonl: 7 events lost in 1 gap; `tracewright info` says where
            ! tracewright: lossy.jsonl, line 5: the line was left out: it ends at byte 34 where `,` or `}` should be
            exit 0
        "#]],
    );
}

#[test]
fn threads_of_a_kernel_trace_by_their_newest_name() {
    let switch = |prev: u32, next: u32, comm: &str| {
        format!(
            "{{\"stream\":\"k\",\"cpu\":0,\"name\":\"sched_switch\",\"fields\":{{\"prev_comm\":\"x\",\"prev_tid\":{prev},\"next_comm\":\"{comm}\",\"next_tid\":{next}}}}}\n"
        )
    };
    let event = |name: &str| format!("{{\"stream\":\"k\",\"cpu\":0,\"name\":\"{name}\"}}\n");
    let lines = [switch(1, 2, "bash"), event("fork"), switch(2, 1, "x"), event("wait"), switch(1, 2, "make")]
        .concat();
    let folder = folder().with("k.jsonl", lines + &event("exec"));
    expect![[r#"
        (cpu 0) fork
        (cpu 0) sched_switch: { prev_comm = "x", prev_tid = 2, next_comm = "x", next_tid = 1 }
        (cpu 0) exec
        exit 0
    "#]]
    .assert_eq(&folder.run_with(["events", "k.jsonl", "--track", "make 2"], "").to_string());
}

#[test]
fn nobody_reading_is_no_error() {
    let lines = WHOLE.repeat(5_000);
    let ran = folder()
        .with("many.jsonl", lines)
        .shell("{ tracewright events many.jsonl; echo \"exit $?\" >&2; } | head -n 1");
    assert_eq!(ran.err, "exit 0\n");
}
