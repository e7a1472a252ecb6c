//! What a handler may do to one attribute, as far as the event and the attribute's own state decide it.

use model::machine::{Assignment, Condition, Mode, Step, StepKind};

use super::condition::{Answer, Own, negated};
use super::shapes::{Shape, State, shape, within};

/// One way through a handler.
#[derive(Debug, Clone)]
pub(super) struct Way {
    /// What must hold of the event.
    pub(super) guards: Vec<Condition>,
    /// What the attribute is afterwards; `None`: it was not written.
    pub(super) after: Option<State>,
    /// Whether writing what is there already says nothing: one value replaces another that is not
    /// known, or everything of an instance is cleared.
    pub(super) may_repeat: bool,
}

/// Ways that are told apart; a handler with more says too little of each.
const MOST: usize = 64;

/// All ways through the steps of a handler; `None`: there are too many of them, or one of them writes
/// what no state says.
pub(super) fn ways(steps: &[Step], own: &Own<'_>) -> Option<Vec<Way>> {
    let mut ways = vec![Way { guards: Vec::new(), after: None, may_repeat: false }];
    for step in steps {
        ways = step_ways(step, own, ways)?;
    }
    Some(ways)
}

fn step_ways(step: &Step, own: &Own<'_>, ways: Vec<Way>) -> Option<Vec<Way>> {
    let Some(condition) = &step.condition else { return branch(&step.then, own, ways) };
    if !within(step).into_iter().any(|assignment| is_own(assignment, own)) {
        return Some(ways);
    }
    let mut all = Vec::new();
    for way in ways {
        let state = way.after.as_ref().unwrap_or(own.state);
        let now = Own { state, ..*own };
        let with = |condition: Condition| {
            let mut way = way.clone();
            if !way.guards.contains(&condition) {
                way.guards.push(condition);
            }
            way
        };
        match now.answer(condition) {
            Answer::Known(true) => all.extend(branch(&step.then, own, vec![way])?),
            Answer::Known(false) => all.extend(branch(&step.otherwise, own, vec![way])?),
            Answer::Fields(condition) => {
                let not = negated(condition.clone());
                // What was found before cannot be otherwise later on.
                let (known, known_not) = (way.guards.contains(&condition), way.guards.contains(&not));
                if !known_not {
                    all.extend(branch(&step.then, own, vec![with(condition)])?);
                }
                if !known {
                    all.extend(branch(&step.otherwise, own, vec![with(not)])?);
                }
            }
            Answer::Open => {
                all.extend(branch(&step.then, own, vec![way.clone()])?);
                all.extend(branch(&step.otherwise, own, vec![way])?);
            }
        }
    }
    (all.len() <= MOST).then_some(all)
}

fn branch(kinds: &[StepKind], own: &Own<'_>, mut ways: Vec<Way>) -> Option<Vec<Way>> {
    for kind in kinds {
        match kind {
            StepKind::Assign(assignment) => {
                if !is_own(assignment, own) {
                    continue;
                }
                let state = State::of(assignment)?;
                let may_repeat = state == State::Some || assignment.mode == Mode::Delete;
                for way in &mut ways {
                    way.after = Some(state.clone());
                    way.may_repeat = may_repeat;
                }
            }
            StepKind::Choose(step) => ways = step_ways(step, own, ways)?,
            StepKind::Segment(_) | StepKind::Run(_) => {}
        }
    }
    Some(ways)
}

fn is_own(assignment: &Assignment, own: &Own<'_>) -> bool {
    shape(own.pattern, &assignment.path)
        .is_ok_and(|(written, source)| touches(&written, own.shape, assignment) && source == *own.source)
}

/// Whether an assignment to `written` changes attributes of the shape `own`.
pub(super) fn touches(written: &Shape, own: &Shape, assignment: &Assignment) -> bool {
    match assignment.mode {
        Mode::Delete => own.is_below(written),
        _ => written == own,
    }
}
