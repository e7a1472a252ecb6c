//! Tracks: what steps happen on, in one order. A thread, a CPU, a stream, a program run.

/// Which track of a trace; numbered from 0 by first sight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TrackId(pub u32);

/// A track as it is shown to people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Track {
    /// Its number.
    pub id: TrackId,
    /// What people call it, for instance `many-threads 1204`. It comes from the trace: escape it
    /// before it reaches a terminal or a page.
    pub name: String,
}
