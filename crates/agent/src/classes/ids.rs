//! The numbers that records have: given out once, and the same for a class that comes again.
//!
//! A thread that still runs instrumented code from an earlier recording writes that code's numbers
//! into the later one. So a class that comes back with the same bytes gets its old numbers, and the
//! later capture knows them too; and rounds of start and stop do not use numbers up.

use std::collections::HashMap;

use capture::Encoding;
use classfile::paths::{CODES_END, Surroundings};

use super::fingerprint::{self, Fingerprint};
use crate::locks::{Lock, Rank};

/// The first number that is given out: 1 means "nothing new" where a number says how far a caller is.
const FIRST: u32 = 2;

/// Numbers that were given out.
#[derive(Debug)]
pub(crate) struct Ids {
    known: Lock<(HashMap<Fingerprint, u32>, u32)>,
}

impl Default for Ids {
    fn default() -> Self {
        Self { known: Lock::new(Rank::Leaf, (HashMap::default(), FIRST)) }
    }
}

impl Ids {
    /// The first of `count` numbers for this class, `None` if there are no more. `class`: the fingerprint of its name and
    /// bytes; `mode`: how it is recorded.
    pub(crate) fn of(
        &self,
        class: Fingerprint,
        loader: u32,
        mode: (Encoding, Surroundings),
        count: u32,
    ) -> Option<u32> {
        let flags = u64::from(mode.1.jdk_is_recorded) << 8 | u64::from(mode.1.class_is_whole) << 9;
        let key = fingerprint::with(class, [u64::from(mode.0.to_byte()) | flags, u64::from(loader)]);
        let mut known = self.known.lock();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_keeps_its_numbers_and_no_two_share_one() {
        let ids = Ids::default();
        let mode = (Encoding::Blocks, Surroundings { jdk_is_recorded: false, class_is_whole: true });
        let ask = |fingerprint, loader, count| ids.of([fingerprint, 7], loader, mode, count);
        assert_eq!(ask(1, 1, 10), Some(2));
        assert_eq!(ask(1, 2, 10), Some(12), "another loader is another class");
        assert_eq!(ask(2, 1, 10), Some(22), "other bytes are another class");
        assert_eq!(ask(1, 1, 10), Some(2));
        assert_eq!(ask(3, 1, CODES_END), None);
        assert_eq!(ask(3, 1, 1), Some(32));
    }
}
