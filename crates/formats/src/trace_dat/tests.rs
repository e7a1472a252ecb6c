//! Files of trace-cmd and what is read of them.
//!
//! The inputs are kept ones: pages that a kernel wrote, in files of both versions: `corpus/README.md`.

use std::fmt::Write;

use expect_test::{Expect, expect};
use model::EventSource;

use super::Reader;
use crate::shown;
use source::NamedSource;

const COMPRESSED: &[u8] = include_bytes!("../../../../corpus/trace_dat/compressed");
const VERSION_6: &[u8] = include_bytes!("../../../../corpus/trace_dat/version-6");

/// The first events of each kind, all gaps, streams and diagnostics.
fn read(bytes: &[u8]) -> String {
    let file = NamedSource { name: "trace.dat".into(), source: Box::new(bytes.to_vec()) };
    let mut reader = match Reader::open(file) {
        Ok(reader) => reader,
        Err(error) => return format!("{error}\n"),
    };
    let mut seen = std::collections::BTreeSet::new();
    let mut text = shown::events(&mut reader, |symbol| seen.insert(symbol));
    for info in reader.streams() {
        writeln!(text, "stream {}: {} events in {} pages", info.name, info.events, info.packets).unwrap();
    }
    text + &shown::diagnostics(reader.diagnostics())
}

fn check(bytes: &[u8], expected: &Expect) {
    expected.assert_eq(&read(bytes));
}

