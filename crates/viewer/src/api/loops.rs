//! Loops: the levels of run summaries as lanes over the history of a track.

use serde::Serialize;

use super::{Endpoint, JobStatus, Kind, Parameter, needed, optional};

const TRACK: Parameter = needed("track", Kind::Integer, "Number of the track");
const LEVEL: Parameter = needed("level", Kind::Integer, "Level, 0 for runs of steps");

/// All tracks.
pub const LOOPS: Endpoint<Loops> = Endpoint::get(
    "/api/loops",
    "The tracks and how their histories end; begins the search when first asked",
    &[],
);
/// A part of one level.
pub const LANE: Endpoint<Lane> = Endpoint::get(
    "/api/loops/lane",
    "The runs of one level in a range of steps",
    &[
        TRACK,
        LEVEL,
        optional("from", Kind::Integer, "First step"),
        optional("to", Kind::Integer, "End step"),
        optional("width", Kind::Integer, "Columns of the picture, at most 4096"),
    ],
);
/// What lies in a run.
pub const ITERATIONS: Endpoint<RunIterations> = Endpoint::get(
    "/api/loops/iterations",
    "The iterations of one run",
    &[
        TRACK,
        LEVEL,
        needed("run", Kind::Integer, "Number of the run on its level"),
        optional("skip", Kind::Integer, "Iterations to leave out"),
        optional("count", Kind::Integer, "Iterations to list, at most 200"),
    ],
);
/// How long the loops of a kind were.
pub const GROWTH: Endpoint<Growth> = Endpoint::get(
    "/api/loops/growth",
    "How many iterations a kind of loop made, each time",
    &[TRACK, LEVEL, needed("id", Kind::Integer, "Kind of run")],
);

/// The tracks and how their histories end.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Loops {
    #[serde(flatten)]
    pub job: JobStatus,
    /// Tracks in all.
    pub all: usize,
    /// The busiest.
    pub tracks: Vec<LoopTrack>,
}

/// One track.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LoopTrack {
    pub name: String,
    /// Steps of its history.
    pub steps: u64,
    /// Positions at which something is missing.
    pub gaps: usize,
    pub levels: Vec<LoopLevel>,
    /// Whether something was lost at its end.
    pub end_is_lost: bool,
    /// The loops in which its history ends, the outermost first.
    pub ends_in: Vec<EndLoop>,
}

/// A level of the summary of a track.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LoopLevel {
    pub runs: usize,
    /// Different runs.
    pub kinds: usize,
    /// Runs that are loops.
    pub loops: usize,
    /// Units behind the last run that are not classified yet.
    pub pending: usize,
    /// Whether the last run is a loop that has not been left.
    pub in_loop: bool,
}

/// A loop in which a history ends.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EndLoop {
    pub level: usize,
    pub word: Word,
    /// What the names in the word stand for: `Q = [A C]`.
    pub says: Vec<String>,
    /// The step that it began with.
    pub since: u64,
    /// Steps that it covers.
    pub steps: u64,
    /// Whole iterations.
    pub iterations: u64,
    /// Units behind the last whole iteration.
    pub rest: u64,
    /// The most whole iterations that a loop of the same kind made elsewhere in the history.
    pub most_before: Option<u64>,
    /// The loops inside an iteration, in their order.
    pub inner: Vec<InnerLoop>,
}

/// A loop inside the iterations of another.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InnerLoop {
    pub word: Word,
    /// How regular the numbers of its iterations are, in words.
    pub counts: String,
}

/// A kind of run.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Word {
    pub id: u32,
    pub name: String,
    pub is_loop: bool,
    /// The names of its first units.
    pub units: Vec<String>,
    /// Units in all.
    pub length: usize,
}

/// A part of one level: runs, or columns where there are more runs than columns to draw them in.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Lane {
    /// Index of the first run.
    pub first: usize,
    /// Runs of the range.
    pub count: usize,
    /// `[index, first step, end step, kind, whole iterations, rest, period]` of each run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<Vec<[u64; 7]>>,
    /// `[first step, end step, kind that covers most, runs]` of each column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<[u64; 4]>>,
    /// The step behind the last run; what comes after is not decided yet.
    pub decided: u64,
    /// On level 0 the steps before which something is missing, at most one for each column.
    pub gaps: Vec<u64>,
    /// The kinds of runs that are named above.
    pub words: Vec<Word>,
}

/// Some iterations of a run.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunIterations {
    pub word: Word,
    /// Whole iterations.
    pub iterations: u64,
    /// Units behind the last whole iteration.
    pub rest: u64,
    /// First step of the run.
    pub from: u64,
    /// Its end step.
    pub to: u64,
    /// Iterations that were left out.
    pub skip: u64,
    pub list: Vec<RunIteration>,
}

/// One iteration of a run.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunIteration {
    /// Its number, from 1.
    pub iteration: u64,
    /// Its first step.
    pub from: u64,
    /// Its end step.
    pub to: u64,
    pub is_whole: bool,
    /// Its first units.
    pub units: Vec<Unit>,
    /// Units in all.
    pub length: u64,
}

/// One unit of a level: a step, or a run of the level below.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Unit {
    pub name: String,
    /// What the name stands for, where it is a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub says: Option<String>,
    /// The number of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<u64>,
    /// Whole iterations, where the run is a loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u64>,
    /// Units behind them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest: Option<u64>,
}

/// How many iterations a kind of loop made, each time.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Growth {
    pub word: Word,
    /// Runs of the kind.
    pub all: usize,
    /// One run in so many is listed.
    pub stride: usize,
    /// `[index of the run, its first step, whole iterations, rest]`
    pub points: Vec<[u64; 4]>,
}

#[cfg(test)]
pub(super) fn describe(document: &mut super::generate::Document) {
    document.add(&LOOPS);
    document.add(&LANE);
    document.add(&ITERATIONS);
    document.add(&GROWTH);
}
