//! The agent's library: carried in this binary, written to the user's cache when it is needed. Beside it lies
//! what the agent keeps from one run of a program to the next.
//!
//! Its name holds a sum of its content, so versions do not get in each other's way, and a program
//! that has one loaded never sees it change.

use std::fs::{DirBuilder, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::exit::{Result, Stop};

static LIBRARY: &[u8] = include_bytes!(env!("TRACEWRIGHT_AGENT"));

/// The folder where this library may keep the classes that it prepared. Another library gets another one.
pub(crate) fn class_cache(library: &Path) -> PathBuf {
    let name = library.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    library.with_file_name(name.replace("agent-", "classes-"))
}

/// What its file is called.
pub(crate) const NAME: &str = concat!("agent-", env!("TRACEWRIGHT_AGENT_DIGEST"), ".so");

/// The library itself.
pub(crate) fn bytes() -> std::result::Result<&'static [u8], String> {
    if LIBRARY.is_empty() {
        return Err(
            "this build records no Java programs: it was made for a system other than Linux".to_owned()
        );
    }
    Ok(LIBRARY)
}

/// The path of the library for a program that has our user and our files; written first if it is not there. For
/// others see `target`: what root writes for itself they cannot read.
pub(crate) fn path() -> Result<PathBuf> {
    bytes().map_err(Stop::Failed)?;
    let mut problems = Vec::new();
    for folder in folders() {
        match write(&folder) {
            Ok(path) => return Ok(path),
            Err(error) => problems.push(format!("{}: {error}", folder.display())),
        }
    }
    Stop::failed(format!("cannot write the recorder's library ({})", problems.join("; ")))
}

/// Where it may be: the user's cache, else a folder of the user among the temporary ones.
fn folders() -> Vec<PathBuf> {
    let own = std::env::temp_dir().join(format!("tracewright-{}", rustix::process::geteuid().as_raw()));
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = cache.or_else(|| home.map(|home| home.join(".cache"))).map(|cache| cache.join("tracewright"));
    cache.into_iter().chain([own]).collect()
}

fn write(folder: &Path) -> std::io::Result<PathBuf> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let data = std::fs::symlink_metadata(folder)?;
    let ours = rustix::process::geteuid().as_raw();
    if !data.is_dir() || data.uid() != ours || data.mode() & 0o022 != 0 {
        return Err(std::io::Error::other("others may write there"));
    }
    let path = folder.join(NAME);
    if std::fs::read(&path).is_ok_and(|there| there == LIBRARY) {
        return Ok(path);
    }
    let new = folder.join(format!("{NAME}.{}", std::process::id()));
    let written = (|| {
        let _ = std::fs::remove_file(&new); // from a process of this number that was killed
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o700).open(&new)?;
        file.write_all(LIBRARY)?;
        std::fs::rename(&new, &path)
    })();
    if written.is_err() {
        let _ = std::fs::remove_file(&new);
    }
    written.map(|()| {
        forget_old(&class_cache(&path));
        path
    })
}

/// Takes away the class caches of other builds than the one with this one, unless they were used lately.
fn forget_old(own: &Path) {
    const STALE: Duration = Duration::from_secs(7 * 24 * 60 * 60);
    let entries = own.parent().and_then(|folder| std::fs::read_dir(folder).ok());
    for entry in entries.into_iter().flatten().flatten() {
        let is_cache = entry.file_name().as_encoded_bytes().starts_with(b"classes-");
        // A cache that is used gets new segments now and then, and loses old ones.
        let is_stale = entry
            .metadata()
            .and_then(|about| about.modified())
            .is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age > STALE));
        if is_cache && is_stale && entry.path() != own {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}
