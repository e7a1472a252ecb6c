//! Notes that lie beside a trace: what is read is written, and then read again.

use formats::notes_json::{read, write};

/// Reads them.
pub fn run(input: &[u8]) {
    let Ok(notes) = read(&String::from_utf8_lossy(input)) else { return };
    assert_eq!(read(&write(&notes)), Ok(notes), "notes change when they are written");
}
