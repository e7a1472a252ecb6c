//! What `diff --json` prints for two traces or histories.
//!
//! ```text
//! {"verdict":"different","sides":[{"input":"before/","tracks":3,"events":900,"lost":{"events":0,"packets":0,"gaps":0}},...],
//!  "names":[{"name":"write","counts":[3,9],"may_be_lost":false}],"more_names":0,
//!  "tracks":[{"name":["shop 1","shop 1"],"events":[300,306],"names":[...],"more_names":0,
//!    "parts":{"after_events":12,"next":["read","write"]},"levels":[{"level":0,"loops":[4,5],"units":[9,11]}]}],
//!  "more_tracks":0,"equal_tracks":2,"times":[{"instance":"shop","state":"blocked","ns":[1200,900]}],"more_times":0,
//!  "not_compared":[]}
//! ```
//!
//! `may_be_lost`: the side with fewer has lost something, so the rest may be among that. `levels`: how many loops the
//! levels of the loop analysis have on each side, and how many units in all; those that are equal are left out. `times`: only
//! where they were asked for.

use serde::Serialize;

use super::LostTotal;
use super::diff::Verdict;

/// The answer of `diff` for traces and histories.
#[derive(Debug, Serialize)]
pub(crate) struct DiffEventsReport {
    pub(crate) verdict: Verdict,
    pub(crate) sides: Vec<EventSide>,
    /// Of all tracks together, those that differ most first.
    pub(crate) names: Vec<NameCounts>,
    pub(crate) more_names: usize,
    pub(crate) tracks: Vec<TrackDiff>,
    pub(crate) more_tracks: usize,
    pub(crate) equal_tracks: usize,
    /// How long threads and CPUs were in states, where that was asked for and differs.
    pub(crate) times: Vec<StateTime>,
    pub(crate) more_times: usize,
    /// Sentences.
    pub(crate) not_compared: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct EventSide {
    pub(crate) input: String,
    pub(crate) tracks: usize,
    pub(crate) events: u64,
    pub(crate) lost: LostTotal,
}

/// How long an instance of a model was in a state on each side, in nanoseconds.
#[derive(Debug, Serialize)]
pub(crate) struct StateTime {
    pub(crate) instance: String,
    pub(crate) state: String,
    pub(crate) ns: [u64; 2],
}

#[derive(Debug, Serialize)]
pub(crate) struct NameCounts {
    pub(crate) name: String,
    pub(crate) counts: [u64; 2],
    pub(crate) may_be_lost: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct TrackDiff {
    pub(crate) name: [Option<String>; 2],
    pub(crate) events: [u64; 2],
    pub(crate) names: Vec<NameCounts>,
    pub(crate) more_names: usize,
    pub(crate) parts: Option<EventParts>,
    pub(crate) levels: Vec<LevelDiff>,
}

/// Where the events of a track are no longer the same.
#[derive(Debug, Serialize)]
pub(crate) struct EventParts {
    pub(crate) after_events: u64,
    /// Null at the end.
    pub(crate) next: [Option<String>; 2],
}

#[derive(Debug, Serialize)]
pub(crate) struct LevelDiff {
    pub(crate) level: usize,
    pub(crate) loops: [usize; 2],
    pub(crate) units: [usize; 2],
}
