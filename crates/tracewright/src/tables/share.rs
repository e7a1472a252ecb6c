//! Shares of an input: several threads read the same long input, and each makes the rows of every n-th block of it.
//!
//! ```text
//! events of the input    | block 0 | block 1 | block 2 | block 3 | block 4 | ...
//! thread 0 of 2            rows      read      rows      read      rows
//! thread 1 of 2            read      rows      read      rows      read
//! ```
//!
//! Reading an event is a small part of making its row, so this nearly halves the time with two threads, whatever the
//! format is, and needs no more memory than a few blocks.

use std::path::Path;

use crate::input;
use crate::input_size;
use crate::recordings;

/// Events of a block: those of a batch of rows.
const BLOCK: u64 = 8192;
/// Threads for an input: more would hardly do anything but read.
const MOST: usize = 8;
/// Bytes of an input from which all threads read it before the next one. Rows come out in the order of the inputs and
/// a bounded number can wait, so that whoever read another long one would soon stand still.
const LONG: u64 = 8 << 20;

/// Which share of how many, from 0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Share {
    pub(crate) number: usize,
    pub(crate) of: usize,
}

impl Share {
    /// Whether the event with this number, from 0, is in it.
    pub(crate) fn has(self, event: u64) -> bool {
        self.of == 1 || event / BLOCK % self.of as u64 == self.number as u64
    }

    /// Whether a block of it ends before the event with this number.
    pub(crate) fn ends_before(self, event: u64) -> bool {
        self.of > 1 && event > 0 && event.is_multiple_of(BLOCK) && self.has(event - 1)
    }

    /// Whether it is the one that reports on the input.
    pub(crate) fn is_first(self) -> bool {
        self.number == 0
    }
}

/// How many of these threads read `input`, one of so many inputs, at the same time: one, where it comes once or is
/// copied for each, or where there are other short ones to read.
pub(crate) fn readers(input: &Path, threads: usize, inputs: usize) -> usize {
    let fair = threads / inputs.max(1);
    if fair <= 1 && input_size::bytes(input) < LONG {
        return 1;
    }
    let threads = if fair <= 1 { threads } else { fair };
    let is_cheap = match input.is_dir() {
        true => !recordings::is_recording(input),
        // A pipe can be read once only.
        false => std::fs::metadata(input).is_ok_and(|about| about.is_file()) && input::file(input).is_ok(),
    };
    if is_cheap { threads.clamp(1, MOST) } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, LONG, Share, readers};

    #[test]
    fn each_event_is_in_one_share() {
        for of in 1..4 {
            let shares: Vec<Share> = (0..of).map(|number| Share { number, of }).collect();
            for event in (0..10 * BLOCK).step_by(512) {
                assert_eq!(shares.iter().filter(|share| share.has(event)).count(), 1);
                let ending = shares.iter().filter(|share| share.ends_before(event)).count();
                assert_eq!(ending, usize::from(of > 1 && event > 0 && event % BLOCK == 0));
            }
        }
    }

    #[test]
    fn all_threads_read_a_long_input_and_one_each_of_many_short_ones() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(LONG - 1).unwrap();
        assert_eq!(readers(file.path(), 2, 1), 2);
        assert_eq!(readers(file.path(), 2, 3), 1);
        assert_eq!(readers(file.path(), 8, 3), 2);
        file.as_file().set_len(LONG).unwrap();
        assert_eq!(readers(file.path(), 2, 3), 2);
        assert_eq!(readers(file.path(), 1, 3), 1);
    }
}
