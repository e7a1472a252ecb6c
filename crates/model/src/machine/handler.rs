//! Event handlers: what a state provider writes for each event, whatever the states.

use super::{EventPattern, Spot, Step};

/// What is written when an event of some name comes.
#[derive(Debug, Clone, PartialEq)]
pub struct Handler {
    /// For these events.
    pub events: EventPattern,
    /// In the order in which they are done.
    pub steps: Vec<Step>,
    /// Where it stands.
    pub spot: Spot,
}
