//! The names that an analysis defines, collected before anything refers to them: the order of
//! definitions in a file is free.

use std::collections::HashMap;

use model::machine::{PathStep, Spot};

/// Names and what they stand for.
#[derive(Default)]
pub(super) struct Ids {
    /// Values of `definedValue`.
    pub(super) defined: HashMap<String, String>,
    /// Paths of `location`.
    pub(super) locations: HashMap<String, Vec<PathStep>>,
    /// Indices of mapping groups.
    pub(super) mappings: HashMap<String, usize>,
    /// Indices of tests.
    pub(super) tests: HashMap<String, usize>,
    /// Indices of actions.
    pub(super) actions: HashMap<String, usize>,
    /// States whose time tests ask for, and where.
    pub(super) awaited: Vec<(String, Spot)>,
}
