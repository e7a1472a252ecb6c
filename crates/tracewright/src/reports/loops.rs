//! What `loops --json` prints.
//!
//! ```text
//! {"tracks":[{"name":"many-threads 1204","steps":28,"alphabet":["A","B","C"],"gaps":[17],
//!   "levels":[{"runs":[{"id":0,"start":0,"len":4,"period":0},...],"in_loop":true,"pending":0,"rewrites":0}]}],
//!  "lost":{"events":0,"packets":0,"gaps":0}}
//! ```

use model::{Level, Run};
use serde::Serialize;

use super::LostTotal;
use crate::commands::found::{Found, FoundTrack};
use crate::views::loops_names::symbols_of;

/// The answer of `loops`.
#[derive(Debug, Serialize)]
pub(crate) struct LoopsReport<'a> {
    tracks: Vec<Track<'a>>,
    /// For traces only.
    #[serde(skip_serializing_if = "Option::is_none")]
    lost: Option<LostTotal>,
}

#[derive(Debug, Serialize)]
struct Track<'a> {
    name: &'a str,
    steps: u64,
    /// The names of its symbols in the order of their first step.
    alphabet: Vec<&'a str>,
    /// The steps before which something is or may be missing.
    #[serde(skip_serializing_if = "<[u64]>::is_empty")]
    gaps: &'a [u64],
    levels: Vec<LevelRuns>,
}

/// `start`, `len`, `period` and `pending` count units of the level.
#[derive(Debug, Serialize)]
struct LevelRuns {
    runs: Vec<OneRun>,
    in_loop: bool,
    pending: usize,
    rewrites: u64,
}

/// Ids are numbered by first appearance on their level; period 0 is a transition.
#[derive(Debug, Serialize)]
struct OneRun {
    id: u32,
    start: u64,
    len: u64,
    period: u32,
}

impl<'a> LoopsReport<'a> {
    pub(crate) fn of(found: &'a Found) -> Self {
        let track = |track: &'a FoundTrack| Track {
            name: &track.name,
            steps: track.steps,
            alphabet: symbols_of(&track.summary)
                .into_iter()
                .map(|symbol| found.alphabet.name(symbol))
                .collect(),
            gaps: &track.summary.gaps,
            levels: track.summary.levels.iter().map(LevelRuns::of).collect(),
        };
        Self { tracks: found.tracks.iter().map(track).collect(), lost: found.lost.map(LostTotal::from) }
    }
}

impl LevelRuns {
    fn of(level: &Level) -> Self {
        let run = |run: &Run| OneRun { id: run.id.0, start: run.start, len: run.len, period: run.period };
        Self {
            runs: level.runs.iter().map(run).collect(),
            in_loop: level.in_loop,
            pending: level.pending.len(),
            rewrites: level.rewrites,
        }
    }
}
