//! The values of calls: of the methods that the user named, and only of those.
//!
//! ```text
//! body     values, each a length and that many bytes; what is of a kind that is not known is passed over
//! values   0 u8, number, thread, chunk number, words, first word of the method, time signed, has object u8, count of value
//!          1 u8, number, time signed, count of value       the call with this number has returned; at most one value
//!          2 u8, number, time signed, 1, value             an exception has left it
//!          3 u8                                             no more values are kept: there were too many bytes of them
//! value    0 withheld | 1 null | 2 false | 3 true | 4 char: number | 5 whole number: signed
//!          6 float: bits u32 | 7 double: bits u64 | 8 text | 9 constant: class text, name text | 10 class: name text
//!          11 throwable: class text, identity, has message u8, text | 12 object: class text, identity
//!          13 object with elements: class text, identity, elements
//! text     UTF-16 units of the whole, text
//! ```

use model::{ProgramText, ProgramValue};
use source::bytes::{Cursor, put_bytes, put_number, put_signed, put_text};

use super::each_record;
use crate::frame::{self, kind};
use crate::limits;

/// One frame of values.
#[derive(Debug, Clone, PartialEq)]
pub enum ValuesRecord {
    /// A call begins.
    Entry(EntryValues),
    /// A call ended.
    Outcome(OutcomeValue),
    /// No more values follow.
    Full,
}

/// What a call was given.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryValues {
    /// Each call of a recording has another number.
    pub number: u64,
    /// The thread.
    pub thread: u32,
    /// The number of its chunk, and the words in it before those of the call.
    pub position: (u32, u32),
    /// The first word of the method.
    pub first: u32,
    /// When, ns since 1970.
    pub time: i64,
    /// Whether the first value is the object.
    pub has_object: bool,
    /// The object, if it is there, and the arguments.
    pub values: Vec<ProgramValue>,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct OutcomeValue {
    /// The number of the call.
    pub number: u64,
    /// When, ns since 1970.
    pub time: i64,
    /// Whether an exception left it.
    pub threw: bool,
    /// The result or the exception.
    pub value: Option<ProgramValue>,
}

/// Appends a frame with these records, as [`ValuesRecord::put`] puts them; nothing if there are none.
pub fn put_values(records: &[u8], out: &mut Vec<u8>) {
    if !records.is_empty() {
        frame::put_small(out, kind::VALUES, &[], records);
    }
}

/// Reads a body: each record is given to `take`. `None` where it makes no sense.
pub fn read_values(body: &[u8], mut take: impl FnMut(ValuesRecord)) -> Option<()> {
    each_record(body, LAST_TAG, |record| ValuesRecord::read(record).map(&mut take))
}

/// The highest tag of a record.
const LAST_TAG: u8 = 3;

impl ValuesRecord {
    /// Appends one record of a frame.
    pub fn put(&self, out: &mut Vec<u8>) {
        let mut values = Vec::new();
        let (entry, outcome) = match self {
            ValuesRecord::Entry(entry) => (Some(entry), None),
            ValuesRecord::Outcome(outcome) => (None, Some(outcome)),
            ValuesRecord::Full => (None, None),
        };
        let all = entry.map(|entry| &entry.values[..]).into_iter().flatten();
        all.chain(outcome.and_then(|outcome| outcome.value.as_ref()))
            .for_each(|value| put_value(&mut values, value));
        match self {
            ValuesRecord::Entry(EntryValues {
                number,
                thread,
                position,
                first,
                time,
                has_object,
                values: all,
            }) => {
                let key = (*number, *thread, *position, *first);
                put_entry(out, key, *time, *has_object, (all.len(), &values));
            }
            ValuesRecord::Outcome(OutcomeValue { number, time, threw, value }) => {
                put_outcome(out, *number, *time, *threw, (usize::from(value.is_some()), &values));
            }
            ValuesRecord::Full => put_bytes(out, &[3]),
        }
    }

    /// Reads the bytes of one record.
    fn read(body: &[u8]) -> Option<ValuesRecord> {
        let mut cursor = Cursor::new(body);
        let tag = cursor.byte()?;
        Some(match tag {
            0 => {
                let (number, thread) = (cursor.number()?, cursor.number32()?);
                let position = (cursor.number32()?, cursor.number32()?);
                let (first, time) = (cursor.number32()?, cursor.signed()?);
                let has_object = cursor.byte()? == 1;
                let values = read_all(&mut cursor)?;
                let has_object = has_object && !values.is_empty();
                ValuesRecord::Entry(EntryValues { number, thread, position, first, time, has_object, values })
            }
            1 | 2 => {
                let (number, time) = (cursor.number()?, cursor.signed()?);
                let value = read_all(&mut cursor)?.into_iter().next();
                if tag == 2 && value.is_none() {
                    return None;
                }
                ValuesRecord::Outcome(OutcomeValue { number, time, threw: tag == 2, value })
            }
            3 => ValuesRecord::Full,
            _ => return None,
        })
    }
}

