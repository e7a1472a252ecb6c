//! Sums by which a class is known again.
//!
//! They are quick, for a thread of the program waits for them, and of 128 bits: two versions of a class on
//! one machine will not have the same. They withstand no one who looks for two that do; what a user keeps is
//! read by that user alone.

use std::hash::{BuildHasherDefault, Hasher};

pub(crate) use capture::class_cache::Sum;

const ODD: Sum = [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f];

/// A sum with these bytes and their number.
pub(crate) fn with_bytes(sum: Sum, bytes: &[u8]) -> Sum {
    let word = |bytes: [u8; 8]| u64::from_le_bytes(bytes);
    let (blocks, rest) = bytes.as_chunks::<16>();
    let mut sum = with(sum, [bytes.len() as u64, ODD[1]]);
    for block in blocks {
        let (words, _) = block.as_chunks::<8>();
        if let [first, second] = words {
            sum = with(sum, [word(*first), word(*second)]);
        }
    }
    let mut last = [[0; 8]; 2];
    last.as_flattened_mut().iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
    with(with(sum, last.map(word)), ODD)
}

/// A sum with two more words.
pub(crate) fn with([one, other]: Sum, [first, second]: [u64; 2]) -> Sum {
    let folded = |left: u64, right: u64| {
        let product = u128::from(left) * u128::from(right);
        (product as u64) ^ (product >> 64) as u64
    };
    // Each half takes both words in another way, so that one word that makes a product 0 hides nothing.
    [
        folded(one ^ first, second ^ ODD[0]).wrapping_add(other),
        folded(other ^ second, first ^ ODD[1]).rotate_left(23) ^ one,
    ]
}

/// How tables by sums find their places: a sum is mixed well enough.
pub(crate) type BySum = BuildHasherDefault<Mixed>;

/// See [`BySum`].
#[derive(Debug, Default)]
pub(crate) struct Mixed(u64);

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        let (words, _) = bytes.as_chunks::<8>();
        self.0 = words.iter().fold(self.0, |so_far, word| so_far.rotate_left(31) ^ u64::from_le_bytes(*word));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_find_all_sums_and_no_others() {
        let sum = |number: u64| with([0, 0], [number, 1]);
        let table: std::collections::HashMap<Sum, u64, BySum> = (0..1000).map(|at| (sum(at), at)).collect();
        assert!((0..1000).all(|at| table.get(&sum(at)) == Some(&at)));
        assert!((1000..2000).all(|at| !table.contains_key(&sum(at))));
        let places: std::collections::HashSet<u64> =
            table.keys().map(|sum| std::hash::BuildHasher::hash_one(&BySum::default(), sum) >> 44).collect();
        assert!(places.len() > 990, "{}", places.len());
    }

    #[test]
    fn sums_differ_wherever_one_byte_does() {
        let plain: Vec<u8> = (0..100_u8).collect();
        let mut seen: Vec<Sum> = (0..=100).map(|length| with_bytes([0, 0], &plain[..length])).collect();
        for at in 0..100 {
            for bit in 0..8 {
                let mut other = plain.clone();
                other[at] ^= 1 << bit;
                seen.push(with_bytes([0, 0], &other));
            }
        }
        let halves =
            |which: usize| seen.iter().map(|sum| sum[which]).collect::<std::collections::HashSet<_>>();
        assert_eq!((halves(0).len(), halves(1).len()), (seen.len(), seen.len()));
    }
}
