//! Traces of Perfetto and what is read of them.
//!
//! The inputs are kept ones, made with Perfetto's own descriptions: `corpus/README.md`.

use std::fmt::Write;

use expect_test::{Expect, expect};
use model::{EventSource, FlowSource, FlowStep};

use super::{has_slices, may_be, read};
use crate::shown;

const SLICES: &[u8] = include_bytes!("../../../../corpus/perfetto/slices.pftrace");
const KERNEL: &[u8] = include_bytes!("../../../../corpus/perfetto/kernel.pftrace");

fn slices(recording: &dyn FlowSource) -> String {
    let mut out = String::new();
    for (number, thread) in recording.threads().iter().enumerate() {
        writeln!(out, "{} {:?}", thread.name, thread.tid).unwrap();
        let mut flow = recording.flow(number);
        let (mut depth, mut time) = (1, 0);
        while let Some(step) = flow.next_step() {
            let indent = "  ".repeat(depth);
            match step {
                FlowStep::Enter { method, how } => {
                    writeln!(out, "{indent}{} {how:?} at {time}", recording.code().method_name(method))
                        .unwrap();
                    depth += 1;
                }
                FlowStep::Leave { how } => {
                    depth -= 1;
                    writeln!(out, "{indent}{how:?} at {time}").unwrap();
                }
                FlowStep::Gap { lost } => writeln!(out, "{indent}{lost:?} at {time}").unwrap(),
                FlowStep::Inferred { .. } | FlowStep::Observed => {}
                FlowStep::Clock(_) | FlowStep::Mark(_) | FlowStep::Values(_) | FlowStep::Task(_) => {}
                FlowStep::Moment(moment) => time = moment.0,
                FlowStep::Blocks { .. } | FlowStep::Catch { .. } => {}
            }
        }
    }
    out + &shown::diagnostics(recording.diagnostics())
}

fn events(reader: &mut dyn EventSource) -> String {
    shown::events(reader, |_| true) + &shown::diagnostics(reader.diagnostics())
}

fn check(bytes: &[u8], expected: &Expect) {
    let recording = read("trace", bytes);
    let kernel = recording.kernel.map_or_else(String::new, |mut kernel| events(&mut *kernel));
    expected.assert_eq(&(slices(&*recording.slices) + &kernel));
}

