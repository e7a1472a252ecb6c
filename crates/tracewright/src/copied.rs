//! A copy of an input that comes once or is compressed, for readers that need it at any offset.
//!
//! It lies in a file that only its owner could have opened and that has no name any more, so it goes with the program,
//! however that ends.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;

use source::Source;

use crate::atomic::TemporaryFolder;
use crate::numbers::grouped;

/// Bytes of a copy at most.
const LARGEST: u64 = 16 << 30;

/// The bytes.
#[derive(Debug, Clone)]
pub(crate) struct Copied {
    file: Arc<File>,
    size: u64,
}

impl Copied {
    /// Reads all of an input into a copy.
    pub(crate) fn of(input: &mut impl Read) -> io::Result<Copied> {
        let directory = std::env::temp_dir();
        let cannot = |error: io::Error| {
            io::Error::new(error.kind(), format!("it cannot be copied to {}: {error}", directory.display()))
        };
        let most = free_space(&directory).map_err(cannot)?;
        let mut file = nameless(&directory).map_err(cannot)?;
        let size = io::copy(&mut input.take(most + 1), &mut file)?;
        if size > most {
            let most = grouped(most);
            return Err(io::Error::other(format!(
                "it has more than {most} bytes, and no more are copied to {}; write it to a file first, not compressed",
                directory.display()
            )));
        }
        Ok(Copied { file: Arc::new(file), size })
    }

    /// The bytes from start to end.
    pub(crate) fn reader(&self) -> impl Read + Send + use<> {
        FromStart { copy: self.clone(), at: 0 }
    }
}

/// Bytes that may be written to a folder: half of what is free there, so that others still can write.
pub(crate) fn free_space(folder: &Path) -> io::Result<u64> {
    let about = rustix::fs::statvfs(folder)?;
    Ok((about.f_bavail.saturating_mul(about.f_frsize) / 2).min(LARGEST))
}

/// A file that is gone from its folder.
fn nameless(directory: &Path) -> io::Result<File> {
    let folder = TemporaryFolder::create(&directory.join("tracewright"))?;
    File::options().read(true).write(true).create_new(true).mode(0o600).open(folder.path().join("copy"))
}

impl Source for Copied {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        read_full(&self.file, offset, buffer)
    }
}

/// A reader with a place of its own.
struct FromStart {
    copy: Copied,
    at: u64,
}

impl Read for FromStart {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.copy.read_at(self.at, buffer)?;
        self.at += count as u64;
        Ok(count)
    }
}

/// Fewer bytes than asked for only at the end, as [`Source`] promises and one call does not.
pub(crate) fn read_full(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    let mut count = 0;
    while count < buffer.len() {
        match file.read_at(&mut buffer[count..], offset + count as u64) {
            Ok(0) => break,
            Ok(more) => count += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(count)
}
