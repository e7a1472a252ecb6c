//! What the events are called, in their order, and how many of each name lie between any two of them.

use super::lane::StateId;
use super::sums::{Sums, add};

/// Events between two sums.
const BLOCK: usize = 1024;

/// The name of each event, as a number of the alphabet. Names beyond 65,535 share the last number.
#[derive(Debug, Default)]
pub struct EventNames {
    all: Vec<StateId>,
    sums: Sums,
}

impl EventNames {
    /// The next event is called so.
    pub fn push(&mut self, name: u32) {
        let name = StateId::try_from(name).unwrap_or(StateId::MAX);
        self.sums.add(name, 1, self.all.len() / BLOCK + 1);
        self.all.push(name);
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The names of all events.
    pub fn all(&self) -> &[StateId] {
        &self.all
    }

    /// How many events of each name are among `first..last`, the most first.
    pub fn counts(&self, first: usize, last: usize) -> Vec<(StateId, u64)> {
        let (mut out, last) = (Vec::new(), last.min(self.all.len()));
        let mut scan = |from: usize, to: usize| {
            self.all.get(from..to).unwrap_or_default().iter().for_each(|&name| add(&mut out, name, 1));
        };
        let (head, tail) = (first.div_ceil(BLOCK), last / BLOCK);
        if tail <= head {
            scan(first, last);
        } else {
            scan(first, head * BLOCK);
            scan(tail * BLOCK, last);
            let mut sums = Vec::new();
            self.sums.between(head, tail, &mut sums);
            sums.into_iter().for_each(|(name, count)| add(&mut out, name, count));
        }
        out.sort_unstable_by_key(|&(name, count)| (std::cmp::Reverse(count), name));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_a_plain_count() {
        let (mut names, mut random) = (EventNames::default(), fastrand::Rng::with_seed(3));
        for number in 0..5000 {
            // One name is rare, and one number is beyond what a name may be.
            names.push(if number % 1700 == 9 { 70_000 } else { random.u32(..8) });
        }
        for first in (0..5100).step_by(317) {
            for last in (0..5100).step_by(211) {
                let inside = names.all().iter().take(last).skip(first);
                let mut plain = Vec::new();
                inside.for_each(|&name| add(&mut plain, name, 1));
                plain.sort_unstable_by_key(|&(name, count)| (std::cmp::Reverse(count), name));
                assert_eq!(names.counts(first, last), plain, "{first} {last}");
            }
        }
    }
}
