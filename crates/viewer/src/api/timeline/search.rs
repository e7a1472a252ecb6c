//! Events by name and field.

use serde::Serialize;

use super::{Endpoint, FROM, JobStatus, Kind, Parameter, TO, needed, optional};

const QUERY: Parameter =
    needed("query", Kind::Text, "A name, and conditions on fields: sched_switch next_comm=java");

/// Events that a query finds.
pub const SEARCH: Endpoint<EventSearch> = Endpoint::get(
    "/api/timeline/search",
    "Events by name and field: how many, and the next one; begins to look when first asked",
    &[
        QUERY,
        optional("time", Kind::Number, "The next one after this time"),
        optional("event", Kind::Integer, "or after this event"),
        optional("back", Kind::Boolean, "The last one before it instead"),
        optional("first", Kind::Boolean, "One at that very time counts too"),
    ],
);

/// Where they are.
pub const HITS: Endpoint<EventHits> = Endpoint::get(
    "/api/timeline/hits",
    "Events that a query finds in columns of equal width; begins to look when first asked",
    &[QUERY, FROM, TO, optional("width", Kind::Integer, "Columns, at most 4096")],
);

/// What a search has found so far.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EventSearch {
    #[serde(flatten)]
    pub job: JobStatus,
    /// What is wrong with the query, as a sentence.
    pub problem: Option<String>,
    /// Events that were looked at.
    pub looked_at: usize,
    /// How many of them are found.
    pub found: usize,
    /// What is to be known of what was found: a field that no event has.
    pub note: Option<String>,
    /// The next one.
    pub hit: Option<EventHit>,
    /// Whether there is, or is not, a next one is known: else it may lie in what was not looked at yet.
    pub is_known: bool,
}

/// An event that was found.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EventHit {
    /// The number of the event.
    pub event: usize,
    pub time: i64,
    /// The row that has it as its state.
    pub row: Option<usize>,
    /// How many are found up to this one.
    pub nth: usize,
}

/// What a search has found in a range of time so far.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EventHits {
    /// How many.
    pub found: usize,
    /// Whether all of the range was looked at; else there may be more.
    pub is_whole: bool,
    /// Whether asking again would bring nothing else.
    pub is_over: bool,
    /// Columns with some, and how many each has, one after another.
    pub columns: Vec<usize>,
}
