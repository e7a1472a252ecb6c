//! What starts and stops pass on to each other.

use std::thread::JoinHandle;

use crate::classes::recorded::{Counts, Known};
use crate::writer::writeback::Writeback;

use super::clock::Clock;

/// What starts and stops pass on to each other.
#[derive(Debug, Default)]
pub(crate) struct Session {
    pub(super) writer: Option<JoinHandle<bool>>,
    pub(super) writeback: Option<Writeback>,
    pub(super) clock: Option<Clock>,
    /// The last recording, if it ended because it could not go on.
    pub(super) failed: Option<Summary>,
    /// Instrumented classes that could not be put back, since they were still being loaded.
    pub(super) left: Vec<Known>,
}

/// What a recording came to.
#[derive(Debug, Clone)]
pub(crate) struct Summary {
    pub(super) dir: String,
    /// The folder was handed over: `dir` is its name for whoever did that, and perhaps not for this process.
    pub(super) is_handed: bool,
    pub(super) reason: String,
    pub(super) words: u64,
    pub(super) lost: u64,
    pub(super) bytes: u64,
    pub(super) counts: Counts,
}
