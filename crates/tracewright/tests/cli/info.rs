//! `tracewright info`.

use crate::util::{LOSSY, WHOLE, folder};
use expect_test::{Expect, expect};

fn check(arguments: &str, expected: Expect) {
    let folder = folder().with("whole.jsonl", WHOLE).with("lossy.jsonl", LOSSY);
    expected.assert_eq(&folder.run(arguments).to_string());
}

#[test]
fn a_whole_trace() {
    check("info whole.jsonl", expect![[""]]);
}

#[test]
fn losses_and_damage_are_told_and_the_exit_code_is_1() {
    check("info lossy.jsonl", expect![[""]]);
}

#[test]
fn allow_loss_turns_the_exit_code_into_0() {
    let folder = folder().with("lossy.jsonl", LOSSY);
    assert_eq!(folder.run("info lossy.jsonl --allow-loss").code, 0);
}

#[test]
fn everything_as_json() {
    check("info lossy.jsonl --json", expect![[""]]);
}

#[test]
fn standard_input() {
    let ran = folder().run_with(["info", "-"], "{\"name\":\"a\"}\n{\"name\":\"a\"}\n");
    expect![[""]].assert_eq(&ran.to_string());
}

#[test]
fn an_empty_input_is_an_empty_trace() {
    let ran = folder().run_with(["info", "-"], "");
    expect![[""]].assert_eq(&ran.to_string());
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
        ("info plain.txt", "expected a folder that holds a CTF trace"),
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
