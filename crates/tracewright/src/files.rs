//! Files: a folder searched for what lies in it, and a file as bytes for a parser.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use source::Source;

use crate::copied::read_full;
use crate::input;

/// Files that a folder may hold before it is refused as not one trace.
const MOST_FILES: usize = 100_000;
/// How deep folders may nest.
const DEEPEST: usize = 64;
/// Files that stay open. Systems allow about a thousand; the rest is opened for each read.
const MOST_OPEN: usize = 500;

/// One file below a folder.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) path: PathBuf,
    pub(crate) size: u64,
}

/// Every file below `folder`, sorted by path. Links are followed, but no folder is entered twice.
pub(crate) fn below(folder: &Path) -> io::Result<Vec<Found>> {
    let (mut found, mut entered) = (vec![], HashSet::new());
    enter(folder, 0, &mut found, &mut entered)?;
    Ok(found)
}

fn enter(
    folder: &Path,
    depth: usize,
    found: &mut Vec<Found>,
    entered: &mut HashSet<PathBuf>,
) -> io::Result<()> {
    if depth > DEEPEST {
        return Err(io::Error::other(format!("folders nest deeper than {DEEPEST}")));
    }
    if !entered.insert(folder.canonicalize()?) {
        return Ok(());
    }
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    // The order in which a file system lists names is its own; ours must not depend on it.
    paths.sort();
    for path in paths {
        // A link that leads nowhere is nobody's trace.
        let Ok(about) = fs::metadata(&path) else { continue };
        if about.is_dir() {
            enter(&path, depth + 1, found, entered)?;
        } else if about.is_file() {
            if found.len() >= MOST_FILES {
                return Err(io::Error::other(format!("it holds more than {MOST_FILES} files")));
            }
            found.push(Found { path, size: about.len() });
        }
    }
    Ok(())
}

/// A file that is opened when it is first read.
#[derive(Debug)]
pub(crate) struct LazyFile {
    found: Found,
    stays_open: bool,
    file: OnceCell<File>,
}

impl LazyFile {
    /// `number`: how many files of the same input were made before.
    pub(crate) fn new(found: Found, number: usize) -> LazyFile {
        LazyFile { found, stays_open: number < MOST_OPEN, file: OnceCell::new() }
    }
}

impl Source for LazyFile {
    fn size(&self) -> u64 {
        self.found.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(file) = self.file.get() {
            return read_full(file, offset, buffer);
        }
        let file = input::regular(&self.found.path)?;
        let count = read_full(&file, offset, buffer)?;
        if self.stays_open {
            let _ = self.file.set(file); // it was empty a moment ago
        }
        Ok(count)
    }

    fn next_data(&self, offset: u64) -> u64 {
        let next = |file: &File| match rustix::fs::seek(file, rustix::fs::SeekFrom::Data(offset)) {
            Ok(data) => data,
            // Nothing but a hole up to the end.
            Err(rustix::io::Errno::NXIO) => self.found.size.max(offset),
            // Not every file system knows its holes.
            Err(_) => offset,
        };
        match self.file.get() {
            Some(file) => next(file),
            None => input::regular(&self.found.path).map_or(offset, |file| next(&file)),
        }
    }
}
