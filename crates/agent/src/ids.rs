//! The numbers that records have: given out once, and the same for a class that comes again.
//!
//! A thread that still runs instrumented code from an earlier recording writes that code's numbers
//! into the later one. So a class that comes back with the same bytes gets its old numbers, and the
//! later capture knows them too; and rounds of start and stop do not use numbers up.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use formats::capture::{Encoding, words};

/// What a class is known by: a sum over its bytes, name, loader and encoding.
type Key = [u8; 32];

/// Numbers that were given out.
#[derive(Debug)]
pub(crate) struct Ids {
    known: Mutex<(HashMap<Key, u32>, u32)>,
}

impl Default for Ids {
    fn default() -> Self {
        Self { known: Mutex::new((HashMap::new(), words::FIRST)) }
    }
}

impl Ids {
    /// The first of `count` numbers for this class; `None` if there are no more.
    pub(crate) fn of(
        &self,
        sha256: &Key,
        name: &str,
        loader: u32,
        encoding: Encoding,
        count: u32,
    ) -> Option<u32> {
        let text = [&sha256[..], &loader.to_le_bytes(), &[encoding.to_byte()], name.as_bytes()].concat();
        let key = classfile::sha256::sum(&text);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (classes, next) = &mut *known;
        if let Some(first) = classes.get(&key) {
            return Some(*first);
        }
        let first = *next;
        let end = first.checked_add(count).filter(|&end| end < words::RESERVED)?;
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
        let ask = |sum: u8, name, loader, count| ids.of(&[sum; 32], name, loader, Encoding::Blocks, count);
        assert_eq!(ask(1, "A", 1, 10), Some(1));
        assert_eq!(ask(1, "A", 2, 10), Some(11), "another loader is another class");
        assert_eq!(ask(2, "A", 1, 10), Some(21), "other bytes are another class");
        assert_eq!(ask(1, "A", 1, 10), Some(1));
        assert_eq!(ask(3, "B", 1, words::RESERVED), None);
        assert_eq!(ask(3, "B", 1, 1), Some(31));
    }
}
