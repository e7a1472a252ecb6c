//! Histories for the loop benchmark: what it is meant for, and what is worst for it.

use fuzz::mutate::Rng;

/// A loop of one unit.
pub(crate) fn one_block(len: usize) -> Vec<u32> {
    vec![3; len]
}

/// Loops in loops: `((A B)*7 C (D E F)*5 G)*20 H` again and again.
pub(crate) fn nested(len: usize) -> Vec<u32> {
    let mut inner = Vec::new();
    inner.extend([0, 1].repeat(7));
    inner.push(2);
    inner.extend([3, 4, 5].repeat(5));
    inner.push(6);
    let mut outer = inner.repeat(20);
    outer.push(7);
    outer.iter().copied().cycle().take(len).collect()
}

/// A head that sweeps over a tape that grows by one at each turn: the hang that the first founding
/// text looks for. `A^n B A'^n C` with n = 1, 2, 3, ...
pub(crate) fn growing_sweep(len: usize) -> Vec<u32> {
    let mut word = Vec::with_capacity(len);
    let mut width = 1;
    while word.len() < len {
        word.extend(std::iter::repeat_n(0, width));
        word.push(1);
        word.extend(std::iter::repeat_n(2, width));
        word.push(3);
        width += 1;
    }
    word.truncate(len);
    word
}

/// Phases that each are a loop around loops, one after the other: each makes the levels above take
/// back what they had made of it before. The worst case that we know.
pub(crate) fn phases(len: usize) -> Vec<u32> {
    let mut word = Vec::with_capacity(len + 100);
    let mut rng = Rng(1);
    let mut phase = 0;
    while word.len() < len {
        let first = 10 * (phase % 1_000);
        word.push(20_000 + (rng.draw() % 1_000) as u32);
        let inner = [first, first, first + 1, first + 2, first + 2, first + 3].repeat(3);
        for _ in 0..3 {
            word.extend(&inner);
            word.push(first + 4);
        }
        phase += 1;
    }
    word.truncate(len);
    word
}

/// Uniform random units: no structure, and small loops by chance.
pub(crate) fn random(len: usize, alphabet: u64, seed: u64) -> Vec<u32> {
    let mut rng = Rng(seed);
    (0..len).map(|_| (rng.draw() % alphabet) as u32).collect()
}

/// A word over three symbols in which nothing ever stands twice in a row: the differences of the
/// Thue-Morse word. No loop is ever found in it, so everything stays pending: the worst case.
pub(crate) fn square_free(len: usize) -> Vec<u32> {
    let bit = |index: usize| index.count_ones() % 2;
    (0..len).map(|index| 1 + bit(index + 1) - bit(index)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_stands_twice_in_a_row_in_the_square_free_word() {
        let word = square_free(600);
        for period in 1..=300 {
            for start in 0..=word.len() - 2 * period {
                let (left, right) = word[start..start + 2 * period].split_at(period);
                assert_ne!(left, right, "at {start}, period {period}");
            }
        }
    }

    #[test]
    fn words_have_the_length_that_was_asked_for() {
        for word in
            [one_block(1_000), nested(1_000), growing_sweep(1_000), phases(1_000), random(1_000, 4, 1)]
        {
            assert_eq!(word.len(), 1_000);
        }
    }
}
