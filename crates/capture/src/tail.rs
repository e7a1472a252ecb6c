//! Reading a file together with its last bytes, which stand in the pool when a program was killed.
//!
//! A pool without tails, or whose tail has nothing that the file has not, leaves the file as it is. So does
//! a tail that continues more than the file has: the file was cut, which its own content shows.

use std::io;

use super::pool::tail;
use super::pool_slots;
use crate::limits;
use source::Source;
use source::bytes::{u32_at, u64_at};

/// How often a tail is read that a running program writes to file meanwhile.
const TRIES: usize = 8;

/// A file and what comes after it.
struct Tailed {
    file: Box<dyn Source>,
    /// How much of the file counts.
    written: u64,
    tail: Vec<u8>,
}

impl Source for Tailed {
    fn size(&self) -> u64 {
        self.written + self.tail.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let in_file = self.written.saturating_sub(offset).min(buffer.len() as u64) as usize;
        let (first, rest) = buffer.split_at_mut(in_file);
        let count = if first.is_empty() { 0 } else { self.file.read_at(offset, first)? };
        if count < in_file {
            return Ok(count);
        }
        Ok(count + self.tail.read_at((offset + count as u64).saturating_sub(self.written), rest)?)
    }
}

/// The file with the tail that the pool holds for it. `which`: 0 for `code`, 1 for `steps`.
pub(super) fn with_tail(file: Box<dyn Source>, pool: &dyn Source, which: usize) -> Box<dyn Source> {
    match read(pool, which) {
        Some((written, tail)) if written + tail.len() as u64 > file.size() && has(&*file, written) => {
            Box::new(Tailed { file, written, tail })
        }
        _ => file,
    }
}

/// Whether it has so many bytes. Its size does not show that, as it may have grown since the size was read.
fn has(file: &dyn Source, bytes: u64) -> bool {
    bytes == 0 || file.read_at(bytes - 1, &mut [0]).is_ok_and(|count| count == 1)
}

/// How much of its file is written, and the bytes after that.
fn read(pool: &dyn Source, which: usize) -> Option<(u64, Vec<u8>)> {
    for _ in 0..TRIES {
        let head = pool_slots::head(pool)?;
        let at = tail::AT[which];
        let capacity = u32_at(&head, at + tail::BYTES);
        let (written, end) = (u64_at(&head, at + tail::WRITTEN), u64_at(&head, at + tail::END));
        let length = end.checked_sub(written).filter(|length| (1..=u64::from(capacity)).contains(length))?;
        if capacity as usize > limits::BODY {
            return None;
        }
        let mut bytes = vec![0; length as usize];
        let count = pool.read_at(pool_slots::tail_at(&head, which), &mut bytes).ok()?;
        bytes.truncate(count);
        // What was written to the file meanwhile may have been overwritten here.
        let mut now = [0; 8];
        pool.read_at((at + tail::WRITTEN) as u64, &mut now).ok()?;
        if u64::from_le_bytes(now) == written {
            return Some((written, bytes));
        }
    }
    None
}
