//! The file of notes beside a trace: read with bounds, written whole, and changed by one program at a time.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use formats::limits::NOTES_BYTES;
use formats::notes_json::{self, Notes};
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;

use crate::atomic::{AtomicFile, Existing};
use crate::exit::Stop;

/// How long is waited for another program that writes.
const PATIENCE: Duration = Duration::from_secs(3);

/// Where the notes of an input are, which must be a file or a folder that has a name.
pub(super) fn beside(input: &Path) -> Option<PathBuf> {
    let about = fs::metadata(input).ok()?;
    if !about.is_file() && !about.is_dir() {
        return None;
    }
    // `.` and `..` are names of nothing.
    let input = match input.file_name() {
        Some(_) => input.to_owned(),
        None => input.canonicalize().ok()?,
    };
    let mut name = input.file_name()?.to_owned();
    name.push(notes_json::ENDING);
    Some(input.with_file_name(name))
}

/// The notes of a file; none where there is no file. The error is a sentence.
pub(super) fn read(path: &Path) -> Result<Notes, String> {
    let problem =
        |what: &dyn std::fmt::Display| format!("The notes in {} cannot be read: {what}.", path.display());
    match text(path) {
        Ok(Some(text)) => notes_json::read(&text).map_err(|what| problem(&what)),
        Ok(None) => Ok(Notes::default()),
        Err(error) => Err(problem(&error)),
    }
}

fn text(path: &Path) -> io::Result<Option<String>> {
    // A link is not followed, and a FIFO not waited for.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = match File::options().read(true).custom_flags(flags.bits() as i32).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
            return Err(io::Error::other("it is a link"));
        }
        Err(error) => return Err(error),
    };
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(NOTES_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > NOTES_BYTES {
        return Err(io::Error::other(format!("it has more than {} MiB", NOTES_BYTES >> 20)));
    }
    String::from_utf8(bytes).map(Some).map_err(|_| io::Error::other("it is not UTF-8"))
}

/// Writes all notes; the error is a sentence.
pub(super) fn write(path: &Path, notes: &Notes) -> Result<(), String> {
    let written = AtomicFile::create(path, Existing::ReplaceUnfollowed).and_then(|mut file| {
        let written = file.write_all(notes_json::write(notes).as_bytes());
        written.map_err(|error| Stop::Failed(format!("cannot write {}: {error}", path.display())))?;
        file.commit()
    });
    written.map_err(|stop| match stop {
        Stop::Failed(sentence) => format!("Notes are not saved: {sentence}."),
        Stop::Unread => "Notes are not saved.".into(),
    })
}

/// Another program has the lock, and does not give it back.
#[derive(Debug)]
pub(super) struct Busy;

/// Lets no other program that asks for the same change the file, until the value is dropped.
#[derive(Debug)]
pub(super) struct Lock(#[expect(dead_code, reason = "it is open as long as it is locked")] Option<File>);

impl Lock {
    /// The folder is locked, so that no file more is left behind. Where nothing can be locked nothing is.
    pub(super) fn of(path: &Path) -> Result<Lock, Busy> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let flags = OFlags::DIRECTORY | OFlags::NONBLOCK;
        let Ok(folder) = File::options().read(true).custom_flags(flags.bits() as i32).open(folder) else {
            return Ok(Lock(None));
        };
        let end = Instant::now() + PATIENCE;
        loop {
            match flock(&folder, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Lock(Some(folder))),
                Err(Errno::WOULDBLOCK | Errno::INTR) if Instant::now() < end => {
                    sleep(Duration::from_millis(10));
                }
                Err(Errno::WOULDBLOCK | Errno::INTR) => return Err(Busy),
                Err(_) => return Ok(Lock(None)),
            }
        }
    }
}
