//! `tracewright loops`. What the text looks like in detail is tested beside the view.

use crate::util::{LOSSY, WHOLE, folder};
use expect_test::{Expect, expect};

fn check(arguments: &str, expected: Expect) {
    let folder =
        folder().with("whole.jsonl", WHOLE).with("lossy.jsonl", LOSSY).with("h.txt", "a b\nb b <gap> b c");
    expected.assert_eq(&folder.run(arguments).to_string());
}

#[test]
fn letters() {
    check("loops --symbols ABCBACACBCBACACACBCBACACACAC", expect![[""]]);
}

#[test]
fn letters_as_json() {
    check("loops --symbols ABCBACACBCBACACACBCBACACACAC --json", expect![[""]]);
}

#[test]
fn levels_can_be_bounded() {
    check("loops --symbols ABCBACACBCBACACACBCBACACACAC --levels 1", expect![[""]]);
}

#[test]
fn short_loops() {
    check("loops --symbols ABCDDDDEFGGGABCDEFGGG --short-loops", expect![[""]]);
}

#[test]
fn a_history_from_a_file() {
    check("loops --history h.txt", expect![[""]]);
}

#[test]
fn a_history_from_standard_input_as_json() {
    let ran = folder().run_with(["loops", "--history", "-", "--json"], "x y x y");
    expect![[""]].assert_eq(&ran.to_string());
}

#[test]
fn a_trace() {
    check("loops whole.jsonl", expect![[""]]);
}

#[test]
fn a_loss_ends_a_run() {
    check("loops lossy.jsonl", expect![[""]]);
}

#[test]
fn a_loss_as_json() {
    check("loops lossy.jsonl --json --allow-loss", expect![[""]]);
}

#[test]
fn what_is_left_out_is_said() {
    check("loops whole.jsonl --tracks 1", expect![[""]]);
    check("loops --symbols ABABCABABDABAB --runs 2", expect![[""]]);
}

#[test]
fn one_kind_of_input_only() {
    let folder = folder();
    for arguments in
        ["loops", "loops x --symbols A", "loops --symbols A --history x", "loops --symbols A --levels 0"]
    {
        assert_eq!(folder.run(arguments).code, 2, "{arguments}");
    }
    check("loops --history missing.txt", expect![[""]]);
}
