//! Paths, values, conditions and assignments of a model in words.
//!
//! ```text
//! Threads/{tid}/Status          the attribute called like the field tid, below Threads
//! {value of CPUs/{cpu}/Current_thread}   ... called like what stands there
//! (scenario)/op                 an attribute of the scenario
//! ```

use model::machine::condition::Operand;
use model::machine::{
    Assignment, Comparison, Condition, KeySource, Machine, Mode, Path, PathStep, Pattern, StackRead, Step,
    StepKind, ValueExpr, ValueSource,
};

/// What the values of attributes are called where they are written.
#[derive(Debug, Default)]
pub(crate) struct Names<'p> {
    known: Vec<(&'p Path, &'p ValueSource, &'p str)>,
}

impl<'p> Names<'p> {
    pub(crate) fn of(pattern: &'p Pattern) -> Names<'p> {
        let mut names = Names::default();
        let handlers = pattern.handlers.iter().flat_map(|handler| &handler.steps);
        let actions = pattern.actions.iter().flat_map(|action| &action.steps);
        handlers.chain(actions).for_each(|step| names.add(step));
        names
    }

    /// Steps nest no deeper than elements of a file.
    fn add(&mut self, step: &'p Step) {
        for kind in step.then.iter().chain(&step.otherwise) {
            match kind {
                StepKind::Assign(Assignment { path, value, called: Some(called), .. }) => {
                    self.known.push((path, &value.source, called));
                }
                StepKind::Choose(step) => self.add(step),
                StepKind::Assign(_) | StepKind::Segment(_) | StepKind::Run(_) => {}
            }
        }
    }

    fn value(&self, of: &Path, value: &ValueExpr) -> String {
        let same =
            |(path, source, _): &&(&Path, &ValueSource, &str)| **path == *of && **source == value.source;
        match self.known.iter().find(same) {
            Some((.., called)) => format!("{called} ({})", self::value(value)),
            None => self::value(value),
        }
    }
}

pub(crate) fn path(path: &Path) -> String {
    let step = |step: &PathStep| match step {
        PathStep::Constant(name) => name.clone(),
        PathStep::CurrentScenario => "(scenario)".to_owned(),
        PathStep::CurrentState => "{state of the scenario}".to_owned(),
        PathStep::Field(name) => format!("{{{name}}}"),
        PathStep::EventName => "{name of the event}".to_owned(),
        PathStep::Query(inner) => format!("{{value of {}}}", self::path(inner)),
        PathStep::Pool => "{one of its own}".to_owned(),
        PathStep::Undefined => "(unknown)".to_owned(),
    };
    path.steps.iter().map(step).collect::<Vec<_>>().join("/")
}

pub(crate) fn value(value: &ValueExpr) -> String {
    let mut words = match &value.source {
        ValueSource::Null => "no value".to_owned(),
        ValueSource::Int(number) => number.to_string(),
        ValueSource::Long(number) => number.to_string(),
        ValueSource::Text(text) => format!("\"{text}\""),
        ValueSource::Field(name) => name.clone(),
        ValueSource::EventName => "the name of the event".to_owned(),
        ValueSource::Query(of, StackRead::No) => format!("the value of {}", path(of)),
        ValueSource::Query(of, StackRead::Peek) => format!("the top of the stack {}", path(of)),
        ValueSource::Query(of, StackRead::Pop) => format!("what is taken off the stack {}", path(of)),
        ValueSource::Script(script) => format!("({})", script.text),
    };
    if value.mapping.is_some() {
        words += " as its table says";
    }
    words
}

pub(crate) fn condition(condition: &Condition, names: &Names<'_>) -> String {
    words(condition, names, true)
}

/// Inside of another condition brackets are needed.
fn words(condition: &Condition, names: &Names<'_>, is_outer: bool) -> String {
    let joined = |parts: &[Condition], word: &str, none: &str| {
        if parts.is_empty() {
            return none.to_owned();
        }
        let all =
            parts.iter().map(|part| words(part, names, parts.len() == 1)).collect::<Vec<_>>().join(word);
        if is_outer || parts.len() == 1 { all } else { format!("({all})") }
    };
    match condition {
        Condition::Compare { left: Operand::Path(left), comparison: Comparison::Equal, right }
            if *left == Path::own_key() =>
        {
            format!("it is {}", value(right))
        }
        Condition::Compare { left, comparison, right } => {
            let (left, right) = match left {
                Operand::Field(name) => (name.clone(), value(right)),
                Operand::Path(of) => (path(of), names.value(of, right)),
            };
            format!("{left} {} {right}", compared(*comparison))
        }
        Condition::Same(left, comparison, right) => {
            format!("{} {} {}", value(left), compared(*comparison), value(right))
        }
        Condition::Within { begin, end, inside } => {
            let word = if *inside { "between" } else { "not between" };
            format!("the time is {word} {begin} and {end} ns")
        }
        Condition::Elapsed { comparison, since, nanoseconds } => {
            let word = match comparison {
                Comparison::Less => "less than",
                Comparison::Greater => "more than",
                _ => "exactly",
            };
            format!("{word} {nanoseconds} ns passed since {since}")
        }
        Condition::All(parts) => joined(parts, " and ", "always"),
        Condition::Any(parts) => joined(parts, " or ", "never"),
        Condition::Not(part) => match &**part {
            Condition::Compare { left, comparison: Comparison::Equal, right } => {
                let not = Condition::Compare {
                    left: left.clone(),
                    comparison: Comparison::NotEqual,
                    right: right.clone(),
                };
                words(&not, names, is_outer)
            }
            part => format!("not ({})", words(part, names, true)),
        },
    }
}

fn compared(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "is",
        Comparison::NotEqual => "is not",
        Comparison::GreaterOrEqual => ">=",
        Comparison::Greater => ">",
        Comparison::LessOrEqual => "<=",
        Comparison::Less => "<",
    }
}

