//! The engine as text: the founding text's own examples, gaps, and the properties that hold for
//! every history (nothing is lost, nothing is stale, feeding faster changes nothing).

use super::*;
use expect_test::{Expect, expect};
use fastrand::Rng;
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
    let (iterations, rest) = run.iterations();
    if run.is_loop() { format!("[{word}]*{iterations}.{rest}") } else { word }
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

/// Loops within loops within loops, `depth` deep; no further than about `most` units.
fn nest(rng: &mut Rng, depth: u64, alphabet: u64, most: usize, out: &mut Vec<u32>) {
    if out.len() >= most {
        return;
    }
    if depth == 0 {
        return out.push(rng.u64(..alphabet) as u32);
    }
    for _ in 0..1 + rng.u64(..3) {
        let start = out.len();
        nest(rng, depth - 1, alphabet, most, out);
        let end = out.len();
        for _ in 0..rng.u64(..4) {
            out.extend_from_within(start..end);
        }
    }
}

/// Histories of every kind: random words, nests, nests with errors, phases that each are a loop
/// around loops (many rewrites).
fn histories() -> impl Iterator<Item = Vec<u32>> {
    let mut rng = Rng::with_seed(42);
    (0..400u64).map(move |round| {
        let alphabet = 2 + rng.u64(..9);
        let mut history = Vec::new();
        match round % 4 {
            0 => history.extend((0..rng.u64(..600)).map(|_| rng.u64(..alphabet) as u32)),
            1 => nest(&mut rng, 4, alphabet, usize::MAX, &mut history),
            2 => {
                nest(&mut rng, 4, alphabet, usize::MAX, &mut history);
                for _ in 0..1 + rng.u64(..4) {
                    let position = rng.usize(..history.len());
                    history[position] = rng.u64(..alphabet) as u32;
                }
            }
            _ => {
                for phase in 0..rng.u32(..40) {
                    let first = 10 * (phase % 7);
                    history.push(100 + rng.u32(..5));
                    for _ in 0..1 + rng.u64(..3) {
                        for _ in 0..2 + rng.u64(..2) {
                            history.extend([first, first, first + 1, first + 2, first + 2]);
                        }
                        history.push(first + 4);
                    }
                }
            }
        }
        history.truncate(4_000);
        history
    })
}

/// Nests of ten levels, and the word that is doubled with its last letter flipped, again and again.
fn deep_histories() -> impl Iterator<Item = Vec<u32>> {
    let mut rng = Rng::with_seed(1_010);
    (0..30).map(move |round| {
        let mut history = Vec::new();
        let length = 200 + rng.usize(..500);
        if round % 5 == 0 {
            history.extend((1..=length as u32).map(|position| position.trailing_zeros() % 2));
            // From another place on, and with an error.
            history.drain(..rng.usize(..8));
            let position = rng.usize(..history.len());
            history[position] ^= u32::from(round > 0);
        } else {
            while history.len() < length {
                nest(&mut rng, 10, 2 + round % 4, length, &mut history);
            }
            history.truncate(length);
        }
        history
    })
}

fn all_options() -> [Options; 2] {
    [false, true].map(|short_loops| Options { short_loops, ..Options::default() })
}

/// Every level expands to the runs of the level below, and the lowest to the history.
fn check_expansion(summary: &Summary, history: &[u32]) {
    assert!(summary.levels[0].units().eq(history.iter().copied()));
    for pair in summary.levels.windows(2) {
        assert!(pair[1].units().eq(pair[0].runs.iter().map(|run| run.id.0)));
        assert!(!pair[1].runs.is_empty());
    }
}

#[test]
fn nothing_is_lost() {
    for history in histories() {
        for options in all_options() {
            let mut finder = LoopFinder::new(options);
            for (index, &unit) in history.iter().enumerate() {
                finder.push(unit);
                if index % 97 == 0 {
                    check_expansion(&finder.summary(), &history[..=index]);
                }
            }
            check_expansion(&finder.summary(), &history);
        }
    }
}

#[test]
fn nothing_is_lost_at_any_unit_of_deep_nests() {
    for history in deep_histories() {
        for options in all_options() {
            let mut finder = LoopFinder::new(options);
            for (index, &unit) in history.iter().enumerate() {
                finder.push(unit);
                check_expansion(&finder.summary(), &history[..=index]);
            }
        }
    }
}

