//! Rows of runs written by hand and by chance.

use std::fmt::Write;

use expect_test::{Expect, expect};

use super::super::tests::{code, joint, random};
use super::*;
use fastrand::Rng;

/// Each row of the first thread: the calls of both sides, and how they compare.
fn shown(one: &str, other: &str) -> String {
    let code = code();
    let rows = Rows::of(&joint(&[(&code, one), (&code, other)]), 0, 1);
    let mut out = String::new();
    for number in 0..rows.threads[0].sums.rows {
        let row = rows.row(0, number).unwrap();
        let [a, b] = row.calls.map(|call| call.map_or("-".into(), |call| call.to_string()));
        writeln!(out, "{a} {b} {:?}", row.verdict).unwrap();
    }
    out
}

fn check(one: &str, other: &str, expected: Expect) {
    expected.assert_eq(&shown(one, other));
}

#[test]
fn equal_threads_have_equal_rows() {
    check(
        "(0 0 (1 0) 5)",
        "(0 0 (1 0) 5)",
        expect![[r#"
            0 0 Equal
            1 1 Equal
        "#]],
    );
}

#[test]
fn what_one_side_calls_stands_beside_nothing() {
    check(
        "(0 0 (1 0) (2 0) 5)",
        "(0 0 (1 0) (3 0) 5)",
        expect![[r#"
            0 0 Equal
            1 1 Equal
            2 - Only
            - 2 Only
        "#]],
    );
}

#[test]
fn a_call_whose_own_code_differs_is_marked_and_its_callees_stay_in_step() {
    check(
        "(0 0 (1 0 1 3 5) (2 0) 5)",
        "(0 0 (1 0 1 2 1 3 5) (2 0) 5)",
        expect![[r#"
            0 0 Equal
            1 1 Differs
            2 2 Equal
        "#]],
    );
}

#[test]
fn one_iteration_more_moves_no_other() {
    check(
        "(0 0 1 (1 0) 2 1 (2 0) 2 1 3 5)",
        "(0 0 1 (3 0) 2 1 (1 0) 2 1 (2 0) 2 1 3 5)",
        expect![[r#"
            0 0 Differs
            - 1 Only
            1 2 Equal
            2 3 Equal
        "#]],
    );
}

#[test]
fn behind_a_loss_nothing_counts_as_missing() {
    check(
        "(0 0 (1 0) ? 5)",
        "(0 0 (1 0) (2 0) (3 0) 5)",
        expect![[r#"
            0 0 Equal
            1 1 Equal
            - 2 Unknown
            - 3 Unknown
        "#]],
    );
}

#[test]
fn class_initialisers_are_left_out() {
    check(
        "(0 0 (9 0 (1 0)) (2 0) 5)",
        "(0 0 (2 0) 5)",
        expect![[r#"
            0 0 Equal
            1 1 Equal
        "#]],
    );
}

#[test]
fn every_call_has_one_row_and_differences_are_met_in_both_directions() {
    let code = code();
    let mut met = 0;
    let mut rng = Rng::with_seed(11);
    for _ in 0..300 {
        let [one, other] = [random(&mut rng), random(&mut rng)];
        let joint = joint(&[(&code, &one), (&code, &other)]);
        let rows = Rows::of(&joint, 0, 1);
        let calls = Measure::calls(&joint.replay);
        for (at, thread) in rows.threads.iter().enumerate() {
            let root = |side: usize, index: Option<usize>| {
                index.map_or(0, |index| calls.of_node(joint.sides[side].threads[index].root))
            };
            let expected = [root(0, thread.indices.0), root(1, thread.indices.1)];
            assert_eq!(thread.sums.calls, expected, "{one} {other}");
            let roots = [thread.indices.0, thread.indices.1];
            let root = |side: usize| Some(joint.sides[side].threads[roots[side]?].root);
            assert_eq!(thread.sums.differences == 0, root(0) == root(1), "{one} {other}");
            let mut next = [0, 0];
            let mut begins = vec![];
            for number in 0..thread.sums.rows {
                let row = rows.row(at, number).unwrap();
                assert_eq!(row.number, number);
                assert_eq!(rows.before(at, number).calls, next, "{one} {other}");
                for side in [0, 1] {
                    let Some(call) = row.calls[side] else { continue };
                    assert_eq!(call, next[side], "{one} {other}");
                    assert_eq!(rows.row_of_call(at, side, call), Some(number));
                    next[side] += 1;
                }
                let after = rows.before(at, number + 1).differences;
                if after > rows.before(at, number).differences {
                    begins.push(number);
                }
            }
            assert_eq!(next, expected, "{one} {other}");
            let mut forward = vec![];
            let mut from = None;
            while let Some((row, number)) = rows.next(at, from) {
                assert_eq!(number, forward.len() as u64);
                forward.push(row);
                from = Some(row);
            }
            let mut back = vec![];
            let mut from = thread.sums.rows;
            while let Some((row, _)) = rows.previous(at, from) {
                back.push(row);
                from = row;
            }
            back.reverse();
            assert_eq!((&forward, &back), (&begins, &begins), "{one} {other}");
            met += forward.len();
        }
    }
    assert!(met > 100, "{met}");
}
