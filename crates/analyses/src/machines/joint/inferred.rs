//! What comes out: events that were lost, and events that do not fit what is known.

use model::{Certainty, Evidence, Symbol, Timestamp};

use crate::machines::StateSet;

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
    pub name: String,
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
    /// Other names that are possible, the most probable first, with their probability.
    pub names: Vec<(String, f64)>,
    /// Its CPU.
    pub cpu: Option<u32>,
    /// The machine that it was inferred for, an index into those of the pattern.
    pub machine: usize,
    /// The instance that moves.
    pub key: String,
    /// What it carried.
    pub fields: Vec<Field>,
    /// How probable it is, in 0..=1.
    pub probability: f64,
    /// Whether anything else would fit too.
    pub certainty: Certainty,
    /// Why, in one sentence.
    pub reason: String,
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

    /// What is told of a field.
    pub fn field(&self, name: &str) -> Option<&Guess> {
        self.fields.iter().find(|field| field.name == name).map(|field| &field.value)
    }
}

/// An event that does not fit what was known before it: it fits no state in which its instance may
/// have been, but another state would take it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incoherence {
    /// The machine, an index into those of the pattern.
    pub machine: usize,
    /// The key of the instance, as text.
    pub key: String,
    /// When.
    pub time: Timestamp,
    /// The event.
    pub event: Symbol,
    /// Its number among all events of the trace, from 0.
    pub ordinal: u64,
    /// Where.
    pub cpu: Option<u32>,
    /// Where the instance may have been.
    pub states: StateSet,
    /// Where it would have had to be.
    pub accepted_by: StateSet,
    /// From when on something may be missing.
    pub previous: Timestamp,
    /// The declared loss in between, an index into the windows; without one, something is missing
    /// that nobody declared, or the model is wrong.
    pub window: Option<usize>,
    /// What does not fit, in one sentence.
    pub sentence: String,
    /// Whether lost events that mend it were found.
    pub is_explained: bool,
}
