//! Where the folder of a capture is made, by a path that somebody has typed.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, fstat, mkdirat, openat, readlinkat, unlinkat};
use rustix::io::Errno;

use super::view::FOLDER;

/// So many links may stand in a path.
const LINKS: usize = 40;

/// Makes the folder, for its user alone, or takes an empty one that is that already. It is held open, so what
/// becomes of its name later does not matter. `AlreadyExists` for anything else that is there, links too.
pub(crate) fn create(path: &Path) -> io::Result<OwnedFd> {
    let (parent, name) = split(path)?;
    let parent = rustix::fs::open(parent, FOLDER, Mode::empty())?;
    create_in(&parent, name)
}

fn split(path: &Path) -> io::Result<(&Path, &std::ffi::OsStr)> {
    let name = path.file_name().ok_or_else(|| io::Error::from(io::ErrorKind::AlreadyExists))?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    Ok((parent.unwrap_or(Path::new(".")), name))
}

fn create_in(parent: &OwnedFd, name: &std::ffi::OsStr) -> io::Result<OwnedFd> {
    let exists = || io::Error::from(io::ErrorKind::AlreadyExists);
    let is_new = match mkdirat(parent, name, Mode::RWXU) {
        Ok(()) => true,
        Err(Errno::EXIST) => false,
        Err(error) => return Err(error.into()),
    };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = openat(parent, name, flags, Mode::empty()).map_err(|_| exists())?;
    let is_ours = fstat(&folder)?.st_uid == rustix::process::geteuid().as_raw();
    if is_new || is_ours && is_empty(&folder)? {
        return Ok(folder);
    }
    Err(exists())
}

fn is_empty(folder: &OwnedFd) -> io::Result<bool> {
    let mut names = Dir::read_from(folder)?;
    Ok(names.all(|entry| entry.is_ok_and(|entry| matches!(entry.file_name().to_bytes(), b"." | b".."))))
}

/// A folder that only root and we ourselves have a say in: nobody else can change where its path leads.
#[derive(Debug)]
pub(crate) struct Trusted(OwnedFd);

/// The folder that this absolute path leads to, if on the whole way every folder and every link is root's or
/// ours and no other user can put anything in its place. `None` if another user can.
pub(crate) fn trusted(path: &Path) -> io::Result<Option<Trusted>> {
    let root = || rustix::fs::open("/", FOLDER, Mode::empty());
    let mut here = root()?;
    let mut remaining: VecDeque<OsString> = names(path);
    let mut links = 0;
    while let Some(name) = remaining.pop_front() {
        let next = openat(&here, &name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
        let data = fstat(&next)?;
        match FileType::from_raw_mode(data.st_mode) {
            FileType::Symlink if is_owner_trusted(&data) && links < LINKS => {
                links += 1;
                let target = readlinkat(&next, "", Vec::new())?;
                let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
                if target.is_absolute() {
                    here = root()?;
                }
                names(&target).into_iter().rev().for_each(|name| remaining.push_front(name));
            }
            FileType::Directory if is_owner_trusted(&data) && !others_can_rename(&data) => here = next,
            FileType::Symlink | FileType::Directory => return Ok(None),
            _ => return Err(Errno::NOTDIR.into()),
        }
    }
    Ok(Some(Trusted(here)))
}

fn names(path: &Path) -> VecDeque<OsString> {
    let named = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some(OsString::from("..")),
        _ => None,
    });
    named.collect()
}

fn is_owner_trusted(data: &Stat) -> bool {
    data.st_uid == 0 || data.st_uid == rustix::process::geteuid().as_raw()
}

/// In a folder with the sticky bit, as `/tmp`, everybody can rename only what is theirs.
fn others_can_rename(data: &Stat) -> bool {
    data.st_mode & 0o022 != 0 && data.st_mode & 0o1000 == 0
}

impl Trusted {
    /// Makes a folder here and gives it to another user. One that is there already is given to nobody.
    pub(crate) fn create_for(&self, name: &std::ffi::OsStr, user: u32, group: u32) -> io::Result<OwnedFd> {
        mkdirat(&self.0, name, Mode::RWXU)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = openat(&self.0, name, flags, Mode::empty())?;
        let (user, group) = (rustix::fs::Uid::from_raw(user), rustix::fs::Gid::from_raw(group));
        if let Err(error) = rustix::fs::fchown(&folder, Some(user), Some(group)) {
            self.remove(name);
            return Err(error.into());
        }
        Ok(folder)
    }

    /// Takes an empty folder away.
    pub(crate) fn remove(&self, name: &std::ffi::OsStr) {
        let _ = unlinkat(&self.0, name, AtFlags::REMOVEDIR);
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_path_is_trusted_only_where_nobody_else_can_change_it() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        for (name, mode) in [("own", 0o755), ("open", 0o777), ("sticky", 0o1777), ("open/in", 0o700)] {
            fs::create_dir_all(top.join(name)).unwrap();
            fs::set_permissions(top.join(name), Permissions::from_mode(mode)).unwrap();
        }
        symlink(top.join("own"), top.join("to-own")).unwrap();
        symlink("open/../own", top.join("through-open")).unwrap();
        symlink("circle", top.join("circle")).unwrap();
        let is_trusted = |name: &str| trusted(&top.join(name)).unwrap().is_some();
        for (name, expected) in [
            ("own", true),
            ("own/..", true),
            ("sticky", true),
            ("to-own", true),
            ("open", false),
            ("open/in", false),
            ("through-open", false),
            ("circle", false),
        ] {
            assert_eq!(is_trusted(name), expected, "{name}");
        }
        assert_eq!(trusted(&top.join("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_link_and_a_folder_that_is_full_are_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        fs::create_dir_all(top.join("empty")).unwrap();
        fs::create_dir_all(top.join("full/of")).unwrap();
        symlink("empty", top.join("link")).unwrap();
        symlink("new", top.join("dangling")).unwrap();
        assert!(create(&top.join("empty")).is_ok() && create(&top.join("made")).is_ok());
        for name in ["full", "link", "dangling"] {
            assert_eq!(create(&top.join(name)).unwrap_err().kind(), io::ErrorKind::AlreadyExists, "{name}");
        }
        assert!(!top.join("new").exists());
    }
}
