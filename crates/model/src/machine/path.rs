//! Paths: how an attribute is named, with parts that only an event knows.

/// A way through the tree of attributes, from its root.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Path {
    /// From the root on.
    pub steps: Vec<PathStep>,
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PathStep {
    /// The child of this name.
    Constant(String),
    /// Not a step but a jump: the node of the scenario that handles the event.
    CurrentScenario,
    /// The child called like the state in which the scenario is.
    CurrentState,
    /// The child called like the value of this field of the event, as text.
    Field(String),
    /// The child called like the event.
    EventName,
    /// The child called like the value that stands at another path, as text.
    Query(Path),
    /// A child that no other scenario uses until this one ends; the same one each time for a scenario.
    Pool,
    /// What stood there means nothing: the path leads nowhere, and what uses it does nothing.
    Undefined,
}

impl Path {
    /// The attribute in which a scenario keeps the instance that it is about.
    pub fn own_key() -> Path {
        Path { steps: vec![PathStep::CurrentScenario, PathStep::Constant("attribute".into())] }
    }
}
