//! The program itself, built before a task runs it.

use std::path::PathBuf;

use crate::sh::{self, Trouble};

/// How the program is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// As people use it and as it is measured.
    Release,
    /// As the tests run it. Built for the whole workspace, so that its dependencies have the features that the tests
    /// give them and nothing is compiled a second time.
    Debug,
}

/// Where the program lies once it is built.
pub(crate) fn path(profile: Profile) -> PathBuf {
    let folder = match profile {
        Profile::Release => "release",
        Profile::Debug => "debug",
    };
    sh::target_dir().join(folder).join("tracewright")
}

/// Builds the program and returns its path.
pub(crate) fn build(profile: Profile) -> Result<PathBuf, Trouble> {
    sh::run(match profile {
        Profile::Release => "cargo build --quiet --release --package tracewright",
        Profile::Debug => "cargo build --quiet --workspace --bin tracewright",
    })?;
    Ok(path(profile))
}
