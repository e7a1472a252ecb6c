//! Traces of Perfetto: slices are calls, what the kernel wrote are events.

use std::path::Path;

use expect_test::expect;

use crate::util::{Folder, folder};

/// A folder with a kept input.
fn with(name: &str) -> Folder {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/perfetto").join(name);
    folder().with(name, std::fs::read(corpus).unwrap())
}

#[test]
fn slices_are_calls_for_every_command() {
    let folder = with("slices.pftrace");
    let ran = folder.run("calls slices.pftrace");
    expect![[r#"
        0
        Thread main  4 calls, 4 blocks, 91.000 us
          shop.Baker.bake
            open (oven.py:12)
            tick
          something is missing here
          shop.Baker.rest

        Thread main: requests  1 call, 1 block, 21.000 us
          request
          something is missing here

        Thread helper  1 call, 1 block, 3.000 us
          help
        tracewright: slices.pftrace: slices.pftrace, byte 0: Events on tracks that are no slices are left out: 1 counters, 2 not understood without packets that were dropped.
    "#]].assert_eq(&format!("{}\n{}{}", ran.code, ran.out, ran.err));
    for command in ["info", "events", "loops", "hangs"] {
        let ran = folder.run(&format!("{command} slices.pftrace"));
        assert_eq!(ran.code, 1, "{command}: {}{}", ran.out, ran.err);
        assert!(ran.out.contains("bake") || command == "hangs", "{command}: {}", ran.out);
    }
}

#[test]
fn what_the_kernel_wrote_are_events_with_losses() {
    let folder = with("kernel.pftrace");
    let ran = folder.run("info kernel.pftrace");
    expect![[r#"
        1
        kernel.pftrace
          format   Perfetto (ftrace)
          says     kernel = Linux 6.1
          time     1970-01-01 00:00:00.000001000 to 00:00:00.000001020 UTC (20 ns)
          events   10 in 2 streams
          lost     5 events lost in 1 gap

        Streams
          name   cpu  packets  events  lost  gaps  time
          cpu 0    0        0       5     5  1     1970-01-01 00:00:00.000001000 to 00:00:00.000001020
          cpu 1    1        0       5     -  -     1970-01-01 00:00:00.000001005 to 00:00:00.000001016

        Events of 6 kinds
          5  50.0 %  sched_switch
          1  10.0 %  ftrace event 616
          1  10.0 %  print
          1  10.0 %  sched_waking
          1  10.0 %  syscall_entry_write
          1  10.0 %  syscall_exit_write

        Losses: 5 events lost in 1 gap
          cpu 0  5 events  between 1970-01-01 00:00:00.000001012 and 00:00:00.000001020
    "#]]
    .assert_eq(&format!("{}\n{}{}", ran.code, ran.out, ran.err));
    let plain = folder.run("events kernel.pftrace");
    let piped = folder.shell("zstd -qc kernel.pftrace > packed && tracewright events packed; tracewright events - < kernel.pftrace");
    assert_eq!(piped.out, plain.out.repeat(2), "{}", piped.err);
    let ran = folder.run("calls kernel.pftrace");
    expect![[r#"
        2
        tracewright: kernel.pftrace is no recording of control flow: expected a folder that `tracewright record` or `uftrace record` has written, a file of trace events in JSON, or a trace of Perfetto with something on a track
    "#]].assert_eq(&format!("{}\n{}{}", ran.code, ran.out, ran.err));
}
