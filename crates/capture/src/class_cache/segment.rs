//! The end of a segment file of the class cache: where its entries stand.
//!
//! ```text
//! index   each: key 16 bytes, offset u64, bytes u32 of the entry without the class file, of that u32, crc32 of the
//!               one u32, of the other u32
//! tail    count of entries u64, crc32 of the index u32, "TWSH"
//! ```

use super::Fingerprint;

/// What a segment file begins with.
pub const MAGIC: &[u8; 8] = b"TWSHELF5";
/// What it ends with.
pub const END: [u8; 4] = *b"TWSH";
/// Bytes after the index.
pub const TAIL: usize = 16;
/// Bytes of an entry of the index.
pub const ROW: usize = 40;

/// A flag of an entry: the class is recorded.
pub const IS_RECORDED: u32 = 1;
/// A flag of an entry: its class file is compressed.
pub const IS_COMPRESSED: u32 = 2;

/// Where something stands in a segment file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Bytes from the start of the file.
    pub offset: u64,
    /// Its bytes.
    pub length: u32,
    /// Their crc32.
    pub crc: u32,
}

/// Where an entry stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Flags, and the class as it is recorded.
    pub class: Extent,
    /// The class file.
    pub file: Extent,
}

impl Entry {
    /// Bytes of both parts.
    pub fn length(&self) -> u64 {
        u64::from(self.class.length) + u64::from(self.file.length)
    }
}

/// The content of the tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tail {
    /// Where the index begins, in bytes from the start of the file.
    pub start: u64,
    /// Bytes of the index.
    pub length: usize,
    /// The crc32 of the index.
    pub crc: u32,
}

impl Tail {
    /// Reads the last bytes of a file of `size` bytes; `None` if it cannot be one.
    pub fn read(bytes: &[u8; TAIL], size: u64) -> Option<Tail> {
        let (count, halves) = bytes.split_first_chunk()?;
        let [crc, END] = halves.as_chunks::<4>().0 else { return None };
        let length = usize::try_from(u64::from_le_bytes(*count)).ok()?.checked_mul(ROW)?;
        let start = size.checked_sub(TAIL as u64)?.checked_sub(length as u64)?;
        Some(Tail { start, length, crc: u32::from_le_bytes(*crc) })
    }
}

/// Reads the rows of an index: keys, and where their entries stand. Rows that cannot be are left out.
pub fn rows(bytes: &[u8]) -> Vec<(Fingerprint, Entry)> {
    bytes.as_chunks::<ROW>().0.iter().filter_map(row).collect()
}

fn row(bytes: &[u8; ROW]) -> Option<(Fingerprint, Entry)> {
    let word = |at: usize| bytes.get(at..)?.first_chunk().copied().map(u64::from_le_bytes);
    let half = |at: usize| bytes.get(at..)?.first_chunk().copied().map(u32::from_le_bytes);
    let class = Extent { offset: word(16)?, length: half(24)?, crc: half(32)? };
    let end = class.offset.checked_add(u64::from(class.length))?;
    let file = Extent { offset: end, length: half(28)?, crc: half(36)? };
    Some(([word(0)?, word(8)?], Entry { class, file }))
}
