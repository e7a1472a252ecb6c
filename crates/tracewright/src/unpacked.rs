//! Archives of tar with a CTF trace, unpacked into a folder that only its owner may enter.
//!
//! An input is unpacked once, however often it is opened. The folders go when the command ends, also at a signal; those of a
//! job in somebody else's process go with the job.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use formats::tar::{self, Error, Kind};

use crate::atomic::TemporaryFolder;
use crate::copied::free_space;
use crate::input::Stream;
use crate::numbers::grouped;
use crate::process::{self, Unpacked};

/// Inputs and where they lie now.
static UNPACKED: Mutex<Unpacked> = Mutex::new(Vec::new());

/// Dropped, all folders are removed.
#[derive(Debug)]
pub(crate) struct AtEnd;

impl Drop for AtEnd {
    fn drop(&mut self) {
        ours().clear();
    }
}

fn ours() -> MutexGuard<'static, Unpacked> {
    UNPACKED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does something with what was unpacked for whoever asks.
fn with<T>(work: impl FnOnce(&mut Unpacked) -> T) -> T {
    match process::guest() {
        Some(guest) => work(&mut guest.unpacked()),
        None => work(&mut ours()),
    }
}

fn find(all: &Unpacked, input: &Path) -> Option<PathBuf> {
    all.iter().find(|(known, _)| known == input).map(|(_, folder)| folder.path().to_owned())
}

/// Where `input` was unpacked to; itself if it was not.
pub(crate) fn directory(input: &Path) -> PathBuf {
    with(|all| find(all, input)).unwrap_or_else(|| input.to_owned())
}

/// Unpacks what `stream` holds, which is `input`; an error goes on after `cannot open FILE: `.
pub(crate) fn unpack(input: &Path, stream: Stream) -> Result<PathBuf, Error> {
    with(|all| match find(all, input) {
        Some(folder) => Ok(folder),
        None => unpack_into(all, input, stream),
    })
}

fn unpack_into(all: &mut Unpacked, input: &Path, stream: Stream) -> Result<PathBuf, Error> {
    let directory = std::env::temp_dir();
    let folder = TemporaryFolder::create(&directory.join("tracewright"))
        .map_err(|error| cannot(&directory, &error))?;
    let mut left = free_space(&directory).map_err(|error| cannot(&directory, &error))?;
    let mut archive = tar::read(stream);
    while let Some(member) = archive.next_member()? {
        let path = folder.path().join(OsStr::from_bytes(&member.name));
        if member.size > left {
            let size = grouped(member.size);
            let sentence =
                format!("a member of {size} bytes is more than may be unpacked to {}", directory.display());
            return Err(io::Error::other(sentence).into());
        }
        left -= member.size;
        match member.kind {
            Kind::Folder => fs::create_dir_all(&path).map_err(|error| cannot(&directory, &error))?,
            Kind::File => {
                let file =
                    path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| File::create(&path));
                let mut file = file.map_err(|error| cannot(&directory, &error))?;
                io::copy(&mut archive, &mut file)?;
            }
        }
    }
    let path = folder.path().to_owned();
    all.push((input.to_owned(), folder));
    Ok(path)
}

fn cannot(directory: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("it cannot be unpacked to {}: {error}", directory.display()))
}
