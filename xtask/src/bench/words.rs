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

/// The Thue-Morse word: squares everywhere, and nothing three times in a row.
pub(crate) fn thue_morse(len: usize) -> Vec<u32> {
    (0..len).map(|index| index.count_ones() % 2).collect()
}

/// The period-doubling word: each half is the other but for its last letter, at every scale.
pub(crate) fn period_doubling(len: usize) -> Vec<u32> {
    (1..=len).map(|position| position.trailing_zeros() % 2).collect()
}

/// The Fibonacci word: as many different squares as a word can have.
pub(crate) fn fibonacci(len: usize) -> Vec<u32> {
    let (mut shorter, mut word) = (1, vec![0, 1]);
    while word.len() < len {
        let before = word.len();
        word.extend_from_within(..shorter.min(len - before));
        shorter = before;
    }
    word.truncate(len);
    word
}

/// A binary de Bruijn word of the smallest order that is long enough: no segment as long as the
/// order is there twice. Lyndon words one after the other, in the order of a dictionary.
pub(crate) fn de_bruijn(len: usize) -> Vec<u32> {
    let order = len.next_power_of_two().trailing_zeros().max(1) as usize;
    let mut word = Vec::with_capacity(len + order);
    let mut lyndon = vec![0];
    while word.len() < len && !lyndon.is_empty() {
        if order.is_multiple_of(lyndon.len()) {
            word.extend(&lyndon);
        }
        let period = lyndon.len();
        (period..order).for_each(|position| lyndon.push(lyndon[position - period]));
        while lyndon.last() == Some(&1) {
            lyndon.pop();
        }
        if let Some(last) = lyndon.last_mut() {
            *last = 1;
        }
    }
    word.truncate(len);
    word
}

/// Loops in loops, ten deep, with bodies and counts drawn anew for each.
pub(crate) fn nests_of_ten(len: usize) -> Vec<u32> {
    fn nest(rng: &mut Rng, depth: u32, len: usize, word: &mut Vec<u32>) {
        if depth == 0 {
            return word.push((rng.draw() % 4) as u32);
        }
        for _ in 0..1 + rng.draw() % 3 {
            let start = word.len();
            nest(rng, depth - 1, len, word);
            let end = word.len();
            for _ in 0..rng.draw() % 4 {
                if word.len() >= len {
                    return;
                }
                word.extend_from_within(start..end);
            }
        }
    }
    let mut rng = Rng(10);
    let mut word = Vec::with_capacity(len + len / 8);
    while word.len() < len {
        nest(&mut rng, 10, len, &mut word);
    }
    word.truncate(len);
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_ten_units_stand_twice_in_the_de_bruijn_word_of_order_ten() {
        let word = de_bruijn(1_024);
        let mut windows: Vec<&[u32]> = word.windows(10).collect();
        windows.sort_unstable();
        windows.dedup();
        assert_eq!(windows.len(), 1_015);
    }

    #[test]
    fn the_fibonacci_word_is_that_of_its_rule() {
        assert_eq!(fibonacci(13), [0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1]);
    }

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
        for make in
            [one_block, nested, growing_sweep, phases, fibonacci, de_bruijn, nests_of_ten, period_doubling]
        {
            assert_eq!(make(1_000).len(), 1_000);
        }
    }
}
