//! A page of the kernel's ring buffer: its records, with their times.
//!
//! ```text
//! page    time u64 | size u32 or u64: 20 bits, bit 31: something is missing before it, bit 30: how much stands behind
//!         the records | records
//! record  u32: kind 5 bits, time since the record before 27 bits
//!         kind 0: size u32 (of itself too), data    1..28: data of so many words    29: padding
//!              30: more bits of the time u32        31: the time u32
//! ```

use model::Lost;

/// What was read of the head, and how far its records were read.
#[derive(Debug, Clone, Default)]
pub(super) struct Page {
    at: usize,
    end: usize,
    time: u64,
    /// What is missing before it.
    pub(super) lost: Option<Lost>,
    /// Its records end where they make no sense.
    pub(super) is_damaged: bool,
}

/// A record: where what a tracepoint wrote lies in the page, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) time: u64,
}

const SIZE: u64 = (1 << 27) - 1;
const IS_MISSING: u64 = 1 << 31;
const HAS_COUNT: u64 = 1 << 30;

/// Bits of the time that a record of its own has not.
const HIGH: u64 = 0xf8 << 56;

impl Page {
    /// Reads the head; `size_bytes` and `records` are what `events/header_page` declares.
    pub(super) fn begin(bytes: &[u8], size_bytes: usize, records: usize) -> Page {
        let time = bytes.first_chunk::<8>().map_or(0, |time| u64::from_le_bytes(*time));
        let field = |at: usize, count: usize| -> Option<u64> {
            let mut whole = [0; 8];
            whole.get_mut(..count)?.copy_from_slice(bytes.get(at..at.checked_add(count)?)?);
            Some(u64::from_le_bytes(whole))
        };
        let size = field(8, size_bytes).unwrap_or(0);
        let end = records.saturating_add((size & SIZE) as usize);
        let is_damaged = end > bytes.len();
        let end = end.min(bytes.len());
        let lost = (size & IS_MISSING != 0).then(|| {
            let count = field(end, size_bytes).filter(|count| size & HAS_COUNT != 0 && *count > 0);
            count.map_or(Lost::Unknown, Lost::Events)
        });
        Page { at: records.min(end), end, time, lost, is_damaged }
    }

    /// The next record of `bytes`, which are the same as before.
    pub(super) fn next(&mut self, bytes: &[u8]) -> Option<Record> {
        let word = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..self.end)?.first_chunk()?));
        while self.at < self.end {
            let Some(head) = word(self.at) else { break };
            let (kind, delta) = (head & 31, u64::from(head >> 5));
            let data = self.at + 4;
            let (start, length) = match kind {
                // The rest of the page is empty.
                29 if delta == 0 => {
                    self.at = self.end;
                    return None;
                }
                29 => {
                    self.time = self.time.wrapping_add(delta);
                    let Some(length) = word(data) else { break };
                    self.at = data.saturating_add(length as usize).max(data + 4);
                    continue;
                }
                30 | 31 => {
                    let Some(more) = word(data) else { break };
                    let time = u64::from(more) << 27 | delta;
                    self.time =
                        if kind == 30 { self.time.wrapping_add(time) } else { time | self.time & HIGH };
                    self.at = data + 4;
                    continue;
                }
                0 => {
                    let Some(length) = word(data).and_then(|length| length.checked_sub(4)) else { break };
                    (data + 4, (length as usize).next_multiple_of(4))
                }
                words => (data, words as usize * 4),
            };
            let end = start.saturating_add(length);
            if end > self.end {
                break;
            }
            self.time = self.time.wrapping_add(delta);
            self.at = end;
            return Some(Record { start, end, time: self.time });
        }
        self.is_damaged |= self.at < self.end;
        self.at = self.end;
        None
    }
}
