//! A volume: what one run prepared.
//!
//! ```text
//! PROGRAM-TIME-PID.prepared        mode 0600; all in hex, PROGRAM a sum of what runs, TIME nanoseconds
//!   "TWSHELF1"
//!   entries, one behind the other  flags u32: 1 it is recorded, 2 the class file is compressed
//!                                  what prepared.rs draws, if it is recorded; the packed class file
//!   index                          each: key 16 bytes, offset u64, bytes u32, crc32 of the entry u32
//!   count of entries u64, crc32 of the index u32, "TWSH"
//! ```
//!
//! Little-endian. It is written under another name and renamed, so it is there as a whole or not at all, and
//! is never changed again.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::SystemTime;

use formats::capture::PackedBytes;

use super::{Kept, Shelf, folder};
use crate::prepared::Ready;
use crate::sum::Sum;
use crate::sys;

const MAGIC: &[u8; 8] = b"TWSHELF1";
const END: &[u8; 4] = b"TWSH";
/// Bytes behind the index.
const TAIL: u64 = 16;
/// Bytes of an entry of the index.
const ROW: usize = 32;

const IS_RECORDED: u32 = 1;
const IS_COMPRESSED: u32 = 2;

/// Volumes with fewer bytes save no time that anybody would notice.
const LEAST: u64 = 128 << 10;
/// Beyond this nothing more is added to one.
const MOST: u64 = 256 << 20;

/// Bytes of the room for entries that most of them fit into.
const ROOM: usize = 64 << 10;

/// Where an entry stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    offset: u64,
    pub(super) length: u32,
    crc: u32,
}

/// One that is read.
#[derive(Debug)]
pub(super) struct Volume {
    file: File,
    /// Bytes of it when it was opened.
    length: u64,
    pub(super) index: Vec<(Sum, Place)>,
}

impl Volume {
    /// Opens one; `None` if it is none, damaged, or one that others may have written.
    pub(super) fn open(path: &Path) -> Option<Volume> {
        let file = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW).open(path).ok()?;
        let about = file.metadata().ok()?;
        if !about.is_file() || about.uid() != sys::user() || about.mode() & 0o022 != 0 {
            return None;
        }
        let mut tail = [0; TAIL as usize];
        let end = about.len().checked_sub(TAIL)?;
        file.read_exact_at(&mut tail, end).ok()?;
        let (count, [crc, magic]) = (tail.first_chunk()?, tail.last_chunk::<8>()?.as_chunks::<4>().0) else {
            return None;
        };
        let count = u64::from_le_bytes(*count);
        let length = usize::try_from(count).ok()?.checked_mul(ROW)?;
        let start = end.checked_sub(length as u64)?;
        let mut rows = vec![0; length];
        file.read_exact_at(&mut rows, start).ok()?;
        if magic != END || crc32fast::hash(&rows) != u32::from_le_bytes(*crc) {
            return None;
        }
        // Whatever was used lately is kept longest.
        let _ = file.set_modified(SystemTime::now());
        let index = rows.as_chunks::<ROW>().0.iter().filter_map(row).collect();
        Some(Volume { file, length: about.len(), index })
    }

    /// The class at a place, read into `room`; `None` if it is not what was written there.
    pub(super) fn read<'r>(&self, place: &Place, room: &'r mut Vec<u8>) -> Option<Kept<'r>> {
        let length = usize::try_from(place.length).ok()?;
        // An index that lies must not take memory that the file does not have.
        let end = place.offset.checked_add(u64::from(place.length))?;
        if end > self.length {
            return None;
        }
        if room.len() < length {
            *room = vec![0; length.next_power_of_two().max(ROOM)];
        }
        let bytes = room.get_mut(..length)?;
        self.file.read_exact_at(bytes, place.offset).ok()?;
        if crc32fast::hash(bytes) != place.crc {
            return None;
        }
        let (flags, rest) = bytes.split_first_chunk::<4>()?;
        let flags = u32::from_le_bytes(*flags);
        let (ready, file) = match flags & IS_RECORDED != 0 {
            true => Ready::read(rest).map(|(ready, file)| (Some(ready), file))?,
            false => (None, rest),
        };
        let file = PackedBytes { is_compressed: flags & IS_COMPRESSED != 0, bytes: file };
        Some(Kept { ready, file })
    }
}

