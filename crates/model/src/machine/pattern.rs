//! A pattern: one analysis with all that its machines share.

use super::{Action, Handler, Machine, Test, ValueExpr};

/// Where something was written, counted from 1; 0 where nobody knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord)]
pub struct Spot {
    /// Line.
    pub line: u32,
    /// Column, in bytes: characters would make a long line slow.
    pub column: u32,
}

/// One analysis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pattern {
    /// Its id.
    pub id: String,
    /// What people call it; empty if it has no label.
    pub label: String,
    /// The trace types it is meant for; empty: any.
    pub trace_types: Vec<String>,
    /// Fields of an event that a scenario may keep.
    pub stored_fields: Vec<StoredField>,
    /// Named numbers, with a colour for views.
    pub definitions: Vec<Definition>,
    /// Tables from value to value.
    pub mappings: Vec<MappingGroup>,
    /// The tests that guards name.
    pub tests: Vec<Test>,
    /// The actions that transitions name.
    pub actions: Vec<Action>,
    /// What is written for each event, in their order; only a state provider has any.
    pub handlers: Vec<Handler>,
    /// The machines, in the order in which each of them gets an event.
    pub machines: Vec<Machine>,
    /// The machines that run, as indices into `machines`, ascending.
    pub started: Vec<usize>,
    /// Where it stands.
    pub spot: Spot,
}

/// A field that `saveStoredFields` keeps below the scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredField {
    /// Its name in the event.
    pub field: String,
    /// Its name below the scenario.
    pub alias: String,
}

/// A named value. States of a view are values with a name and a colour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// The value as it was written.
    pub value: String,
    /// The colour as it was written, for instance `#118811`.
    pub color: Option<String>,
}

/// A table: the first entry whose key equals a value replaces it.
#[derive(Debug, Clone, PartialEq)]
pub struct MappingGroup {
    /// Its id.
    pub id: String,
    /// Keys and what replaces them.
    pub entries: Vec<(ValueExpr, ValueExpr)>,
}

impl Pattern {
    /// The machine called `id`.
    pub fn machine(&self, id: &str) -> Option<&Machine> {
        self.machines.iter().find(|machine| machine.id == id)
    }
}
