//! What one running server knows: the input, and what each part of the API has made of it so far.
//!
//! Requests come from many threads at a time, so whatever changes is behind a lock of its own part.

use super::loops;
use crate::cli;

/// What was opened.
#[derive(Debug, Clone, Default)]
pub(crate) struct Opened {
    /// What people call it.
    pub(crate) name: String,
}

/// Everything that requests are answered from.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) opened: Opened,
    pub(crate) loops: loops::Part,
}

impl Session {
    pub(crate) fn new(opened: Opened, history: &cli::History) -> Session {
        Session { opened, loops: loops::Part::new(history.clone()) }
    }

    /// The views that have something to show, by the names of their folders in `web/src/`.
    pub(crate) fn views(&self) -> Vec<&'static str> {
        vec!["loops"]
    }
}
