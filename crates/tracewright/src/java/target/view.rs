//! A program's files as it sees them: its root and its working folder, held open.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, ResolveFlags, Stat, fstat, openat, openat2};
use rustix::io::Errno;

use crate::java::status::Status;

/// For looking into a folder that is only passed through.
pub(super) const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// What is open of a program.
#[derive(Debug)]
pub(super) struct View {
    pub(super) pid: u32,
    pub(super) status: Status,
    /// Its folder in `/proc`: another process with its number does not show there.
    pub(super) process: OwnedFd,
    root: OwnedFd,
    /// Its working folder.
    pub(super) working: OwnedFd,
}

impl View {
    /// Of the process with this number, which must have this user.
    pub(super) fn of(pid: u32, user: u32) -> Result<View, String> {
        let cannot = |error: Errno| format!("its files cannot be seen: {}", io::Error::from(error));
        let process = rustix::fs::open(format!("/proc/{pid}"), FOLDER, Mode::empty())
            .map_err(|_| "it has ended".to_owned())?;
        let text = read_below(process.as_fd(), "status", 64 << 10).map_err(|_| "it has ended".to_owned())?;
        let status = Status::parse(&String::from_utf8_lossy(&text)).ok_or("it has ended")?;
        if status.user != user || !status.has_one_user {
            return Err("it runs with the rights of more than one user".to_owned());
        }
        let open = |name| openat(&process, name, FOLDER, Mode::empty()).map_err(cannot);
        let (root, working) = (open("root")?, open("cwd")?);
        Ok(View { pid, status, process, root, working })
    }

    /// A folder by its absolute path in the program's root. Links, too, lead nowhere else.
    pub(super) fn folder(&self, path: &Path) -> io::Result<OwnedFd> {
        let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
        match openat2(&self.root, path, FOLDER, Mode::empty(), resolve) {
            // An older kernel: one name below the root, which is no link.
            Err(Errno::NOSYS) => {
                let name = path.strip_prefix("/").ok().filter(|name| name.components().count() == 1);
                let name = name.ok_or(Errno::NOSYS)?;
                Ok(openat(&self.root, name, FOLDER | OFlags::NOFOLLOW, Mode::empty())?)
            }
            other => Ok(other?),
        }
    }

    /// Its folder for temporary files, where HotSpot looks whatever `java.io.tmpdir` says.
    pub(super) fn temporary(&self) -> io::Result<OwnedFd> {
        self.folder(Path::new("/tmp"))
    }

    /// A variable of the environment that it was started with.
    pub(super) fn variable(&self, name: &str) -> Option<Vec<u8>> {
        let all = read_below(self.process.as_fd(), "environ", 1 << 20).ok()?;
        let mut pairs = all.split(|&byte| byte == 0);
        pairs.find_map(|pair| Some(pair.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?.to_vec()))
    }
}

/// At most so many bytes of a file of the kernel's.
fn read_below(folder: BorrowedFd<'_>, name: &str, most: u64) -> io::Result<Vec<u8>> {
    let file = openat(folder, name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    let mut bytes = Vec::new();
    File::from(file).take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether this is of that kind and that user, and closed to everybody else.
pub(super) fn is_private(data: &Stat, kind: FileType, user: u32) -> bool {
    FileType::from_raw_mode(data.st_mode) == kind && data.st_uid == user && data.st_mode & 0o077 == 0
}

/// The content of a regular file of this user, if it is no larger than that. A pipe or a device of that name is
/// not even opened, and no link is followed.
pub(super) fn regular(folder: BorrowedFd<'_>, name: &str, user: u32, most: u64) -> io::Result<Vec<u8>> {
    let handle = openat(folder, name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
    let data = fstat(&handle)?;
    let size = u64::try_from(data.st_size).unwrap_or(u64::MAX);
    if FileType::from_raw_mode(data.st_mode) != FileType::RegularFile || data.st_uid != user || size > most {
        return Err(io::Error::other("it is not a small regular file of the program's user"));
    }
    let mut bytes = Vec::new();
    let file = File::open(super::private::handle_path(handle.as_fd()))?;
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}
