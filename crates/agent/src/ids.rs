//! The numbers that records have: given out once, and the same for a class that comes again.
//!
//! A thread that still runs instrumented code from an earlier recording writes that code's numbers
//! into the later one. So a class that comes back with the same bytes gets its old numbers, and the
//! later capture knows them too; and rounds of start and stop do not use numbers up.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use classfile::paths::{CODES_END, Surroundings};
use formats::capture::Encoding;

/// The first number that is given out: 1 means "nothing new" where a number says how far a caller is.
const FIRST: u32 = 2;

/// What a class is known by: two sums over its bytes, name, loader and the way of recording. They are
/// quick, for a thread of the program waits for them, and of 128 bits: two versions of a class in one
/// process will not have the same.
type Key = [u64; 2];

/// Numbers that were given out.
#[derive(Debug)]
pub(crate) struct Ids {
    known: Mutex<(HashMap<Key, u32>, u32)>,
}

impl Default for Ids {
    fn default() -> Self {
        Self { known: Mutex::new((HashMap::new(), FIRST)) }
    }
}

impl Ids {
    /// The first of `count` numbers for this class; `None` if there are no more.
    pub(crate) fn of(
        &self,
        bytes: &[u8],
        name: &str,
        loader: u32,
        way: (Encoding, Surroundings),
        count: u32,
    ) -> Option<u32> {
        let flags = u64::from(way.1.jdk_is_recorded) << 8 | u64::from(way.1.class_is_whole) << 9;
        let key = [u64::from(way.0.to_byte()) | flags, u64::from(loader)];
        let key = with_bytes(with_bytes(key, name.as_bytes()), bytes);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (classes, next) = &mut *known;
        if let Some(first) = classes.get(&key) {
            return Some(*first);
        }
        let first = *next;
        let end = first.checked_add(count).filter(|&end| end < CODES_END)?;
        *next = end;
        classes.insert(key, first);
        Some(first)
    }
}

/// A sum of 128 bits with these bytes and their number.
fn with_bytes(sum: Key, bytes: &[u8]) -> Key {
    const ODD: Key = [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f];
    let folded = |left: u64, right: u64| {
        let product = u128::from(left) * u128::from(right);
        (product as u64) ^ (product >> 64) as u64
    };
    // Each half takes both words in another way, so that one word that makes a product 0 hides nothing.
    let step = |[one, other]: Key, [first, second]: Key| {
        [
            folded(one ^ first, second ^ ODD[0]).wrapping_add(other),
            folded(other ^ second, first ^ ODD[1]).rotate_left(23) ^ one,
        ]
    };
    let word = |bytes: [u8; 8]| u64::from_le_bytes(bytes);
    let (blocks, rest) = bytes.as_chunks::<16>();
    let mut sum = step(sum, [bytes.len() as u64, ODD[1]]);
    for block in blocks {
        let (words, _) = block.as_chunks::<8>();
        if let [first, second] = words {
            sum = step(sum, [word(*first), word(*second)]);
        }
    }
    let mut last = [[0; 8]; 2];
    last.as_flattened_mut().iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
    step(step(sum, last.map(word)), ODD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_keeps_its_numbers_and_no_two_share_one() {
        let ids = Ids::default();
        let way = (Encoding::Blocks, Surroundings { jdk_is_recorded: false, class_is_whole: true });
        let ask = |sum: u8, name, loader, count| ids.of(&[sum; 100], name, loader, way, count);
        assert_eq!(ask(1, "A", 1, 10), Some(2));
        assert_eq!(ask(1, "A", 2, 10), Some(12), "another loader is another class");
        assert_eq!(ask(2, "A", 1, 10), Some(22), "other bytes are another class");
        assert_eq!(ask(1, "A", 1, 10), Some(2));
        assert_eq!(ask(3, "B", 1, CODES_END), None);
        assert_eq!(ask(3, "B", 1, 1), Some(32));
    }

    #[test]
    fn sums_differ_wherever_one_byte_does() {
        let plain: Vec<u8> = (0..100_u8).collect();
        let mut seen: Vec<Key> = (0..=100).map(|length| with_bytes([0, 0], &plain[..length])).collect();
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
