//! The finder against the plain, slow definition of what it finds.

use super::*;
use fastrand::Rng;

/// The definition: the smallest `k` such that the last `k` units equal the `k` before them.
fn slow(tail: &[u32]) -> Option<usize> {
    (1..=tail.len() / 2).find(|&k| tail[tail.len() - k..] == tail[tail.len() - 2 * k..tail.len() - k])
}

/// Feeds `word`, clearing after each square, and compares with the definition after every unit.
fn check(word: &[u32]) {
    let mut finder = SquareFinder::default();
    for (index, &unit) in word.iter().enumerate() {
        let found = finder.push(unit);
        let expected = slow(finder.tail());
        assert_eq!(found, expected, "unit {index} of {word:?}");
        if found.is_some() {
            finder.clear();
        }
    }
}

/// The ternary Thue-Morse word: gaps between the ones of the Thue-Morse sequence. Square-free.
fn square_free(length: usize) -> Vec<u32> {
    (0u64..)
        .map(|n| n.count_ones() % 2)
        .scan((0, false), |state, bit| {
            let (zeros, started) = *state;
            *state = if bit == 1 { (0, true) } else { (zeros + 1, started) };
            Some((bit == 1 && started).then_some(zeros))
        })
        .flatten()
        .take(length)
        .collect()
}

#[test]
fn founding_text_example() {
    let mut finder = SquareFinder::default();
    let found: Vec<_> = b"ABACDECDE".iter().map(|&letter| finder.push(letter.into())).collect();
    assert_eq!(found[..8], [None; 8]);
    assert_eq!(found[8], Some(3));
}

#[test]
fn square_free_words_have_no_square() {
    let word = square_free(3_000);
    assert!(word.iter().all(|&unit| unit < 3));
    check(&word);
}

#[test]
fn factors_that_come_twice_are_found_as_defined() {
    for period in (1..400).chain([511, 512, 513, 777, 1_000, 1_023, 1_024, 1_025]) {
        for lead in [0, 1, 7, 40] {
            let half = square_free(lead + period + 3);
            let mut word: Vec<u32> = (0..lead as u32).map(|unit| 100 + unit % 50 + unit).collect();
            word.extend(half[..period].iter().map(|&unit| unit + 3));
            word.extend_from_within(lead..);
            word.push(99);
            check(&word);
        }
    }
}

/// A word of `period` units, twice, and no other square: its first unit is nowhere else in it, so that a smaller
/// square would have to lie within one of the two, and they are square-free.
fn one_square(period: usize) -> Vec<u32> {
    let mut word = vec![9];
    word.extend(square_free(period - 1));
    word.extend_from_within(..);
    word
}

/// Periods on both sides of every border between two ways of finding them, and some far beyond.
fn periods() -> impl Iterator<Item = usize> {
    (1..300)
        .chain((300..1_100).step_by(13))
        .chain([511, 512, 513, 1_023, 1_024, 1_025, 2_047, 2_048, 2_049, 5_000])
}

#[test]
fn a_word_that_comes_twice_is_a_square_at_its_last_unit_and_not_before() {
    for period in periods() {
        for lead in [0, 127, 300] {
            let mut word: Vec<u32> = square_free(lead).iter().map(|unit| unit + 3).collect();
            word.extend(one_square(period));
            let mut finder = SquareFinder::default();
            let found: Vec<usize> = word.iter().map(|&unit| finder.push(unit).unwrap_or(0)).collect();
            let (last, before) = found.split_last().unwrap();
            assert_eq!(*last, period, "after {lead} units");
            assert!(before.iter().all(|&period| period == 0), "{period} after {lead} units: {before:?}");
        }
    }
}

/// The same where the finder was led astray first, and took it back.
#[test]
fn what_was_taken_back_hides_no_square() {
    for period in periods().filter(|period| period % 5 == 1) {
        let word = one_square(period);
        for (remaining, astray) in
            [(1, 700), (period, 1), (period, 70), (period + period / 2, 300), (2 * period - 1, 900)]
        {
            let mut finder = SquareFinder::that_rewinds();
            let wrong = square_free(astray).into_iter().map(|unit| unit + 20);
            let (start, rest) = word.split_at(remaining);
            for unit in start.iter().copied().chain(wrong) {
                assert_eq!(finder.push(unit), None);
            }
            finder.truncate(remaining);
            assert_eq!(finder.tail(), start);
            let found: Vec<usize> = rest.iter().map(|&unit| finder.push(unit).unwrap_or(0)).collect();
            let (last, before) = found.split_last().unwrap();
            assert_eq!(*last, period, "{remaining} units kept, {astray} taken back");
            assert!(before.iter().all(|&period| period == 0), "{period}, {remaining} units kept: {before:?}");
        }
    }
}

/// Going back costs what goes, however long the tail is: a state is kept near every place, and few are kept in all.
#[test]
fn a_finder_that_rewinds_keeps_states_to_go_back_to() {
    let mut finder = SquareFinder::that_rewinds();
    for unit in square_free(10_000) {
        assert_eq!(finder.push(unit), None);
    }
    for wanted in [9_990, 9_500, 8_000, 5_000] {
        let state = finder.checkpoints.as_mut().and_then(|states| states.back_to(wanted)).unwrap();
        assert!(state.length <= wanted && wanted - state.length <= 4 * (10_000 - wanted) + 64, "{wanted}");
    }
    finder.clear();
    assert!(finder.checkpoints.is_some_and(|mut states| states.back_to(10_000).is_none()), "of another tail");
}

