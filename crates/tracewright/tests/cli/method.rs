//! `method`: who called it, what it called, which lines ran how often.

use std::path::Path;

use expect_test::{Expect, expect};

use crate::util::folder;

fn bakery() -> String {
    let capture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bakery/bakery.capture");
    capture.to_string_lossy().into_owned()
}

fn source() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bakery").to_string_lossy().into_owned()
}

fn check(arguments: &[&str], expected: Expect) {
    let capture = bakery();
    let arguments = ["method", &capture].into_iter().chain(arguments.iter().copied());
    expected.assert_eq(&folder().run_with(arguments, []).to_string());
}

#[test]
fn callers_callees_and_lines_are_counted() {
    check(
        &["bakeOne"],
        expect![[r#"
            bakery.Baker.bakeOne (Baker.java:19-20,22-23)
            60 calls in 2 threads (baker 1, baker 2), 1,500 blocks

              called by
                60  Baker.bakeAll (Baker.java:15)  via library

              calls
                300  at 19  Order.pieces
                240  at 20  Order.recipe
                240  at 20  Baker.bakePiece
                 60  at 22  Till.pay

              lines
                300  19
                240  20
                 60  22
                 60  23

              from line to line
                240  20 -> 19
                240  19 -> 20
                 60  19 -> 22
                 60  22 -> 23
            exit 0
        "#]],
    );
}

#[test]
fn source_text_stands_beside_its_counts() {
    check(
        &["Baker.bakeAll", "--source-root", &source()],
        expect![[r#"
            bakery.Baker.bakeAll (Baker.java:15-16)
            2 calls in 2 threads (baker 1, baker 2), 6 blocks

              called by
                2  Main.lambda$main$0 (Main.java:14)

              calls
                60  at 15  Baker.bakeOne  via library

              lines
                2  15          orders.forEach(this::bakeOne);
                2  16      }

              from line to line
                2  15 -> 16
            exit 0
        "#]],
    );
}

#[test]
fn a_method_that_is_not_there_is_named() {
    check(
        &["Baker.fly"],
        expect![[r#"
        ! tracewright: no recorded method is called Baker.fly; a name is shop.Till.pay, Till.pay or pay, with parameters 'pay(int, String)', and `*` stands for any text
        exit 2
    "#]],
    );
}

#[test]
fn a_method_that_no_wanted_thread_ran_never_ran() {
    check(
        &["bakeOne", "--thread", "main", "--limit", "1"],
        expect![[r#"
        bakery.Baker.bakeOne (Baker.java:19-20,22-23)
        never ran

          lines
            -  19
            -  20
            -  22
            -  23
        exit 0
    "#]],
    );
}

#[test]
fn a_thread_that_is_not_there_is_named() {
    check(
        &["bakeOne", "--thread", "nobody"],
        expect![[r#"
        ! tracewright: no thread has such a name; there are main, baker 1, baker 2
        exit 2
    "#]],
    );
}

/// The same counts, added up by the table of calls.
#[test]
fn counts_are_those_of_the_table_of_calls() {
    let capture = bakery();
    let report = folder().run_with(["method", &capture, "bakery.*", "--limit", "1000", "--json"], []);
    assert_eq!(report.code, 0, "{report}");
    let report: serde_json::Value = serde_json::from_str(&report.out).unwrap();
    let table = folder().run_with(["table", "calls", &capture], []);
    let mut lines = table.out.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = |name: &str| names.iter().position(|known| *known == name).unwrap();
    let [class, method, calls, blocks] = ["class", "method", "calls", "blocks"].map(column);
    let mut sums = std::collections::BTreeMap::<String, (u64, u64)>::new();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let sum = sums.entry(format!("{}.{}", cells[class], cells[method])).or_default();
        sum.0 += cells[calls].parse::<u64>().unwrap();
        sum.1 += cells[blocks].parse::<u64>().unwrap();
    }
    let mut ours = std::collections::BTreeMap::<String, (u64, u64)>::new();
    for one in report["methods"].as_array().unwrap() {
        let sum = ours.entry(one["method"].as_str().unwrap().to_owned()).or_default();
        let callers: u64 =
            one["callers"].as_array().unwrap().iter().map(|call| call["calls"].as_u64().unwrap()).sum();
        assert_eq!(one["calls"].as_u64(), Some(callers), "{one}");
        sum.0 += callers;
        sum.1 += one["blocks"].as_u64().unwrap();
    }
    ours.retain(|_, sum| sum.0 > 0);
    assert!(ours.len() > 10);
    assert_eq!(ours, sums);
}
