//! Running other programs, in the root of the repository, and printing their commands.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Why a task did not end well.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The task did its work and found something wrong.
    Wrong(String),
    /// The task could not do its work: something is missing on this machine, or it was asked for nonsense.
    CannotDo(String),
}

/// What a task, or a part of one, comes to.
pub(crate) type Outcome = Result<(), Trouble>;

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Cargo's target folder: where tasks put what they make.
pub(crate) fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// The command line `line`, split at spaces, ready to run in the root.
pub(crate) fn command(line: &str) -> Command {
    let mut words = line.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or("true"));
    command.args(words).current_dir(root());
    command
}

/// Prints `line` and runs it with the terminal as it is.
pub(crate) fn run(line: &str) -> Outcome {
    run_in(&mut command(line), line)
}

/// The same for a command that was put together by the caller; `line` is what people are shown.
pub(crate) fn run_in(command: &mut Command, line: &str) -> Outcome {
    println!("\n$ {line}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Trouble::Wrong(format!("`{line}` ended with {status}"))),
        Err(error) => Err(Trouble::CannotDo(format!("`{line}` could not be started: {error}"))),
    }
}

/// Whether `line` runs and ends well; its output is thrown away.
pub(crate) fn works(line: &str) -> bool {
    let quiet = command(line).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    quiet.is_ok_and(|status| status.success())
}

/// What `line` prints, trimmed, or nothing if it fails.
pub(crate) fn output_of(line: &str) -> String {
    let output = command(line).stdin(Stdio::null()).stderr(Stdio::null()).output();
    output.map_or_else(|_| String::new(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Tasks that measure or fuzz must not run unoptimised: starts this task again as a release
/// build, and returns whether it did (then there is nothing left to do).
pub(crate) fn again_in_release(task: &str, arguments: &[&str]) -> Result<bool, Trouble> {
    if cfg!(not(debug_assertions)) {
        return Ok(false);
    }
    let line = format!("cargo run --quiet --release --package xtask -- {task} {}", arguments.join(" "));
    // Its own exit code and words are better than a sentence about it.
    match command(&line).status() {
        Ok(status) if status.success() => Ok(true),
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => Err(Trouble::CannotDo(format!("`{line}` could not be started: {error}"))),
    }
}
