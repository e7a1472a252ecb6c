//! Choices: which value a field of an inferred event has, where several are possible and the user knows better.

use std::sync::Arc;

use crate::{Scalar, Timestamp};

/// What an inferred event is called. A point in time would not do: it moves with every other event.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EventKey {
    /// The name of the event.
    pub name: String,
    /// The state machine that it was inferred for.
    pub machine: Arc<str>,
    /// The instance of the machine.
    pub instance: String,
    /// The event was not before this moment.
    pub from: Timestamp,
    /// The event was not after this moment.
    pub to: Timestamp,
    /// Its number among the events of the same machine, instance and interval, from 1.
    pub rank: u32,
}

/// A value that the user chose for a field of an inferred event.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Choice {
    /// The event, as it is inferred without any choice.
    pub event: Arc<EventKey>,
    /// The field.
    pub field: String,
    /// The value that it shall have.
    pub value: Scalar,
}
