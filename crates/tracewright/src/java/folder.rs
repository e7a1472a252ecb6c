//! The folder that a capture is recorded into.

use std::fs::DirBuilder;
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::exit::{Result, Stop};

/// Bytes of disk below which a recording cannot even begin.
const LEAST: u64 = 1 << 20;

/// Makes the folder that the user named, or the next free one of the usual name. Its absolute path. It
/// belongs to `owner`, who runs the program: only root may give it to another.
pub(crate) fn make(named: Option<&Path>, owner: u32) -> Result<PathBuf> {
    let path = match named {
        Some(path) => {
            match DirBuilder::new().mode(0o700).create(path) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::AlreadyExists && is_empty(path) => {}
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    return Stop::failed(format!(
                        "{} exists already; name another folder with -o",
                        path.display()
                    ));
                }
                Err(error) => {
                    return Stop::failed(format!("cannot make the folder {}: {error}", path.display()));
                }
            }
            path.to_owned()
        }
        None => next_free()?,
    };
    let space = rustix::fs::statvfs(&path).map_or(LEAST, |disk| disk.f_bavail.saturating_mul(disk.f_frsize));
    if space < LEAST {
        let _ = std::fs::remove_dir(&path); // only if nothing is in it
        return Stop::failed(format!("{} lies on a disk that is full", path.display()));
    }
    if owner != rustix::process::geteuid().as_raw() {
        let given = std::os::unix::fs::chown(&path, Some(owner), None);
        given
            .or_else(|error| Stop::failed(format!("cannot give {} to its user: {error}", path.display())))?;
    }
    std::path::absolute(&path).or_else(|error| Stop::failed(format!("{}: {error}", path.display())))
}

fn next_free() -> Result<PathBuf> {
    for number in 1_u32.. {
        let name =
            if number == 1 { "recording.capture".to_owned() } else { format!("recording-{number}.capture") };
        match DirBuilder::new().mode(0o700).create(&name) {
            Ok(()) => return Ok(name.into()),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Stop::failed(format!("cannot make the folder {name}: {error}")),
        }
    }
    Stop::failed("every name for a recording is taken")
}

fn is_empty(path: &Path) -> bool {
    std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}
