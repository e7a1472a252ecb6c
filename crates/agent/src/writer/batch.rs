//! Small records that are appended to `code` some at a time.

use std::time::{Duration, Instant};

use crate::locks::{Lock, Rank};

/// They wait until there are so many bytes of them, and no longer than this: a program that is killed has lost that much.
const AT_ONCE: usize = 16 << 10;
const LONG: Duration = Duration::from_millis(100);

/// Records of one kind.
#[derive(Debug)]
pub(super) struct Batch {
    /// Bytes of all of them in one recording before they are compressed.
    most_bytes: u64,
    /// Appends a frame with these records.
    put: fn(&[u8], &mut Vec<u8>),
    /// Appends the record that no more are kept.
    put_full: fn(&mut Vec<u8>),
    waiting: Lock<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    records: Vec<u8>,
    /// When the first of them came.
    since: Option<Instant>,
    /// Of all that were taken.
    bytes: u64,
}

impl Batch {
    pub(super) fn new(most_bytes: u64, put: fn(&[u8], &mut Vec<u8>), put_full: fn(&mut Vec<u8>)) -> Batch {
        Batch { most_bytes, put, put_full, waiting: Lock::new(Rank::Leaf, Waiting::default()) }
    }

    /// Takes a record. `false`: there are too many bytes of them, and it is not kept.
    pub(super) fn take(&self, record: &[u8]) -> bool {
        let mut waiting = self.waiting.lock();
        if waiting.bytes > self.most_bytes {
            return false;
        }
        waiting.bytes += record.len() as u64;
        let is_stored = waiting.bytes <= self.most_bytes;
        match is_stored {
            true => waiting.records.extend_from_slice(record),
            false => (self.put_full)(&mut waiting.records),
        }
        waiting.since.get_or_insert_with(Instant::now);
        is_stored
    }

    /// Whether there are many, or some wait for long.
    pub(super) fn is_due(&self) -> bool {
        let waiting = self.waiting.lock();
        waiting.records.len() >= AT_ONCE || waiting.since.is_some_and(|since| since.elapsed() >= LONG)
    }

    /// A frame with all that wait, which do so no longer; empty if none do.
    pub(super) fn frame(&self) -> Vec<u8> {
        let records = {
            let mut waiting = self.waiting.lock();
            waiting.since = None;
            std::mem::take(&mut waiting.records)
        };
        let mut out = Vec::new();
        (self.put)(&records, &mut out);
        out
    }
}
