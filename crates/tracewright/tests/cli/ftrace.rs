//! Text of ftrace, as the kernel and trace-cmd write it.

use expect_test::expect;

use crate::util::folder;

/// A thread leaves its CPU twice and comes back once in between: that was lost, and the kernel says so.
const LOST: &str = "\
            bash-7    [000] d..2. 10.000001: sched_switch: prev_comm=bash prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=make next_pid=8 next_prio=120
            make-8    [000] d..2. 10.000002: sched_waking: comm=bash pid=7 prio=120 target_cpu=000
              cc-9    [001] d..2. 10.000003: sched_waking: comm=ld pid=6 prio=120 target_cpu=001
CPU:0 [LOST 1 EVENTS]
            bash-7    [000] d..2. 10.000005: sched_switch: prev_comm=bash prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=make next_pid=8 next_prio=120
";

#[test]
fn losses_lie_where_the_kernel_means_them() {
    let folder = folder().with("trace", LOST);
    let ran = folder.run("events trace");
    let message = "tracewright: trace: 1 event lost in 1 gap; `tracewright info` says where\n";
    assert_eq!((ran.code, ran.err.as_str()), (1, message));
    let is_gap = |line: &str| line.contains("1 event lost between");
    assert_eq!(ran.out.lines().position(is_gap), Some(2), "{}", ran.out);
    let ran = folder.run("check trace");
    expect![[r#"
        0 incoherences in 4 events (model kernel, engine joint)
        1 event lost in 1 gap; 0 incoherences may come from that, 0 from no declared loss

        losses that the tracer declared
          1  cpu 0 CPU 0  1 event  1970-01-01 00:00:10.000002000 to 00:00:10.000005000  0 incoherences after it

        states not certain, longest first
          thread 7      1970-01-01 00:00:10.000001000 to 00:00:10.000005000  4.000 us
          thread 8      1970-01-01 00:00:10.000001000 to 00:00:10.000005000  4.000 us
          cpu 0         1970-01-01 00:00:10.000002000 to 00:00:10.000005000  3.000 us
          interrupts 0  1970-01-01 00:00:10.000002000 to 00:00:10.000005000  3.000 us

    "#]].assert_eq(&ran.out);
}

#[test]
fn standard_input_and_compressed_files_are_read() {
    let folder = folder().with("trace", LOST);
    let plain = folder.run("events trace");
    let piped = folder.run_with(["events", "-"], LOST);
    let without_name = |out: &str| out.replace("trace", "stdin");
    assert_eq!(without_name(&piped.out), without_name(&plain.out));
    assert_eq!(plain.out.lines().count(), 5, "{}", plain.out);
    let packed = folder.shell("gzip -c trace > packed; tracewright events packed");
    assert_eq!((packed.code, packed.out), (1, plain.out));
}
