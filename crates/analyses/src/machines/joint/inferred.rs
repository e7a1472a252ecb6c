//! What comes out: events that were lost, and events that do not fit what is known.

use model::{Certainty, Evidence, Timestamp};

/// A value of a field, told or guessed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Guess {
    /// A number.
    Number(i64),
    /// A text, as the trace has it.
    Text(String),
    /// Not known.
    Unknown,
}

/// A field of an inferred event.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// The most probable value.
    pub value: Guess,
    /// Other values that are possible, the most probable first, with their probability.
    pub alternatives: Vec<(Guess, f64)>,
}

/// An event that was lost, as far as the events around it tell.
#[derive(Debug, Clone, PartialEq)]
pub struct Inferred {
    /// It cannot have been before this moment.
    pub from: Timestamp,
    /// It cannot have been after this moment.
    pub to: Timestamp,
    /// A point between, for drawing only.
    pub at: Timestamp,
    /// Its name.
    pub name: String,
    /// Its CPU.
    pub cpu: u32,
    /// What it carried.
    pub fields: Vec<Field>,
    /// How probable it is, in 0..=1.
    pub probability: f64,
    /// Whether anything else would fit too.
    pub certainty: Certainty,
    /// Why, in one sentence.
    pub reason: String,
    /// The threads it concerns.
    pub concerns: Vec<i64>,
    /// The incoherence it mends: an index into the list of them. Nothing: it was implied by a
    /// declared loss without any contradiction.
    pub incoherence: Option<usize>,
    /// The declared loss in which it lies: an index into the list of windows.
    pub window: Option<usize>,
}

impl Inferred {
    /// How it is known.
    pub fn evidence(&self) -> Evidence {
        Evidence::Inferred { by: "joint", certainty: self.certainty }
    }
}

/// An event that does not fit what was known before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incoherence {
    /// When.
    pub time: Timestamp,
    /// Where.
    pub cpu: u32,
    /// What does not fit, in one sentence.
    pub sentence: String,
    /// The thread it is about, where one is.
    pub tid: Option<i64>,
    /// Whether lost events that mend it were found.
    pub is_explained: bool,
}

/// A loss that the tracer declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The CPU, where its stream told one.
    pub cpu: Option<u32>,
    /// From when on.
    pub from: Timestamp,
    /// Up to when.
    pub to: Timestamp,
    /// How many events; `None`: nobody counted.
    pub lost: Option<u64>,
    /// How many of them were inferred.
    pub inferred: u64,
}
