//! Compare: two recordings side by side, call by call.
//!
//! ```text
//! /api/compare          the threads of both, how many rows and differences each pair has
//! /api/compare/rows     calls of both sides beside each other
//! /api/compare/find     the next or previous row where a difference begins
//! /api/compare/profile  where differences lie, for a strip of so many pixels
//! /api/compare/call     one row: the text of both methods, how often each line ran in the two calls
//! ```
//!
//! A row is a call of both sides or of one. Class initialisers and what they call are left out.

use serde::Serialize;

use super::list::Call;
use super::{Endpoint, JobStatus, Kind, Parameter, needed, optional};

const PAIR: Parameter = needed("pair", Kind::Integer, "Number of the pair of threads");

/// The threads.
pub const COMPARE: Endpoint<Compare> = Endpoint::get(
    "/api/compare",
    "The threads of two recordings, side by side, once both have been read",
    &[],
);
/// Some rows.
pub const ROWS: Endpoint<ComparedRows> = Endpoint::get(
    "/api/compare/rows",
    "Calls of both sides beside each other, by their number",
    &[
        PAIR,
        needed("from", Kind::Integer, "First row"),
        needed("count", Kind::Integer, "Number of rows, at most 400"),
        optional("position", Kind::Integer, "Also the row of this position in the thread of side A"),
    ],
);
/// One where a difference begins.
pub const DIFFERENCE: Endpoint<DifferenceFound> = Endpoint::get(
    "/api/compare/find",
    "The next or previous row where a difference begins",
    &[
        PAIR,
        optional("row", Kind::Integer, "Behind this row; left out: the first of all"),
        optional("back", Kind::Boolean, "Before the row instead"),
    ],
);
/// Where they lie.
pub const DIFFERENCES: Endpoint<DifferenceProfile> = Endpoint::get(
    "/api/compare/profile",
    "Where differences lie, for a strip of so many pixels",
    &[PAIR, needed("pixels", Kind::Integer, "Pixels of the strip, at most 2000")],
);
/// One row.
pub const PAIR_OF_CALLS: Endpoint<ComparedCall> = Endpoint::get(
    "/api/compare/call",
    "The text of the methods of one row, and how often each line ran in the two calls",
    &[PAIR, needed("row", Kind::Integer, "Number of the row")],
);

/// Two recordings, once both have been read.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Compare {
    #[serde(flatten)]
    pub job: JobStatus,
    /// Null until both have been read.
    pub comparison: Option<Comparison>,
}

/// What is compared.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Comparison {
    /// What people call the recording of side A, which is the one that the other views show, and that of side B.
    pub a: String,
    pub b: String,
    /// Those of side A in their order, then those that only B has.
    pub pairs: Vec<PairOfThreads>,
    /// What cannot be compared, in sentences.
    pub missing: Vec<String>,
}

/// A thread of each side.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PairOfThreads {
    /// Null: only the other side has it.
    pub a: Option<ComparedThread>,
    pub b: Option<ComparedThread>,
    pub rows: u64,
    /// Rows where a difference begins.
    pub differences: u64,
    /// Rows that only this side has.
    pub only_a: u64,
    pub only_b: u64,
}

/// A thread of one side.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ComparedThread {
    pub serial: u32,
    pub name: String,
    pub calls: u64,
}

/// Some rows.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ComparedRows {
    /// The row of the position that was asked for.
    pub row: Option<u64>,
    pub rows: Vec<ComparedRow>,
}

/// A call of both sides, or of one.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ComparedRow {
    pub row: u64,
    pub verdict: RowVerdict,
    /// The call of each side; its `row` is its number among the calls of its thread.
    pub a: Option<Call>,
    pub b: Option<Call>,
}

/// How the two sides of a row compare.
#[derive(Debug, Serialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum RowVerdict {
    /// The calls did the same by their own code; what they called may differ.
    Equal,
    /// Their own code ran differently, or one returned and the other threw.
    Differs,
    /// One side did not make the call.
    Only,
    /// One side has it, and what the other did there was lost or not seen any more.
    Unknown,
}

/// A difference.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DifferenceFound {
    /// Differences in all.
    pub total: u64,
    /// The row where this one begins; null: there is none in that direction.
    pub row: Option<u64>,
    /// Its number among them.
    pub index: Option<u64>,
}

/// Differences along a strip.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DifferenceProfile {
    /// For each pixel from left to right.
    pub pixels: Vec<DifferencePixel>,
}

/// The rows of one pixel.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DifferencePixel {
    /// Differences that begin there.
    pub differences: u64,
    /// Rows that only this side has.
    pub only_a: u64,
    pub only_b: u64,
}

/// The methods of a row.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ComparedCall {
    pub verdict: RowVerdict,
    /// Whether the text is source on both sides; byte code otherwise.
    pub source: bool,
    /// Lines of both, matched by their text, in order.
    pub lines: Vec<ComparedLine>,
}

/// A line of both sides, or of one.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ComparedLine {
    /// The calls ran it not equally often.
    pub differs: bool,
    pub a: Option<CountedLine>,
    pub b: Option<CountedLine>,
}

/// A line of one side.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CountedLine {
    /// Its number in the source; 0 where that is not known.
    pub line: u32,
    pub text: String,
    /// How often the call ran it; null for a line without code.
    pub times: Option<u64>,
}

#[cfg(test)]
pub(super) fn describe(document: &mut super::generate::Document) {
    document.add(&COMPARE);
    document.add(&ROWS);
    document.add(&DIFFERENCE);
    document.add(&DIFFERENCES);
    document.add(&PAIR_OF_CALLS);
}
