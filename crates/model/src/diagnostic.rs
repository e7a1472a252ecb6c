//! Diagnostics: what an analysis or a reader reports, with a location and one sentence.

use crate::{StreamId, TrackId};

/// One diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// A short stable name for programs, for instance `ctf-packet-backwards`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Where it is.
    pub location: Location,
    /// One sentence for people, with both values where two disagree. It may hold text from the
    /// trace: escape it before it reaches a terminal or a page.
    pub sentence: String,
}

/// How bad a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; nothing is missing.
    Note,
    /// The input is damaged or odd, what is shown may be incomplete.
    Damage,
}

/// Where a diagnostic points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// A byte of an input file.
    File {
        /// The name under which the reader was given it.
        file: String,
        /// Bytes from its start.
        offset: u64,
    },
    /// A line (from 1) of an input text.
    Line {
        /// The name under which the reader was given it.
        file: String,
        /// Counted from 1.
        line: u64,
    },
    /// An event of a stream, counted from 0.
    Event(StreamId, u64),
    /// Steps of a track, by their sequence numbers.
    Steps(TrackId, std::ops::Range<u64>),
}