/// Appends the record of an entry whose values are bytes already: so many of them, as [`put_value`] puts them.
/// `key`: number, thread, position, first word.
pub fn put_entry(
    out: &mut Vec<u8>,
    (number, thread, position, first): (u64, u32, (u32, u32), u32),
    time: i64,
    has_object: bool,
    (count, values): (usize, &[u8]),
) {
    let mut body = vec![0];
    put_number(&mut body, number);
    [thread, position.0, position.1, first]
        .into_iter()
        .for_each(|part| put_number(&mut body, u64::from(part)));
    put_signed(&mut body, time);
    body.push(u8::from(has_object));
    put_number(&mut body, count as u64);
    body.extend_from_slice(values);
    put_bytes(out, &body);
}

/// The same for what came of a call.
pub fn put_outcome(out: &mut Vec<u8>, number: u64, time: i64, threw: bool, (count, value): (usize, &[u8])) {
    let mut body = vec![1 + u8::from(threw)];
    put_number(&mut body, number);
    put_signed(&mut body, time);
    put_number(&mut body, count as u64);
    body.extend_from_slice(value);
    put_bytes(out, &body);
}

/// Appends a value.
pub fn put_value(out: &mut Vec<u8>, value: &ProgramValue) {
    let text = |out: &mut Vec<u8>, text: &ProgramText| {
        put_number(out, u64::from(text.length));
        put_text(out, &text.text);
    };
    match value {
        ProgramValue::Withheld => out.push(0),
        ProgramValue::Null => out.push(1),
        ProgramValue::Boolean(value) => out.push(2 + u8::from(*value)),
        ProgramValue::Char(unit) => {
            out.push(4);
            put_number(out, u64::from(*unit));
        }
        ProgramValue::Integer(value) => {
            out.push(5);
            put_signed(out, *value);
        }
        ProgramValue::Float(value) => {
            out.push(6);
            out.extend(value.to_bits().to_le_bytes());
        }
        ProgramValue::Double(value) => {
            out.push(7);
            out.extend(value.to_bits().to_le_bytes());
        }
        ProgramValue::Text(value) => {
            out.push(8);
            text(out, value);
        }
        ProgramValue::Constant(class, name) => {
            out.push(9);
            put_text(out, class);
            put_text(out, name);
        }
        ProgramValue::Class(name) => {
            out.push(10);
            put_text(out, name);
        }
        ProgramValue::Throwable { class, identity, message } => {
            out.push(11);
            put_text(out, class);
            put_number(out, u64::from(*identity));
            out.push(u8::from(message.is_some()));
            message.iter().for_each(|message| text(out, message));
        }
        ProgramValue::Object { class, identity, size } => {
            out.push(if size.is_some() { 13 } else { 12 });
            put_text(out, class);
            put_number(out, u64::from(*identity));
            size.iter().for_each(|size| put_number(out, *size));
        }
    }
}

fn read_all(cursor: &mut Cursor<'_>) -> Option<Vec<ProgramValue>> {
    let count = cursor.count()?;
    if count > limits::CALL_VALUES {
        return None;
    }
    (0..count).map(|_| read_value(cursor)).collect()
}

fn read_value(cursor: &mut Cursor<'_>) -> Option<ProgramValue> {
    let text = |cursor: &mut Cursor<'_>| {
        let length = cursor.number32()?;
        Some(ProgramText { length, text: cursor.text()? })
    };
    Some(match cursor.byte()? {
        0 => ProgramValue::Withheld,
        1 => ProgramValue::Null,
        2 => ProgramValue::Boolean(false),
        3 => ProgramValue::Boolean(true),
        4 => ProgramValue::Char(u16::try_from(cursor.number()?).ok()?),
        5 => ProgramValue::Integer(cursor.signed()?),
        6 => ProgramValue::Float(f32::from_bits(u32::from_le_bytes(cursor.take(4)?.try_into().ok()?))),
        7 => ProgramValue::Double(f64::from_bits(u64::from_le_bytes(cursor.take(8)?.try_into().ok()?))),
        8 => ProgramValue::Text(text(cursor)?),
        9 => ProgramValue::Constant(cursor.text()?, cursor.text()?),
        10 => ProgramValue::Class(cursor.text()?),
        11 => {
            let (class, identity) = (cursor.text()?, cursor.number32()?);
            let has_message = cursor.byte()? == 1;
            let message = if has_message { Some(text(cursor)?) } else { None };
            ProgramValue::Throwable { class, identity, message }
        }
        tag @ (12 | 13) => {
            let (class, identity) = (cursor.text()?, cursor.number32()?);
            let size = if tag == 13 { Some(cursor.number()?) } else { None };
            ProgramValue::Object { class, identity, size }
        }
        _ => return None,
    })
}
