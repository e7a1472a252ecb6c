//! Hashes of words of the tail: a polynomial over the prefixes, modulo the prime 2^61 - 1.
//!
//! They choose anchors and propose candidates. Nothing is ever concluded from them: a bad hash
//! costs time, not truth. (A modulus of 2^64 would cost much time: Thue-Morse words, which are
//! just what a square-free tail looks like, collide under it whatever the base.)

const PRIME: u64 = (1 << 61) - 1;
const BASE: u64 = 0x0a5a_5b3c_9d1e_7f17;

/// `sums[i]` is the hash of the first `i` units.
#[derive(Debug, Clone, Default)]
pub(super) struct Sums(Vec<u64>);

impl Sums {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Keeps the sums of the first `units` units.
    pub(super) fn truncate(&mut self, units: usize) {
        self.0.truncate(units + 1);
    }

    /// The hash of the first `units` units.
    pub(super) fn of_first(&self, units: usize) -> u64 {
        self.0.get(units).copied().unwrap_or(0)
    }

    #[inline]
    pub(super) fn push(&mut self, unit: u32) {
        let last = match self.0.last() {
            Some(&last) => last,
            None => {
                self.0.push(0);
                0
            }
        };
        self.0.push(reduce(u128::from(last) * u128::from(BASE) + u128::from(unit) + 1));
    }

    /// The hash of the `word.length` units that end with the unit at `last`, scrambled so that its
    /// order means nothing; `None` where the tail does not reach back that far.
    #[inline]
    pub(super) fn of(&self, last: usize, word: &WordLength) -> Option<u32> {
        let start = (last + 1).checked_sub(word.length)?;
        let shifted = reduce(u128::from(self.0[start]) * u128::from(word.power));
        let hash = self.0[last + 1] + PRIME - shifted;
        let hash = if hash >= PRIME { hash - PRIME } else { hash };
        Some(hash.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_right(32) as u32)
    }
}

/// A word length together with the power of the base that it needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct WordLength {
    length: usize,
    power: u64,
}

impl WordLength {
    pub(super) fn new(length: usize) -> Self {
        let (mut power, mut square, mut rest) = (1u64, BASE, length);
        while rest > 0 {
            if rest & 1 == 1 {
                power = reduce(u128::from(power) * u128::from(square));
            }
            square = reduce(u128::from(square) * u128::from(square));
            rest >>= 1;
        }
        WordLength { length, power }
    }
}

/// `value` modulo the prime, for values below 2^122: fold the high part onto the low one.
#[inline]
fn reduce(value: u128) -> u64 {
    let folded = (value as u64 & PRIME) + (value >> 61) as u64;
    if folded >= PRIME { folded - PRIME } else { folded }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_words_have_equal_hashes_and_others_differ() {
        let mut sums = Sums::default();
        for unit in [7, 1, 2, 3, u32::MAX, 9, 1, 2, 3, u32::MAX, 1, 2, 4, u32::MAX] {
            sums.push(unit);
        }
        let four = WordLength::new(4);
        assert_eq!(sums.of(4, &four), sums.of(9, &four));
        assert_ne!(sums.of(4, &four), sums.of(13, &four));
        assert_eq!(sums.of(2, &four), None);
        let mut zeros = Sums::default();
        zeros.push(0);
        zeros.push(0);
        assert_ne!(zeros.of_first(1), zeros.of_first(2), "a unit counts, whatever its number");
    }
}
