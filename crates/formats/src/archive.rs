//! Zip archives: what stands in one (`shop.jar`), and of those with source text (`-sources.jar`, `src.zip`) an entry
//! by its name, whole.
//!
//! ```text
//! | local head, name, extra, data | ... | directory: an entry each | end: where the directory is |
//! ```
//!
//! Read are stored and deflated entries of archives below 4 GiB. Nothing is unpacked to anywhere, and
//! names are only compared. The caller guarantees that the bytes do not change. Source: APPNOTE.TXT 6.3.

use std::collections::HashMap;

use crate::limits;
use source::Source;

const END: [u8; 4] = *b"PK\x05\x06";
const END_BYTES: usize = 22;
const ENTRY: [u8; 4] = *b"PK\x01\x02";
const ENTRY_BYTES: usize = 46;
const LOCAL: [u8; 4] = *b"PK\x03\x04";
const LOCAL_BYTES: usize = 30;
/// The end may be followed by a comment of this length at most.
const COMMENT: u64 = 65_535;

/// The directory of an archive, as it lies there.
#[derive(Debug, Default)]
pub struct Directory {
    bytes: Vec<u8>,
}

/// What the directory says of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'d> {
    /// Its name, with folders, as it stands there.
    pub name: &'d [u8],
    /// The crc32 of its content.
    pub crc: u32,
    /// Bytes of its content.
    pub size: u32,
    storage: Storage,
    /// What the directory has of it.
    bytes_of_entry: usize,
}

/// Where the content of an entry is, and in which form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Storage {
    offset: u32,
    packed: u32,
    size: u32,
    deflated: bool,
    is_readable: bool,
}

impl Directory {
    /// Reads it; `None` if this is no archive, or its directory is not whole or not directly before its end.
    pub fn read(source: &dyn Source) -> Option<Directory> {
        let size = source.size();
        let tail_at = size.saturating_sub(COMMENT + END_BYTES as u64);
        let tail = read(source, tail_at, (size - tail_at) as usize)?;
        let end_at = memchr::memmem::rfind(&tail, &END)?;
        let end = tail.get(end_at..)?;
        let (length, offset) = (u32_at(end, 12)?, u32_at(end, 16)?);
        if length as usize > limits::ARCHIVE_DIRECTORY
            || u64::from(offset) + u64::from(length) != tail_at + end_at as u64
        {
            return None;
        }
        let directory = Directory { bytes: read(source, u64::from(offset), length as usize)? };
        let entries: usize = directory.entries().map(|entry| entry.bytes_of_entry).sum();
        (entries == directory.bytes.len()).then_some(directory)
    }

    /// Its entries, in order.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        let mut rest = self.bytes.as_slice();
        std::iter::from_fn(move || {
            let head = rest.get(..ENTRY_BYTES).filter(|head| head.starts_with(&ENTRY))?;
            let [name, extra, comment] = [28, 30, 32].map(|at| u16_at(head, at).map_or(0, usize::from));
            let name = rest.get(ENTRY_BYTES..ENTRY_BYTES + name)?;
            let (method, size) = (u16_at(head, 10)?, u32_at(head, 24)?);
            let is_encrypted = u16_at(head, 8)? & 1 != 0;
            let storage = Storage {
                offset: u32_at(head, 42)?,
                packed: u32_at(head, 20)?,
                size,
                deflated: method == 8,
                is_readable: (method == 8 || method == 0) && !is_encrypted,
            };
            let bytes_of_entry = ENTRY_BYTES + name.len() + extra + comment;
            rest = rest.get(bytes_of_entry..)?;
            let entry = Entry { name, crc: u32_at(head, 16)?, size, storage, bytes_of_entry };
            Some(entry)
        })
    }
}

impl Entry<'_> {
    /// Its content, read from the archive; `None` if it is damaged or longer than `most` bytes.
    pub fn content(&self, source: &dyn Source, most: usize) -> Option<Vec<u8>> {
        self.storage.content(source, most)
    }
}

