//! A record: the words that were written at once.

use crate::paths::FOLLOWING;

/// The words of one record. No record has more than four.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Record {
    words: [u32; 4],
    length: u8,
}

impl Record {
    /// Of these words, of which the first four are taken.
    pub(super) fn of(words: &[u32]) -> Record {
        let mut record = Record { words: [0; 4], length: 0 };
        for (to, word) in record.words.iter_mut().zip(words) {
            *to = *word;
            record.length += 1;
        }
        record
    }

    /// A record of a path: its code, and what follows.
    pub(super) fn of_path(code: u32, more: &[u32]) -> Record {
        let first = code | (more.len() as u32) << FOLLOWING;
        let mut words = [first, 0, 0, 0];
        for (to, word) in words.iter_mut().skip(1).zip(more) {
            *to = *word;
        }
        Record { words, length: 1 + more.len().min(3) as u8 }
    }

    pub(super) fn words(&self) -> &[u32] {
        self.words.get(..usize::from(self.length)).unwrap_or_default()
    }
}

/// How many words the record has that `words` begin with, all of which are there; 0 if they are not.
pub(super) fn length(words: &[u32], records_paths: bool) -> usize {
    let Some(&first) = words.first() else { return 0 };
    let length = if records_paths { 1 + (first >> FOLLOWING) as usize } else { 1 };
    if length <= words.len() { length } else { 0 }
}
