//! Throttled methods: a recorder stopped recording them while it ran, to keep its cost within a budget.

use crate::{MethodId, Timestamp};

/// A method that leaves no records from some moment on.
///
/// What it calls is recorded, and seems to be called by code that is not recorded. Calls of it that were open then are
/// recorded to their ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Throttled {
    /// The method.
    pub method: MethodId,
    /// From when on.
    pub since: Timestamp,
    /// Of a thousand records that were written in the time before, about so many were its own.
    pub share: u32,
    /// How often it was called since; threads that call it at the same moment may count once. `None` where the recording did
    /// not end in an orderly way.
    pub calls: Option<u64>,
}
