//! The file header: where everything else is.
//!
//! ```text
//! PERFILE2 | header size | attribute size | attributes | data | event types | feature bits (4 x u64)
//!            104           bytes of one     section      section  section       one section each, listed
//!            (16: pipe.rs)  attribute                              (unused)      behind the data section
//! ```

use crate::limits;
use source::Source;

use super::bytes::{Cursor, Section, fill};
use super::error::Error;

/// Bytes of the header of a file.
const SIZE: usize = 104;
/// The header of a stream that perf wrote to a pipe: magic and this size.
const PIPE: u64 = 16;
/// A `perf_event_attr` has at least 64 bytes; the section of its ids follows it.
const SMALLEST_ATTRIBUTE: u64 = 64 + 16;

#[derive(Debug)]
pub(super) struct Header {
    pub(super) attribute_size: u64,
    pub(super) attributes: Section,
    pub(super) data: Section,
    /// Attributes and features are among the records (`pipe.rs`).
    pub(super) is_pipe: bool,
    /// perf writes the size of the data when it ends: it was killed, or is still running.
    pub(super) is_unfinished: bool,
    /// By number, as far as the table could be read.
    pub(super) features: Vec<(u32, Section)>,
    /// How many features should have been listed.
    pub(super) promised: u32,
}

impl Header {
    pub(super) fn read(file: &str, source: &dyn Source) -> Result<Header, Error> {
        let damaged = |offset, sentence: String| Error::Damaged { file: file.into(), offset, sentence };
        let refuse = |sentence: &str| {
            Err(Error::Unsupported { file: file.into(), offset: 8, sentence: sentence.into() })
        };
        let mut bytes = [0; SIZE];
        let count = fill(source, 0, &mut bytes)
            .map_err(|error| damaged(0, format!("The header cannot be read: {error}.")))?;
        let bytes = bytes.get(..count).unwrap_or_default();
        match bytes.get(..8) {
            Some(b"PERFILE2") => {}
            Some(b"2ELIFREP") => {
                return refuse("It was recorded on a big-endian machine, which is not supported.");
            }
            _ => return Err(Error::NotPerf { file: file.into() }),
        }
        let mut cursor = Cursor::new(bytes.get(8..).unwrap_or_default());
        let Some(size) = cursor.u64() else {
            return Err(damaged(8, format!("The file ends after {count} bytes, within its header.")));
        };
        if size == PIPE {
            let data = Section { offset: PIPE, size: source.size().saturating_sub(PIPE) };
            return Ok(Header::of_pipe(data));
        }
        if size < SIZE as u64 {
            let what = format!("The header claims {size} bytes; files of perf have {SIZE} there.");
            return Err(damaged(8, what));
        }
        let Some(mut header) = Header::parse(cursor) else {
            return Err(damaged(
                count as u64,
                format!("The file ends after {count} bytes, within its header."),
            ));
        };
        if header.attribute_size < SMALLEST_ATTRIBUTE {
            let what = format!(
                "An attribute should take {} bytes, and at least {SMALLEST_ATTRIBUTE} are needed.",
                header.attribute_size
            );
            return Err(damaged(16, what));
        }
        if header.data.size == 0 {
            // The bits of the features are there from the start, the features never come.
            header.is_unfinished = true;
            header.features.clear();
            header.data.size = source.size().saturating_sub(header.data.offset);
        }
        header.list_features(source);
        Ok(header)
    }

    fn of_pipe(data: Section) -> Header {
        let attributes = Section { offset: data.offset, size: 0 };
        Header {
            attribute_size: 0,
            attributes,
            data,
            is_pipe: true,
            is_unfinished: false,
            features: vec![],
            promised: 0,
        }
    }

    fn parse(mut cursor: Cursor<'_>) -> Option<Header> {
        let attribute_size = cursor.u64()?;
        let attributes = Section::parse(&mut cursor)?;
        let data = Section::parse(&mut cursor)?;
        Section::parse(&mut cursor)?; // event types: perf no longer writes them
        let mut features = vec![];
        for word in 0..4 {
            let bits = cursor.u64()?;
            let set = (0..64).filter(|bit| bits >> bit & 1 == 1);
            features.extend(set.map(|bit| (word * 64 + bit, Section { offset: 0, size: 0 })));
        }
        let promised = features.len() as u32;
        Some(Header {
            attribute_size,
            attributes,
            data,
            is_pipe: false,
            is_unfinished: false,
            features,
            promised,
        })
    }

    /// The table of features lies behind the data.
    fn list_features(&mut self, source: &dyn Source) {
        let table = Section { offset: self.data.end(), size: self.features.len() as u64 * 16 };
        let bytes = table.read(source, limits::PERF_SECTION).unwrap_or_default();
        let mut cursor = Cursor::new(&bytes);
        self.features.retain_mut(|(_, section)| {
            let found = Section::parse(&mut cursor);
            *section = found.unwrap_or(*section);
            found.is_some()
        });
    }

    pub(super) fn feature(&self, number: u32) -> Option<Section> {
        self.features.iter().find(|(feature, _)| *feature == number).map(|(_, section)| *section)
    }
}