/// What a unit costs does not depend on how many came before it: the anchors thin out by a half from scale to scale,
/// so that there are few scales and about one anchor a unit, and those of a scale are about evenly spread.
#[test]
fn anchors_are_as_thin_as_promised() {
    const UNITS: usize = 20_000;
    let mut rng = Rng::with_seed(23);
    for word in [square_free(UNITS), (0..UNITS).map(|_| rng.u32(..)).collect()] {
        let mut finder = SquareFinder::default();
        assert!(word.iter().all(|&unit| finder.push(unit).is_none()));
        let widths: Vec<usize> = finder.scales.iter().map(|scale| scale.width).collect();
        assert_eq!(widths[..5], [16, 32, 64, 128, 256]);
        assert!(widths.len() <= 12, "{widths:?}");
        for scale in finder.scales.iter().filter(|scale| scale.width <= UNITS / 16) {
            let (width, positions) = (scale.width, &scale.positions);
            assert!(positions.windows(2).all(|pair| ((pair[1] - pair[0]) as usize) < 2 * width), "{width}");
            let most = 2 * UNITS / (width + 1) * 5 / 4;
            assert!(positions.len() <= most, "{} anchors of width {width}", positions.len());
        }
        let anchors: usize = finder.scales.iter().map(|scale| scale.positions.len()).sum();
        assert!(anchors < UNITS, "{anchors} anchors");
    }
}

#[test]
fn a_hash_of_the_first_units_tells_tails_apart() {
    let hash = |units: &[u32], length: usize| {
        let mut finder = SquareFinder::default();
        for &unit in units {
            finder.push(unit);
        }
        finder.hash_of_first(length)
    };
    let word = square_free(2 * FAR);
    let other: Vec<u32> = word.iter().map(|unit| unit + 3).collect();
    assert_eq!(hash(&word, FAR), hash(&word[..FAR], FAR), "what comes later has no part in it");
    assert_ne!(hash(&word, FAR), hash(&other, FAR));
    assert_ne!(hash(&word, FAR), hash(&word, FAR + 1));
}

#[test]
fn random_words_and_nests() {
    let mut rng = Rng::with_seed(0x5eed);
    for round in 0..3_000 {
        let alphabet = 2 + rng.u64(..1 + round % 17);
        let length = 20 + rng.u64(..200);
        let mut word: Vec<u32> = (0..length).map(|_| rng.u64(..alphabet) as u32).collect();
        // Copies of segments make long periods likely, small changes make near misses.
        for _ in 0..rng.u64(..5) {
            let from = rng.usize(..word.len());
            let to = from + rng.usize(..=word.len() - from);
            word.extend_from_within(from..to);
            if rng.bool() {
                let position = rng.usize(..word.len());
                word[position] = rng.u64(..alphabet) as u32;
            }
        }
        check(&word);
    }
}

#[test]
fn square_free_factors_repeated_with_errors() {
    let mut rng = Rng::with_seed(7);
    let source = square_free(4_000);
    for _ in 0..300 {
        let mut word = Vec::new();
        for _ in 0..1 + rng.u64(..6) {
            let from = rng.usize(..3_000);
            let length = rng.usize(..300);
            let factor = &source[from..from + length];
            for _ in 0..1 + rng.u64(..3) {
                word.extend_from_slice(factor);
                if rng.u64(..3) == 0 {
                    word.push(3 + rng.u32(..2));
                }
            }
        }
        check(&word);
    }
}

#[test]
fn a_cleared_finder_starts_anew() {
    let mut finder = SquareFinder::default();
    let word = square_free(200);
    for &unit in &word {
        finder.push(unit);
    }
    finder.clear();
    assert!(finder.tail().is_empty());
    assert!(word.iter().all(|&unit| finder.push(unit).is_none()));
}

/// Pushing and truncating at random must leave the finder as if only the kept units had come.
#[test]
fn a_truncated_finder_goes_on_as_if_nothing_had_been_cut() {
    let mut rng = Rng::with_seed(11);
    let source = square_free(6_000);
    for round in 0..60 {
        let mut finder = SquareFinder::that_rewinds();
        for _ in 0..30 {
            let from = rng.usize(..3_000);
            let factor = &source[from..from + rng.u64(..1 + 40 * round) as usize];
            for &unit in factor {
                let found = finder.push(unit);
                assert_eq!(found, slow_from(finder.tail(), found));
                if found.is_some() {
                    let keep = finder.tail().len() - 1 - rng.usize(..finder.tail().len());
                    finder.truncate(keep);
                }
            }
            let keep = rng.usize(..=finder.tail().len());
            finder.truncate(finder.tail().len() - keep.min(finder.tail().len() / 2));
        }
    }
}

/// [`slow`], but only asked in full now and then, because it is slow.
fn slow_from(tail: &[u32], found: Option<usize>) -> Option<usize> {
    let in_full = found.is_some() || tail.len().is_multiple_of(17);
    if in_full { slow(tail) } else { found }
}
