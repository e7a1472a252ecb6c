//! What happened in a range of time.

use serde::Serialize;

use super::{Endpoint, FROM, Kind, LAYER, Loss, TO, optional};

/// What happened in a range.
pub const RANGE: Endpoint<RangeSummary> = Endpoint::get(
    "/api/timeline/range",
    "What happened in a range: shares of states, events by name, losses, what was inferred",
    &[FROM, TO, optional("rows", Kind::Text, "Numbers of rows, with commas; at most 200"), LAYER],
);
/// What happened in a range.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RangeSummary {
    pub from: i64,
    pub to: i64,
    /// Whether the trace has been read to its end; else this is about what was read so far.
    pub is_whole: bool,
    /// Events from the first to the last moment, both included.
    pub events: usize,
    /// Names of events in all.
    pub all_names: usize,
    /// The most frequent ones.
    pub names: Vec<NameCount>,
    /// Those that were asked for.
    pub rows: Vec<RowShares>,
    /// Losses that touch the range.
    pub all_losses: usize,
    /// The first ones.
    pub losses: Vec<Loss>,
    /// Events that these losses took, where it is known how many.
    pub lost_events: u64,
    /// Losses of which nobody knows how many events they took.
    pub uncounted_losses: usize,
    pub incoherences: usize,
    /// Null: what was lost is not inferred, or not yet.
    pub inferred: Option<InferredCounts>,
}

/// How many events are called so.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NameCount {
    pub name: String,
    pub count: u64,
}

/// Events that were inferred in a range.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InferredCounts {
    pub all: usize,
    /// The most frequent ones.
    pub names: Vec<NameCount>,
}

/// States of one row in a range.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RowShares {
    /// Its number.
    pub row: usize,
    pub name: String,
    /// Whether events are counted, and not the time that states lasted.
    pub is_count: bool,
    /// The largest first.
    pub states: Vec<StateShare>,
    /// Nanoseconds of which nothing is known: before the first event, after the end of what was recorded.
    pub unknown: u64,
}

/// How long one state lasted, or how often an event happened.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StateShare {
    pub state: u16,
    /// Nanoseconds, or events.
    pub weight: u64,
}