impl Storage {
    fn content(&self, source: &dyn Source, most: usize) -> Option<Vec<u8>> {
        if !self.is_readable || self.size as usize > most || self.packed as usize > most {
            return None;
        }
        let offset = u64::from(self.offset);
        let head = read(source, offset, LOCAL_BYTES)?;
        if !head.starts_with(&LOCAL) {
            return None;
        }
        let names = u64::from(u16_at(&head, 26)?) + u64::from(u16_at(&head, 28)?);
        let packed = read(source, offset + LOCAL_BYTES as u64 + names, self.packed as usize)?;
        if !self.deflated {
            return Some(packed);
        }
        // What the directory says of the size is also the most that is made room for.
        miniz_oxide::inflate::decompress_to_vec_with_limit(&packed, self.size as usize).ok()
    }
}

/// The entries of an archive by name.
#[derive(Debug, Default)]
pub struct Archive {
    entries: HashMap<String, Storage>,
}

impl Archive {
    /// Reads the directory; `None` if this is no archive that can be read.
    pub fn open(source: &dyn Source) -> Option<Archive> {
        let directory = Directory::read(source)?;
        let readable = directory.entries().filter(|entry| entry.storage.is_readable);
        let by_name = |entry: Entry<'_>| (String::from_utf8_lossy(entry.name).into_owned(), entry.storage);
        Some(Archive { entries: readable.map(by_name).collect() })
    }

    /// The content of the entry of this name, or of one that lies by this name in some folder of the
    /// archive (`java.base/` in that of the JDK, `src/main/java/` in others); of several the first by
    /// name. `None` if there is none, or it is damaged or longer than `most` bytes.
    pub fn get(&self, source: &dyn Source, name: &str, most: usize) -> Option<Vec<u8>> {
        let entry = self.entries.get(name).or_else(|| {
            let below =
                |known: &&String| known.strip_suffix(name).is_some_and(|folder| folder.ends_with('/'));
            self.entries.get(self.entries.keys().filter(below).min()?)
        })?;
        entry.content(source, most)
    }

    /// How many entries can be read.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

fn read(source: &dyn Source, offset: u64, length: usize) -> Option<Vec<u8>> {
    if u64::try_from(length).ok()? > source.size() {
        return None;
    }
    let mut bytes = vec![0; length];
    let mut done = 0;
    while done < length {
        match source.read_at(offset + done as u64, bytes.get_mut(done..)?).ok()? {
            0 => return None,
            count => done += count,
        }
    }
    Some(bytes)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two entries, one stored, one deflated, made by Python's `zipfile`: see `corpus/README.md`.
    const SMALL: &[u8] = include_bytes!("../../../corpus/archive/small");

    #[test]
    fn entries_are_found_by_name_and_in_folders() {
        let archive = Archive::open(&SMALL).unwrap();
        assert_eq!(archive.len(), 2);
        let text = |name| archive.get(&SMALL, name, 1000).map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(text("shop/Baker.java").as_deref(), Some("class Baker {}\n"));
        assert_eq!(text("shop/Oven.java"), Some("class Oven { int hot; }\n".repeat(20)));
        assert_eq!(text("hop/Oven.java"), None);
        assert_eq!(text("shop/Nobody.java"), None);
        assert_eq!(archive.get(&SMALL, "shop/Oven.java", 100), None, "longer than asked for");
    }

    #[test]
    fn cut_and_damaged_archives_do_no_harm() {
        for end in 0..SMALL.len() {
            try_all(&SMALL[..end]);
        }
        for at in 0..SMALL.len() {
            for flip in [1, 0x80, 0xff] {
                let mut bytes = SMALL.to_vec();
                bytes[at] ^= flip;
                try_all(&bytes);
            }
        }
    }

    fn try_all(bytes: &[u8]) {
        if let Some(archive) = Archive::open(&bytes) {
            archive.get(&bytes, "shop/Baker.java", 1 << 20);
            archive.get(&bytes, "shop/Oven.java", 1 << 20);
        }
    }
}
