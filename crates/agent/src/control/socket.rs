//! The socket of the control thread: where it lies, and whose its folder is.
//!
//! ```text
//! $XDG_RUNTIME_DIR/tracewright/PID.sock     where the variable names a folder
//! /tmp/tracewright-UID/PID.sock             else
//! /tmp/tracewright-UID-*/PID.sock           where another user has taken those names
//! ```
//!
//! The commands look in the same places, and believe none of them: the folder must belong to the user of
//! this process and be closed to others, and the process at the other end must be this one.

use std::ffi::OsStr;
use std::fs::DirBuilder;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use crate::sys;

/// Where every user may make folders. The commands look nowhere else.
const TEMPORARY: &str = "/tmp";

/// A socket, and where it is.
#[derive(Debug)]
pub(crate) struct Socket {
    pub(crate) listener: UnixListener,
    pub(crate) path: PathBuf,
}

impl Socket {
    /// Listens in the folder that was named, else in the first that can be used. Else why the last one cannot.
    pub(crate) fn open(named: Option<&Path>) -> io::Result<Socket> {
        if let Some(folder) = named {
            return listen(folder);
        }
        let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_dir());
        let usual = runtime.map(|path| path.join("tracewright")).into_iter().chain([usual()]);
        for folder in usual.chain(others()) {
            if let Ok(socket) = listen(&folder) {
                return Ok(socket);
            }
        }
        let random = RandomState::new().hash_one(std::process::id());
        listen(&Path::new(TEMPORARY).join(format!("tracewright-{}-{random:016x}", sys::user())))
    }

    /// Takes it away, and its folder if that has a name for the occasion and is empty.
    pub(crate) fn remove(path: &Path) {
        let _ = std::fs::remove_file(path);
        if let Some(folder) = path.parent().filter(|folder| is_other(folder)) {
            let _ = std::fs::remove_dir(folder);
        }
    }
}

fn usual() -> PathBuf {
    Path::new(TEMPORARY).join(format!("tracewright-{}", sys::user()))
}

/// Whether the name is one for a time when the usual one is taken.
fn is_other(folder: &Path) -> bool {
    let name = folder.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let is_in_temporary = folder.parent() == Some(Path::new(TEMPORARY));
    is_in_temporary && name.starts_with(&format!("tracewright-{}-", sys::user()))
}

/// Such folders of ours.
fn others() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(TEMPORARY).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| is_other(path) && is_private(path)).collect()
}

/// Whether it is a folder of our user that is closed to others.
fn is_private(folder: &Path) -> bool {
    std::fs::symlink_metadata(folder)
        .is_ok_and(|data| data.is_dir() && data.uid() == sys::user() && data.mode() & 0o077 == 0)
}

fn listen(folder: &Path) -> io::Result<Socket> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    if !is_private(folder) {
        return Err(io::Error::other(format!("{} is open to others", folder.display())));
    }
    remove_dead(folder);
    let path = folder.join(format!("{}.sock", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let listener = UnixListener::bind(&path)?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
    listener.set_nonblocking(true)?;
    Ok(Socket { listener, path })
}

/// Sockets of processes that were killed.
fn remove_dead(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_suffix(".sock")?.parse::<u32>().ok());
        if pid.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_folder_that_is_a_link_or_open_to_others_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let [private, open, link] = ["private", "open", "link"].map(|name| folder.path().join(name));
        std::fs::create_dir(&open).unwrap();
        std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o750)).unwrap();
        let socket = Socket::open(Some(&private)).unwrap();
        let mode = |path: &Path| std::fs::symlink_metadata(path).unwrap().mode() & 0o777;
        assert_eq!((mode(&private), mode(&socket.path)), (0o700, 0o600));
        symlink(&private, &link).unwrap();
        for folder in [&open, &link] {
            let error = Socket::open(Some(folder)).unwrap_err().to_string();
            assert_eq!(error, format!("{} is open to others", folder.display()));
        }
        Socket::remove(&socket.path);
        assert!(!socket.path.exists() && private.exists());
    }
}
