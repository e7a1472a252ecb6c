//! Inferred events: what was lost, as far as the recorded events imply it.

use ::model::{EventKey, Scalar, Timestamp};

/// An event that was concluded to be missing.
#[derive(Debug, Clone, PartialEq)]
pub struct InferredEvent {
    /// What it is called, with the interval in which it was.
    pub key: EventKey,
    /// What it is called without the user's choices, where they made something else of it: choices go on to
    /// call it so.
    pub original_key: Option<EventKey>,
    /// A moment in the interval, for drawing only.
    pub time: Timestamp,
    /// Other names that it may have, the most probable first, with their probability.
    pub names: Vec<(String, f64)>,
    /// Its CPU.
    pub cpu: Option<u32>,
    /// What it carried.
    pub fields: Vec<InferredField>,
    /// How probable it is, in 0..=1; `None` where the engine does not weigh.
    pub probability: Option<f64>,
    /// Whether nothing else fits what was recorded.
    pub is_only_explanation: bool,
    /// Why it is concluded, in one sentence, where the engine has one.
    pub reason: Option<String>,
    /// The inconsistency that it repairs, an index into the list of them. `None`: a declared loss implies it
    /// without any contradiction.
    pub inconsistency: Option<usize>,
    /// The declared loss in which it lies, an index into the list of them.
    pub window: Option<usize>,
    /// Events of the same number are explained together: the [`Hypotheses`] of their fields are the same ones.
    pub group: Option<usize>,
}

/// A field of an inferred event.
#[derive(Debug, Clone, PartialEq)]
pub struct InferredField {
    /// Its name.
    pub name: String,
    /// What is taken: the most probable value or the chosen one. `None`: not known.
    pub value: Option<Scalar>,
    /// The values that are possible, the taken one among them, the most probable first. Engines may cut the list.
    pub alternatives: Vec<Alternative>,
    /// How many values are possible; 1: it is certain if the event is.
    pub possible: usize,
    /// Whether the user chose the value.
    pub is_chosen: bool,
}

/// A value that a field may have.
#[derive(Debug, Clone, PartialEq)]
pub struct Alternative {
    /// The value.
    pub value: Scalar,
    /// How probable it is that there was the event, and with this value; `None` where the engine does not weigh.
    pub probability: Option<f64>,
    /// The explanations in which the field has it.
    pub hypotheses: Hypotheses,
}

/// A set of explanations of one loss, each by its number below 32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hypotheses(u32);

impl InferredEvent {
    /// The field called `name`, if the event has it.
    pub fn field(&self, name: &str) -> Option<&InferredField> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The value that is taken for the field called `name`; `None`: it has no such field, or the value is not known.
    pub fn value(&self, name: &str) -> Option<&Scalar> {
        self.field(name)?.value.as_ref()
    }
}

impl InferredField {
    /// A field with one value, which it has if the event is right; `None`: nobody knows it.
    pub fn new(name: &str, value: Option<Scalar>, probability: f64) -> InferredField {
        let own = |value: Scalar| Alternative {
            value,
            probability: Some(probability),
            hypotheses: Hypotheses::ALL,
        };
        let alternatives: Vec<Alternative> = value.clone().map(own).into_iter().collect();
        InferredField {
            name: name.to_owned(),
            value,
            possible: alternatives.len(),
            alternatives,
            is_chosen: false,
        }
    }

    /// What is known of a value, if it is possible and listed.
    pub fn alternative(&self, value: &Scalar) -> Option<&Alternative> {
        self.alternatives.iter().find(|known| known.value == *value)
    }

    /// Whether its values depend on which of several explanations is right.
    pub fn is_coupled(&self) -> bool {
        self.alternatives.iter().any(|known| known.hypotheses != Hypotheses::ALL)
    }

    /// Whether its values are weighed.
    pub fn is_weighed(&self) -> bool {
        self.alternatives.iter().any(|known| known.probability.is_some())
    }

    /// Adds to how probable a value is, and to the explanations in which the field has it.
    pub fn weigh(&mut self, value: Scalar, probability: f64, hypotheses: Hypotheses) {
        match self.alternatives.iter_mut().find(|known| known.value == value) {
            Some(known) => {
                known.probability = Some(known.probability.unwrap_or_default() + probability);
                known.hypotheses = known.hypotheses.or(hypotheses);
            }
            None => self.alternatives.push(Alternative { value, probability: Some(probability), hypotheses }),
        }
    }

    /// Puts the most probable value first; of equally probable ones the taken one.
    pub fn rank(&mut self) {
        let taken = self.alternatives.iter().position(|known| Some(&known.value) == self.value.as_ref());
        if let Some(head) = taken.and_then(|taken| self.alternatives.get_mut(..=taken)) {
            head.rotate_right(1);
        }
        let weight = |known: &Alternative| known.probability.unwrap_or_default();
        self.alternatives.sort_by(|one, other| weight(other).total_cmp(&weight(one)));
        self.possible = self.alternatives.len();
    }
}

impl Hypotheses {
    /// All explanations: it does not depend on which one is right.
    pub const ALL: Hypotheses = Hypotheses(u32::MAX);
    /// No explanation.
    pub const NONE: Hypotheses = Hypotheses(0);

    /// The explanation with this number; none if it is beyond the last that a bit set can hold.
    pub fn one(number: usize) -> Hypotheses {
        Hypotheses(u32::try_from(number).ok().and_then(|number| 1u32.checked_shl(number)).unwrap_or(0))
    }

    /// Those that are in both.
    #[must_use]
    pub fn and(self, other: Hypotheses) -> Hypotheses {
        Hypotheses(self.0 & other.0)
    }

    /// Those that are in either.
    #[must_use]
    pub fn or(self, other: Hypotheses) -> Hypotheses {
        Hypotheses(self.0 | other.0)
    }

    /// Whether a number is among them.
    pub fn has(self, number: usize) -> bool {
        !self.and(Hypotheses::one(number)).is_empty()
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}
