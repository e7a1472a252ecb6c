//! The folder that a capture is recorded into.

use std::io::ErrorKind;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use super::process::Process;
use super::target::{self, Task};
use crate::exit::{Result, Stop};

/// Bytes of disk below which a recording cannot even begin.
const LEAST: u64 = 1 << 20;

/// A folder that is there and empty.
#[derive(Debug)]
pub(crate) struct Folder {
    /// Its absolute path, as we see it.
    pub(crate) path: PathBuf,
    handle: OwnedFd,
    /// Who made it.
    by: By,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    /// We did, and it belongs to our user.
    Us,
    /// We did for another user, where only we and root may write.
    UsForAnother,
    /// A child with the rights of the program's user.
    ItsUser,
}

/// Makes the folder that the user named, or the next free one of the usual name, for a program of our own.
pub(crate) fn make(named: Option<&Path>) -> Result<PathBuf> {
    named_or_free(named, |path| {
        let handle = target::create(path).map_err(cannot)?;
        Ok(Folder { path: path.to_owned(), handle, by: By::Us })
    })
    .map(|folder| folder.path)
}

/// The same for a running program. The folder belongs to its user, who can make it somewhere in its own folders
/// or else must be given it: so only where nobody but root and we ourselves could have put a link in the way.
pub(crate) fn make_for(named: Option<&Path>, process: &Process) -> Result<Folder> {
    named_or_free(named, |path| {
        let (handle, by) = if process.is_of_our_user() {
            (target::create(path).map_err(cannot)?, By::Us)
        } else if let Some(folder) = trusted_parent(path)? {
            let name = path.file_name().unwrap_or_default();
            (folder.create_for(name, process.user(), process.status.group).map_err(cannot)?, By::UsForAnother)
        } else {
            let made = target::run(process, &Task::Folder(path.to_owned()));
            let made = made.map_err(|error| {
                let user = process.user();
                Refused::Other(format!(
                    "{error} (with the rights of user {user}, who could change that path)"
                ))
            })?;
            (made.file.ok_or(Refused::Exists)?, By::ItsUser)
        };
        Ok(Folder { path: path.to_owned(), handle, by })
    })
}

fn trusted_parent(path: &Path) -> std::result::Result<Option<target::Trusted>, Refused> {
    match path.parent() {
        Some(parent) => target::trusted(parent).map_err(cannot),
        None => Err(Refused::Exists),
    }
}

/// Why a folder cannot be made.
enum Refused {
    Exists,
    Other(String),
}

fn cannot(error: std::io::Error) -> Refused {
    match error.kind() {
        ErrorKind::AlreadyExists => Refused::Exists,
        _ => Refused::Other(error.to_string()),
    }
}

fn named_or_free(
    named: Option<&Path>,
    make: impl Fn(&Path) -> std::result::Result<Folder, Refused>,
) -> Result<Folder> {
    let absolute = |path: &Path| {
        std::path::absolute(path).or_else(|error| Stop::failed(format!("{}: {error}", path.display())))
    };
    let mut folder = None;
    for number in 1_u32.. {
        let path = match (named, number) {
            (Some(path), _) => path.to_owned(),
            (None, 1) => "recording.capture".into(),
            (None, _) => format!("recording-{number}.capture").into(),
        };
        match make(&absolute(&path)?) {
            Ok(made) => {
                folder = Some(made);
                break;
            }
            Err(Refused::Exists) if named.is_none() => {}
            Err(Refused::Exists) => {
                let path = path.display();
                return Stop::failed(format!("{path} exists already; name another folder with -o"));
            }
            Err(Refused::Other(error)) => {
                return Stop::failed(format!("cannot make the folder {}: {error}", path.display()));
            }
        }
    }
    let Some(folder) = folder else { return Stop::failed("every name for a recording is taken") };
    let space = rustix::fs::fstatvfs(folder.handle.as_fd());
    let space = space.map_or(LEAST, |disk| disk.f_bavail.saturating_mul(disk.f_frsize));
    if space < LEAST {
        if folder.by != By::ItsUser {
            let _ = std::fs::remove_dir(&folder.path); // only if nothing is in it
        }
        return Stop::failed(format!("{} lies on a disk that is full", folder.path.display()));
    }
    Ok(folder)
}

impl Folder {
    /// What to hand over to the recorder, if the path means nothing to it or leads where it has no rights.
    pub(crate) fn to_hand_over(&self, process: &Process) -> Option<&OwnedFd> {
        (!process.is_as_we_are()).then_some(&self.handle)
    }

    /// Takes it away with all that was recorded, where it is of our own user's.
    pub(crate) fn remove_all(&self) {
        if self.by == By::Us {
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }

    /// Takes it away if nothing was recorded.
    pub(crate) fn remove(&self, process: &Process) {
        match self.by {
            By::Us => drop(std::fs::remove_dir(&self.path)),
            By::UsForAnother => {
                let parent = self.path.parent().and_then(|parent| target::trusted(parent).ok()?);
                parent.iter().for_each(|parent| parent.remove(self.path.file_name().unwrap_or_default()));
            }
            By::ItsUser => drop(target::run(process, &Task::RemoveFolder(self.path.clone()))),
        }
    }
}
