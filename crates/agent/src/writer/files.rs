//! The folder of a capture, and appending to its files.
//!
//! Whatever is appended is there as a whole or not at all: what a full disk cut off is taken away
//! again. Once the pool is there it stands in that first, and is written with what comes after it.
//! `code` has room kept for it on the disk ahead of its end, so that the last words of a
//! recording that ends because the disk is full can still be written.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use capture::{CODE, FILES, OPEN, STEPS};

use crate::buffers::tail::Tail;
use crate::sys;

/// Bytes of disk that are kept ahead of the end of `code`, renewed when a quarter is left.
const RESERVE: u64 = 256 << 10;

/// A file that only grows.
#[derive(Debug)]
pub(crate) struct Log {
    file: File,
    /// Bytes of the file, without those of the tail.
    written: u64,
    tail: Option<Tail>,
    /// Up to where the disk's space is ours; `None` where the file system does not promise any.
    reserved: Option<u64>,
}

impl Log {
    fn create(path: &Path, reserves: bool) -> io::Result<Log> {
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        let mut log = Log { file, written: 0, tail: None, reserved: reserves.then_some(0) };
        log.reserve(0)?;
        Ok(log)
    }

    fn reserve(&mut self, coming: u64) -> io::Result<()> {
        let Some(reserved) = self.reserved else { return Ok(()) };
        let end = self.length() + coming;
        if end + RESERVE / 4 <= reserved {
            return Ok(());
        }
        match sys::reserve_space(&self.file, end + RESERVE) {
            Ok(()) => self.reserved = Some(end + RESERVE),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => self.reserved = None,
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Appends these bytes, or nothing.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.reserve(bytes.len() as u64)?;
        self.append_last(bytes)
    }

    /// The same, with the space that was kept for the end.
    pub(crate) fn append_last(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.put(bytes) {
            return Ok(());
        }
        self.flush()?;
        let is_small = self.tail.as_ref().is_some_and(|tail| bytes.len() <= tail.capacity() / 2);
        if is_small && self.put(bytes) {
            return Ok(());
        }
        self.write(bytes)?;
        self.publish_written();
        Ok(())
    }

    /// Into the tail, if there is one with space for it.
    fn put(&mut self, bytes: &[u8]) -> bool {
        self.tail.as_mut().is_some_and(|tail| tail.put(self.written, bytes))
    }

    /// From now on what is appended stands there first.
    pub(crate) fn set_tail(&mut self, tail: Tail) {
        self.tail = Some(tail);
        self.publish_written();
    }

    /// Writes all that was appended to the file; where that fails it stays in the tail.
    fn flush(&mut self) -> io::Result<()> {
        let Some(tail) = self.tail.take() else { return Ok(()) };
        let result = self.write(tail.bytes());
        self.tail = Some(tail);
        if result.is_ok() {
            self.publish_written();
        }
        result
    }

    /// The same, and the tail is somebody else's from now on.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.flush()?;
        self.tail = None;
        Ok(())
    }

