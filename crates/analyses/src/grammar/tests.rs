//! That nothing is lost and gaps stay, for histories of every kind; how grammars look; and how small they are.

use super::*;
use crate::loops::{LoopFinder, Options};
use expect_test::{Expect, expect};
use fastrand::Rng;
use model::grammar::{Item, What};
use testing::sequitur::Sequitur;

/// A history in letters, `/` for a gap.
fn summary(history: &str) -> Summary {
    let mut finder = LoopFinder::new(Options::default());
    for letter in history.chars() {
        if letter == '/' { finder.gap() } else { finder.push(letter as u32) }
    }
    finder.summary()
}

fn item(item: &Item) -> String {
    let what = match item.what {
        What::Unit(unit) => char::from_u32(unit).unwrap_or('?').to_string(),
        What::Rule(rule) => rule.to_string(),
        What::Gap => "/".into(),
    };
    if item.times > 1 { format!("{what}*{}", item.times) } else { what }
}

fn items(list: &[Item]) -> String {
    list.iter().map(item).collect::<Vec<_>>().join(" ")
}

fn check(history: &str, expected: Expect) {
    let grammar = of(&summary(history));
    let mut text = String::new();
    for ((number, rule), occurrences) in grammar.rules.iter().enumerate().zip(grammar.occurrences()) {
        text += &format!("{number} = {}  ({} units, {occurrences} places)\n", items(&rule.items), rule.len);
    }
    let start = items(&grammar.start);
    let start = if start.is_empty() { "nothing" } else { &start };
    expected.assert_eq(&format!("{text}{start}  ({} symbols)\n", grammar.symbols()));
}

