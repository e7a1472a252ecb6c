//! Endings as text: what a history ends in, and how its counts go on.

use super::*;
use crate::loops::{LoopFinder, Options};
use expect_test::{Expect, expect};
use model::Timestamp;
use model::stack::{SampledFrame, SampledMethod, SampledThread, StackSample, StackSamples, ThreadState};

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
        let (iterations, rest) = end.run.iterations();
        text += &format!(
            "level {} since {}, {} steps, {iterations}.{rest} iterations",
            end.level, end.since, end.steps
        );
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
        level 0 since 1, 7 steps, 3.1 iterations
    "#]],
    );
    check(
        "ABABXABABABAB",
        expect![[r#"
        level 0 since 5, 8 steps, 4.0 iterations, 2 before
    "#]],
    );
}

#[test]
fn counts_in_a_loop_of_loops() {
    check(
        "RAABAABAABAAB",
        expect![[r#"
        level 1 since 1, 12 steps, 3.1 iterations; 0:1 Constant(2)
    "#]],
    );
    check(
        "RAABAAABAAAABAA",
        expect![[r#"
        level 1 since 1, 14 steps, 3.1 iterations; 0:1 Linear { first: 2, last: 4, step: 1 }
        level 0 since 13, 2 steps, 2.0 iterations, 4 before
    "#]],
    );
    check(
        "RAAABAAAAABAAAABAAAAAA",
        expect![[r#"
        level 1 since 1, 21 steps, 3.1 iterations; 0:1 Other { least: 3, most: 5 }
        level 0 since 16, 6 steps, 6.0 iterations, 5 before
    "#]],
    );
}

/// The larger loop of the founding text: five loops in an iteration, three of which grow.
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
        level 1 since 0, 180 steps, 5.9 iterations; 0:0 Linear { first: 2, last: 7, step: 1 }; 0:2 Linear { first: 3, last: 8, step: 1 }; 0:0 Linear { first: 3, last: 8, step: 1 }; 0:2 Linear { first: 5, last: 10, step: 1 }; 0:0 Constant(2)
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

/// One sample of a thread: its records so far, its state, and its frames as (method, pc), outermost first.
type Second<'a> = (u32, ThreadState, &'a [(u32, u32)]);

/// One thread sampled once a second.
fn sampled(seconds: &[Second<'_>]) -> StackSamples {
    let method =
        |name: &str| SampledMethod { class: "Till".into(), name: name.into(), descriptor: "()V".into() };
    let frame = |&(method, pc): &(u32, u32)| SampledFrame {
        method,
        pc: Some(pc),
        line: u16::try_from(pc).ok(),
        is_old: false,
    };
    let sample = |(second, (records, state, frames)): (i64, &Second<'_>)| StackSample {
        time: Timestamp(second * 1_000_000_000),
        at_end: false,
        threads: vec![SampledThread {
            tid: 1,
            name: "main".into(),
            state: *state,
            cpu: None,
            position: (0, *records),
            frames: frames.iter().rev().map(frame).collect(),
            is_cut: false,
            waits: None,
        }],
    };
    StackSamples {
        methods: ["main", "spin", "rest"].map(method).into(),
        samples: (0..).zip(seconds).map(sample).collect(),
    }
}

#[test]
fn a_thread_stays_in_what_all_samples_without_a_record_show() {
    use ThreadState::{Runnable, Waiting};
    let all = sampled(&[
        (5, Runnable, &[(0, 3), (2, 9)]),
        (7, Runnable, &[(0, 3), (1, 31)]),
        (7, Runnable, &[(0, 3), (1, 32), (2, 9)]),
        (7, Runnable, &[(0, 3), (1, 31)]),
    ]);
    let found = standing(&all, 1, (0, 7)).unwrap();
    assert_eq!((found.samples, found.since, found.shared), (3, Timestamp(1_000_000_000), 2));
    assert_eq!((found.lines.as_slice(), found.frame().unwrap().method), (&[31, 32][..], 1));
    assert!(found.stays());
    // It recorded something after the last sample; it is not there.
    assert_eq!(standing(&all, 1, (0, 8)), None);
    assert_eq!(standing(&all, 2, (0, 0)), None);
    // It waited in one of them, or something was recorded between the last two.
    let waits = sampled(&[(7, Waiting, &[(0, 3)]), (7, Runnable, &[(0, 3)])]);
    assert!(!standing(&waits, 1, (0, 7)).unwrap().stays());
    let works = sampled(&[(7, Runnable, &[(0, 3)]), (8, Runnable, &[(0, 3)])]);
    assert_eq!(standing(&works, 1, (0, 8)).map(|found| (found.samples, found.stays())), Some((1, false)));
}

/// What a thread does after it slept is not in its records before it has done it.
#[test]
fn a_thread_that_has_slept_stays_in_the_method_that_it_began_since() {
    use ThreadState::{Runnable, Sleeping};
    let slept = sampled(&[
        (7, Sleeping, &[(0, 3), (2, 9)]),
        (7, Runnable, &[(0, 4), (1, 31)]),
        (7, Runnable, &[(0, 4), (1, 32)]),
    ]);
    let found = standing(&slept, 1, (0, 7)).unwrap();
    assert_eq!((found.samples, found.since, found.shared), (2, Timestamp(1_000_000_000), 2));
    assert!(found.stays());
    // Whether it began with something of the program is not known.
    let computes =
        sampled(&[(7, Sleeping, &[(0, 3), (2, 9)]), (7, Runnable, &[(0, 3)]), (7, Runnable, &[(0, 3)])]);
    assert_eq!(standing(&computes, 1, (0, 7)).map(|found| (found.samples, found.stays())), Some((3, false)));
}
