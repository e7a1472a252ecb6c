//! `tracewright info`.

use crate::util::{LOSSY, WHOLE, folder};
use expect_test::{Expect, expect};

fn check(arguments: &str, expected: Expect) {
    let folder = folder().with("whole.jsonl", WHOLE).with("lossy.jsonl", LOSSY);
    expected.assert_eq(&folder.run(arguments).to_string());
}

#[test]
fn a_whole_trace() {
    check(
        "info whole.jsonl",
        expect![[r#"
        whole.jsonl
          format   event lines
          time     2026-11-21 07:25:08.000000000 to 07:25:08.300000000 UTC (300.000 ms)
          events   4 in 2 streams
          lost     nothing

        Streams
          name  cpu  packets  events  lost  gaps  time
          web     0        0       2     -  -     2026-11-21 07:25:08.000000000 to 07:25:08.100000000
          db      1        0       2     -  -     2026-11-21 07:25:08.200000000 to 07:25:08.300000000

        Events of 3 kinds
          2  50.0 %  query
          1  25.0 %  read
          1  25.0 %  start
        exit 0
    "#]],
    );
}

#[test]
fn losses_and_damage_are_told_and_the_exit_code_is_1() {
    check(
        "info lossy.jsonl",
        expect![[r#"
        lossy.jsonl
          format   event lines
          time     1970-01-01 00:00:00.000000100 to 00:00:00.000000400 UTC (300 ns)
          events   3 in 1 stream
          lost     7 events lost in 1 gap

        Streams
          name  cpu  packets  events  lost  gaps  time
          s       -        0       3     7  1     1970-01-01 00:00:00.000000100 to 00:00:00.000000400

        Events of 2 kinds
          2  66.7 %  a
          1  33.3 %  b

        Losses: 7 events lost in 1 gap
          s  7 events  between 1970-01-01 00:00:00.000000100 and 00:00:00.000000200

        Diagnostics
          lossy.jsonl, line 5: the line was left out: it ends at byte 34 where `,` or `}` should be
        exit 1
    "#]],
    );
}

#[test]
fn allow_loss_iterations_the_exit_code_into_0() {
    let folder = folder().with("lossy.jsonl", LOSSY);
    assert_eq!(folder.run("info lossy.jsonl --allow-loss").code, 0);
}

#[test]
fn everything_as_json() {
    check(
        "info lossy.jsonl --json",
        expect![[r#"
        {"input":"lossy.jsonl","traces":[{"name":"","format":"event lines","host":null,"tracer":null,"environment":{},"clocks":[]}],"from":100,"to":400,"events":3,"lost":{"events":7,"packets":0,"gaps":1},"names":[{"name":"a","events":2},{"name":"b","events":1}],"streams":[{"name":"s","trace":0,"cpu":null,"packets":0,"events":3,"from":100,"to":400,"lost":{"events":7,"packets":0,"gaps":1}}],"gaps":[{"stream":"s","before_event":1,"from":100,"to":200,"lost":7,"unit":"events"}],"diagnostics":[{"code":"line-damaged","severity":"damage","file":"lossy.jsonl","line":5,"sentence":"the line was left out: it ends at byte 34 where `,` or `}` should be"}]}
        exit 1
    "#]],
    );
}

#[test]
fn standard_input() {
    let ran = folder().run_with(["info", "-"], "{\"name\":\"a\"}\n{\"name\":\"a\"}\n");
    expect![[r#"
        stdin
          format   event lines
          events   2 in 1 stream
          lost     nothing

        Streams
          name   cpu  packets  events  lost  gaps  time
          stdin    -        0       2     -  -

        Events of 1 kind
          2  100.0 %  a
        exit 0
    "#]]
    .assert_eq(&ran.to_string());
}

#[test]
fn an_empty_input_is_an_empty_trace() {
    let ran = folder().run_with(["info", "-"], "");
    expect![[r#"
        stdin
          format   event lines
          events   0 in 0 streams
          lost     nothing

        Streams
          name  cpu  packets  events  lost  gaps  time

        Events of 0 kinds
        exit 0
    "#]]
    .assert_eq(&ran.to_string());
}

#[test]
fn long_lists_are_cut_and_all_shows_them() {
    let lines: String =
        (0..30).map(|n| format!("{{\"name\":\"e{n:02}\",\"stream\":\"s{n:02}\"}}\n?\n")).collect();
    let folder = folder().with("long.jsonl", lines);
    let short = folder.run("info long.jsonl");
    assert_eq!(short.out.matches("... and 10 more (--all shows them)").count(), 3, "{short}");
    let all = folder.run("info long.jsonl --all");
    assert!(!all.out.contains("more (") && all.out.contains("e29") && all.out.contains("line 60"), "{all}");
}

#[test]
fn what_cannot_be_opened_is_named_and_the_exit_code_is_2() {
    let folder = folder()
        .with("plain.txt", "hello")
        .with("empty/nothing", "")
        .with("t/metadata", "")
        .with("t/s_0", "");
    for (arguments, sentence) in [
        ("info missing", "cannot open missing: "),
        ("info plain.txt", "expected a folder or a tar that holds a CTF trace"),
        ("info empty", "no file below it is called `metadata`"),
        ("info t/metadata", "t/metadata is one file of a CTF trace; give its folder, t"),
        ("info t/s_0", "t/s_0 is one file of a CTF trace; give its folder, t"),
        ("info t", "t"),
        ("info", "required arguments"),
    ] {
        let ran = folder.run(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{arguments}: {ran}");
        assert!(ran.err.contains(sentence), "{arguments}: {ran}");
    }
}
