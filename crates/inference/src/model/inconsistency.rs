//! Inconsistencies: recorded events that do not fit what is known of an instance.

use std::sync::Arc;

use ::model::Timestamp;

/// A recorded event that no state takes in which its instance may have been, although another state would. The
/// founding text calls it an incoherence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inconsistency {
    /// The state machine.
    pub machine: Arc<str>,
    /// The instance of the machine.
    pub instance: String,
    /// When the event was.
    pub time: Timestamp,
    /// The name of the event.
    pub event: Arc<str>,
    /// The number of the event among all of the trace, from 0.
    pub ordinal: u64,
    /// The CPU of the event.
    pub cpu: Option<u32>,
    /// The states in which the instance may have been.
    pub states: Vec<Arc<str>>,
    /// The states that would have taken the event.
    pub accepted_by: Vec<Arc<str>>,
    /// The event of this instance before, or since when something may be missing.
    pub previous: Option<Timestamp>,
    /// The declared loss that may be behind it, an index into the list of them. `None`: something is missing that
    /// nobody declared, or the model is wrong.
    pub window: Option<usize>,
    /// What does not fit, in one sentence, where the engine has one.
    pub sentence: Option<String>,
    /// Whether lost events that repair it were found. Only engines set it that infer while they check.
    pub is_explained: bool,
}