/// Lines of five parts, the first longer by one iteration in each line. Level 1 finds loops in each line
/// and nothing around them, as the lines differ. The watch, which goes by words alone, widens a loop of
/// its own over the lines; who takes that for a loop found rewrites level 1 once too often.
#[test]
fn a_loop_widened_by_the_watch_rewrites_nothing() {
    let mut history = String::new();
    for line in 0..4 {
        history += &"BDAF".repeat(4 + line);
        history += &"GFCAGADHADBADC".repeat(3);
        [1, 3, 5, 7].iter().for_each(|&count| history += &format!("BBBAF{}", "BBF".repeat(count)));
        history += "DC";
        (2..6).for_each(|count| history += &format!("FEFAH{}", "G".repeat(count)));
        history += "FEFGA";
    }
    history.truncate(600);
    let above: String =
        text(&fed(&history, Options::default())).lines().skip(1).map(|line| format!("{line}\n")).collect();
    expect![[r#"
        PQ [RSRT]*2.1 [TR]*2.0 S [RT]*5.1 S [RT]*6.1 U [VW]*3.1 XPQ [RSRT]*2.1 [TR]*2.0 S [RT]*5.1 S [RT]*6.1 U [VW]*3.1 XPQ [RSRT]*2.1 [TR]*2.0 S [RT]*5.1 S [RT]*6.1 U [VW]*3.1 XPQRSRTRSR?
        PQR [STSTUVWQR]*2.0 STSTUV? ...
    "#]]
    .assert_eq(&above);
}

#[test]
fn extending_is_pushing() {
    let mut rng = Rng::with_seed(9);
    for history in histories() {
        for options in all_options() {
            let (mut pushed, mut extended) = (LoopFinder::new(options), LoopFinder::new(options));
            history.iter().for_each(|&unit| pushed.push(unit));
            let mut rest = &history[..];
            while !rest.is_empty() {
                let (now, later) = rest.split_at(rng.usize(..=rest.len()));
                extended.extend(now);
                rest = later;
            }
            assert_eq!(pushed.summary(), extended.summary());
        }
    }
}

#[test]
fn repeating_is_pushing() {
    let mut rng = Rng::with_seed(11);
    for history in histories() {
        for options in all_options() {
            let (mut pushed, mut repeated) = (LoopFinder::new(options), LoopFinder::new(options));
            let mut rest = &history[..];
            while !rest.is_empty() {
                let most = rest.len().min(9) as u64;
                let (now, later) = rest.split_at(1 + rng.u64(..most) as usize);
                let times = [0, 1, 2, 3, 40][rng.usize(..5)];
                (0..times).for_each(|_| now.iter().for_each(|&unit| pushed.push(unit)));
                repeated.repeat(now, times);
                rest = later;
            }
            assert_eq!(pushed.summary(), repeated.summary());
        }
    }
}

/// The text's rule, plainly: look for the smallest square at the end of the pending units.
fn plain_runs(history: &[u32]) -> Vec<(u64, u64, u32)> {
    let (mut runs, mut pending, mut index) = (Vec::new(), 0, 0);
    while index < history.len() {
        let tail = &history[pending..=index];
        let square = (1..=tail.len() / 2)
            .find(|&k| tail[tail.len() - k..] == tail[tail.len() - 2 * k..tail.len() - k]);
        index += 1;
        let Some(period) = square else { continue };
        let start = index - 2 * period;
        if start > pending {
            runs.push((pending as u64, (start - pending) as u64, 0));
        }
        while index < history.len() && history[index] == history[index - period] {
            index += 1;
        }
        runs.push((start as u64, (index - start) as u64, period as u32));
        pending = index;
    }
    runs
}

#[test]
fn runs_are_those_of_the_plain_rule() {
    for history in histories() {
        let mut finder = LoopFinder::new(Options::default());
        finder.extend(&history);
        let runs = &finder.summary().levels[0].runs;
        let runs: Vec<_> = runs.iter().map(|run| (run.start, run.len, run.period)).collect();
        assert_eq!(runs, plain_runs(&history));
    }
}

/// Whatever was rewritten and rewound below, a level that was not rewritten itself is what a new
/// finder makes of the runs below it.
#[test]
fn no_level_is_stale() {
    let mut compared = 0;
    for history in histories() {
        let mut finder = LoopFinder::new(Options::default());
        finder.extend(&history);
        for pair in finder.summary().levels.windows(2).filter(|pair| pair[1].rewrites == 0) {
            let mut fresh = LoopFinder::new(Options { max_levels: 1, ..Options::default() });
            pair[0].runs.iter().for_each(|run| fresh.push(run.id.0));
            assert_eq!(fresh.summary().levels[0].runs, pair[1].runs, "{history:?}");
            compared += usize::from(pair[0].rewrites > 0);
        }
    }
    assert!(compared > 20, "only {compared} levels stood above a rewritten one");
}

/// Equal ids mean equal words on every level, across gaps too; and no run crosses a gap.
#[test]
fn gaps_part_runs_and_ids_go_on() {
    let mut rng = Rng::with_seed(3);
    for history in histories() {
        let mut finder = LoopFinder::new(Options::default());
        for &unit in &history {
            if rng.u64(..150) == 0 {
                finder.gap();
            }
            finder.push(unit);
        }
        let summary = finder.summary();
        check_expansion(&summary, &history);
        for &gap in &summary.gaps {
            assert!(summary.levels[0].runs.iter().all(|run| run.range().end <= gap || run.start >= gap));
        }
        for level in &summary.levels {
            let mut words = level.words.clone();
            words.sort_by(|one, other| (&one.units, one.is_loop).cmp(&(&other.units, other.is_loop)));
            words.dedup();
            assert_eq!(words.len(), level.words.len());
        }
    }
}
