//! The files of the cache: their names, and which of them go.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::segment::Segment;
use crate::sys::now;

/// Segments, their bytes, and those of one program as it is recorded in one way. Beyond that, those go that were
/// not used for longest; of one program the smallest.
pub(super) const MOST: usize = 64;
const MOST_BYTES: u64 = 512 << 20;
pub(super) const MOST_OF_A_PROGRAM: usize = 4;

const ENDING: &str = "instrumented";
const UNFINISHED: &str = "new";
/// After this time whoever wrote an unfinished one is gone.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);

struct Found {
    path: PathBuf,
    used: SystemTime,
    bytes: u64,
}

/// What ends in this way, the one that was used last in front.
fn all(folder: &Path, ending: &str) -> Vec<Found> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let found = entries.filter_map(|entry| {
        let (path, about) = (entry.path(), entry.metadata().ok()?);
        let is_one = path.extension() == Some(OsStr::new(ending)) && about.is_file();
        is_one.then_some(Found { path, used: about.modified().ok()?, bytes: about.len() })
    });
    let mut found: Vec<Found> = found.collect();
    found.sort_by_key(|found| std::cmp::Reverse(found.used));
    found
}

fn is_of(path: &Path, program: u64) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    name.strip_prefix(&format!("{program:016x}")).is_some_and(|rest| rest.starts_with('-'))
}

/// The segments of a program that can be read.
pub(super) fn segments_of(folder: &Path, program: u64) -> Vec<Segment> {
    let mut found = all(folder, ENDING);
    found.retain(|found| is_of(&found.path, program));
    found.iter().take(MOST_OF_A_PROGRAM).filter_map(|found| Segment::open(&found.path)).collect()
}

/// What a new segment is called.
pub(super) fn new_name(folder: &Path, program: u64) -> PathBuf {
    folder.join(format!("{program:016x}-{:x}-{:x}.{ENDING}", now(), std::process::id()))
}

/// The file that is to become a segment.
pub(super) fn unfinished(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let mut new = OpenOptions::new();
    new.write(true).create_new(true).mode(0o600).open(path.with_extension(UNFINISHED))
}

/// Gives a finished one its name.
pub(super) fn publish(path: &Path) -> io::Result<()> {
    fs::rename(path.with_extension(UNFINISHED), path)
}

/// Takes an unfinished one away, if there is one.
pub(super) fn discard(path: &Path) {
    let _ = fs::remove_file(path.with_extension(UNFINISHED));
}

/// Makes room, with a `new` segment of this program there.
pub(super) fn forget_old(folder: &Path, program: u64, new: &Path) {
    let mut cached = all(folder, ENDING);
    cached.retain(|found| found.path != new);
    while cached.iter().filter(|found| is_of(&found.path, program)).count() >= MOST_OF_A_PROGRAM {
        let own = cached.iter().enumerate().filter(|(_, found)| is_of(&found.path, program));
        let Some((number, _)) = own.min_by_key(|(_, found)| (found.bytes, found.used)) else { break };
        let _ = fs::remove_file(cached.remove(number).path);
    }
    let mut bytes: u64 = cached.iter().map(|found| found.bytes).sum();
    while cached.len() >= MOST || bytes > MOST_BYTES {
        let Some(oldest) = cached.pop() else { break };
        bytes -= oldest.bytes;
        let _ = fs::remove_file(oldest.path);
    }
    for old in all(folder, UNFINISHED) {
        if old.used.elapsed().is_ok_and(|age| age > STALE) {
            let _ = fs::remove_file(old.path);
        }
    }
}
