//! Samples of the records that are written: how much each record number is used, for the budget.

use std::collections::HashMap;

use capture::paths::{CODE, FOLLOWING, NO_STATE};

use crate::locks::{Lock, Rank};

/// Of each slot the first words are looked at, one of so many: what a slot begins with is as good as chance.
const PART: usize = 16;
/// At least so many, since most slots of a thread that has written little are small.
const LEAST: usize = 64;

/// Words by the record number that stands in front of them.
#[derive(Debug)]
pub(crate) struct Samples(Lock<HashMap<u32, u64>>);

impl Default for Samples {
    fn default() -> Samples {
        Samples(Lock::new(Rank::Leaf, HashMap::new()))
    }
}

impl Samples {
    /// Looks at the words of a slot, which begin with a record.
    pub(crate) fn add(&self, words: &[u8]) {
        let words = words.as_chunks::<4>().0;
        let most = (words.len() / PART).max(LEAST);
        let mut words = words.iter().map(|word| u32::from_le_bytes(*word));
        let (mut taken, mut seen) = (0, HashMap::<u32, u64>::new());
        while let Some(word) = words.next().filter(|_| taken < most) {
            let following = (word >> FOLLOWING) as usize;
            let mut number = word & CODE;
            for at in 0..following {
                let Some(next) = words.next() else { break };
                if at == 0 && number == NO_STATE {
                    // The record says of another one what has come of it.
                    number = next;
                }
            }
            *seen.entry(number).or_default() += 1 + following as u64;
            taken += 1 + following;
        }
        let mut all = self.0.lock();
        seen.into_iter().for_each(|(number, words)| *all.entry(number).or_default() += words);
    }

    /// What was seen since this was asked last.
    pub(crate) fn take(&self) -> HashMap<u32, u64> {
        std::mem::take(&mut *self.0.lock())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_for_the_record_that_they_belong_to() {
        let samples = Samples::default();
        let words = [7, 8 | 1 << FOLLOWING, 99, 7, NO_STATE | 2 << FOLLOWING, 8, 5, 9 | 1 << FOLLOWING];
        samples.add(&words.map(u32::to_le_bytes).concat());
        let mut found: Vec<_> = samples.take().into_iter().collect();
        found.sort_unstable();
        assert_eq!(found, [(7, 2), (8, 5), (9, 2)]);
        assert!(samples.take().is_empty());
        samples.add(&vec![7_u32.to_le_bytes(); 16 * LEAST * 2].concat());
        assert_eq!(samples.take().into_iter().collect::<Vec<_>>(), [(7, 2 * LEAST as u64)]);
    }
}
