//! Attributes that look alike: paths with one name that the event fills in.

use model::machine::{
    Assignment, KeySource, Mode, Path, PathStep, Pattern, Step, StepKind, ValueExpr, ValueSource,
};

use super::is_running_thread;

/// A path with a hole: `Threads/{}/Status`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    /// `None` is the hole.
    pub(super) names: Vec<Option<String>>,
}

impl Shape {
    pub(super) fn show(&self) -> String {
        let names: Vec<&str> = self.names.iter().map(|name| name.as_deref().unwrap_or("*")).collect();
        names.join("/")
    }

    fn hole(&self) -> usize {
        self.names.iter().position(Option::is_none).unwrap_or(0)
    }

    /// Whether clearing `other` with all below it clears this.
    pub(super) fn is_below(&self, other: &Shape) -> bool {
        self.names.starts_with(&other.names) && self.hole() == other.hole()
    }
}

/// Why a path has no shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shapeless {
    /// Every event writes the same attribute.
    NoInstance,
    /// Nothing says who it is about, or several names together do.
    Unclear,
}

/// The shape of a path, and what fills its hole.
pub(super) fn shape(pattern: &Pattern, path: &Path) -> Result<(Shape, KeySource), Shapeless> {
    let mut names = Vec::new();
    let mut source = None;
    for step in &path.steps {
        let found = match step {
            PathStep::Constant(name) => {
                names.push(Some(name.clone()));
                continue;
            }
            PathStep::Field(name) => KeySource::Field(name.clone()),
            PathStep::Query(path) if is_running_thread(pattern, path) => KeySource::RunningThread,
            _ => return Err(Shapeless::Unclear),
        };
        names.push(None);
        if source.replace(found).is_some() {
            return Err(Shapeless::Unclear);
        }
    }
    match source {
        Some(source) => Ok((Shape { names }, source)),
        None => Err(Shapeless::NoInstance),
    }
}

/// A state that an attribute may be in.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum State {
    /// No value.
    Unset,
    /// This value.
    Value(ValueSource, Option<String>),
    /// A value that only the event knows.
    Some,
}

impl State {
    /// The state that an assignment leads to; `None`: it counts, stacks or waits, which no state says.
    pub(super) fn of(assignment: &Assignment) -> Option<State> {
        if assignment.at.is_some() || assignment.value.mapping.is_some() {
            return None;
        }
        match assignment.mode {
            Mode::Set | Mode::Update => Some(State::of_value(&assignment.value, assignment.called.clone())),
            Mode::Delete => Some(State::Unset),
            Mode::Increment | Mode::Push | Mode::Pop | Mode::PopAll => None,
        }
    }

    pub(super) fn of_value(value: &ValueExpr, called: Option<String>) -> State {
        match &value.source {
            ValueSource::Null => State::Unset,
            ValueSource::Int(number) => State::Value(ValueSource::Long(i64::from(*number)), called),
            source @ (ValueSource::Long(_) | ValueSource::Text(_)) => State::Value(source.clone(), called),
            _ => State::Some,
        }
    }

    pub(super) fn is_same(&self, other: &State) -> bool {
        match (self, other) {
            (State::Unset, State::Unset) | (State::Some, State::Some) => true,
            (State::Value(a, _), State::Value(b, _)) => a == b,
            _ => false,
        }
    }

    pub(super) fn show(&self) -> String {
        match self {
            State::Unset => "none".to_owned(),
            State::Some => "set".to_owned(),
            State::Value(_, Some(called)) => called.clone(),
            State::Value(ValueSource::Text(text), None) => text.clone(),
            State::Value(ValueSource::Long(number), None) => number.to_string(),
            State::Value(..) => "?".to_owned(),
        }
    }
}

/// All assignments of an analysis, whatever their conditions.
pub(super) fn assignments(pattern: &Pattern) -> impl Iterator<Item = &Assignment> {
    let handlers = pattern.handlers.iter().flat_map(|handler| &handler.steps);
    let actions = pattern.actions.iter().flat_map(|action| &action.steps);
    handlers.chain(actions).flat_map(within)
}

/// The assignments of a step, whatever its conditions. Steps nest no deeper than elements of a file.
pub(super) fn within(step: &Step) -> Vec<&Assignment> {
    let mut found = Vec::new();
    for kind in step.then.iter().chain(&step.otherwise) {
        match kind {
            StepKind::Assign(assignment) => found.push(assignment),
            StepKind::Choose(step) => found.extend(within(step)),
            StepKind::Segment(_) | StepKind::Run(_) => {}
        }
    }
    found
}
