//! Coherence: an event that the state of an instance does not accept, but another state would.
//!
//! The rule (notes on the founding text, part 2.2): an event is coherent if the current state of
//! the scenario accepts it, or if no state of the machine does. Otherwise the scenario goes to
//! `#error`, which may accept the same event.

use model::{Symbol, Timestamp};

/// An event that does not fit.
#[derive(Debug, Clone, PartialEq)]
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
    /// The CPU of the event.
    pub cpu: Option<u32>,
    /// The state in which the instance was.
    pub state: usize,
    /// When this instance was given an event before.
    pub previous: Option<Timestamp>,
    /// The transitions of other states that would have taken the event: (state, place in it), in
    /// the order of the document.
    pub possible: Vec<(u32, u32)>,
    /// The scenario, for its statistics.
    pub(super) scenario: u32,
}
