//! Texts of ftrace and what is read of them.

use expect_test::{Expect, expect};
use model::EventSource;

use super::Reader;
use crate::shown;

fn check(text: &str, expected: &Expect) {
    let mut reader = Reader::new("trace", text.as_bytes(), 0);
    let mut text = shown::events(&mut reader, |_| true);
    for info in reader.streams() {
        text += &format!("stream {}: {} events\n", info.name, info.events);
    }
    text += &shown::diagnostics(reader.diagnostics());
    expected.assert_eq(&text);
}

#[test]
fn the_file_trace_is_read() {
    check(
        "# tracer: nop
#
# entries-in-buffer/entries-written: 10/10   #P:2
#
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
            bash-4174    [000] d..2. 13077.560896: sched_switch: prev_comm=a=b [000] c prev_pid=4174 prev_prio=120 prev_state=R+ ==> next_comm=VM Periodic Tas next_pid=35 next_prio=120
          <idle>-0       [001] d.s4. 13077.560899: sched_waking: comm=kworker/u8:2 pid=35 prio=120 target_cpu=000
           <...>-3408  ( 3400) [001] ..s.. 13077.5608991: softirq_entry: vec=4 [action=BLOCK]
     VM [001] 7-3408  (-----) [001] d.h4. 13077.562100: hrtimer_start: hrtimer=0000000091a63edc function=dl_task_timer expires=13078488297458 mode=ABS|HARD was_armed=0
            bash-4174    [000] ..... 13077.562110: sys_enter: NR 33 (b, 1, 5596596619bc)
            bash-4174    [000] ..... 13077.562111: sys_exit: NR 33 = -2
            bash-4174    [000] ..... 13077.562112: sys_read(fd: 3, buf: 7f1c5, count: 100)
            bash-4174    [000] ..... 13077.562113: sys_read -> 0x64
            bash-4174    [000] ..... 13077.562114: tracing_mark_write: hello there
            bash-4174    [000] ..... 13077.562115: sched_process_fork: comm=bash pid=4174 child_comm=bash child_pid=4179
",
        &expect![[r#"
            0 Some(13077560896000) sched_switch procname="bash" tid=4174 | prev_comm="a=b [000] c" prev_tid=4174 prev_prio=120 prev_state=256 next_comm="VM Periodic Tas" next_tid=35 next_prio=120
            1 Some(13077560899000) sched_waking procname="<idle>" tid=0 | comm="kworker/u8:2" tid=35 prio=120 target_cpu=0
            1 Some(13077560899100) irq_softirq_entry pid=3400 tid=3408 | vec=4 action="BLOCK"
            1 Some(13077562100000) timer_hrtimer_start procname="VM [001] 7" tid=3408 | hrtimer=0x91a63edc function="dl_task_timer" expires=13078488297458 mode="ABS|HARD" was_armed=0
            0 Some(13077562110000) syscall_entry_unknown procname="bash" tid=4174 | id=33 args[3 =0xb =0x1 =0x5596596619bc]
            0 Some(13077562111000) syscall_exit_unknown procname="bash" tid=4174 | id=33 ret=-2
            0 Some(13077562112000) syscall_entry_read procname="bash" tid=4174 | fd=0x3 buf=0x7f1c5 count=0x100
            0 Some(13077562113000) syscall_exit_read procname="bash" tid=4174 | ret=0x64
            0 Some(13077562114000) tracing_mark_write procname="bash" tid=4174 | text="hello there"
            0 Some(13077562115000) sched_process_fork procname="bash" tid=4174 | parent_comm="bash" parent_tid=4174 child_comm="bash" child_tid=4179
            stream cpu 0: 7 events
            stream cpu 1: 3 events
        "#]],
    );
}

#[test]
fn gaps_come_right_behind_the_last_event_before_them() {
    check(
        "            bash-1  [000] d..2. 1.000001: a: n=1
           other-2  [001] d..2. 1.000002: b: n=1
           other-2  [001] d..2. 1.000003: b: n=2
CPU:0 [LOST 84 EVENTS]
            bash-1  [000] d..2. 1.000004: a: n=2
CPU:2 [LOST EVENTS]
            bash-3  [002] d..2. 1.000005: c: n=1
CPU:1 [LOST 7 EVENTS]
",
        &expect![[r#"
            gap 2 before 0: Unknown None Some(1000005000)
            0 Some(1000001000) a procname="bash" tid=1 | n=1
            gap 0 before 1: Events(84) Some(1000001000) Some(1000004000)
            1 Some(1000002000) b procname="other" tid=2 | n=1
            1 Some(1000003000) b procname="other" tid=2 | n=2
            gap 1 before 2: Events(7) Some(1000003000) None
            0 Some(1000004000) a procname="bash" tid=1 | n=2
            2 Some(1000005000) c procname="bash" tid=3 | n=1
            stream cpu 0: 2 events
            stream cpu 1: 2 events
            stream cpu 2: 1 events
        "#]],
    );
}

#[test]
fn what_was_overwritten_is_missing_in_front() {
    let text = "# tracer: nop
# entries-in-buffer/entries-written: 2/35117   #P:1
            bash-1  [000] d..2. 1.000001: a: n=1
            bash-1  [000] d..2. 1.000002: a: n=2
";
    check(
        text,
        &expect![[r#"
        gap 0 before 0: Events(35115) None Some(1000001000)
        0 Some(1000001000) a procname="bash" tid=1 | n=1
        0 Some(1000002000) a procname="bash" tid=1 | n=2
        stream cpu 0: 2 events
    "#]],
    );
    let text = text.replace("#P:1", "#P:2") + "##### CPU 1 buffer started ####\n  x-7 [001] .... 2: a:\n";
    check(
        &text,
        &expect![[r#"
        gap 2 before 0: Events(35115) None Some(1000001000)
        gap 0 before 0: Unknown None Some(1000001000)
        gap 1 before 0: Unknown None Some(2)
        0 Some(1000001000) a procname="bash" tid=1 | n=1
        0 Some(1000002000) a procname="bash" tid=1 | n=2
        1 Some(2) a procname="x" tid=7 |
        stream cpu 0: 2 events
        stream cpu 1: 1 events
        stream unknown: 0 events
    "#]],
    );
}

#[test]
fn what_trace_cmd_prints_is_read() {
    check(
        "cpus=2
twf: CPU:0 [12168 EVENTS DROPPED]
twf:    kworker/u8:2-35    [000] 13077.560910: sched_switch:         kworker/u8:2:35 [120] W ==> bash:4179 [119]
twf:             java-3408  [001] 13077.560801123: sched_wakeup:         kworker/u8:2:35 [120] CPU:001
             C2: x-9  [001] ..... 13077.560802: print:                hello
",
        &expect![[r#"
            gap 0 before 0: Events(12168) None Some(13077560910000)
            0 Some(13077560910000) sched_switch procname="kworker/u8:2" tid=35 | prev_comm="kworker/u8:2" prev_tid=35 prev_prio=120 prev_state=128 next_comm="bash" next_tid=4179 next_prio=119
            1 Some(13077560801123) sched_wakeup procname="java" tid=3408 | comm="kworker/u8:2" tid=35 prio=120 target_cpu=1
            2 Some(13077560802000) print procname="C2: x" tid=9 | text="hello"
            stream twf cpu 0: 1 events
            stream twf cpu 1: 1 events
            stream cpu 1: 1 events
        "#]],
    );
}

#[test]
fn functions_are_events() {
    check(
        "# tracer: function
            bash-1  [000] d..2. 1.000001: vfs_read <-ksys_read
",
        &expect![[r#"
            0 Some(1000001000) vfs_read procname="bash" tid=1 | parent="ksys_read"
            stream cpu 0: 1 events
        "#]],
    );
    check(
        "# tracer: function_graph
#
# CPU  DURATION                  FUNCTION CALLS
# |     |   |                     |   |   |   |
 0)               |  vfs_read() {
 0)   1.234 us    |    rw_verify_area();
 0)   5.0 us      |  }
 ------------------------------------------
 1)  bash-1  =>  <idle>-0
",
        &expect![[r#"
            0 None vfs_read |
            0 None rw_verify_area |
            stream cpu 0: 2 events
        "#]],
    );
}

#[test]
fn other_lines_are_told() {
    check(
        "hello\n  bash-1 [000] .... x: a: b\n\n  bash-99999999999999999999 [000] .... 1: a: b\nbash-1 [000] 1: a\n  a-1 [0] 1.1: b: pid=",
        &expect![[r#"
        0 Some(1) a procname="bash" tid=1 |
        0 Some(1100000000) b procname="a" tid=1 | pid=""
        stream cpu 0: 2 events
        Damage Line { file: "trace", line: 1 }: the line is no event of ftrace and was left out
        Damage Line { file: "trace", line: 2 }: the line is no event of ftrace and was left out
        Damage Line { file: "trace", line: 4 }: the line is no event of ftrace and was left out
    "#]],
    );
}

#[test]
fn the_beginning_tells_what_it_is() {
    for text in [
        "# tracer: nop\n#",
        "cpus=2\n a-1 [000] 1.5: b: c\n",
        "  a-1 [000] 1.5: b: c\nx",
        "CPU:1 [LOST 7 EVENTS]\n",
    ] {
        assert!(super::may_be(text.as_bytes()), "{text}");
    }
    for text in ["", "# trace\n", "{\"name\":\"a\"}\n", "hello\n", "  a-1 [000] 1.5: b", "a [0] b: c\n"] {
        assert!(!super::may_be(text.as_bytes()), "{text}");
    }
}
