//! Classes that were prepared in earlier runs of a program, kept for the next one: to take a class from here
//! is a fraction of the work of instrumenting it, and the program waits for that.
//!
//! The folder belongs to one build of the recorder, since another build may prepare a class in another way;
//! whoever starts the recorder names it. Each run that had to prepare many classes leaves a volume there
//! (drawn in `shelf/volume.rs`), and each later run of that program that is recorded in the same way, by mode
//! and filters, reads what stands in them. What is damaged, or of somebody else, or cannot be written only
//! costs time. Nothing is mapped: a file that somebody cuts must not harm the program.

mod folder;
mod volume;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use capture::PackedBytes;
use capture::class_cache::segment::{Entry, Place};

use crate::prepared::Ready;
use crate::sum::Sum;
use volume::Volume;

pub(crate) use volume::NewVolume;

/// What earlier runs of a program have left.
#[derive(Debug)]
pub(crate) struct Shelf {
    folder: PathBuf,
    /// A sum of what runs, and of how it is recorded.
    program: u64,
    volumes: Vec<Volume>,
    /// In which volume an entry stands, and where.
    index: HashMap<Sum, (usize, Entry)>,
    /// How many classes were found, and the bytes of their entries.
    found: AtomicU64,
    found_bytes: AtomicU64,
}

/// One class of the shelf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kept<'k> {
    /// `None`: it is one that is not recorded.
    pub(crate) ready: Option<Ready<'k>>,
    /// Where its class file stands.
    pub(crate) file: FileOnShelf,
}

/// Where the class file of a class from the shelf stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileOnShelf {
    volume: usize,
    place: Place,
    is_compressed: bool,
}

impl Shelf {
    /// The shelf of a program in this folder. There may be nothing on it.
    pub(crate) fn open(folder: &Path, program: Sum) -> Shelf {
        let [program, _] = program;
        let volumes = folder::volumes_of(folder, program);
        let mut index = HashMap::default();
        for (number, volume) in volumes.iter().enumerate() {
            index.extend(volume.index.iter().map(|&(key, entry)| (key, (number, entry))));
        }
        let (found, found_bytes) = (AtomicU64::new(0), AtomicU64::new(0));
        Shelf { folder: folder.to_owned(), program, volumes, index, found, found_bytes }
    }

    /// The class with this key, if it is there. It lies in `room`, which may hold anything and is best one that
    /// was used before: then it is neither grown nor cleared.
    pub(crate) fn find<'r>(&self, key: Sum, room: &'r mut Vec<u8>) -> Option<Kept<'r>> {
        let (volume, entry) = self.index.get(&key)?;
        let (ready, is_compressed) = self.volumes.get(*volume)?.class(entry, room)?;
        self.found.fetch_add(u64::from(ready.is_some()), Ordering::Relaxed);
        self.found_bytes.fetch_add(entry.length(), Ordering::Relaxed);
        Some(Kept { ready, file: FileOnShelf { volume: *volume, place: entry.file, is_compressed } })
    }

    /// The class file as the capture has it, of a class that was found; `None` if somebody has changed the volume
    /// or it is damaged there. For `room` see [`Shelf::find`].
    pub(crate) fn file<'r>(&self, file: FileOnShelf, room: &'r mut Vec<u8>) -> Option<PackedBytes<'r>> {
        let bytes = self.volumes.get(file.volume)?.file(file.place, room)?;
        Some(PackedBytes { is_compressed: file.is_compressed, bytes })
    }

    /// How many classes were found that are recorded.
    pub(crate) fn found(&self) -> u64 {
        self.found.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests;
