//! Inference: events that were lost, as far as what is left implies them, and the user's choices.

use serde::{Deserialize, Serialize};

use super::{Endpoint, JobStatus, Kind, Text, needed, optional};

/// What is inferred.
pub const INFERENCE: Endpoint<Inference> = Endpoint::get(
    "/api/inference",
    "What is inferred, and how far; begins the work when first asked of a kernel trace",
    &[],
);
/// Some of it.
pub const EVENTS: Endpoint<InferredEvents> = Endpoint::get(
    "/api/inference/events",
    "Inferred events in an interval of time",
    &[
        optional("from", Kind::Number, "From this time on; the beginning of the trace"),
        optional("to", Kind::Number, "Up to this time; the end of the trace"),
    ],
);
/// One event.
pub const EVENT: Endpoint<InferredEvent> = Endpoint::get(
    "/api/inference/event",
    "One of them, with its alternatives",
    &[needed("number", Kind::Integer, "Its number")],
);
/// Losses whose events are not listed.
pub const LONG: Endpoint<LongLosses> = Endpoint::get(
    "/api/inference/long",
    "Losses in an interval of time that are too long for their events to be listed: who ran when, with which probability",
    &[
        optional("from", Kind::Number, "From this time on; the beginning of the trace"),
        optional("to", Kind::Number, "Up to this time; the end of the trace"),
    ],
);
/// Events with a choice to make.
pub const OPEN: Endpoint<OpenEvents> = Endpoint::get(
    "/api/inference/open",
    "Those with a choice to make",
    &[optional("skip", Kind::Integer, "to leave out"), optional("count", Kind::Integer, "at most 500")],
);
/// The choices.
pub const CHOICES: Endpoint<Text> =
    Endpoint::get("/api/inference/choices", "The file that `tracewright infer --choices` reads", &[]);
/// One more choice.
pub const CHOOSE: Endpoint<Inference, Choice> =
    Endpoint::post("/api/inference/choose", "Chooses a value; refused where it contradicts another choice");
/// One less.
pub const UNDO: Endpoint<Inference, Undo> =
    Endpoint::post("/api/inference/undo", "Takes the last choice back");

/// What is inferred, and what was chosen.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Inference {
    /// Whether there are states to infer.
    pub is_there: bool,
    #[serde(flatten)]
    pub job: JobStatus,
    pub engine: String,
    pub model: String,
    /// Inferred events.
    pub events: usize,
    /// Those with a choice to make.
    pub open: usize,
    /// What was said of the choices of the command line.
    pub problems: Vec<String>,
    /// Grows with each choice and each undo.
    pub revision: u64,
    /// The revision that the repaired layer is of; null: there is none yet.
    pub repaired: Option<u64>,
    /// Why there is none, as a sentence.
    pub repair_failure: Option<String>,
    /// Values that are chosen.
    pub chosen: usize,
    /// Choices that can be taken back.
    pub undo: usize,
}

/// Inferred events in an interval of time.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InferredEvents {
    /// All of them.
    pub all: usize,
    /// Some, spread over the interval.
    pub events: Vec<InferredHead>,
}

/// What a mark on the timeline needs of an inferred event.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InferredHead {
    pub number: usize,
    /// A time in the interval, for drawing only.
    pub time: i64,
    /// It was not before this time.
    pub from: i64,
    /// It was not after this time.
    pub to: i64,
    pub name: String,
    pub cpu: Option<u32>,
    /// The rows that it concerns.
    pub rows: Vec<usize>,
    /// Whether some field of it may have several values.
    pub is_open: bool,
    pub is_chosen: bool,
    /// In 0..=1; null where the engine does not weigh.
    pub probability: Option<f64>,
}

/// Losses whose events are not listed.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LongLosses {
    /// All of them.
    pub all: usize,
    /// The first ones.
    pub losses: Vec<LongLoss>,
}

/// What is known of a loss whose events are not listed.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LongLoss {
    pub cpu: u32,
    pub from: i64,
    pub to: i64,
    /// How many switches, from and to, in nine of ten losses like it.
    pub switches: (u64, u64),
    /// Those that may have run in it; the first is no thread.
    pub threads: Vec<LongThread>,
    /// How probable it is that another one ran, in each of equal parts of the time.
    pub others: Vec<f64>,
}

/// Who may have run in a long loss.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LongThread {
    /// Null: no thread ran.
    pub name: Option<String>,
    pub row: Option<usize>,
    /// How long, in nanoseconds, on average.
    pub mean: u64,
    /// From and to, in nine of ten losses like it.
    pub usual: (u64, u64),
    /// How probable it is that it ran, in each of equal parts of the time.
    pub probability: Vec<f64>,
}

/// All that is known of an inferred event.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InferredEvent {
    pub head: InferredHead,
    /// The event as a line of text.
    pub text: String,
    /// Why it is concluded, as a sentence.
    pub reason: Option<String>,
    /// Other events that may have been in its stead, the most probable first.
    pub names: Vec<String>,
    /// How probable each of them is.
    pub name_probabilities: Vec<f64>,
    pub fields: Vec<InferredField>,
}

/// A field of an inferred event.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InferredField {
    pub name: String,
    /// The most probable value or the chosen one; null: not known.
    pub value: Option<FieldValue>,
    /// Possible values, the most probable first.
    pub alternatives: Vec<FieldValue>,
    /// Of each alternative; empty where they are not weighed.
    pub probabilities: Vec<f64>,
    /// How many values are possible.
    pub possible: usize,
    pub is_chosen: bool,
}

/// A value of a field.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum FieldValue {
    Number(i64),
    Text(String),
}

/// Some events with a choice to make.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OpenEvents {
    /// All of them.
    pub all: usize,
    /// Those that were left out.
    pub skip: usize,
    pub events: Vec<InferredEvent>,
}

/// A value for a field of an inferred event.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Choice {
    /// The number of the event.
    pub event: usize,
    /// The name of the field.
    pub field: String,
    /// One of its alternatives.
    pub value: FieldValue,
}

/// Nothing more need be said to take a choice back.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Undo {}

#[cfg(test)]
pub(super) fn describe(document: &mut super::generate::Document) {
    document.add(&INFERENCE);
    document.add(&EVENTS);
    document.add(&EVENT);
    document.add(&LONG);
    document.add(&OPEN);
    document.add_text(&CHOICES);
    document.add_change(&CHOOSE);
    document.add_change(&UNDO);
}
