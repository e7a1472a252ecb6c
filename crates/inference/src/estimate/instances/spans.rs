//! How long instances were in which states, and how certain.

use model::Span;

use crate::state_set::StateSet;
use crate::value::Name;

/// How certain the instances of a machine were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Instances seen.
    pub instances: u64,
    /// Instances that were in one certain state at some moment.
    pub ever_certain: u64,
    /// Events that concerned an instance.
    pub events: u64,
    /// Nanoseconds in one certain state, over all instances, from the first event of each.
    pub certain_ns: u128,
    /// Nanoseconds in one of several states.
    pub uncertain_ns: u128,
}

/// When an instance may have been in which states.
#[derive(Debug, Clone, PartialEq)]
pub struct InstanceSpan {
    /// The machine, an index into those of the pattern.
    pub machine: usize,
    /// The instance.
    pub key: Name,
    /// The states, and when.
    pub span: Span<StateSet>,
}
