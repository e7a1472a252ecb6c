//! The kept tree of a large capture: a file in the user's cache folder, so that opening it again is quick.
//!
//! Its name is a hash of where the capture lies and of the size and time of its files, so a capture that
//! changed gets another. Whatever goes wrong here only costs time: the capture is read instead.

use std::fs;
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use analyses::replay::{self, Replay};
use formats::capture;
use rustc_hash::FxHasher;

/// Kept indexes; the oldest go.
const MOST: usize = 20;

/// The tree that was kept for this capture.
pub(super) fn read(folder: &Path) -> Option<Replay> {
    replay::from_bytes(&fs::read(place(folder)?).ok()?)
}

/// Keeps a tree.
pub(super) fn write(folder: &Path, replay: &Replay) {
    if let Some(place) = place(folder) {
        let _ = try_write(&place, replay); // a full disk or a read-only home costs time, nothing else
    }
}

fn try_write(place: &Path, replay: &Replay) -> std::io::Result<()> {
    let Some(folder) = place.parent() else { return Ok(()) };
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    forget_old(folder);
    // Whoever opens the same capture meanwhile finds all of it or nothing.
    let new = place.with_extension(format!("new-{}", std::process::id()));
    let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
    let written = file.write_all(&replay::to_bytes(replay)).and_then(|()| fs::rename(&new, place));
    if written.is_err() {
        fs::remove_file(&new)?;
    }
    written
}

fn forget_old(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut kept: Vec<_> = entries
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "replay"))
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    kept.sort();
    let too_many = (kept.len() + 1).saturating_sub(MOST);
    for (_, path) in kept.into_iter().take(too_many) {
        let _ = fs::remove_file(path); // somebody else may have been quicker
    }
}

fn place(folder: &Path) -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    let mut hasher = FxHasher::default();
    folder.canonicalize().ok()?.hash(&mut hasher);
    for name in capture::FILES {
        let about = fs::metadata(folder.join(name)).ok();
        about.map(|about| (about.len(), about.mtime(), about.mtime_nsec(), about.ino())).hash(&mut hasher);
    }
    Some(cache.join("tracewright").join(format!("{:016x}.replay", hasher.finish())))
}
