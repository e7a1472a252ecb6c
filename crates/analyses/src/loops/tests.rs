//! The engine as text: the founding text's own examples, gaps, and the properties that hold for
//! every history (nothing is lost, nothing is stale, feeding faster changes nothing).

use super::*;
use expect_test::{Expect, expect};
use model::{Level, Summary};

fn fed(history: &str, options: Options) -> Summary {
    let mut finder = LoopFinder::new(options);
    for letter in history.chars() {
        match letter {
            '/' => finder.gap(),
            _ => finder.push(letter as u32),
        }
    }
    finder.summary()
}

/// One line a level, as the founding text writes runs; level 0 by its letters, others as P, Q, ...
fn text(summary: &Summary) -> String {
    let name = |index: usize, unit: u32| match index {
        0 => char::from_u32(unit).unwrap_or('?'),
        _ => char::from(b'P' + unit as u8),
    };
    let mut lines = String::new();
    for (index, level) in summary.levels.iter().enumerate() {
        let mut parts: Vec<String> =
            level.runs.iter().map(|run| run_text(level, run, &|unit| name(index, unit))).collect();
        if !level.pending.is_empty() {
            parts.push(format!(
                "{}?",
                level.pending.iter().map(|&unit| name(index, unit)).collect::<String>()
            ));
        }
        lines += &parts.join(" ");
        lines += if level.in_loop { " ...\n" } else { "\n" };
    }
    lines
}

fn run_text(level: &Level, run: &model::Run, name: &dyn Fn(u32) -> char) -> String {
    let word: String = level.words[run.id.0 as usize].units.iter().map(|&unit| name(unit)).collect();
    let (turns, rest) = run.turns();
    if run.is_loop() { format!("[{word}]*{turns}.{rest}") } else { word }
}

fn check(history: &str, expected: Expect) {
    expected.assert_eq(&text(&fed(history, Options::default())));
}

fn check_short(history: &str, expected: Expect) {
    expected.assert_eq(&text(&fed(history, Options { short_loops: true, ..Options::default() })));
}

#[test]
fn founding_text_loop_detection() {
    check(
        "ABACDECDE",
        expect![[r#"
        ABA [CDE]*2.0 ...
    "#]],
    );
    check(
        "ABCABCAD",
        expect![[r#"
        [ABC]*2.1 D?
    "#]],
    );
}

/// The table in the founding text (ABCBA [BC]BCB ABAD [BA]BABA A) is not what its own rule gives:
/// ABCB ABCB is the first square, after eight units.
#[test]
fn founding_text_run_summary() {
    check(
        "ABCBABCBCBABADBABABAA",
        expect![[r#"
        [ABCB]*2.0 C [BA]*2.0 D [BA]*3.0 A?
    "#]],
    );
}

#[test]
fn founding_text_short_loops() {
    check(
        "ABCDDDDEFGGGABCDEFGGG",
        expect![[r#"
        ABC [D]*4.0 EF [G]*3.0 ABCDEF [G]*3.0 ...
    "#]],
    );
    check_short(
        "ABCDDDDEFGGGABCDEFGGG",
        expect![[r#"
        ABC [D]*4.0 EF [G]*3.0 ABC [D]*1.0 EF [G]*3.0 ...
        [PQRS]*2.0 ...
    "#]],
    );
}

#[test]
fn founding_text_meta_runs() {
    check(
        "ABCBACACBCBACACACBCBACACACAC",
        expect![[r#"
        ABCB [AC]*2.0 BCB [AC]*3.0 BCB [AC]*4.0 ...
        P [QR]*2.1 ...
    "#]],
    );
}

/// The lines of "Identifying larger loops", with loops A, C of one unit and B, D, E of one.
#[test]
fn founding_text_larger_loop() {
    let history: String = (2..6)
        .map(|k| {
            let (a, c) = (|n| "a".repeat(n), |n| "c".repeat(n));
            format!("{}b{}d{}b{}d{}e", a(k), c(k + 1), a(k + 1), c(k + 3), a(1))
        })
        .collect();
    check_short(
        &history,
        expect![[r#"
        [a]*2.0 b [c]*3.0 d [a]*3.0 b [c]*5.0 d [a]*1.0 e [a]*3.0 b [c]*4.0 d [a]*4.0 b [c]*6.0 d [a]*1.0 e [a]*4.0 b [c]*5.0 d [a]*5.0 b [c]*7.0 d [a]*1.0 e [a]*5.0 b [c]*6.0 d [a]*6.0 b [c]*8.0 dae?
        [PQRSPQRSPT]*3.7 ...
    "#]],
    );
}

#[test]
fn a_gap_ends_runs_on_every_level() {
    check(
        "ABC/ABC",
        expect![[r#"
        ABC ABC?
    "#]],
    );
    check(
        "ABAB/ABABC",
        expect![[r#"
        [AB]*2.0 [AB]*2.0 C?
    "#]],
    );
    check(
        "xAAAyAAAxAAAyAAA/xAAAyAAAq",
        expect![[r#"
        x [A]*3.0 y [A]*3.0 x [A]*3.0 y [A]*3.0 x [A]*3.0 y [A]*3.0 q?
        [PQRQ]*2.0 PQRQ?
    "#]],
    );
    check(
        "/A",
        expect![[r#"
        A?
    "#]],
    );
}

#[test]
fn levels_can_be_bounded() {
    let options = Options { max_levels: 1, ..Options::default() };
    assert_eq!(fed("AABAABAABAAB", options).levels.len(), 1);
}
