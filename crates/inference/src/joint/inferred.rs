//! What comes out: events that were lost, and events that do not fit what is known.

use model::{Certainty, Evidence, Symbol, Timestamp};

use crate::StateSet;

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

/// A set of explanations of one loss, each by its number below 32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ways(u32);

impl Ways {
    /// All of them: it does not depend on which one is right.
    pub const ALL: Ways = Ways(u32::MAX);
    /// None of them.
    pub const NONE: Ways = Ways(0);

    /// The one with this number; those beyond the last that can be told apart are none.
    pub fn one(number: usize) -> Ways {
        Ways(u32::try_from(number).ok().and_then(|number| 1u32.checked_shl(number)).unwrap_or(0))
    }

    /// Those that are in both.
    #[must_use]
    pub fn and(self, other: Ways) -> Ways {
        Ways(self.0 & other.0)
    }

    /// Those that are in either.
    #[must_use]
    pub fn or(self, other: Ways) -> Ways {
        Ways(self.0 | other.0)
    }

    /// Whether a number is among them.
    pub fn has(self, number: usize) -> bool {
        !self.and(Ways::one(number)).is_empty()
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// A field of an inferred event.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// The most probable value, or the one that was chosen.
    pub value: Guess,
    /// How probable it is that there was the event, and with this value.
    pub probability: f64,
    /// The explanations in which it has this value.
    pub ways: Ways,
    /// Other values that are possible, the most probable first.
    pub alternatives: Vec<Alternative>,
    /// The user chose the value.
    pub is_chosen: bool,
}

/// Another value that a field may have.
#[derive(Debug, Clone, PartialEq)]
pub struct Alternative {
    /// The value.
    pub value: Guess,
    /// How probable it is that the field has it.
    pub probability: f64,
    /// The explanations in which it has it.
    pub ways: Ways,
}

impl Field {
    /// A field with one value, which it has if the event is right.
    pub(super) fn new(name: &str, value: Guess, probability: f64) -> Field {
        let name = name.to_owned();
        Field { name, value, probability, ways: Ways::ALL, alternatives: Vec::new(), is_chosen: false }
    }
}

/// What an inferred event is called where the user decides something about it: an instance, from when to
/// when, and its place among those of the same instance and time, from 1.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Called {
    /// The instance.
    pub key: String,
    /// It cannot have been before this moment.
    pub from: Timestamp,
    /// It cannot have been after this moment.
    pub to: Timestamp,
    /// From 1.
    pub place: u32,
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
    /// Events of the same number are explained together: the [`Ways`] of their fields are the same ones.
    pub together: Option<usize>,
    /// What it was called before the user chose otherwise.
    pub called: Option<Called>,
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
