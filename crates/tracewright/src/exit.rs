//! How a command ends, and its exit code.

use std::io;
use std::process::ExitCode;

use crate::escape::plain;

/// A command that came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing was missing.
    Complete,
    /// The input was damaged, or events were lost when it was recorded.
    Incomplete,
    /// What was compared differs.
    Different,
    /// Nothing differs in what is there, and something is missing.
    Uncomparable,
}

/// A command that did not.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Nobody reads our output any more, for instance because `head` has seen enough.
    Unread,
    /// It cannot be done; the sentences name the input and say what to do.
    Failed(String),
}

pub(crate) type Result<T> = std::result::Result<T, Stop>;

impl Stop {
    pub(crate) fn failed<T>(sentence: impl Into<String>) -> Result<T> {
        Err(Stop::Failed(sentence.into()))
    }
}

/// Only output makes bare I/O errors; reading names its file.
impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Stop::Unread,
            _ => Stop::Failed(format!("cannot write the output: {error}")),
        }
    }
}

impl Outcome {
    /// `allowed`: the user accepts loss and damage.
    pub(crate) fn new(is_incomplete: bool, allowed: bool) -> Outcome {
        if is_incomplete && !allowed { Outcome::Incomplete } else { Outcome::Complete }
    }
}

/// 0 done, 1 done but something is missing or differs, 2 could not do it.
pub(crate) fn code(result: Result<Outcome>) -> ExitCode {
    match result {
        // A reader that goes away got all it wanted, so that is no failure of ours.
        Ok(Outcome::Complete) | Err(Stop::Unread) => ExitCode::SUCCESS,
        Ok(Outcome::Incomplete | Outcome::Different) => ExitCode::from(1),
        Ok(Outcome::Uncomparable) => ExitCode::from(2),
        Err(Stop::Failed(sentence)) => {
            eprintln!("tracewright: {}", plain(&sentence));
            ExitCode::from(2)
        }
    }
}