pub(crate) fn assignment(assignment: &Assignment) -> String {
    let path = path(&assignment.path);
    let value = match &assignment.called {
        Some(called) => format!("{called} ({})", value(&assignment.value)),
        None => value(&assignment.value),
    };
    let mut words = match assignment.mode {
        Mode::Set => format!("{path} := {value}"),
        Mode::Increment => format!("{path} := {path} + {value}"),
        Mode::Update => format!("{path} := {value}, from its last change on"),
        Mode::Push => format!("push {value} on the stack {path}"),
        Mode::Pop => format!("take the top off the stack {path}"),
        Mode::PopAll => format!("empty the stack {path}"),
        Mode::Delete => format!("clear {path} and all below it"),
    };
    if let Some(at) = &assignment.at {
        words += &format!(", at the time {}", self::value(at));
    }
    words
}

pub(crate) fn source(source: &KeySource) -> String {
    match source {
        KeySource::Field(name) => name.clone(),
        KeySource::Cpu => "the CPU of the event".to_owned(),
        KeySource::RunningThread => "the thread that runs on the CPU of the event".to_owned(),
    }
}

/// The states in which an instance can be, with their indices: not those that stand for others, nor ends
/// to which nothing leads.
pub(crate) fn states(machine: &Machine) -> impl Iterator<Item = (usize, &str)> {
    let leads_to = |index| {
        machine
            .states
            .iter()
            .flat_map(|state| &state.transitions)
            .any(|transition| transition.target == index)
    };
    let is_end = |index| machine.last == Some(index) || machine.abandon == Some(index);
    let all = machine.states.iter().enumerate().filter(|(_, state)| state.stands_for.is_empty());
    let all = all.filter(move |(index, _)| !is_end(*index) || leads_to(*index));
    all.map(|(index, state)| (index, &*state.id))
}
