//! Spans: something that holds from one moment to another.

use crate::{Evidence, Timestamp};

/// A value that held over a time, and how we know.
#[derive(Debug, Clone, PartialEq)]
pub struct Span<T> {
    /// From this moment on.
    pub from: Timestamp,
    /// Up to and without this moment; `None`: to the end of what was seen.
    pub to: Option<Timestamp>,
    /// What held.
    pub value: T,
    /// How we know.
    pub evidence: Evidence,
}

impl<T> Span<T> {
    /// Whether it holds at `moment`.
    pub fn holds_at(&self, moment: Timestamp) -> bool {
        self.from <= moment && self.to.is_none_or(|to| moment < to)
    }
}
