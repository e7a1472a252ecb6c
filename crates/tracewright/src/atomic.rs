//! Atomic output: a file or a folder that appears under its name when it is whole, or not at all.
//!
//! ```text
//! create ──> .NAME.part-PID-N beside it ──> writes ──commit──> synced, renamed to NAME
//!                                           └── dropped, SIGINT, SIGTERM, SIGHUP ──> removed
//! ```
//!
//! So a full disk, an error or an interruption leaves nothing that has the name of a result or that keeps the next
//! run from starting. What `kill -9` leaves has a name of its own and is in nobody's way.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::exit::{Result, Stop};
use crate::process;

/// Bytes collected before they are written.
const BUFFER: usize = 256 << 10;

/// Characters of a name that its part has, too.
const NAME: usize = 40;
/// Parts made so far.
static NEXT: AtomicU32 = AtomicU32::new(0);
/// What is half written in this process, for the thread that waits for signals.
static PARTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// What becomes of a file that already has the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existing {
    /// It stays, and the output is refused: somebody may have worked on it.
    Refuse,
    /// It is replaced once the new one is whole.
    Replace,
    /// The same of a regular file; a link, a device or a pipe is refused. One that takes its place meanwhile is replaced
    /// itself, not what it leads to.
    ReplaceUnfollowed,
}

/// A file that is being written; [`AtomicFile::commit`] gives it its name.
#[derive(Debug)]
pub(crate) struct AtomicFile {
    file: BufWriter<File>,
    path: PathBuf,
    existing: Existing,
    /// `None`: written directly, because it is a device or a pipe.
    part: Option<Part>,
}

impl AtomicFile {
    /// Begins to write `path`. With [`Existing::Replace`] a device, a FIFO or a socket is written directly.
    pub(crate) fn create(path: &Path, existing: Existing) -> Result<AtomicFile> {
        let cannot = |error: io::Error| Stop::Failed(format!("cannot create {}: {error}", path.display()));
        let about = match existing {
            Existing::ReplaceUnfollowed => fs::symlink_metadata(path),
            Existing::Refuse | Existing::Replace => fs::metadata(path),
        };
        match about.map(|about| about.file_type()) {
            Ok(_) if existing == Existing::Refuse => {
                return Err(cannot(io::Error::other("it exists already")));
            }
            Ok(kind) if kind.is_dir() => return Err(cannot(io::ErrorKind::IsADirectory.into())),
            Ok(kind) if existing == Existing::ReplaceUnfollowed && !kind.is_file() => {
                return Err(cannot(io::Error::other("it is not a regular file")));
            }
            Ok(kind) if kind.is_fifo() || kind.is_char_device() || kind.is_socket() => {
                let file = File::options().write(true).open(path).map_err(cannot)?;
                let file = BufWriter::with_capacity(BUFFER, file);
                return Ok(AtomicFile { file, path: path.to_owned(), existing, part: None });
            }
            _ => {}
        }
        // A link stays a link: what it leads to is replaced.
        let path = match existing {
            Existing::Replace => path.canonicalize().unwrap_or_else(|_| path.to_owned()),
            Existing::Refuse | Existing::ReplaceUnfollowed => path.to_owned(),
        };
        let (part, file) = Part::create(&path, |part| File::create_new(part)).map_err(cannot)?;
        Ok(AtomicFile { file: BufWriter::with_capacity(BUFFER, file), path, existing, part: Some(part) })
    }

