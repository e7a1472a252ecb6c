//! How much of a long file the system keeps in memory while it grows: its end, and not the rest.
//!
//! Left to itself the system keeps all that was written until memory is short. Then what the recorded program has read
//! of its own files is gone as well. And up to then each byte goes to memory that nobody has used lately: where
//! a virtual machine's host has to find that first it takes two nanoseconds, ten times as long as in memory
//! that was let go just before. So what was written goes to the disk while the recording goes on:
//!
//! ```text
//!   0                   256 MiB before the end        64 MiB before the end          the end
//!   | on the disk alone | on its way there, or arrived | in memory, as the system likes |
//! ```
//!
//! A shorter recording is left alone: it will be read soon. All this is advice. Where the system does not take it
//! nothing is lost, and a disk that is slow to be asked is asked seldom. The caller is a thread that may wait.

use std::fs::File;
use std::ops::Range;
use std::time::Instant;

use crate::sys;

/// Bytes that are advised on at once: about a millisecond's work.
const STEP: u64 = 8 << 20;

/// So many bytes before the end it goes to the disk, and so many before it leaves memory.
const TO_DISK: u64 = 64 << 20;
const OUT_OF_MEMORY: u64 = 256 << 20;

/// After a piece of advice there is a pause so many times as long as it took.
const PAUSE: u32 = 8;

/// What a part of the file is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Advice {
    ToDisk(Range<u64>),
    OutOfMemory(Range<u64>),
}

/// Up to where there was advice of each kind.
#[derive(Debug, Default)]
struct Advised {
    to_disk: u64,
    out_of_memory: u64,
}

impl Advised {
    /// The next piece of advice for a file of so many bytes, which counts as given.
    fn next(&mut self, end: u64) -> Option<Advice> {
        step(&mut self.out_of_memory, end.saturating_sub(OUT_OF_MEMORY))
            .map(Advice::OutOfMemory)
            .or_else(|| step(&mut self.to_disk, end.saturating_sub(TO_DISK)).map(Advice::ToDisk))
    }
}

/// The next step behind `given`, if it ends before `end`.
fn step(given: &mut u64, end: u64) -> Option<Range<u64>> {
    let from = *given;
    let to = from.checked_add(STEP).filter(|&to| to <= end)?;
    *given = to;
    Some(from..to)
}

/// One file that grows.
#[derive(Debug)]
pub(crate) struct Behind {
    file: File,
    advised: Advised,
    not_before: Instant,
}

impl Behind {
    pub(crate) fn of(file: File) -> Behind {
        Behind { file, advised: Advised::default(), not_before: Instant::now() }
    }

    /// Gives at most one piece of advice. `end`: how many bytes the file has, or fewer.
    pub(crate) fn follow(&mut self, end: u64) {
        let now = Instant::now();
        if now < self.not_before {
            return;
        }
        // Where it is not taken all goes on as without.
        let _ = match self.advised.next(end) {
            Some(Advice::ToDisk(part)) => sys::to_disk(&self.file, part),
            Some(Advice::OutOfMemory(part)) => sys::out_of_memory(&self.file, part),
            None => return,
        };
        self.not_before = Instant::now() + now.elapsed() * PAUSE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    /// All advice for a file that has grown so far.
    fn all(advised: &mut Advised, end: u64) -> Vec<Advice> {
        std::iter::from_fn(|| advised.next(end)).collect()
    }

    #[test]
    fn a_short_file_is_left_alone_and_of_a_long_one_the_end_stays() {
        use Advice::{OutOfMemory, ToDisk};
        let mut advised = Advised::default();
        let mebibytes = |from: u64, to: u64| from * MIB..to * MIB;
        assert_eq!(all(&mut advised, 72 * MIB - 1), []);
        assert_eq!(all(&mut advised, 72 * MIB), [ToDisk(mebibytes(0, 8))]);
        assert_eq!(all(&mut advised, 79 * MIB), []);
        assert_eq!(all(&mut advised, 95 * MIB), [ToDisk(mebibytes(8, 16)), ToDisk(mebibytes(16, 24))]);
        assert_eq!(all(&mut advised, 263 * MIB).last(), Some(&ToDisk(mebibytes(184, 192))));
        assert_eq!(
            all(&mut advised, 272 * MIB),
            [
                OutOfMemory(mebibytes(0, 8)),
                OutOfMemory(mebibytes(8, 16)),
                ToDisk(mebibytes(192, 200)),
                ToDisk(mebibytes(200, 208))
            ],
        );
        assert_eq!(all(&mut advised, 1), [], "a file does not shrink, but what is told may be old");
    }

    #[test]
    fn after_each_piece_of_advice_there_is_a_pause() {
        let (path, file) = crate::files::tests::file("behind");
        let mut behind = Behind::of(file);
        behind.follow(72 * MIB);
        assert_eq!(behind.advised.to_disk, 8 * MIB);
        behind.not_before = Instant::now() + std::time::Duration::from_secs(3600);
        behind.follow(80 * MIB);
        assert_eq!(behind.advised.to_disk, 8 * MIB, "it is too early");
        behind.not_before = Instant::now();
        behind.follow(80 * MIB);
        assert_eq!(behind.advised.to_disk, 16 * MIB);
        std::fs::remove_file(path).unwrap();
    }
}
