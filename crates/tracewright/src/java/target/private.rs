//! Folders of the program's user that are closed to everybody else, among the temporary files: for the
//! recorder's library and its socket.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, fstat, mkdirat, openat, renameat, unlinkat};

use super::Answer;
use super::view::{FOLDER, View, is_private, regular};
use crate::java::library;

/// So many folders are looked at, of all that begin with the right name.
const MOST: usize = 64;

/// The path by which this process reaches what it holds open.
pub(super) fn handle_path(file: BorrowedFd<'_>) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// A folder below this one, if it belongs to the user alone and is no link.
fn below(parent: BorrowedFd<'_>, name: &[u8], user: u32) -> Option<OwnedFd> {
    let folder = openat(parent, name, FOLDER | OFlags::NOFOLLOW, Mode::empty()).ok()?;
    is_private(&fstat(&folder).ok()?, FileType::Directory, user).then_some(folder)
}

fn usual(user: u32) -> String {
    format!("tracewright-{user}")
}

/// Those among the temporary files: the one of the usual name, and those that stand in for it where another user
/// has taken that name.
fn temporary(view: &View) -> Vec<(Vec<u8>, OwnedFd)> {
    let user = view.status.user;
    let Ok(parent) = view.temporary() else { return Vec::new() };
    let usual = usual(user).into_bytes();
    let other = [&usual[..], b"-"].concat();
    let all = openat(&parent, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty());
    let entries = all.ok().and_then(|folder| Dir::new(folder).ok()).into_iter().flatten().flatten();
    let others = entries.map(|entry| entry.file_name().to_bytes().to_vec());
    let others = others.filter(|name| name.starts_with(&other));
    let names = std::iter::once(usual).chain(others);
    names
        .filter_map(|name| below(parent.as_fd(), &name, user).map(|folder| (name, folder)))
        .take(MOST)
        .collect()
}

/// Where the recorder's socket may be; see its module `socket`.
pub(super) fn for_sockets(view: &View) -> Vec<OwnedFd> {
    let user = view.status.user;
    let runtime = view.variable("XDG_RUNTIME_DIR").and_then(|path| String::from_utf8(path).ok());
    let runtimes = [runtime.map(PathBuf::from), Some(PathBuf::from(format!("/run/user/{user}")))];
    let runtimes = runtimes.into_iter().flatten().filter(|path| path.is_absolute());
    let runtimes = runtimes.filter_map(|path| below(view.folder(&path).ok()?.as_fd(), b"tracewright", user));
    runtimes.chain(temporary(view).into_iter().map(|(_, folder)| folder)).collect()
}

/// One for the library, made if there is none: its name and the folder.
fn for_library(view: &View) -> io::Result<(Vec<u8>, OwnedFd)> {
    if let Some(found) = temporary(view).into_iter().next() {
        return Ok(found);
    }
    let (parent, user) = (view.temporary()?, view.status.user);
    let random = RandomState::new().hash_one(std::process::id());
    let mut error = io::Error::from(io::ErrorKind::NotFound);
    for name in [usual(user), format!("{}-{random:016x}", usual(user))] {
        if let Err(why) = mkdirat(&parent, &name, Mode::RWXU) {
            error = why.into();
        }
        if let Some(folder) = below(parent.as_fd(), name.as_bytes(), user) {
            return Ok((name.into_bytes(), folder));
        }
    }
    Err(error)
}

/// Writes the library. The answer is its path, as the program sees it.
pub(super) fn library(view: &View) -> Result<Answer, String> {
    let cannot = |error: io::Error| format!("cannot write the recorder's library to its /tmp: {error}");
    let (name, folder) = for_library(view).map_err(cannot)?;
    let bytes = library::bytes()?;
    let there = regular(folder.as_fd(), library::NAME, view.status.user, bytes.len() as u64);
    if there.ok().as_deref() != Some(bytes) {
        write(folder.as_fd(), bytes).map_err(cannot)?;
    }
    let path = Path::new("/tmp").join(String::from_utf8_lossy(&name).as_ref()).join(library::NAME);
    Ok(Answer { text: path.into_os_string().into_encoded_bytes(), file: None })
}

/// A program that has the old one loaded keeps it: the new one takes its name.
fn write(folder: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<()> {
    let new = format!("{}.{}", library::NAME, std::process::id());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let _ = unlinkat(folder, &new, AtFlags::empty()); // from a process of this number that was killed
    let written = openat(folder, &new, flags, Mode::RWXU)
        .map_err(io::Error::from)
        .and_then(|file| File::from(file).write_all(bytes))
        .and_then(|()| Ok(renameat(folder, &new, folder, library::NAME)?));
    if written.is_err() {
        let _ = unlinkat(folder, &new, AtFlags::empty());
    }
    written
}
