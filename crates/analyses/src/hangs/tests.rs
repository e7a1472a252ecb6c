//! Endings as text: what a history ends in, and how its counts go on.

use super::*;
use crate::loops::{LoopFinder, Options};
use expect_test::{Expect, expect};

fn check(history: &str, expected: Expect) {
    let mut finder = LoopFinder::new(Options::default());
    for letter in history.chars() {
        match letter {
            '/' => finder.gap(),
            _ => finder.push(letter as u32),
        }
    }
    let ending = ending(&finder.summary());
    let mut text = String::new();
    for end in &ending.loops {
        let (turns, rest) = end.run.turns();
        text +=
            &format!("level {} since {}, {} steps, {turns}.{rest} turns", end.level, end.since, end.steps);
        text += &end.most_before.map(|most| format!(", {most} before")).unwrap_or_default();
        for inner in &end.inner {
            text += &format!("; {}:{} {:?}", inner.level, inner.id.0, inner.counts);
        }
        text.push('\n');
    }
    if ending.end_is_lost {
        text += "lost\n";
    }
    expected.assert_eq(&text);
}

#[test]
fn a_history_that_ends_in_no_loop() {
    check("", expect![[""]]);
    check("ABC", expect![[""]]);
    check("ABABC", expect![[""]]);
}

#[test]
fn a_loop_of_steps() {
    check(
        "XABABABA",
        expect![[r#"
        level 0 since 1, 7 steps, 3.1 turns
    "#]],
    );
    check(
        "ABABXABABABAB",
        expect![[r#"
        level 0 since 5, 8 steps, 4.0 turns, 2 before
    "#]],
    );
}

#[test]
fn counts_in_a_loop_of_loops() {
    check(
        "RAABAABAABAAB",
        expect![[r#"
        level 1 since 1, 12 steps, 3.1 turns; 0:1 Constant(2)
    "#]],
    );
    check(
        "RAABAAABAAAABAA",
        expect![[r#"
        level 1 since 1, 14 steps, 3.1 turns; 0:1 Linear { first: 2, last: 4, step: 1 }
        level 0 since 13, 2 steps, 2.0 turns, 4 before
    "#]],
    );
    check(
        "RAAABAAAAABAAAABAAAAAA",
        expect![[r#"
        level 1 since 1, 21 steps, 3.1 turns; 0:1 Other { least: 3, most: 5 }
        level 0 since 16, 6 steps, 6.0 turns, 5 before
    "#]],
    );
}

/// The larger loop of the founding text: five loops in a turn, three of which grow.
#[test]
fn the_sweep_of_the_founding_text() {
    let mut history = String::new();
    for k in 2..8 {
        let (a, c) = (|n| "a".repeat(n), |n| "c".repeat(n));
        history += &format!("{}b{}d{}b{}d{}e", a(k), c(k + 1), a(k + 1), c(k + 3), a(2));
    }
    check(
        &history,
        expect![[r#"
        level 1 since 0, 180 steps, 5.9 turns; 0:0 Linear { first: 2, last: 7, step: 1 }; 0:2 Linear { first: 3, last: 8, step: 1 }; 0:0 Linear { first: 3, last: 8, step: 1 }; 0:2 Linear { first: 5, last: 10, step: 1 }; 0:0 Constant(2)
    "#]],
    );
}

#[test]
fn a_loss_ends_the_loop() {
    check(
        "ABABAB/",
        expect![[r#"
        lost
    "#]],
    );
    check("ABABAB/AB", expect![[""]]);
}

#[test]
fn rows_of_counts() {
    assert_eq!(Counts::of(&[]), None);
    assert_eq!(Counts::of(&[4]), Some(Counts::Constant(4)));
    assert_eq!(Counts::of(&[4, 4, 4]), Some(Counts::Constant(4)));
    assert_eq!(Counts::of(&[4, 6]), Some(Counts::Other { least: 4, most: 6 }));
    assert_eq!(Counts::of(&[9, 6, 3]), Some(Counts::Linear { first: 9, last: 3, step: -3 }));
    assert_eq!(Counts::of(&[0, u64::MAX, 0]), Some(Counts::Other { least: 0, most: u64::MAX }));
}
