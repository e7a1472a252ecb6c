//! A segment: what one run prepared.
//!
//! ```text
//! PROGRAM-TIME-PID.prepared        mode 0600; all in hex, PROGRAM a digest of what runs and how it is recorded,
//!                                  TIME nanoseconds
//! ```
//!
//! What is in it is drawn in [`capture::class_cache`]. It is written under another name and renamed, so it is there
//! as a whole or not at all, and is never changed again.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use capture::PackedBytes;
use capture::class_cache::instrumented::Ready;
use capture::class_cache::segment::{
    END, Entry, Extent, IS_COMPRESSED, IS_RECORDED, MAGIC, TAIL, Tail, rows,
};

use super::super::fingerprint::Fingerprint;
use super::{ClassCache, folder};
use crate::sys;

/// Segments with fewer bytes save no time that anybody would notice.
const LEAST: u64 = 128 << 10;
/// Beyond this nothing more is added to one.
const MOST: u64 = 256 << 20;

/// Bytes of the room for entries that most of them fit into.
const BUFFER: usize = 64 << 10;

/// One that is read.
#[derive(Debug)]
pub(super) struct Segment {
    file: File,
    /// Bytes of it when it was opened.
    length: u64,
    path: PathBuf,
    /// Something in it is not what was written.
    is_bad: AtomicBool,
    pub(super) index: Vec<(Fingerprint, Entry)>,
}

impl Segment {
    /// Opens one; `None` if it is none, damaged, or one that others may have written.
    pub(super) fn open(path: &Path) -> Option<Segment> {
        let file = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW).open(path).ok()?;
        let about = file.metadata().ok()?;
        if !about.is_file() || about.uid() != sys::user() || about.mode() & 0o022 != 0 {
            return None;
        }
        let mut tail = [0; TAIL];
        file.read_exact_at(&mut tail, about.len().checked_sub(TAIL as u64)?).ok()?;
        let Tail { start, length, crc } = Tail::read(&tail, about.len())?;
        let mut index = vec![0; length];
        file.read_exact_at(&mut index, start).ok()?;
        if crc32fast::hash(&index) != crc {
            return None;
        }
        // Whatever was used lately is kept longest.
        let _ = file.set_modified(SystemTime::now());
        let index = rows(&index);
        let (length, path, is_bad) = (about.len(), path.to_owned(), AtomicBool::new(false));
        Some(Segment { file, length, path, is_bad, index })
    }

    /// What stands in an extent, read into `buffer`; `None` if it is not what was written there.
    fn bytes<'r>(&self, extent: Extent, buffer: &'r mut Vec<u8>) -> Option<&'r [u8]> {
        let length = usize::try_from(extent.length).ok()?;
        // An index that lies must not take memory that the file does not have.
        let end = extent.offset.checked_add(u64::from(extent.length))?;
        if end > self.length {
            return None;
        }
        if buffer.len() < length {
            *buffer = vec![0; length.next_power_of_two().max(BUFFER)];
        }
        let bytes = buffer.get_mut(..length)?;
        self.file.read_exact_at(bytes, extent.offset).ok()?;
        (crc32fast::hash(bytes) == extent.crc).then_some(bytes)
    }

    /// A class without its file, and whether that is compressed.
    pub(super) fn class<'r>(
        &self,
        entry: &Entry,
        buffer: &'r mut Vec<u8>,
    ) -> Option<(Option<Ready<'r>>, bool)> {
        if self.is_bad.load(Ordering::Relaxed) {
            return None;
        }
        let (flags, rest) = self.bytes(entry.class, buffer)?.split_first_chunk::<4>()?;
        let flags = u32::from_le_bytes(*flags);
        let ready = match flags & IS_RECORDED != 0 {
            true => Some(Ready::read(rest)?),
            false => None,
        };
        Some((ready, flags & IS_COMPRESSED != 0))
    }

    /// A class file that the class in its extent was found for. If it is not there the segment is taken away, since
    /// it would be missed in each run.
    pub(super) fn file<'r>(&self, extent: Extent, buffer: &'r mut Vec<u8>) -> Option<&'r [u8]> {
        let found = self.bytes(extent, buffer);
        if found.is_none() {
            self.is_bad.store(true, Ordering::Relaxed);
            let _ = std::fs::remove_file(&self.path);
        }
        found
    }
}

/// One that is written, by the writer's thread.
#[derive(Debug)]
pub(crate) struct NewSegment {
    /// `None` before the first class, and when it cannot be written.
    file: Option<File>,
    path: PathBuf,
    length: u64,
    index: Vec<u8>,
    count: u64,
    has_failed: bool,
    out: Vec<u8>,
}

impl NewSegment {
    /// An empty one. No file is made before there is something to write.
    pub(crate) fn new(cache: &ClassCache) -> NewSegment {
        let path = folder::new_name(&cache.folder, cache.program);
        let (index, out) = (Vec::new(), Vec::new());
        NewSegment { file: None, path, length: 0, index, count: 0, has_failed: false, out }
    }

    /// Adds a class with its file. `None`: it is not recorded.
    pub(crate) fn add(&mut self, key: Fingerprint, ready: Option<Ready<'_>>, file: PackedBytes<'_>) {
        if !self.has_failed && self.length < MOST && self.append(key, ready, file).is_err() {
            self.has_failed = true;
        }
    }

    fn append(
        &mut self,
        key: Fingerprint,
        ready: Option<Ready<'_>>,
        file: PackedBytes<'_>,
    ) -> io::Result<()> {
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
        let class_length = self.out.len();
        self.out.extend_from_slice(file.bytes);
        let Some(out) = &mut self.file else { return Ok(()) };
        out.write_all(&self.out)?;
        let parts = self.out.split_at_checked(class_length).unwrap_or_default();
        let length = |part: &[u8]| u32::try_from(part.len()).map_err(io::Error::other);
        let lengths = [length(parts.0)?, length(parts.1)?];
        let crcs = [parts.0, parts.1].map(crc32fast::hash);
        let row = &mut self.index;
        row.extend([key[0], key[1], self.length].iter().flat_map(|word| word.to_le_bytes()));
        row.extend(lengths.iter().chain(&crcs).flat_map(|half| half.to_le_bytes()));
        self.length += self.out.len() as u64;
        self.count += 1;
        Ok(())
    }

    /// Puts it in the cache, unless it has next to nothing that was not there.
    pub(crate) fn finish(mut self, cache: &ClassCache) {
        let found = cache.found_bytes.load(Ordering::Relaxed);
        if self.has_failed || self.length < LEAST.max(found / 8) {
            return;
        }
        let Some(file) = &mut self.file else { return };
        let crc = crc32fast::hash(&self.index);
        self.index.extend(self.count.to_le_bytes());
        self.index.extend(crc.to_le_bytes());
        self.index.extend(END);
        if file.write_all(&self.index).is_ok() && folder::publish(&self.path).is_ok() {
            folder::forget_old(&cache.folder, cache.program, &self.path);
        }
    }
}

impl Drop for NewSegment {
    /// What was not put in the cache is taken away.
    fn drop(&mut self) {
        if self.file.is_some() {
            folder::discard(&self.path);
        }
    }
}
