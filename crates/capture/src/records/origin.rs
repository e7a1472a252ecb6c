//! Where a class was loaded from.
//!
//! ```text
//! body     where in `code` the frame of the class begins, number of the origin, its text
//! text     a folder, an archive or a URL; only where the number stands for the first time, else empty
//! ```

use source::bytes::{Cursor, put_number, put_text};

use crate::frame::{self, kind};

/// The origin of one class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OriginRecord {
    /// Where in `code` the frame of the class begins.
    pub(crate) class_at: u64,
    /// The number of the origin in this capture.
    pub(crate) number: u64,
    /// The origin, where it is new.
    pub(crate) text: String,
}

/// Appends the frame of an origin. `class_at`: where in `code` the frame of its class begins; `text`: empty where the
/// number was given before.
pub fn put_origin(out: &mut Vec<u8>, class_at: u64, number: u64, text: &str) {
    let mut body = vec![];
    put_number(&mut body, class_at);
    put_number(&mut body, number);
    put_text(&mut body, text);
    frame::put_small(out, kind::ORIGIN, &[], &body);
}

impl OriginRecord {
    /// Reads a body; `None` where it makes no sense.
    pub(crate) fn read(body: &[u8]) -> Option<OriginRecord> {
        let mut cursor = Cursor::new(body);
        Some(OriginRecord { class_at: cursor.number()?, number: cursor.number()?, text: cursor.text()? })
    }
}
