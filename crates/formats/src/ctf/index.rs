//! Index files: what packets the tracer wrote to a stream, so that what is gone is known.
//!
//! ```text
//! index/channel0_0.idx     of the stream channel0_0 beside that folder; all numbers big endian
//!
//! C1 F1 DC C1 | major u32 | minor u32 | bytes of an entry u32 | entry | entry | ...
//! entry       | offset | packet size | content size | begin | end | events discarded | stream | instance | ...
//!               u64 each; sizes in bits, times in ticks                                        since 1.1
//! ```
//!
//! No packet is searched for by it and no time is taken from it where the stream has its own: an index may be of
//! another version of the file. One that does not fit what is there is left out.

use super::session::bytes_of;
use source::Source;

/// The packets of a stream, in order.
#[derive(Debug, Default)]
pub(super) struct Index {
    entries: Vec<Entry>,
    /// The first one that was not met yet.
    next: usize,
    /// Which of the streams of its class this is, since version 1.1: for LTTng the CPU.
    pub(super) instance: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    offset: u64,
    begin: u64,
    end: u64,
}

/// Packets that were written and are not there, and the ticks that they lie between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Missing {
    pub(super) packets: u64,
    pub(super) from: u64,
    pub(super) to: u64,
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} packet{}", self.packets, if self.packets == 1 { "" } else { "s" })
    }
}

const MAGIC: u32 = 0xC1F1_DCC1;
/// Up to here an entry is the same in all versions.
const ENTRY: usize = 7 * 8;

impl Index {
    /// Reads an index file; `None` if it is none.
    pub(super) fn read(source: &dyn Source) -> Option<Index> {
        let bytes = bytes_of(source).ok()?;
        let word = |at: usize| Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?));
        let size = word(12)? as usize;
        if word(0)? != MAGIC || word(4)? != 1 || size < ENTRY {
            return None;
        }
        let entry = |bytes: &[u8]| {
            let long = |at: usize| Some(u64::from_be_bytes(*bytes.get(at * 8..)?.first_chunk()?));
            let entry = Entry { offset: long(0)?, begin: long(3)?, end: long(4)? };
            // What takes no space only says that the tracer is alive.
            (long(1)? != 0).then_some(entry)
        };
        let rest = bytes.get(16..)?;
        let entries = rest.chunks_exact(size).filter_map(entry).collect();
        let instance = if size > ENTRY { rest.get(ENTRY..) } else { None };
        let instance = instance.and_then(|rest| rest.first_chunk()).map(|bytes| u64::from_be_bytes(*bytes));
        Some(Index { entries, next: 0, instance })
    }

    /// Whether it lists no packet.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The stream has a packet that begins here; the packets before it that should have come. An index that does
    /// not know the packet is believed no more.
    pub(super) fn meet(&mut self, begin: Option<u64>, offset: u64) -> Option<Missing> {
        let rest = self.entries.get(self.next..)?;
        let is_it = |entry: &Entry| begin.map_or(entry.offset == offset, |begin| entry.begin == begin);
        let Some(before) = rest.iter().position(is_it) else {
            self.next = self.entries.len();
            return None;
        };
        let missing = missing(rest.get(..before)?);
        self.next += before + 1;
        missing
    }

    /// The stream is over: what should have come.
    pub(super) fn end(&mut self) -> Option<Missing> {
        let rest = self.entries.get(self.next..)?;
        let missing = missing(rest);
        self.next = self.entries.len();
        missing
    }
}

fn missing(entries: &[Entry]) -> Option<Missing> {
    let (first, last) = (entries.first()?, entries.last()?);
    Some(Missing { packets: entries.len() as u64, from: first.begin, to: last.end.max(first.begin) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(times: &[(u64, u64)]) -> Index {
        let mut bytes = [MAGIC, 1, 1, 72].map(u32::to_be_bytes).concat();
        for (number, (begin, end)) in times.iter().enumerate() {
            let entry = [number as u64 * 100, 800, 700, *begin, *end, 0, 0, 3, number as u64];
            bytes.extend(entry.map(u64::to_be_bytes).concat());
        }
        Index::read(&bytes).unwrap()
    }

    #[test]
    fn what_lies_between_packets_that_are_met_is_missing() {
        let mut index = index(&[(1, 5), (5, 9), (10, 20), (21, 30), (31, 40), (41, 50)]);
        assert_eq!(index.instance, Some(3));
        assert_eq!(index.meet(Some(1), 0), None);
        assert_eq!(index.meet(Some(21), 100), Some(Missing { packets: 2, from: 5, to: 20 }));
        assert_eq!(index.meet(None, 400), None);
        assert_eq!(index.end(), Some(Missing { packets: 1, from: 41, to: 50 }));
        assert_eq!(index.end(), None);
    }

    #[test]
    fn an_index_of_something_else_says_nothing() {
        let mut other = index(&[(1, 5), (5, 9)]);
        assert_eq!(other.meet(Some(3), 0), None);
        assert_eq!(other.end(), None);
        for bytes in [&b""[..], b"\xC1\xF1\xDC\xC1", &[0; 100], &[0xFF; 100]] {
            assert!(Index::read(&bytes.to_vec()).is_none());
        }
    }
}
