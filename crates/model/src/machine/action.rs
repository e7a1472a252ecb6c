//! Actions: what a transition writes.

use super::{Condition, Path, Segment, Spot, ValueExpr};

/// A list of steps with a name, which transitions and other actions refer to.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    /// Its id.
    pub id: String,
    /// In the order in which they are done.
    pub steps: Vec<Step>,
    /// Where it stands.
    pub spot: Spot,
}

/// One step of an action, done only if its condition holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The condition, if it has one.
    pub condition: Option<Condition>,
    /// Done if there is no condition or it holds.
    pub then: Vec<StepKind>,
    /// Done if the condition does not hold.
    pub otherwise: Vec<StepKind>,
}

/// What a step does.
#[derive(Debug, Clone, PartialEq)]
pub enum StepKind {
    /// Writes an attribute.
    Assign(Assignment),
    /// Makes a segment.
    Segment(Box<Segment>),
    /// One of two branches, as a condition says.
    Choose(Box<Step>),
    /// Does another action, an index into the list of the pattern. The filler guarantees that no
    /// action reaches itself.
    Run(usize),
}

/// A value for an attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// The attribute. If the path is in error nothing is written.
    pub path: Path,
    /// What is written.
    pub value: ValueExpr,
    /// How.
    pub mode: Mode,
    /// When, in nanoseconds; `None`: at once. A time that has passed leaves the assignment out.
    pub at: Option<ValueExpr>,
    /// What the value is called: the name of the definition that it was written as.
    pub called: Option<String>,
}

/// How an attribute is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// The value holds from now on.
    #[default]
    Set,
    /// The value is added to the one that stands there; no value counts as 0.
    Increment,
    /// The value that stands there is replaced, as if it had been written at its beginning.
    Update,
    /// The value goes on top of the stack at the path.
    Push,
    /// The top of the stack at the path is taken off; the value is not used.
    Pop,
    /// The whole stack at the path is taken off; the value is not used.
    PopAll,
    /// The attribute and all below it have no value from now on; the value is not used.
    Delete,
}

impl Step {
    /// A step without a condition.
    pub fn always(kind: StepKind) -> Step {
        Step { condition: None, then: vec![kind], otherwise: Vec::new() }
    }
}
