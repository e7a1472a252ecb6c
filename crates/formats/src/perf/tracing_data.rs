//! The feature TRACING_DATA: the texts that say what the tracepoints write.
//!
//! ```text
//! 17 08 44 "tracing" | version "0.6" 0 | endian u8 | size of long u8 | page size u32
//! "header_page" 0  | size u64 | text
//! "header_event" 0 | size u64 | text
//! count u32 | count x ( size u64 | text of an event of ftrace itself )
//! count u32 | count x ( system 0 | count u32 | count x ( size u64 | text of an event ) )
//! ... symbols, printk formats, command names: not needed here
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::bytes::Cursor;
use crate::tracepoint::{self, Format};

const MAGIC: &[u8] = b"\x17\x08\x44tracing";

/// What was found: the formats of the tracepoints that were asked for, by their ids.
#[derive(Debug, Default)]
pub(super) struct TracingData {
    pub(super) formats: BTreeMap<u64, Format>,
    /// Offset within the feature and a sentence, if it could not be read to the end.
    pub(super) trouble: Option<(u64, String)>,
}

/// Reads what concerns the tracepoints in `wanted`.
pub(super) fn read(bytes: &[u8], wanted: &BTreeSet<u64>) -> TracingData {
    let mut data = TracingData::default();
    let mut cursor = Cursor::new(bytes);
    if let Err(what) = walk(&mut cursor, wanted, &mut data) {
        let offset = (bytes.len() - cursor.rest.len()) as u64;
        data.trouble = Some((offset, format!("The texts that describe the tracepoints end early: {what}.")));
    }
    data
}

fn walk(cursor: &mut Cursor<'_>, wanted: &BTreeSet<u64>, data: &mut TracingData) -> Result<(), &'static str> {
    if cursor.take(MAGIC.len()) != Some(MAGIC) {
        return Err("they do not begin with their magic number");
    }
    cursor.zero_ended().ok_or("their version is missing")?;
    if cursor.take(1).ok_or("their byte order is missing")? != [0] {
        return Err("they are big endian, which is not supported");
    }
    let long = cursor.take(1).and_then(|size| size.first()).ok_or("the size of a long is missing")?;
    let long = if *long == 4 { 4 } else { 8 };
    cursor.u32().ok_or("the page size is missing")?;
    for _ in 0..2 {
        cursor.zero_ended().ok_or("a header is missing")?;
        cursor.sized().ok_or("a header does not fit")?;
    }
    for _ in 0..cursor.u32().ok_or("the number of ftrace events is missing")? {
        cursor.sized().ok_or("the text of an ftrace event does not fit")?;
    }
    for _ in 0..cursor.u32().ok_or("the number of systems is missing")? {
        let system = String::from_utf8_lossy(cursor.zero_ended().ok_or("the name of a system is missing")?);
        for _ in 0..cursor.u32().ok_or("the number of events of a system is missing")? {
            let text = cursor.sized().ok_or("the text of an event does not fit")?;
            if let Some(format) = tracepoint::parse(&system, text, long, &|id| wanted.contains(&id)) {
                data.formats.entry(format.id).or_insert(format);
            }
        }
    }
    Ok(())
}
