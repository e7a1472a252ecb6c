//! Coherence: an event that the state of an instance does not accept, but another state would.
//!
//! The rule (notes on the founding text, part 2.2): an event is coherent if the current state of
//! the scenario accepts it, or if no state of the machine does. Otherwise the scenario goes to
//! `#error`, which may accept the same event.

use crate::model::Inconsistency;

/// An event that does not fit, and what inference needs to know of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Incoherence {
    /// What does not fit.
    pub found: Inconsistency,
    /// The machine, an index into those of the pattern.
    pub machine: usize,
    /// The state in which the instance was.
    pub state: usize,
    /// The transitions of other states that would have taken the event: (state, place in it), in
    /// the order of the document.
    pub possible: Vec<(u32, u32)>,
    /// The scenario, for its statistics.
    pub(super) scenario: u32,
}
