//! The states that a model makes of a trace.

use inference::{Engine, NodeId};

/// The states of all attributes of a trace.
#[derive(Debug)]
pub(crate) struct FoundStates {
    /// The name of the model, and the analysis of it that was run.
    pub(crate) model: String,
    pub(crate) analysis: String,
    pub(crate) engine: Engine,
    pub(crate) attributes: Vec<Attribute>,
}

/// One attribute.
#[derive(Debug)]
pub(crate) struct Attribute {
    pub(crate) path: Vec<String>,
    pub(crate) node: NodeId,
}

impl FoundStates {
    /// The states of an attribute from the beginning of the trace to its end: from, to (nanoseconds),
    /// value.
    pub(crate) fn states(&self, attribute: &Attribute) -> Vec<(i64, i64, inference::Value)> {
        let Some((first, last)) = self.engine.range() else { return Vec::new() };
        let mut states: Vec<(i64, i64, inference::Value)> = Vec::new();
        let history = self.engine.states().history(attribute.node);
        // Nothing was written before the first of them.
        if history.first().is_none_or(|(start, _)| *start > first.0) {
            states.push((first.0, last.0, inference::Value::Null));
        }
        for &(start, value) in history {
            if let Some((_, to, _)) = states.last_mut() {
                *to = start;
            }
            states.push((start, last.0, value));
        }
        states
    }
}
