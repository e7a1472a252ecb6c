//! Whatever touches the files of the program that is recorded: with the rights of that program, and as it
//! sees them.
//!
//! ```text
//!   our command                                   a child of it: our own binary, one thread
//!   Task of what is wanted  ── socket pair ──>    opens the program's folder in /proc, its root and its
//!                                                 working folder; takes its groups, group and user for good
//!   Answer, an open file    <─ SCM_RIGHTS ───     works below those folders, never through a link that
//!   or one sentence; killed after a while         the program could have made, and ends
//! ```
//!
//! So a link that a user has put where root will work leads only to what that user can reach anyway. Where
//! the program has our user and our files there is nothing to take, and the same work is done in this process.
//! The child can be killed or stopped by the user whose rights it has, but not looked into: it is not dumpable,
//! and carries nothing but the two ends named above.

mod child;
mod listening;
mod location;
mod memory;
mod private;
mod view;

use std::io::ErrorKind;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::Duration;

use super::process::Process;
use view::View;

pub(crate) use child::{send, serve};
pub(crate) use location::{Trusted, create, trusted};

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Task {
    /// Find out whether it can be attached to, and connect to the recorder in it if there is one.
    Probe,
    /// Connect to the socket by which HotSpot is attached to; make it listen there first.
    Listen,
    /// Write the recorder's library where it can load it.
    Library,
    /// Make a folder for a capture at this absolute path.
    Folder(PathBuf),
    /// Take that folder away if it is empty.
    RemoveFolder(PathBuf),
}

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) text: Vec<u8>,
    pub(crate) file: Option<OwnedFd>,
}

impl Task {
    /// How long it may take.
    fn limit(&self) -> Duration {
        match self {
            // An answer to SIGQUIT may have to wait for a pause of all its threads.
            Task::Listen => Duration::from_secs(10),
            _ => Duration::from_secs(3),
        }
    }

    fn run(&self, view: &View) -> Result<Answer, String> {
        match self {
            Task::Probe => Ok(listening::probe(view)),
            Task::Listen => listening::attach(view, self.limit()),
            Task::Library => private::library(view),
            // Without a file: there is something of that name.
            Task::Folder(path) => match location::create(path) {
                Ok(folder) => Ok(Answer { text: Vec::new(), file: Some(folder) }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(Answer::default()),
                Err(error) => Err(error.to_string()),
            },
            Task::RemoveFolder(path) => {
                let _ = std::fs::remove_dir(path);
                Ok(Answer::default())
            }
        }
    }
}

/// Does it with the rights of this process, and as that sees its files. One sentence if it cannot be done.
pub(crate) fn run(process: &Process, task: &Task) -> Result<Answer, String> {
    if let Some(reason) = process.refusal() {
        return Err(reason.to_owned());
    }
    // Without root's rights nothing can be taken, and nothing has to: it is our own user's.
    if process.is_as_we_are() || !rustix::process::geteuid().is_root() {
        return task.run(&View::of(process.pid, process.user())?);
    }
    child::run(process, task)
}