#[test]
fn pages_of_a_kernel_are_read_with_their_losses() {
    check(
        COMPRESSED,
        &expect![[r#"
        gap 0 before 0: Events(12168) None Some(13105137515083)
        gap 1 before 0: Events(22530) None Some(13105141356939)
        0 Some(13105137515083) syscall_entry_gettid procname="C2 CompilerThre" tid=3433 | id=186 args[6 =0x7fb5c8218260 =0x7fb66c106c20 =0x0 =0x0 =0x3 =0x7fb639ffc030]
        0 Some(13105137515384) syscall_exit_gettid procname="C2 CompilerThre" tid=3433 | id=186 ret=3433
        0 Some(13105139823430) timer_hrtimer_start procname="C2 CompilerThre" tid=3433 | hrtimer=0xffff888627c1c6f8 function=0xffffffff814352e0 expires=13105120000000 softexpires=13105120000000 mode=0x0 was_armed=0x0
        0 Some(13105139831051) irq_softirq_entry procname="C2 CompilerThre" tid=3433 | vec=0x9
        0 Some(13105139835148) irq_softirq_exit procname="C2 CompilerThre" tid=3433 | vec=0x9
        0 Some(13105139838372) sched_switch procname="C2 CompilerThre" tid=3433 | prev_comm="C2 CompilerThre" prev_tid=3433 prev_prio=110 prev_state=0 next_comm="java" next_tid=3412 next_prio=110
        0 Some(13105139853305) syscall_exit_openat tid=3412 | id=257 ret=6
        0 Some(13105139855448) syscall_entry_newfstatat tid=3412 | id=262 args[6 =0x6 =0x7fb673852dd5 =0x7fb6721fdd00 =0x1000 =0x0 =0x69bc22ab0]
        0 Some(13105139857811) syscall_exit_newfstatat tid=3412 | id=262 ret=0
        0 Some(13105140387179) syscall_entry_write tid=3412 | id=1 args[6 =0x6 =0x7fb6721fbd00 =0x591 =0xc =0x0 =0x69bc22b40]
        0 Some(13105140405427) syscall_exit_write tid=3412 | id=1 ret=1425
        0 Some(13105140411746) syscall_entry_close tid=3412 | id=3 args[6 =0x6 =0x0 =0x0 =0xc =0x69bc22b40 =0x69bc22b40]
        0 Some(13105140471835) syscall_exit_close tid=3412 | id=3 ret=0
        0 Some(13105140590031) syscall_entry_openat tid=3412 | id=257 args[6 =0xffffff9c =0x7fb66c449020 =0x241 =0x1b6 =0x0 =0x69bc2bcc8]
        0 Some(13105140619515) sched_waking tid=3412 | comm="kworker/0:1H" tid=44 prio=100 target_cpu=0
        0 Some(13105140623762) sched_wakeup tid=3412 | comm="kworker/0:1H" tid=44 prio=100 target_cpu=0
        1 Some(13105141400574) syscall_exit_clock_nanosleep tid=4955 | id=230 ret=0
        1 Some(13105141401645) syscall_entry_getppid tid=4955 | id=110 args[6 =0x7f84b26e99e0 =0x0 =0x7f84b2e694a0 =0x0 =0x4e0 =0x0]
        1 Some(13105141402066) syscall_exit_getppid tid=4955 | id=110 ret=4911
        1 Some(13105141402637) syscall_entry_clock_nanosleep tid=4955 | id=230 args[6 =0x1 =0x1 =0x7f84b1a32b00 =0x0 =0x0 =0x0]
        gap 1 before 80: Events(3) Some(13105141970502) None
        stream twf cpu 0: 84 events in 1 pages
        stream twf cpu 1: 80 events in 1 pages
    "#]],
    );
}

#[test]
fn both_versions_say_the_same() {
    let events = |bytes| read(bytes).replace("stream twf ", "stream ");
    assert_eq!(events(VERSION_6), events(COMPRESSED));
}

#[test]
fn what_cannot_be_read_is_told() {
    check(
        b"\x17\x08\x44tracing",
        &expect![[r#"
        The file ends within its header (byte 10)
    "#]],
    );
    check(
        b"\x17\x08\x44tracing8\0",
        &expect![[r#"
        Its version is neither 6 nor 7, and no other is read (byte 10)
    "#]],
    );
    check(
        b"\x17\x08\x44tracing6\0\x01\x08\0\x10\0\0",
        &expect![[r#"
        It was written on a big-endian machine, which is not supported (byte 12)
    "#]],
    );
    check(
        b"\x17\x08\x44tracin",
        &expect![[r#"
        it is no trace.dat
    "#]],
    );
    check(
        &VERSION_6[..VERSION_6.len() - 5_000],
        &expect![[r#"
        gap 0 before 0: Unknown None Some(13105137515083)
        gap 1 before 0: Unknown None None
        0 Some(13105137515083) syscall_entry_gettid procname="C2 CompilerThre" tid=3433 | id=186 args[6 =0x7fb5c8218260 =0x7fb66c106c20 =0x0 =0x0 =0x3 =0x7fb639ffc030]
        0 Some(13105137515384) syscall_exit_gettid procname="C2 CompilerThre" tid=3433 | id=186 ret=3433
        0 Some(13105139823430) timer_hrtimer_start procname="C2 CompilerThre" tid=3433 | hrtimer=0xffff888627c1c6f8 function=0xffffffff814352e0 expires=13105120000000 softexpires=13105120000000 mode=0x0 was_armed=0x0
        0 Some(13105139831051) irq_softirq_entry procname="C2 CompilerThre" tid=3433 | vec=0x9
        0 Some(13105139835148) irq_softirq_exit procname="C2 CompilerThre" tid=3433 | vec=0x9
        0 Some(13105139838372) sched_switch procname="C2 CompilerThre" tid=3433 | prev_comm="C2 CompilerThre" prev_tid=3433 prev_prio=110 prev_state=0 next_comm="java" next_tid=3412 next_prio=110
        0 Some(13105139853305) syscall_exit_openat tid=3412 | id=257 ret=6
        0 Some(13105139855448) syscall_entry_newfstatat tid=3412 | id=262 args[6 =0x6 =0x7fb673852dd5 =0x7fb6721fdd00 =0x1000 =0x0 =0x69bc22ab0]
        0 Some(13105139857811) syscall_exit_newfstatat tid=3412 | id=262 ret=0
        0 Some(13105140387179) syscall_entry_write tid=3412 | id=1 args[6 =0x6 =0x7fb6721fbd00 =0x591 =0xc =0x0 =0x69bc22b40]
        0 Some(13105140405427) syscall_exit_write tid=3412 | id=1 ret=1425
        gap 0 before 67: Unknown Some(13105140405427) None
        stream cpu 0: 67 events in 1 pages
        stream cpu 1: 0 events in 0 pages
        Damage File { file: "trace.dat", offset: 16384 }: The file ends before all pages of a CPU are there.
        Damage File { file: "trace.dat", offset: 15480 }: A page makes no sense from some record on; the rest of it is left out.
        Damage File { file: "trace.dat", offset: 15480 }: The file ends before all pages of a CPU are there.
        Note File { file: "trace.dat", offset: 0 }: The kernel counted 12168 lost events of cpu 0 more than the pages say; how many were lost at each place is not said.
    "#]],
    );
    let mut bytes = VERSION_6.to_vec();
    // A record in the middle of a page claims to be longer than the page.
    let at = bytes.len() - 4_096 + 1_000;
    bytes[at..at + 400].fill(28);
    check(
        &bytes,
        &expect![[r#"
        gap 0 before 0: Events(12168) None Some(13105137515083)
        gap 1 before 0: Events(22530) None Some(13105141356939)
        0 Some(13105137515083) syscall_entry_gettid procname="C2 CompilerThre" tid=3433 | id=186 args[6 =0x7fb5c8218260 =0x7fb66c106c20 =0x0 =0x0 =0x3 =0x7fb639ffc030]
        0 Some(13105137515384) syscall_exit_gettid procname="C2 CompilerThre" tid=3433 | id=186 ret=3433
        0 Some(13105139823430) timer_hrtimer_start procname="C2 CompilerThre" tid=3433 | hrtimer=0xffff888627c1c6f8 function=0xffffffff814352e0 expires=13105120000000 softexpires=13105120000000 mode=0x0 was_armed=0x0
        0 Some(13105139831051) irq_softirq_entry procname="C2 CompilerThre" tid=3433 | vec=0x9
        0 Some(13105139835148) irq_softirq_exit procname="C2 CompilerThre" tid=3433 | vec=0x9
        0 Some(13105139838372) sched_switch procname="C2 CompilerThre" tid=3433 | prev_comm="C2 CompilerThre" prev_tid=3433 prev_prio=110 prev_state=0 next_comm="java" next_tid=3412 next_prio=110
        0 Some(13105139853305) syscall_exit_openat tid=3412 | id=257 ret=6
        0 Some(13105139855448) syscall_entry_newfstatat tid=3412 | id=262 args[6 =0x6 =0x7fb673852dd5 =0x7fb6721fdd00 =0x1000 =0x0 =0x69bc22ab0]
        0 Some(13105139857811) syscall_exit_newfstatat tid=3412 | id=262 ret=0
        0 Some(13105140387179) syscall_entry_write tid=3412 | id=1 args[6 =0x6 =0x7fb6721fbd00 =0x591 =0xc =0x0 =0x69bc22b40]
        0 Some(13105140405427) syscall_exit_write tid=3412 | id=1 ret=1425
        0 Some(13105140411746) syscall_entry_close tid=3412 | id=3 args[6 =0x6 =0x0 =0x0 =0xc =0x69bc22b40 =0x69bc22b40]
        0 Some(13105140471835) syscall_exit_close tid=3412 | id=3 ret=0
        0 Some(13105140590031) syscall_entry_openat tid=3412 | id=257 args[6 =0xffffff9c =0x7fb66c449020 =0x241 =0x1b6 =0x0 =0x69bc2bcc8]
        0 Some(13105140619515) sched_waking tid=3412 | comm="kworker/0:1H" tid=44 prio=100 target_cpu=0
        0 Some(13105140623762) sched_wakeup tid=3412 | comm="kworker/0:1H" tid=44 prio=100 target_cpu=0
        1 Some(13105141400574) syscall_exit_clock_nanosleep tid=4955 | id=230 ret=0
        1 Some(13105141401645) syscall_entry_getppid tid=4955 | id=110 args[6 =0x7f84b26e99e0 =0x0 =0x7f84b2e694a0 =0x0 =0x4e0 =0x0]
        1 Some(13105141402066) syscall_exit_getppid tid=4955 | id=110 ret=4911
        1 Some(13105141402637) syscall_entry_clock_nanosleep tid=4955 | id=230 args[6 =0x1 =0x1 =0x7f84b1a32b00 =0x0 =0x0 =0x0]
        1 Some(13105156266086) tracepoint 7196 |
        1 Some(13105201529617) tracepoint 4900 |
        gap 1 before 26: Unknown Some(13105201529617) None
        stream cpu 0: 84 events in 1 pages
        stream cpu 1: 26 events in 1 pages
        Damage File { file: "trace.dat", offset: 20480 }: A page makes no sense from some record on; the rest of it is left out.
    "#]],
    );
}