    fn publish_written(&mut self) {
        if let Some(tail) = &mut self.tail {
            tail.clear(self.written);
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        // Behind a file that was truncated this would leave a hole.
        if self.file.metadata()?.len() != self.written {
            return Err(io::Error::other("somebody else has changed the length of its file"));
        }
        match self.file.write_all(bytes) {
            Ok(()) => {
                self.written += bytes.len() as u64;
                Ok(())
            }
            Err(error) => {
                // Without these the next append would leave a hole.
                let _ = self.file.set_len(self.written);
                let _ = self.file.seek(SeekFrom::Start(self.written));
                Err(error)
            }
        }
    }

    /// The same file once more, for who asks the system about it.
    pub(crate) fn twin(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Bytes that were appended.
    pub(crate) fn length(&self) -> u64 {
        self.written + self.tail.as_ref().map_or(0, |tail| tail.bytes().len() as u64)
    }
}

/// The folder of one recording.
#[derive(Debug)]
pub(crate) struct Folder {
    /// What it is called.
    pub(crate) path: PathBuf,
    /// How its files are reached.
    files: PathBuf,
    /// Held open if it was handed over: `files` leads through it.
    handed: Option<OwnedFd>,
    /// Device and number of the folder and of its files.
    identity: (u64, u64),
    identities: [(u64, u64); 3],
}

impl Folder {
    /// Makes the folder (or takes an empty one) and its files: `code`, `steps`, `open`. Where an open folder
    /// was handed over, they are made there: `path` may lead elsewhere in this process, or nowhere.
    pub(crate) fn create(path: &Path, handed: Option<OwnedFd>) -> io::Result<(Folder, Log, Log, File)> {
        let files = match &handed {
            Some(folder) => PathBuf::from(format!("/proc/self/fd/{}/.", folder.as_raw_fd())),
            None => path.to_owned(),
        };
        match DirBuilder::new().mode(0o700).create(&files) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && is_ours(&files) => {}
            other => other?,
        }
        let code = Log::create(&files.join(CODE), true)?;
        let made = (|| {
            let steps = Log::create(&files.join(STEPS), false)?;
            let mut open = OpenOptions::new();
            let open = open.read(true).write(true).create_new(true).mode(0o600).open(files.join(OPEN))?;
            let [one, two, three] = FILES.map(|name| identity(&files.join(name)));
            Ok((steps, open, identity(&files)?, [one?, two?, three?]))
        })();
        match made {
            Ok((steps, open, identity, identities)) => {
                Ok((Folder { path: path.to_owned(), files, handed, identity, identities }, code, steps, open))
            }
            Err(error) => {
                remove(&files);
                Err(error)
            }
        }
    }

    /// Whether it was handed over as an open folder.
    pub(crate) fn is_handed(&self) -> bool {
        self.handed.is_some()
    }

    /// What has become of the folder or of its files that a recording cannot go on with, if anything.
    pub(crate) fn problem(&self) -> Option<String> {
        let is_there = |path: &Path, then| identity(path).is_ok_and(|now| now == then);
        if !is_there(&self.files, self.identity) {
            return Some("the folder of the capture was taken away".to_owned());
        }
        let mut files = FILES.into_iter().zip(self.identities);
        let (gone, _) = files.find(|(name, then)| !is_there(&self.files.join(name), *then))?;
        Some(format!("the file `{gone}` of the capture was taken away"))
    }

    /// Takes `open` away: everything in it stands in `steps`.
    pub(crate) fn finish(&self) {
        if self.problem().is_none() {
            let _ = std::fs::remove_file(self.files.join(OPEN));
        }
    }

    /// Takes away what a recording that never began has left; a folder that was handed over stays, empty.
    pub(crate) fn remove(&self) {
        remove(&self.files);
    }
}

fn remove(path: &Path) {
    for file in FILES {
        let _ = std::fs::remove_file(path.join(file));
    }
    let _ = std::fs::remove_dir(path);
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let data = std::fs::symlink_metadata(path)?;
    if data.nlink() == 0 {
        // A folder that was removed, and is held open.
        return Err(io::ErrorKind::NotFound.into());
    }
    Ok((data.dev(), data.ino()))
}

/// An empty folder (no link to one) of the user whom we act as.
fn is_ours(path: &Path) -> bool {
    let folder = std::fs::symlink_metadata(path).is_ok_and(|data| data.is_dir() && data.uid() == sys::user());
    folder && std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}

#[cfg(test)]
mod tests {
    use capture::pool::{self, tail};
    use tempfile::NamedTempFile;

    use super::*;
    use crate::buffers::pool::{Pool, TAILS};

    /// What a reader would find now: the file up to what the tail continues, and the tail.
    fn found(path: &Path, open: &Path, which: usize) -> Vec<u8> {
        let (mut found, open) = (std::fs::read(path).unwrap(), std::fs::read(open).unwrap());
        let number = |at: usize| {
            let bytes = open.get(tail::AT[which] + at..).and_then(|bytes| bytes.first_chunk()).unwrap();
            usize::try_from(u64::from_le_bytes(*bytes)).unwrap()
        };
        let (written, end) = (number(tail::WRITTEN), number(tail::END));
        let before = if which == 0 { 0 } else { TAILS[0] as usize };
        if let Some(held) = end.checked_sub(written).filter(|held| *held > 0) {
            found.truncate(written);
            found.extend_from_slice(open.get(pool::HEAD + before..).unwrap().get(..held).unwrap());
        }
        found
    }

    #[test]
    fn whatever_was_appended_is_there_at_each_moment() {
        let open = NamedTempFile::new().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let pool = Pool::reserve().unwrap();
        let sizes = pool.attach(open.as_file()).unwrap();
        pool.write_head(&pool::head(&sizes, TAILS));
        for (which, tail) in pool.tails().into_iter().enumerate() {
            let capacity = tail.capacity();
            let path = folder.path().join(format!("tail-{which}"));
            let mut log = Log::create(&path, which == 0).unwrap();
            log.append(b"first").unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), b"first");
            log.set_tail(tail);
            let mut all = b"first".to_vec();
            let lengths = [
                7,
                capacity / 3,
                capacity / 3,
                capacity / 3,
                9,
                capacity / 2,
                capacity / 2 + 1,
                1,
                3 * capacity,
                5,
                capacity,
            ];
            for (byte, length) in (1..).zip(lengths) {
                let bytes = vec![byte; length];
                log.append(&bytes).unwrap();
                all.extend_from_slice(&bytes);
                assert_eq!(log.length(), all.len() as u64);
                assert!(found(&path, open.path(), which) == all, "{which}: {byte}");
            }
            log.append(b"last").unwrap();
            all.extend_from_slice(b"last");
            assert!(std::fs::read(&path).unwrap() != all, "it is reserved back");
            log.finish().unwrap();
            assert!(std::fs::read(&path).unwrap() == all);
        }
        pool.detach();
    }
}
