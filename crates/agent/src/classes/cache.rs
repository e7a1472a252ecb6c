//! Classes that were prepared in earlier runs of a program, kept for the next one: to take a class from here
//! is a fraction of the work of instrumenting it, and the program waits for that.
//!
//! The folder belongs to one build of the recorder, since another build may prepare a class in another way;
//! whoever starts the recorder names it. Each run that had to prepare many classes leaves a segment there
//! (drawn in `cache/segment.rs`), and each later run of that program that is recorded in the same way, by mode
//! and filters, reads what stands in them. What is damaged, or of somebody else, or cannot be written only
//! costs time. Nothing is mapped: a file that somebody cuts must not harm the program.

mod folder;
mod segment;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use capture::PackedBytes;
use capture::class_cache::instrumented::Ready;
use capture::class_cache::segment::{Entry, Extent};

use super::fingerprint::Fingerprint;
use segment::Segment;

pub(crate) use segment::NewSegment;

/// What earlier runs of a program have left.
#[derive(Debug)]
pub(crate) struct ClassCache {
    folder: PathBuf,
    /// A digest of what runs, and of how it is recorded.
    program: u64,
    segments: Vec<Segment>,
    /// In which segment an entry stands, and where.
    index: HashMap<Fingerprint, (usize, Entry)>,
    /// How many classes were found, and the bytes of their entries.
    found: AtomicU64,
    found_bytes: AtomicU64,
}

/// One class of the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cached<'k> {
    /// `None`: it is one that is not recorded.
    pub(crate) ready: Option<Ready<'k>>,
    /// Where its class file stands.
    pub(crate) file: CachedFile,
}

/// Where the class file of a class from the cache stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CachedFile {
    segment: usize,
    extent: Extent,
    is_compressed: bool,
}

impl ClassCache {
    /// The cache of a program in this folder. There may be nothing on it.
    pub(crate) fn open(folder: &Path, program: Fingerprint) -> ClassCache {
        let [program, _] = program;
        let segments = folder::segments_of(folder, program);
        let mut index = HashMap::default();
        for (number, segment) in segments.iter().enumerate() {
            index.extend(segment.index.iter().map(|&(key, entry)| (key, (number, entry))));
        }
        let (found, found_bytes) = (AtomicU64::new(0), AtomicU64::new(0));
        ClassCache { folder: folder.to_owned(), program, segments, index, found, found_bytes }
    }

    /// The class with this key, if it is there. It lies in `buffer`, which may hold anything and is best one that
    /// was used before: then it is neither grown nor cleared.
    pub(crate) fn find<'r>(&self, key: Fingerprint, buffer: &'r mut Vec<u8>) -> Option<Cached<'r>> {
        let (segment, entry) = self.index.get(&key)?;
        let (ready, is_compressed) = self.segments.get(*segment)?.class(entry, buffer)?;
        self.found.fetch_add(u64::from(ready.is_some()), Ordering::Relaxed);
        self.found_bytes.fetch_add(entry.length(), Ordering::Relaxed);
        Some(Cached { ready, file: CachedFile { segment: *segment, extent: entry.file, is_compressed } })
    }

    /// The class file as the capture has it, of a class that was found; `None` if somebody has changed the segment
    /// or it is damaged there. For `buffer` see [`ClassCache::find`].
    pub(crate) fn file<'r>(&self, file: CachedFile, buffer: &'r mut Vec<u8>) -> Option<PackedBytes<'r>> {
        let bytes = self.segments.get(file.segment)?.file(file.extent, buffer)?;
        Some(PackedBytes { is_compressed: file.is_compressed, bytes })
    }

    /// How many classes were found that are recorded.
    pub(crate) fn found(&self) -> u64 {
        self.found.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests;