    /// Writes the rest and gives the file its name.
    pub(crate) fn commit(mut self) -> Result<()> {
        let result = (|| {
            self.file.flush()?;
            let Some(part) = self.part.take() else { return Ok(()) };
            self.file.get_ref().sync_all()?;
            part.rename(&self.path, self.existing)
        })();
        result.or_else(|error| Stop::failed(format!("cannot write {}: {error}", self.path.display())))
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A folder that is being filled; [`AtomicFolder::commit`] gives it its name.
#[derive(Debug)]
pub(crate) struct AtomicFolder(Part);

impl AtomicFolder {
    /// Begins a folder that will be called `path`.
    pub(crate) fn create(path: &Path) -> io::Result<AtomicFolder> {
        Ok(AtomicFolder(Part::create(path, |part| fs::create_dir(part))?.0))
    }

    /// Where it is filled.
    pub(crate) fn path(&self) -> &Path {
        &self.0.0
    }

    /// Gives it its name, which an empty folder may have already.
    pub(crate) fn commit(self, path: &Path) -> io::Result<()> {
        self.0.rename(path, Existing::Replace)
    }
}

/// A folder that only its owner may enter, and that goes with the value or at a signal.
#[derive(Debug)]
pub(crate) struct TemporaryFolder(Part);

impl TemporaryFolder {
    /// Makes one beside `path`, with a name like it. Follows no link and takes nothing that is there.
    pub(crate) fn create(path: &Path) -> io::Result<TemporaryFolder> {
        Ok(TemporaryFolder(Part::create(path, |part| fs::DirBuilder::new().mode(0o700).create(part))?.0))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0.0
    }
}

/// Something half written; dropped, it is removed.
#[derive(Debug)]
struct Part(PathBuf);

impl Part {
    /// Makes the part of `path` by `make`.
    fn create<T>(path: &Path, make: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<(Part, T)> {
        remove_at_signals();
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        // Names have at most 255 bytes, so a long one is cut, and two that are cut alike must differ.
        let name: String = name.chars().take(NAME).collect();
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let part = path.with_file_name(format!(".{name}.part-{}-{number}", std::process::id()));
        // Under the lock: a signal finds it listed or not made.
        let mut parts = parts();
        let made = make(&part)?;
        parts.push(part.clone());
        Ok((Part(part), made))
    }

    fn rename(self, path: &Path, existing: Existing) -> io::Result<()> {
        let mut parts = parts();
        match existing {
            Existing::Replace | Existing::ReplaceUnfollowed => fs::rename(&self.0, path)?,
            Existing::Refuse => rename_to_new(&self.0, path)?,
        }
        parts.retain(|part| *part != self.0);
        Ok(())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let mut parts = parts();
        if let Some(index) = parts.iter().position(|part| *part == self.0) {
            parts.swap_remove(index);
            remove(&self.0);
        }
    }
}

/// A rename that replaces nothing, even if the name was taken meanwhile.
fn rename_to_new(part: &Path, path: &Path) -> io::Result<()> {
    match renameat_with(CWD, part, CWD, path, RenameFlags::NOREPLACE) {
        // Some file systems (NFS among them) do not know the flag; a second name is refused if it is taken, too.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
            fs::hard_link(part, path)?;
            fs::remove_file(part)
        }
        result => Ok(result?),
    }
}

fn parts() -> MutexGuard<'static, Vec<PathBuf>> {
    PARTS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn remove(part: &Path) {
    // Nothing can be done about a failure, and the first error is the one to report.
    let _ = if part.is_dir() { fs::remove_dir_all(part) } else { fs::remove_file(part) };
}

/// Starts the thread that removes what is half written when a signal ends the program.
fn remove_at_signals() {
    // Signals of somebody else's process are theirs.
    if !process::is_ours() {
        return;
    }
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        let ignored = ignored_signals();
        let wanted = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
        // Without the thread a signal leaves a part behind, which does no harm.
        let Ok(mut signals) = signal_hook::iterator::Signals::new(wanted) else { return };
        std::thread::spawn(move || {
            let Some(signal) = signals.forever().next() else { return };
            // The lock is never released: nothing new is begun, and nobody reports what failed for this reason.
            let parts = parts();
            for part in parts.iter() {
                // A folder may be written to until its path is gone.
                for _ in 0..100 {
                    remove(part);
                    if fs::symlink_metadata(part).is_err() {
                        break;
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
            // Whoever started us sees that the signal ended us.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
            std::process::exit(128 + signal);
        });
    });
}

/// The signals that we were started to ignore, as `nohup` does with SIGHUP, as a mask.
fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
