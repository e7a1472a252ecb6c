//! The tracks of an input and the loops of each.

use model::{Alphabet, Readings, Summary, TrackId};

use crate::hangs::open_frames::OpenFrames;
use crate::hangs::pending::Pending;
use crate::hangs::spinning::Spinning;
use crate::losses::Total;

/// What was found on the tracks, busiest first.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) tracks: Vec<FoundTrack>,
    pub(crate) alphabet: Alphabet,
    /// Losses of the trace; `None` for a history, which knows none.
    pub(crate) lost: Option<Total>,
    /// Threads of a capture without a step: name, and what they were in the middle of, as a sentence.
    pub(crate) unrecorded: Vec<(String, String)>,
    /// What threads of a capture without a step were in the middle of at the end.
    pub(crate) open: Vec<OpenFrames>,
    /// Tasks of a capture that had not begun at the end.
    pub(crate) pending: Vec<Pending>,
}

/// One track.
#[derive(Debug)]
pub(crate) struct FoundTrack {
    /// Its number in the trace; a history has none.
    pub(crate) id: Option<TrackId>,
    pub(crate) name: String,
    pub(crate) steps: u64,
    pub(crate) summary: Summary,
    /// The layout of the text that it was read from, where that was asked for: `layout.rs`.
    pub(crate) layout: Option<Summary>,
    /// What a thread ran before it was recorded, as a sentence.
    pub(crate) ran_before: Option<String>,
    /// What it was in the middle of at the end, where that is known.
    pub(crate) open: Option<OpenFrames>,
    /// When its steps were, where a clock looked at it.
    pub(crate) times: Readings,
    /// The loop in which it spins, if it ran in the last stack sample, had not ended, and need not end.
    pub(crate) spinning: Option<Spinning>,
    /// Only windows of its so many records were looked at: `windows.rs`.
    pub(crate) sampled: Option<u64>,
}
