//! A run of a 2L program: the program, its tape over time, its state after any step, its loops.
//!
//! ```text
//! /api/two_l          the program, how far its run is shown, how it ends, and whether a proof says that it never does
//! /api/two_l/state    where the program is after a step, the tape around its data pointer, the loops that go on
//! /api/two_l/tape     a part of the run: one row for each step, or for as many steps as there are rows for
//! /api/two_l/lane     the runs of one level in a part of the run
//! ```
//!
//! Steps are moves of the program pointer, as everywhere in the language. The state after a step is worked out of what was
//! remembered of the run, so it costs the same however long that is.

use serde::Serialize;

use super::loops::{Lane, LoopLevel};
use super::{Endpoint, JobStatus, Kind, Parameter, needed, optional};

const FROM: Parameter = needed("from", Kind::Integer, "First step");
const TO: Parameter = needed("to", Kind::Integer, "End step");

/// The run.
pub const TWO_L: Endpoint<TwoL> = Endpoint::get(
    "/api/two_l",
    "A 2L program and how its run ends, once it was run; begins to run it when first asked",
    &[],
);
/// One moment of it.
pub const STATE: Endpoint<TwoLState> = Endpoint::get(
    "/api/two_l/state",
    "The state of a 2L program after a step",
    &[
        needed("step", Kind::Integer, "Steps taken"),
        optional("cells", Kind::Integer, "Cells of tape around the data pointer, at most 255"),
    ],
);
/// A picture of the tape.
pub const TAPE: Endpoint<Tape> = Endpoint::get(
    "/api/two_l/tape",
    "The tape of a 2L program over a part of its run",
    &[
        FROM,
        TO,
        needed("rows", Kind::Integer, "Rows, at most 1024"),
        needed("first", Kind::Integer, "First cell of the tape"),
        needed("cells", Kind::Integer, "Cells from there on, at most 16384"),
        needed("columns", Kind::Integer, "Columns for them, at most 1024"),
    ],
);
/// A part of a level.
pub const LANE: Endpoint<Lane> = Endpoint::get(
    "/api/two_l/lane",
    "The runs of one level in a part of the run of a 2L program",
    &[
        needed("level", Kind::Integer, "Level, 0 for runs of program blocks"),
        FROM,
        TO,
        optional("width", Kind::Integer, "Pixels of the picture along the time, at most 4096"),
    ],
);

/// The run, once the program was run.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TwoL {
    #[serde(flatten)]
    pub job: JobStatus,
    /// Null until it was run.
    pub run: Option<TwoLRun>,
}

/// A program and its run.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TwoLRun {
    /// Its name: its cells in letters of base 64.
    pub program: String,
    /// Rows from top to bottom, a letter for each cell: `_` nothing, `o` data, `*` a turn, `.` not chosen.
    pub cells: Vec<String>,
    /// Its blocks, as `2l show` lists them.
    pub blocks: String,
    /// Steps that are shown.
    pub steps: u64,
    /// Whether these are all that it takes.
    pub is_whole: bool,
    /// How the run ends, or why it is shown no further, as a sentence.
    pub end: String,
    /// Whether it halts or hangs, with what proves it, as a sentence; null while that is being looked for.
    pub verdict: Option<String>,
    /// The first position of the tape that the data pointer was at.
    pub first: i64,
    /// The last one.
    pub last: i64,
    pub levels: Vec<LoopLevel>,
}

/// The state after a step.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TwoLState {
    /// Steps taken.
    pub step: u64,
    /// Where the program pointer is, from 0 at the left; outside the grid before the first step and after a halt.
    pub column: i8,
    /// The same from 0 at the bottom.
    pub row: i8,
    pub facing: Facing,
    /// What it is at and what its last step did, as a sentence.
    pub sentence: String,
    /// Position of the data pointer.
    pub pointer: i64,
    /// The value there.
    pub value: i64,
    /// Position of the first of the cells.
    pub first: i64,
    pub cells: Vec<i64>,
    /// The runs that the step belongs to, the lowest level first; none of a level where that is not decided yet.
    pub within: Vec<Within>,
}

/// Where the program pointer faces.
#[derive(Debug, Serialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Facing {
    Up,
    Right,
    Down,
    Left,
}

/// A run that a step belongs to.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Within {
    pub level: usize,
    /// Its number on its level.
    pub run: usize,
    /// Steps before it.
    pub from: u64,
    /// Steps at its end.
    pub to: u64,
    /// What it repeats, or its units: `[A C]`, `B D`.
    pub says: String,
    /// Whole iterations; 0 of what is no loop.
    pub iterations: u64,
    /// Units behind the last whole iteration.
    pub rest: u64,
}

/// The tape over a part of the run.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Tape {
    /// Position of the first cell of the first column.
    pub first: i64,
    /// Cells of one column.
    pub cells_a_column: u64,
    /// In the order of time.
    pub rows: Vec<TapeRow>,
}

/// The tape after a step.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapeRow {
    pub step: u64,
    /// Position of the data pointer.
    pub pointer: i64,
    /// The least position that it was at from this row up to the next.
    pub least: i64,
    /// The greatest one.
    pub greatest: i64,
    /// The first column that is not zero.
    pub column: usize,
    /// Of each column from there on the value that is farthest from zero, up to the last that is not zero.
    pub values: Vec<i64>,
}

#[cfg(test)]
pub(super) fn describe(document: &mut super::generate::Document) {
    document.add(&TWO_L);
    document.add(&STATE);
    document.add(&TAPE);
    document.add(&LANE);
}