#[test]
fn what_comes_back_is_one_rule() {
    check(
        "abcxabcyyyabcx",
        expect![[r#"
        0 = a b c  (3 units, 3 places)
        0 x 0 y*3 0 x  (10 symbols)
    "#]],
    );
    check(
        "abcdefgabcdefg",
        expect![[r#"
        0 = a b c d e f g  (7 units, 2 places)
        0*2  (9 symbols)
    "#]],
    );
    check(
        "xabcdefgyabcdefgzabc",
        expect![[r#"
        0 = a b c  (3 units, 3 places)
        1 = 0 d e f g  (7 units, 2 places)
        x 1 y 1 z 0  (14 symbols)
    "#]],
    );
    check(
        "",
        expect![[r#"
            nothing  (0 symbols)
        "#]],
    );
    check(
        "abcd",
        expect![[r#"
        a b c d  (4 symbols)
    "#]],
    );
}

#[test]
fn a_long_loop_is_a_count_wherever_it_was_entered() {
    check(
        &format!("x{}y{}z", "abc".repeat(40), "bca".repeat(50)),
        expect![[r#"
        0 = a b c  (3 units, 89 places)
        x 0*40 y b c 0*49 a z  (13 symbols)
    "#]],
    );
    check(
        &"a".repeat(1_000),
        expect![[r#"
        a*1000  (2 symbols)
    "#]],
    );
}

#[test]
fn no_rule_crosses_a_gap() {
    check(
        "abcdef/abcdefxab/cdef/",
        expect![[r#"
        0 = a b  (2 units, 3 places)
        1 = c d e f  (4 units, 3 places)
        0 1 / 0 1 x 0 / 1 /  (16 symbols)
    "#]],
    );
}

/// Histories of every kind, with gaps: random ones, words repeated with errors, nests, long loops.
fn history(rng: &mut Rng, round: u64) -> Vec<Option<u32>> {
    let alphabet = 1 + rng.u64(..8);
    let mut units: Vec<u32> = Vec::new();
    match round % 4 {
        0 => units.extend((0..rng.u64(..80)).map(|_| rng.u64(..alphabet) as u32)),
        1 => {
            let word: Vec<u32> = (0..1 + rng.u64(..30)).map(|_| rng.u64(..alphabet) as u32).collect();
            for _ in 0..rng.u64(..12) {
                let from = rng.usize(..word.len());
                units.extend(&word[from..]);
                units.extend((0..rng.u64(..3)).map(|_| rng.u64(..alphabet) as u32));
            }
        }
        2 => {
            for _ in 0..1 + rng.u64(..6) {
                let word: Vec<u32> = (0..1 + rng.u64(..4)).map(|_| rng.u64(..alphabet) as u32).collect();
                (0..rng.u64(..30)).for_each(|_| units.extend(&word));
                units.push(rng.u64(..alphabet) as u32);
            }
        }
        _ => {
            units.push(0);
            for _ in 0..rng.u64(..7) {
                let start = rng.usize(..units.len());
                units.extend_from_within(start..);
                units.push(rng.u64(..alphabet) as u32);
            }
        }
    }
    units.truncate(400);
    let mut history = Vec::new();
    for unit in units {
        if rng.u64(..40) == 0 {
            history.push(None);
        }
        history.push(Some(unit));
    }
    history
}

fn found(history: &[Option<u32>]) -> Summary {
    let mut finder = LoopFinder::new(Options::default());
    history.iter().for_each(|unit| match unit {
        Some(unit) => finder.push(*unit),
        None => finder.gap(),
    });
    finder.summary()
}

/// What a finder keeps of the gaps: one in a place, and none before the first unit.
fn normalized(history: &[Option<u32>]) -> Vec<Option<u32>> {
    let mut normal: Vec<Option<u32>> = history.to_vec();
    normal.dedup_by(|one, other| one.is_none() && other.is_none());
    if normal.first() == Some(&None) {
        normal.remove(0);
    }
    normal
}

fn check_rules(grammar: &Grammar) {
    for ((number, rule), occurrences) in grammar.rules.iter().enumerate().zip(grammar.occurrences()) {
        let len: u64 = rule.items.iter().map(|item| grammar.len_of(item)).sum();
        assert_eq!(rule.len, len);
        assert!(occurrences > 1, "a rule in one place saves nothing");
        for item in &rule.items {
            assert!(item.times > 0 && item.what != What::Gap);
            assert!(!matches!(item.what, What::Rule(inner) if inner as usize >= number));
        }
    }
}

/// Every history comes back, gaps included, whatever the size of a block.
#[test]
fn nothing_is_lost() {
    let rounds = if cfg!(debug_assertions) { 4_000 } else { 100_000 };
    let mut rng = Rng::with_seed(32);
    for round in 0..rounds {
        let history = history(&mut rng, round);
        let summary = found(&history);
        let block = [text::BLOCK, 5, 40][(round % 3) as usize];
        let grammar = by_blocks(&summary.levels[0], &summary.gaps, block);
        let expanded: Vec<Option<u32>> = grammar
            .expand()
            .map(|what| match what {
                What::Unit(unit) => Some(unit),
                What::Gap => None,
                What::Rule(_) => panic!("a rule is no unit"),
            })
            .collect();
        assert_eq!(expanded, normalized(&history), "round {round}");
        assert_eq!(grammar.len(), summary.levels[0].len());
        check_rules(&grammar);
    }
}

/// Any segment is what stands there.
#[test]
fn segments_are_covered() {
    let mut rng = Rng::with_seed(5);
    for round in 0..600 {
        let summary = found(&history(&mut rng, round));
        let grammar = of(&summary);
        let units: Vec<u32> = summary.levels[0].units().collect();
        let cover = Cover::new(grammar.clone());
        for _ in 0..20 {
            let to = rng.u64(..units.len() as u64 + 1);
            let from = rng.u64(..to + 1);
            let start = cover.of(from, to);
            let covered = Grammar { rules: grammar.rules.clone(), start };
            let expanded: Vec<What> = covered.expand().collect();
            let expected: Vec<What> =
                units[from as usize..to as usize].iter().map(|&unit| What::Unit(unit)).collect();
            assert_eq!(expanded, expected, "round {round}, {from}..{to}");
        }
    }
}

/// On all random histories together it takes three quarters, and hardly ever on one a few more.
#[test]
fn it_takes_no_more_symbols_than_sequitur() {
    let mut rng = Rng::with_seed(77);
    let (mut ours, mut theirs, mut worse, mut most) = (0, 0, 0, 0);
    for round in 0..2_000 {
        let history: Vec<Option<u32>> =
            history(&mut rng, round).into_iter().filter(Option::is_some).collect();
        let mut sequitur = Sequitur::default();
        history.iter().flatten().for_each(|&unit| sequitur.push(unit));
        let symbols = of(&found(&history)).symbols();
        ours += symbols;
        theirs += sequitur.symbols();
        worse += u32::from(symbols > sequitur.symbols());
        most = most.max(symbols.saturating_sub(sequitur.symbols()));
    }
    assert!(
        4 * ours < 3 * theirs && worse < 50 && most <= 6,
        "{ours} symbols to {theirs}, {worse} times more, by {most}"
    );
}

/// A word of very many different units, twice: written out again, it is one rule.
#[test]
fn a_long_word_that_comes_back_is_one_rule() {
    for len in [20, 20_000] {
        let mut finder = LoopFinder::new(Options::default());
        for start in 0..2 {
            (0..len).for_each(|unit| finder.push(unit));
            finder.push(len + start);
        }
        let grammar = of(&finder.summary());
        assert_eq!((grammar.rules.len(), grammar.symbols()), (1, u64::from(len) + 4));
    }
}
