//! Timeline: rows of states over time, what was lost, what does not fit, the events themselves.

mod range;
mod search;
mod wait;

use serde::Serialize;

use super::{Endpoint, JobStatus, Kind, Parameter, needed, optional};
pub use range::{InferredCounts, NameCount, RANGE, RangeSummary, RowShares, StateShare};
pub use search::{EventHit, EventHits, EventSearch, HITS, SEARCH};
pub use wait::{Doing, Ran, WAIT, Wait, Waker, Woken};

const FROM: Parameter = optional("from", Kind::Number, "From this time on; the beginning of the trace");
const TO: Parameter = optional("to", Kind::Number, "Up to this time; the end of the trace");
const LAYER: Parameter = optional("layer", Kind::OneOf(&["original", "repaired"]), "Which layer of states");

/// The trace and its legend.
pub const TIMELINE: Endpoint<Timeline> =
    Endpoint::get("/api/timeline", "The trace and its legend; begins to read when first asked", &[]);
/// The rows.
pub const ROWS: Endpoint<Rows> = Endpoint::get("/api/timeline/rows", "The rows in their order", &[]);
/// States as a picture.
pub const STATES: Endpoint<States> = Endpoint::get(
    "/api/timeline/states",
    "States of some rows as columns of a picture",
    &[
        FROM,
        TO,
        optional("width", Kind::Integer, "Columns, at most 8192"),
        needed("rows", Kind::Text, "Numbers of rows, with commas; at most 200"),
        LAYER,
    ],
);
/// One state, exactly.
pub const STATE: Endpoint<HeldState> = Endpoint::get(
    "/api/timeline/state",
    "The state of one row at one time, exactly",
    &[needed("row", Kind::Integer, "The row"), needed("time", Kind::Number, "The time"), LAYER],
);
/// How many events when.
pub const HISTOGRAM: Endpoint<Histogram> = Endpoint::get(
    "/api/timeline/histogram",
    "Events in columns of equal width",
    &[FROM, TO, optional("width", Kind::Integer, "Columns, at most 4096")],
);
/// Losses and incoherences.
pub const MARKS: Endpoint<Marks> =
    Endpoint::get("/api/timeline/marks", "Losses and incoherences", &[FROM, TO]);
/// The next mark.
pub const STEP: Endpoint<NextMark> = Endpoint::get(
    "/api/timeline/step",
    "The next loss, incoherence, uncertain state or inferred event",
    &[
        needed("kind", Kind::OneOf(&["loss", "incoherence", "doubt", "inferred"]), "Of which kind"),
        needed("time", Kind::Number, "After this time"),
        optional("back", Kind::Boolean, "The last one before it instead"),
        optional("row", Kind::Integer, "Only uncertain states of this row"),
    ],
);
/// Events as text.
pub const EVENTS: Endpoint<Events> = Endpoint::get(
    "/api/timeline/events",
    "Some events, as text",
    &[
        optional("time", Kind::Number, "From this time on"),
        optional("first", Kind::Integer, "or from this event on"),
        optional("count", Kind::Integer, "at most 500"),
    ],
);

/// The trace and its legend, as far as it has been read.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Timeline {
    #[serde(flatten)]
    pub job: JobStatus,
    /// When the trace begins: nanoseconds as text, for they may be more than a page can count.
    pub start: String,
    /// From the first event to the last.
    pub length: i64,
    pub events: usize,
    /// Whether states of threads and CPUs are shown.
    pub is_kernel: bool,
    pub rows: usize,
    pub losses: usize,
    /// Events that were lost, where it is known how many.
    pub lost_events: u64,
    pub incoherences: usize,
    /// States by their number.
    pub states: Vec<StateNames>,
}

/// What a state is called.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StateNames {
    pub kind: RowKind,
    /// More than one: nobody knows which; none: nothing is known.
    pub names: Vec<String>,
    /// Whether an inferred event led to it.
    pub is_inferred: bool,
    /// Whether nothing more is to come of what is in it.
    pub is_over: bool,
}

/// What a row is about.
#[derive(Debug, Serialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum RowKind {
    Cpu,
    Interrupts,
    Thread,
    Machine,
    Track,
}

/// The rows in their order.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Rows {
    /// Rows in all.
    pub all: usize,
    /// The first ones.
    pub rows: Vec<Row>,
}

/// One row.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Row {
    /// Its number.
    pub row: usize,
    pub kind: RowKind,
    pub name: String,
    /// How far it is indented.
    pub depth: usize,
    /// Changes of its state.
    pub changes: usize,
}

/// States of some rows as columns of a picture.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct States {
    /// Events that were read so far.
    pub events: usize,
    pub rows: Vec<RowStates>,
}

/// States of one row.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RowStates {
    /// Its number.
    pub row: usize,
    /// First column, end column and state of each interval, one after another.
    pub solid: Vec<i64>,
    /// Of each column with several states: the column, then three times a state and its share in hundredths; -1: none.
    pub mixed: Vec<i64>,
}

/// The state of one row at one time.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HeldState {
    /// The name of the row.
    pub name: String,
    pub kind: RowKind,
    /// Its number; null before the first one.
    pub state: Option<u16>,
    pub from: Option<i64>,
    /// Null: it is the last one.
    pub to: Option<i64>,
}

/// Events in columns of equal width.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Histogram {
    /// The largest count.
    pub most: usize,
    /// Events of each column.
    pub counts: Vec<usize>,
}

/// What was lost in a range of time, and what does not fit.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Marks {
    /// Losses in all.
    pub all_losses: usize,
    /// The first ones.
    pub losses: Vec<Loss>,
    /// Incoherences in all.
    pub all_incoherences: usize,
    /// Some, spread over the range.
    pub incoherences: Vec<Incoherence>,
}

/// One loss.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Loss {
    pub number: usize,
    pub stream: String,
    pub cpu: Option<u32>,
    /// How much; null: nobody knows.
    pub count: Option<u64>,
    pub unit: LossUnit,
    /// From when to when it may have been; an end that is open is null.
    pub intervals: Vec<(Option<i64>, Option<i64>)>,
}

/// What is counted of a loss.
#[derive(Debug, Serialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum LossUnit {
    Events,
    Packets,
}

/// An event that does not fit the state that its row was in.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Incoherence {
    pub number: usize,
    pub time: i64,
    pub row: Option<usize>,
    pub cpu: Option<u32>,
    pub event: String,
    /// What does not fit.
    pub sentence: String,
}

/// The next mark of a kind; all null where there is none.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NextMark {
    pub time: Option<i64>,
    pub row: Option<usize>,
    /// What it is.
    pub sentence: Option<String>,
}

/// Some events, as text.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Events {
    /// The number of the first one.
    pub first: usize,
    /// Events that were read so far.
    pub all: usize,
    pub events: Vec<EventLine>,
}

/// One event, as text.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EventLine {
    pub number: usize,
    pub time: i64,
    pub cpu: Option<u32>,
    pub stream: String,
    pub name: String,
    /// Names and values of its fields.
    pub fields: String,
}

#[cfg(test)]
pub(super) fn describe(document: &mut super::generate::Document) {
    document.add(&TIMELINE);
    document.add(&ROWS);
    document.add(&STATES);
    document.add(&STATE);
    document.add(&HISTOGRAM);
    document.add(&MARKS);
    document.add(&STEP);
    document.add(&EVENTS);
    document.add(&RANGE);
    document.add(&WAIT);
    document.add(&SEARCH);
    document.add(&HITS);
}
