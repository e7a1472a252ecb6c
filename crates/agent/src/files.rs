//! The folder of a capture, and appending to its files.
//!
//! Whatever is appended is there as a whole or not at all: what a full disk cut off is taken away
//! again. `code` has room kept for it on the disk ahead of its end, so that the last words of a
//! recording that ends because the disk is full can still be written.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use formats::capture::{CODE, OPEN, STEPS};

use crate::sys;

/// Bytes of disk that are kept ahead of the end of `code`, renewed when a quarter is left.
const AHEAD: u64 = 256 << 10;

/// A file that only grows.
#[derive(Debug)]
pub(crate) struct Log {
    file: File,
    length: u64,
    /// Up to where the disk's space is ours; `None` where the file system does not promise any.
    kept: Option<u64>,
}

impl Log {
    fn create(path: &Path, keeps: bool) -> io::Result<Log> {
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        let mut log = Log { file, length: 0, kept: keeps.then_some(0) };
        log.keep_ahead(0)?;
        Ok(log)
    }

    fn keep_ahead(&mut self, coming: u64) -> io::Result<()> {
        let Some(kept) = self.kept else { return Ok(()) };
        let end = self.length + coming;
        if end + AHEAD / 4 <= kept {
            return Ok(());
        }
        match sys::keep_space(&self.file, end + AHEAD) {
            Ok(()) => self.kept = Some(end + AHEAD),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => self.kept = None,
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Appends these bytes, or nothing.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.keep_ahead(bytes.len() as u64)?;
        self.append_last(bytes)
    }

    /// The same, with the space that was kept for the end.
    pub(crate) fn append_last(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self.file.write_all(bytes) {
            Ok(()) => {
                self.length += bytes.len() as u64;
                Ok(())
            }
            Err(error) => {
                // Without these the next append would leave a hole.
                let _ = self.file.set_len(self.length);
                let _ = self.file.seek(SeekFrom::Start(self.length));
                Err(error)
            }
        }
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }
}

/// The folder of one recording.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    /// Device and number of the folder and of `steps`.
    identity: [(u64, u64); 2],
}

impl Folder {
    /// Makes the folder (or takes an empty one) and its files: `code`, `steps`, `open`.
    pub(crate) fn create(path: &Path) -> io::Result<(Folder, Log, Log, File)> {
        match DirBuilder::new().mode(0o700).create(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && is_ours(path) => {}
            other => other?,
        }
        let code = Log::create(&path.join(CODE), true)?;
        let made = (|| {
            let steps = Log::create(&path.join(STEPS), false)?;
            let mut open = OpenOptions::new();
            let open = open.read(true).write(true).create_new(true).mode(0o600).open(path.join(OPEN))?;
            let identity = [identity(path)?, identity(&path.join(STEPS))?];
            Ok((Folder { path: path.to_owned(), identity }, code, steps, open))
        })();
        if made.is_err() {
            remove(path);
        }
        made
    }

    /// Whether the folder and its files are still where they were made.
    pub(crate) fn is_there(&self) -> bool {
        let now = [identity(&self.path), identity(&self.path.join(STEPS))];
        now.iter().zip(&self.identity).all(|(now, then)| now.as_ref().is_ok_and(|now| now == then))
    }

    /// Takes `open` away: everything in it stands in `steps`.
    pub(crate) fn finish(&self) {
        if self.is_there() {
            let _ = std::fs::remove_file(self.path.join(OPEN));
        }
    }
}

/// Takes away what a recording that never began has left.
pub(crate) fn remove(path: &Path) {
    for file in [CODE, STEPS, OPEN] {
        let _ = std::fs::remove_file(path.join(file));
    }
    let _ = std::fs::remove_dir(path);
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let data = std::fs::symlink_metadata(path)?;
    Ok((data.dev(), data.ino()))
}

/// An empty folder (no link to one) of the user whom we act as.
fn is_ours(path: &Path) -> bool {
    let folder = std::fs::symlink_metadata(path).is_ok_and(|data| data.is_dir() && data.uid() == sys::user());
    folder && std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}