fn row(bytes: &[u8; ROW]) -> Option<(Sum, Place)> {
    let word = |at: usize| bytes.get(at..)?.first_chunk().copied().map(u64::from_le_bytes);
    let half = |at: usize| bytes.get(at..)?.first_chunk().copied().map(u32::from_le_bytes);
    Some(([word(0)?, word(8)?], Place { offset: word(16)?, length: half(24)?, crc: half(28)? }))
}

/// One that is written, by the writer's thread.
#[derive(Debug)]
pub(crate) struct NewVolume {
    /// `None` before the first class, and when it cannot be written.
    file: Option<File>,
    path: PathBuf,
    length: u64,
    index: Vec<u8>,
    count: u64,
    has_failed: bool,
    out: Vec<u8>,
}

impl NewVolume {
    /// An empty one. No file is made before there is something to write.
    pub(crate) fn new(shelf: &Shelf) -> NewVolume {
        let path = folder::new_name(&shelf.folder, shelf.program);
        let (index, out) = (Vec::new(), Vec::new());
        NewVolume { file: None, path, length: 0, index, count: 0, has_failed: false, out }
    }

    /// Adds a class.
    pub(crate) fn add(&mut self, key: Sum, kept: Kept<'_>) {
        if !self.has_failed && self.length < MOST && self.append(key, kept).is_err() {
            self.has_failed = true;
        }
    }

    fn append(&mut self, key: Sum, Kept { ready, file }: Kept<'_>) -> io::Result<()> {
        if self.file.is_none() {
            let new = folder::unfinished(&self.path)?;
            self.file.insert(new).write_all(MAGIC)?;
            self.length = MAGIC.len() as u64;
        }
        self.out.clear();
        let flags = if ready.is_some() { IS_RECORDED } else { 0 }
            | if file.is_compressed { IS_COMPRESSED } else { 0 };
        self.out.extend(flags.to_le_bytes());
        if let Some(ready) = ready {
            ready.write(&mut self.out);
        }
        self.out.extend_from_slice(file.bytes);
        let Some(out) = &mut self.file else { return Ok(()) };
        out.write_all(&self.out)?;
        let length = u32::try_from(self.out.len()).map_err(io::Error::other)?;
        let row = &mut self.index;
        row.extend([key[0], key[1], self.length].iter().flat_map(|word| word.to_le_bytes()));
        row.extend([length, crc32fast::hash(&self.out)].iter().flat_map(|half| half.to_le_bytes()));
        self.length += u64::from(length);
        self.count += 1;
        Ok(())
    }

    /// Puts it on the shelf, unless it has next to nothing that was not there.
    pub(crate) fn finish(mut self, shelf: &Shelf) {
        let found = shelf.found_bytes.load(Ordering::Relaxed);
        if self.has_failed || self.length < LEAST.max(found / 8) {
            return;
        }
        let Some(file) = &mut self.file else { return };
        let crc = crc32fast::hash(&self.index);
        self.index.extend(self.count.to_le_bytes());
        self.index.extend(crc.to_le_bytes());
        self.index.extend(END);
        if file.write_all(&self.index).is_ok() && folder::publish(&self.path).is_ok() {
            folder::forget_old(&shelf.folder, shelf.program, &self.path);
        }
    }
}

impl Drop for NewVolume {
    /// What was not put on the shelf is taken away.
    fn drop(&mut self) {
        if self.file.is_some() {
            folder::discard(&self.path);
        }
    }
}
