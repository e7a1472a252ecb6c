//! Files that perf wrote to a pipe (`perf record -o -`): what else stands in the header comes as records
//! before the samples.
//!
//! ```text
//! PERFILE2 | 16 | HEADER_ATTR: attribute, ids | FEATURE: number u64, data | HEADER_TRACING_DATA: size u32 |
//!                 one for each event                                       that many bytes, no record
//! ```
//!
//! `record.rs` steps over the bytes behind HEADER_TRACING_DATA.

use crate::limits;
use source::Source;

use super::attr::Attr;
use super::bytes::{Cursor, Section};
use super::features;
use super::header::Header;
use super::record::{Record, Records, Step, TRACING_DATA, kind};

/// Collects attributes, and the places of features into `header`. Ends at the first sample: perf writes
/// all this before. A broken record is reported later, by `scan.rs`.
pub(super) fn collect(header: &mut Header, source: &dyn Source) -> Vec<Attr> {
    let mut records = Records::new(header.data);
    let mut attrs = vec![];
    let mut left = limits::PERF_IDS;
    while let Step::Record(Record { offset, kind, body, .. }) = records.next(source) {
        match kind {
            kind::HEADER_ATTR if attrs.len() < limits::PERF_EVENTS => {
                if let Some(attr) = attribute(body, &mut left) {
                    attrs.push(attr);
                }
            }
            kind::FEATURE => {
                let Some(number) = Cursor::new(body).u64().and_then(|number| u32::try_from(number).ok())
                else {
                    continue;
                };
                // Behind the head of the record and the number.
                let section = Section { offset: offset + 16, size: (body.len() as u64).saturating_sub(8) };
                add(header, number, section);
            }
            TRACING_DATA => {
                let size = Cursor::new(body).u32().unwrap_or(0);
                let section = Section { offset: offset + 8 + body.len() as u64, size: size.into() };
                add(header, features::TRACING_DATA, section);
            }
            kind::SAMPLE => break,
            _ => {}
        }
    }
    attrs
}

/// Adds a feature, unless it is there already; there are no more than bits in the header of a file.
fn add(header: &mut Header, number: u32, section: Section) {
    if number < 256 && header.feature(number).is_none() {
        header.features.push((number, section));
    }
}

/// The attribute says how long it is; the rest are ids.
fn attribute(body: &[u8], left: &mut u64) -> Option<Attr> {
    let mut attr = Attr::parse(Cursor::new(body))?;
    let size = usize::try_from(u32::from_le_bytes(*body.get(4..)?.first_chunk()?)).ok()?;
    let (ids, _) = body.get(size..)?.as_chunks::<8>();
    attr.ids = ids.iter().take(*left as usize).copied().map(u64::from_le_bytes).collect();
    *left -= attr.ids.len() as u64;
    Some(attr)
}
