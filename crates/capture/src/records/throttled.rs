//! Methods whose records the recorder left out from some moment on, to keep its cost within a budget.
//!
//! ```text
//! body     records, each a length and that many bytes; what is of a kind that is not known is passed over
//! record   0 u8, method, time signed, share of the records in thousandths     from then on its calls are counted
//!          1 u8, method, calls since                                          written at the end
//! method   its first record number
//! ```

use model::Timestamp;
use source::bytes::{Cursor, put_bytes, put_number, put_signed};

use super::each_record;
use crate::frame::{self, kind};

/// One record of a frame of throttled methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThrottleRecord {
    /// A method leaves no records from now on.
    Begun {
        /// Its first record number.
        method: u32,
        /// When.
        time: Timestamp,
        /// Of a thousand records that were written before, about so many were its own.
        share: u32,
    },
    /// How often it was called since. Threads that call it at the same moment may count once.
    Calls {
        /// Its first record number.
        method: u32,
        /// About so often.
        calls: u64,
    },
}

/// Appends a frame with these records; nothing if there are none.
pub fn put_throttled(records: &[ThrottleRecord], out: &mut Vec<u8>) {
    let mut body = vec![];
    records.iter().for_each(|record| record.put(&mut body));
    if !body.is_empty() {
        frame::put_small(out, kind::THROTTLED, &[], &body);
    }
}

/// Reads a body: each record is given to `take`. `None` where it makes no sense.
pub fn read_throttled(body: &[u8], mut take: impl FnMut(ThrottleRecord)) -> Option<()> {
    each_record(body, CALLS, |record| ThrottleRecord::read(record).map(&mut take))
}

const BEGUN: u8 = 0;
const CALLS: u8 = 1;

impl ThrottleRecord {
    fn put(&self, out: &mut Vec<u8>) {
        let mut body = vec![];
        match *self {
            ThrottleRecord::Begun { method, time, share } => {
                body.push(BEGUN);
                put_number(&mut body, u64::from(method));
                put_signed(&mut body, time.0);
                put_number(&mut body, u64::from(share));
            }
            ThrottleRecord::Calls { method, calls } => {
                body.push(CALLS);
                put_number(&mut body, u64::from(method));
                put_number(&mut body, calls);
            }
        }
        put_bytes(out, &body);
    }

    fn read(body: &[u8]) -> Option<ThrottleRecord> {
        let mut cursor = Cursor::new(body);
        let (tag, method) = (cursor.byte()?, cursor.number32()?);
        Some(match tag {
            BEGUN => {
                let time = Timestamp(cursor.signed()?);
                ThrottleRecord::Begun { method, time, share: cursor.number32()? }
            }
            _ => ThrottleRecord::Calls { method, calls: cursor.number()? },
        })
    }
}
