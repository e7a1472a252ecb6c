//! `tracewright values` of a kept recording: together, call by call, and as data.

use std::path::{Path, PathBuf};

use expect_test::expect;
use serde_json::Value;

use super::util::{below_root, folder};

fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/tests/values.capture")
}

fn run(arguments: &[&str]) -> String {
    let capture = kept().display().to_string();
    let ran = folder().run_with([&["values", &capture], arguments].concat().into_iter(), "");
    format!("{}{}exit {}\n", ran.out, ran.err, ran.code)
}

#[test]
fn calls_are_shown_together_and_one_by_one() {
    expect![[r#"
    "#]]
    .assert_eq(&run(&["--method", "Cart.add", "--method", "deep"]));
    expect![[r#"
    "#]]
    .assert_eq(&run(&["--method", "deep", "--limit", "1"]));
    expect![[r#"
    "#]]
    .assert_eq(&run(&["--each", "--thread", "worker"]));
    expect![[r#"
    "#]]
    .assert_eq(&run(&["--each", "--failed"]));
    expect![[r#"
    "#]]
    .assert_eq(&run(&["--each", "--search", "CAKE", "--limit", "1"]));
    expect![[r#"
    "#]]
    .assert_eq(&run(&["--each", "--limit", "1"]));
    expect![[r#"
    "#]]
    .assert_eq(&run(&["--search", "nowhere"]));
}

#[test]
fn values_are_data() {
    let out = run(&["--json", "--method", "objects", "--method", "login", "--method", "all"]);
    let answer: Value = serde_json::from_str(out.strip_suffix("exit 0\n").unwrap()).unwrap();
    let shown: Vec<String> = answer["calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| {
            format!("{} {} -> {} {}\n", call["method"], call["arguments"], call["outcome"], call["value"])
        })
        .collect();
    expect![[r#"
    "#]]
    .assert_eq(&shown.concat());
}

#[test]
fn where_no_values_were_kept_that_is_said() {
    let folder = folder();
    let bakery = below_root("examples/bakery/bakery.capture");
    let ran = folder.run_with(["values", &bakery].into_iter(), "");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert_eq!(
        ran.err,
        format!(
            "tracewright: {bakery} has no values of calls; they are kept of the methods that --values names when recording\n"
        )
    );
}
