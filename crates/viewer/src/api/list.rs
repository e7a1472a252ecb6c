//! List: calls by their number, however many there are.

use serde::Serialize;

use super::play::{Entered, InferredPart, Left, THREAD};
use super::{Endpoint, Kind, Parameter, needed, optional};

const POSITION: Parameter =
    optional("position", Kind::Integer, "Also the row of this position in the thread");
const PACKAGE: Parameter = optional("package", Kind::Text, "Only calls of classes in this package");
const FIRST: Parameter = optional("first", Kind::Boolean, "Only first iterations of loops");

/// Some calls.
pub const LIST: Endpoint<Calls> = Endpoint::get(
    "/api/list",
    "Calls by their number",
    &[
        THREAD,
        needed("from", Kind::Integer, "First row"),
        needed("count", Kind::Integer, "Number of rows, at most 400"),
        POSITION,
        PACKAGE,
        FIRST,
    ],
);
/// One that is searched for.
pub const FIND: Endpoint<Match> = Endpoint::get(
    "/api/list/find",
    "The next or previous match of a search",
    &[
        THREAD,
        needed("at", Kind::Integer, "From this row on"),
        needed(
            "query",
            Kind::Text,
            "Part of a class or method, File.java:12, or text:words of the source; at most 200 bytes",
        ),
        optional("position", Kind::Integer, "From this position in the thread on instead"),
        PACKAGE,
        FIRST,
        optional("back", Kind::Boolean, "Search backwards"),
    ],
);

/// Some calls.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Calls {
    /// Rows in all.
    pub total: u64,
    /// The row of the position that was asked for.
    pub row: Option<u64>,
    /// The first row below.
    pub from: u64,
    pub rows: Vec<Call>,
}

/// One call.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Call {
    pub row: u64,
    /// Position of its first block in the thread.
    pub at: u64,
    /// Open calls around it.
    pub depth: usize,
    pub method: u32,
    pub class: String,
    pub name: String,
    /// The file of its source, and the first line there.
    pub file: Option<String>,
    pub line: Option<u16>,
    /// Arguments and result, where they were kept: `(sku: "A1") = true`.
    pub values: Option<String>,
    pub how: Entered,
    pub left: Left,
    /// Blocks that ran in it, those of inner calls included.
    pub blocks: u64,
    /// Calls inside it.
    pub calls: u64,
    /// The lost records by which it is inferred that it began; null: that was recorded.
    pub inferred: Option<InferredPart>,
    /// Records that were lost in it, whose content is inferred.
    pub inferred_inside: u64,
    /// Whether it is the first listed call after recording went on behind inferred records.
    pub resumes: bool,
    /// The number of the iteration around it, from 0; null where it stands in no loop that went round.
    pub iteration: Option<u64>,
    /// Iterations of that loop.
    pub iterations: Option<u64>,
}

/// What a search found.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Match {
    /// Matches in all.
    pub total: u64,
    /// The number of this one.
    pub index: Option<u64>,
    /// Its position in the thread.
    pub at: Option<u64>,
    /// The row of its call.
    pub row: Option<u64>,
}

#[cfg(test)]
pub(super) fn describe(document: &mut super::generate::Document) {
    document.add(&LIST);
    document.add(&FIND);
}