#[test]
fn slices_are_calls_and_what_was_dropped_is_a_gap() {
    check(
        SLICES,
        &expect![[r#"
            main Some(43)
              shop.Baker.bake Outermost at 1010000
                open Call at 1015000
                  Returned at 1020000
                tick Call at 1025000
                  Returned at 1025000
                Returned at 1035000
              Unknown at 1056000
              shop.Baker.rest Outermost at 1100000
                Returned at 1101000
            main: requests None
              request Outermost at 1035000
                Returned at 1055000
              Unknown at 1056000
            helper Some(44)
              help Outermost at 1150000
                Returned at 1150000
            Note File { file: "trace", offset: 0 }: Events on tracks that are no slices are left out: 1 counters, 2 not understood without packets that were dropped.
        "#]],
    );
}

#[test]
fn what_the_kernel_wrote_are_events() {
    check(
        KERNEL,
        &expect![[r#"
            Note File { file: "trace", offset: 0 }: 10 events of the kernel are in the file, too; `events`, `check` and `infer` read these.
            0 Some(1000) sched_switch tid=7 | prev_comm="t7" prev_tid=7 prev_prio=120 prev_state=1 next_comm="t8" next_tid=8 next_prio=120
            1 Some(1005) sched_switch | next_comm="t9" next_tid=9 next_prio=120 prev_state=1
            1 Some(1006) print tid=9 | ip=0xffff buf="B|9|draw"
            1 Some(1007) sched_waking | comm="cc" tid=7 prio=120 target_cpu=0
            0 Some(1010) sched_switch tid=8 | prev_comm="t8" prev_tid=8 prev_prio=120 prev_state=256 next_comm="t7" next_tid=7 next_prio=120
            0 Some(1011) syscall_entry_write tid=7 | id=1 args[3 =0x1 =0x2 =0x3]
            0 Some(1012) syscall_exit_write tid=7 | id=1 ret=-2
            gap 0 before 4: Events(5) Some(1012) Some(1020)
            1 Some(1015) sched_switch | prev_comm="t9" prev_tid=9 prev_prio=120 next_comm="cc" next_tid=10 next_prio=120 prev_state=0
            1 Some(1016) ftrace event 616 tid=10 | field 1=7 field 2="x"
            0 Some(1020) sched_switch tid=8 | prev_comm="t8" prev_tid=8 prev_prio=120 prev_state=0 next_comm="t7" next_tid=7 next_prio=120
        "#]],
    );
}

#[test]
fn a_file_that_is_cut_or_damaged_is_read_as_far_as_it_goes() {
    check(
        &KERNEL[..KERNEL.len() - 5],
        &expect![[r#"
            Damage File { file: "trace", offset: 286 }: The file ends 6 bytes into a packet of 11 bytes.
            Note File { file: "trace", offset: 0 }: 10 events of the kernel are in the file, too; `events`, `check` and `infer` read these.
            0 Some(1000) sched_switch tid=7 | prev_comm="t7" prev_tid=7 prev_prio=120 prev_state=1 next_comm="t8" next_tid=8 next_prio=120
            1 Some(1005) sched_switch | next_comm="t9" next_tid=9 next_prio=120 prev_state=1
            1 Some(1006) print tid=9 | ip=0xffff buf="B|9|draw"
            1 Some(1007) sched_waking | comm="cc" tid=7 prio=120 target_cpu=0
            0 Some(1010) sched_switch tid=8 | prev_comm="t8" prev_tid=8 prev_prio=120 prev_state=256 next_comm="t7" next_tid=7 next_prio=120
            0 Some(1011) syscall_entry_write tid=7 | id=1 args[3 =0x1 =0x2 =0x3]
            0 Some(1012) syscall_exit_write tid=7 | id=1 ret=-2
            gap 0 before 4: Unknown Some(1012) Some(1020)
            1 Some(1015) sched_switch | prev_comm="t9" prev_tid=9 prev_prio=120 next_comm="cc" next_tid=10 next_prio=120 prev_state=0
            1 Some(1016) ftrace event 616 tid=10 | field 1=7 field 2="x"
            gap 1 before 5: Unknown Some(1016) None
            0 Some(1020) sched_switch tid=8 | prev_comm="t8" prev_tid=8 prev_prio=120 prev_state=0 next_comm="t7" next_tid=7 next_prio=120
            gap 0 before 5: Unknown Some(1020) None
            Damage File { file: "trace", offset: 286 }: The file ends 6 bytes into a packet of 11 bytes.
        "#]],
    );
    check(
        &[&SLICES[..60], &[0x0a, 2, 0x40, 0xff, 7]].concat(),
        &expect![[r#"
        Damage File { file: "trace", offset: 36 }: The file ends 27 bytes into a packet of 41 bytes.
    "#]],
    );
}

#[test]
fn the_beginning_tells_what_it_is() {
    for bytes in [SLICES, KERNEL] {
        for end in 8..bytes.len() {
            assert!(may_be(&bytes[..end]), "{end}");
        }
    }
    assert!(has_slices(SLICES) && !has_slices(KERNEL));
    let long = "\n{\"ts\":1,\"name\":\"a\"}\n".repeat(100);
    for bytes in [
        "",
        "\n",
        "\n\n\n",
        "\n{\"traceEvents\":[]}",
        "\n  <trace>",
        "PERFILE2",
        &long,
        "\n[{\"ph\":\"X\",\"ts\":1}]",
    ] {
        assert!(!may_be(bytes.as_bytes()), "{bytes}");
    }
}
