//! perf.data, from the kept files of the reader and from a recording made here where perf may record.

use std::path::Path;
use std::process::Command;

use expect_test::{Expect, expect};

use crate::util::{Folder, folder};

fn corpus(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/perf").join(name)).unwrap()
}

/// A file of any name: its first bytes tell what it is.
fn with_corpus() -> Folder {
    folder()
        .with("perf.data", corpus("rich"))
        .with("killed", corpus("unfinished"))
        .with("odd", corpus("hostile-sizes"))
}

fn check(arguments: &str, expected: Expect) {
    expected.assert_eq(&with_corpus().run(arguments).to_string());
}

#[test]
fn what_it_is_and_what_it_lost() {
    check(
        "info perf.data",
        expect![[r#"
            perf.data
              format   perf.data
              host     host
              tracer   perf 6.1
              clock    perf, since the machine started, 1,000,000,000 ticks a second
              says     command = perf  machine = x86_64
              time     1970-01-01 00:00:00.000000100 to 00:00:00.000000220 UTC (120 ns)
              events   6 in 2 streams
              lost     21 events lost in 4 gaps

            Streams
              name   cpu  packets  events  lost  gaps  time
              cpu 0    0        0       3    14  2     1970-01-01 00:00:00.000000100 to 00:00:00.000000200
              cpu 1    1        0       3     7  2     1970-01-01 00:00:00.000000150 to 00:00:00.000000220

            Events of 5 kinds
              2  33.3 %  sched_switch
              1  16.7 %  syscall_entry_fork
              1  16.7 %  syscall_entry_read
              1  16.7 %  syscall_entry_write
              1  16.7 %  test:odd

            Losses: 21 events lost in 4 gaps
              cpu 0  12 events  between 1970-01-01 00:00:00.000000120 and 00:00:00.000000200
              cpu 1   4 events  between 1970-01-01 00:00:00.000000190 and 00:00:00.000000210
              cpu 0   2 events  after 1970-01-01 00:00:00.000000200
              cpu 1   3 events  after 1970-01-01 00:00:00.000000220
            exit 1
        "#]],
    );
}

#[test]
fn events_have_the_names_and_fields_of_the_kernel_models() {
    check(
        "events perf.data",
        expect![[r#"
            [1970-01-01 00:00:00.000000100] (cpu 0) sched_switch: { procname = "shell", pid = 7, tid = 5 }, { prev_comm = "before", prev_tid = 5, prev_state = 1, next_comm = "behind", next_tid = 6 }
            [1970-01-01 00:00:00.000000120] (cpu 0) test:odd: { procname = "shell", pid = 7, tid = 6 }, { path = "\u{7}\u{7}\u{7}\u{7}\u{7}", numbers = [1799, 1799], small = 7, address = 0x707070707070707 }
            [1970-01-01 00:00:00.000000120] (cpu 0) -- 12 events lost between 1970-01-01 00:00:00.000000120 and 00:00:00.000000200 --
            [1970-01-01 00:00:00.000000150] (cpu 1) syscall_entry_read: { procname = "shell", pid = 7, tid = 5 }, { id = 0, args = [0x1, 0x2, 0x3, 0x4, 0x5, 0x6] }
            [1970-01-01 00:00:00.000000190] (cpu 1) sched_switch: { procname = "shell", pid = 7, tid = 5 }, { prev_comm = "before", prev_tid = 5, prev_state = 256, next_comm = "behind", next_tid = 8 }
            [1970-01-01 00:00:00.000000190] (cpu 1) -- 4 events lost between 1970-01-01 00:00:00.000000190 and 00:00:00.000000210 --
            [1970-01-01 00:00:00.000000200] (cpu 0) syscall_entry_write: { procname = "shell", pid = 7, tid = 6 }, { id = 1, args = [0x1, 0x2, 0x3, 0x4, 0x5, 0x6] }
            [1970-01-01 00:00:00.000000200] (cpu 0) -- 2 events lost after 1970-01-01 00:00:00.000000200 --
            [1970-01-01 00:00:00.000000220] (cpu 1) syscall_entry_fork: { pid = 7, tid = 8 }, { id = 57, args = [0x1, 0x2, 0x3, 0x4, 0x5, 0x6] }
            [1970-01-01 00:00:00.000000220] (cpu 1) -- 3 events lost after 1970-01-01 00:00:00.000000220 --
            ! tracewright: perf.data: 21 events lost in 4 gaps; `tracewright info` says where
            exit 1
        "#]],
    );
}

#[test]
fn steps_go_to_the_threads_that_the_samples_name() {
    check(
        "loops perf.data --tracks 1",
        expect![[r#"
        6 events on 3 tracks; 21 events lost in 4 gaps

        shell 5: 3 steps (50.0 %) of 2 kinds, 2 gaps
          symbols  A = sched_switch  B = syscall_entry_read
          level 0  A <gap> B <gap> A?

        ... and 2 tracks more with 3 steps (--tracks N, --all)
        ! tracewright: perf.data: 21 events lost in 4 gaps; `tracewright info` says where
        exit 1
    "#]],
    );
}

#[test]
fn what_perf_left_when_it_was_killed() {
    check(
        "events killed",
        expect![[r#"
            [1970-01-01 00:00:00.000000100] (cpu 0) tracepoint 1: { procname = "shell", pid = 7, tid = 5 }
            [1970-01-01 00:00:00.000000120] (cpu 0) tracepoint 3: { procname = "shell", pid = 7, tid = 6 }
            [1970-01-01 00:00:00.000000120] (cpu 0) -- 12 events lost between 1970-01-01 00:00:00.000000120 and 00:00:00.000000200 --
            [1970-01-01 00:00:00.000000150] (cpu 1) tracepoint 2: { procname = "shell", pid = 7, tid = 5 }
            [1970-01-01 00:00:00.000000190] (cpu 1) tracepoint 1: { procname = "shell", pid = 7, tid = 5 }
            [1970-01-01 00:00:00.000000190] (cpu 1) -- 4 events lost between 1970-01-01 00:00:00.000000190 and 00:00:00.000000210 --
            [1970-01-01 00:00:00.000000200] (cpu 0) tracepoint 2: { procname = "shell", pid = 7, tid = 6 }
            [1970-01-01 00:00:00.000000200] (cpu 0) -- 2 events lost after 1970-01-01 00:00:00.000000200 --
            [1970-01-01 00:00:00.000000200] (cpu 0) -- an unknown number of events lost after 1970-01-01 00:00:00.000000200 --
            [1970-01-01 00:00:00.000000220] (cpu 1) tracepoint 2: { pid = 7, tid = 8 }
            [1970-01-01 00:00:00.000000220] (cpu 1) -- 3 events lost after 1970-01-01 00:00:00.000000220 --
            [1970-01-01 00:00:00.000000220] (cpu 1) -- an unknown number of events lost after 1970-01-01 00:00:00.000000220 --
            ! tracewright: killed: 21 events lost in 6 gaps; `tracewright info` says where
            ! tracewright: killed, byte 40: perf did not finish this file (killed, or still running): what the buffers held last is missing, and so are the descriptions of events and machine, which it writes at the end.
            ! tracewright: killed, byte 1824: The fields of 3 of 3 tracepoints are not described, so their samples are shown without any.
            exit 1
        "#]],
    );
}

#[test]
fn a_file_that_is_not_supported_is_refused_in_a_sentence() {
    let pipe = [&b"PERFILE2"[..], &16u64.to_le_bytes()].concat();
    let big = b"2ELIFREP\0\0\0\0\0\0\0\x68";
    let folder = folder().with("pipe", pipe).with("big", big).with("cut", b"PERFILE2");
    for (name, sentence) in
        [("pipe", "It has no events."), ("big", "a big-endian machine"), ("cut", "within its header")]
    {
        let ran = folder.run(&format!("info {name}"));
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{ran}");
        assert!(ran.err.contains(sentence), "{ran}");
    }
}

#[test]
fn a_recording_made_here() {
    let folder = folder();
    let data = folder.path.join("real.data");
    let run = Command::new("perf")
        .args(["record", "-m", "1", "-o"])
        .arg(&data)
        .args(["-e", "sched:*", "-e", "raw_syscalls:*", "--"])
        .args(["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=20000"])
        .output();
    let Some(run) = run.ok().filter(|output| output.status.success()) else {
        return testing::skip("perf cannot record here");
    };
    // What perf itself says of it: how many samples there were, and how many of them it wrote.
    let message = String::from_utf8_lossy(&run.stderr).into_owned();
    let number = |end: &str| {
        let before = message.split(end).next().filter(|before| before.len() < message.len())?;
        before.rsplit(|c: char| !c.is_ascii_digit()).find(|word| !word.is_empty())?.parse::<u64>().ok()
    };
    if let (Some(all), Some(written)) = (number(" samples and lost"), number(" samples)")) {
        let ran = folder.run("info real.data --json");
        let info: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(info["lost"]["events"], all - written, "{message}");
    }
    for command in ["info", "events", "loops"] {
        let ran = folder.run(&format!("{command} real.data"));
        assert!(ran.code <= 1, "{ran}");
        assert!(ran.out.contains("syscall_entry_write"), "{ran}");
        // Exit code 1 is the loss, which is told; a page for each CPU is never enough.
        let is_reported = format!("{}{}", ran.out, ran.err).contains("lost in");
        assert_eq!(ran.code == 1, is_reported, "{ran}");
    }
}
