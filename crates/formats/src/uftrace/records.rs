//! `TID.dat`: the records of one thread.
//!
//! ```text
//! record   | time u64 | kind 2 bits, more 1, magic 3 (5), depth 10, address 48 |      little endian
//! kind     0 entry   1 exit   2 lost: the address says how many   3 an event of another kind
//! more     values follow (arguments, a result), in multiples of 8 bytes; how many is not recorded
//! ```
//!
//! The time of a record of kind 2 is 0. How long values are follows from what uftrace was asked for, function by
//! function. They are not needed here, so the next record is looked for instead: it must have the magic, come later
//! and be one step from the depth before.

use std::rc::Rc;

use source::Source;

use crate::limits;

const BYTES: usize = 16;
const MAGIC: u64 = 5;
/// What follows values mostly comes within an hour.
const SOON: u64 = 3_600_000_000_000;
/// No function lies in the first page.
const FIRST_ADDRESS: u64 = 4096;

/// One record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    /// ns of uftrace's clock; 0 where records are lost.
    pub(super) time: u64,
    pub(super) kind: Kind,
    /// How many calls are open around it.
    pub(super) depth: u16,
    /// An address in the function.
    pub(super) address: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Entry,
    Exit,
    /// So many records are missing: the address.
    Lost,
    Event,
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Record(Record),
    /// So many bytes from this one on are no records.
    Damage {
        offset: u64,
        bytes: u64,
    },
}

/// Reads front to back.
pub(super) struct Records {
    file: Rc<dyn Source>,
    /// Where the window begins in the file, what it holds, and what of it was read.
    offset: u64,
    window: Vec<u8>,
    at: usize,
    /// Values follow the record that was read last.
    more: bool,
    last: u64,
    /// Calls that are open.
    open: u16,
}

impl Records {
    pub(super) fn new(file: Rc<dyn Source>) -> Records {
        Records { file, offset: 0, window: vec![], at: 0, more: false, last: 0, open: 0 }
    }

    /// Bytes read so far.
    pub(super) fn position(&self) -> u64 {
        self.offset + self.at as u64
    }

    /// The next; `None` at the end.
    pub(super) fn next(&mut self) -> Option<Next> {
        if self.more {
            self.more = false;
            self.pass_values();
        }
        let (begin, mut skipped) = (self.position(), 0);
        while self.fill(BYTES) {
            let (record, more) = self.peek(self.at);
            let fits = if skipped == 0 {
                is_record(self.word(self.at + 8))
            } else {
                self.may_follow(self.at, u64::MAX)
            };
            if fits && skipped > 0 {
                return Some(Next::Damage { offset: begin, bytes: skipped });
            }
            if fits {
                self.take(record, more);
                return Some(Next::Record(record));
            }
            self.at += 8;
            skipped += 8 + self.pass_hole();
        }
        let bytes = skipped + (self.window.len() - self.at) as u64;
        self.at = self.window.len();
        (bytes > 0).then_some(Next::Damage { offset: begin, bytes })
    }

    /// At the end of the window: goes on behind a hole of the file, and says how many bytes that are.
    fn pass_hole(&mut self) -> u64 {
        if self.window.len() - self.at >= BYTES {
            return 0;
        }
        let position = self.position();
        let hole = self.file.next_data(position).saturating_sub(position) / 8 * 8;
        if hole > 0 {
            (self.offset, self.at) = (position + hole, 0);
            self.window.clear();
        }
        hole
    }

    /// Goes behind the values of the record that was read last: to the next place that may be a record, one soon
    /// after if there is one, or to the end of the file.
    fn pass_values(&mut self) {
        let has_all = self.fill(limits::UFTRACE_VALUES + BYTES);
        let offsets = || (self.at..self.at + limits::UFTRACE_VALUES).step_by(8);
        let found = [SOON, u64::MAX].into_iter().find_map(|soon| {
            offsets().find(|at| at + BYTES <= self.window.len() && self.may_follow(*at, soon))
        });
        match found {
            Some(at) => self.at = at,
            None if !has_all => self.at = self.window.len(),
            None => {}
        }
    }

    fn take(&mut self, record: Record, more: bool) {
        self.at += BYTES;
        self.more = more;
        self.last = self.last.max(record.time);
        match record.kind {
            Kind::Entry => self.open = record.depth.saturating_add(1),
            Kind::Exit => self.open = record.depth,
            Kind::Lost | Kind::Event => {}
        }
    }

    /// Whether a record that follows the last one, at most so many ns later, may stand at a place of the window.
    fn may_follow(&self, at: usize, soon: u64) -> bool {
        let (record, _) = self.peek(at);
        let is_in_time = record.time.checked_sub(self.last).is_some_and(|later| later <= soon);
        is_record(self.word(at + 8))
            && match record.kind {
                Kind::Entry => is_in_time && record.depth == self.open && record.address >= FIRST_ADDRESS,
                Kind::Exit => {
                    is_in_time
                        && record.depth.checked_add(1) == Some(self.open)
                        && record.address >= FIRST_ADDRESS
                }
                Kind::Event => is_in_time && soon < u64::MAX,
                // Its time is always 0.
                Kind::Lost => record.time == 0,
            }
    }

    /// What stands at a place of the window if it is a record, and whether values follow.
    fn peek(&self, at: usize) -> (Record, bool) {
        let (time, word) = (self.word(at), self.word(at + 8));
        let kind = match word & 3 {
            0 => Kind::Entry,
            1 => Kind::Exit,
            2 => Kind::Lost,
            _ => Kind::Event,
        };
        let record = Record { time, kind, depth: (word >> 6 & 0x3ff) as u16, address: word >> 16 };
        (record, word & 4 != 0)
    }

    fn word(&self, at: usize) -> u64 {
        let bytes = self.window.get(at..).and_then(<[u8]>::first_chunk).copied();
        u64::from_le_bytes(bytes.unwrap_or_default())
    }

    /// Makes sure that so many bytes are in the window; false where the file has fewer left.
    fn fill(&mut self, bytes: usize) -> bool {
        if self.window.len() - self.at >= bytes {
            return true;
        }
        self.window.drain(..self.at);
        self.offset += self.at as u64;
        self.at = 0;
        let had = self.window.len();
        self.window.resize(limits::UFTRACE_WINDOW, 0);
        let got = self.file.read_at(self.offset + had as u64, &mut self.window[had..]).unwrap_or(0);
        self.window.truncate(had + got);
        self.window.len() >= bytes
    }
}

fn is_record(word: u64) -> bool {
    word >> 3 & 7 == MAGIC
}
