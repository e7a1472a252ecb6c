//! What a handler may do to one attribute, as far as the event and the attribute's own state decide it.

use model::machine::{Assignment, Condition, Mode, Step, StepKind};

use super::condition::{Answer, Own, negated};
use super::shapes::{Shape, State, shape, within};

/// One path through a handler.
#[derive(Debug, Clone)]
pub(super) struct HandlerPath {
    /// What must hold of the event.
    pub(super) guards: Vec<Condition>,
    /// What the attribute is afterwards; `None`: it was not written.
    pub(super) after: Option<State>,
    /// Whether writing what is there already says nothing: one value replaces another that is not
    /// known, or everything of an instance is cleared.
    pub(super) may_repeat: bool,
}

/// Paths that are distinguished; a handler with more says too little of each.
const MOST: usize = 64;

/// All paths through the steps of a handler; `None`: there are too many of them, or one of them writes
/// what no state says.
pub(super) fn handler_paths(steps: &[Step], own: &Own<'_>) -> Option<Vec<HandlerPath>> {
    let mut handler_paths = vec![HandlerPath { guards: Vec::new(), after: None, may_repeat: false }];
    for step in steps {
        handler_paths = step_paths(step, own, handler_paths)?;
    }
    Some(handler_paths)
}

fn step_paths(step: &Step, own: &Own<'_>, handler_paths: Vec<HandlerPath>) -> Option<Vec<HandlerPath>> {
    let Some(condition) = &step.condition else { return branch(&step.then, own, handler_paths) };
    if !within(step).into_iter().any(|assignment| is_own(assignment, own)) {
        return Some(handler_paths);
    }
    let mut all = Vec::new();
    for handler_path in handler_paths {
        let state = handler_path.after.as_ref().unwrap_or(own.state);
        let now = Own { state, ..*own };
        let with = |condition: Condition| {
            let mut handler_path = handler_path.clone();
            if !handler_path.guards.contains(&condition) {
                handler_path.guards.push(condition);
            }
            handler_path
        };
        match now.answer(condition) {
            Answer::Known(true) => all.extend(branch(&step.then, own, vec![handler_path])?),
            Answer::Known(false) => all.extend(branch(&step.otherwise, own, vec![handler_path])?),
            Answer::Fields(condition) => {
                let not = negated(condition.clone());
                // What was found before cannot be otherwise later on.
                let (known, known_not) =
                    (handler_path.guards.contains(&condition), handler_path.guards.contains(&not));
                if !known_not {
                    all.extend(branch(&step.then, own, vec![with(condition)])?);
                }
                if !known {
                    all.extend(branch(&step.otherwise, own, vec![with(not)])?);
                }
            }
            Answer::Open => {
                all.extend(branch(&step.then, own, vec![handler_path.clone()])?);
                all.extend(branch(&step.otherwise, own, vec![handler_path])?);
            }
        }
    }
    (all.len() <= MOST).then_some(all)
}

fn branch(
    kinds: &[StepKind],
    own: &Own<'_>,
    mut handler_paths: Vec<HandlerPath>,
) -> Option<Vec<HandlerPath>> {
    for kind in kinds {
        match kind {
            StepKind::Assign(assignment) => {
                if !is_own(assignment, own) {
                    continue;
                }
                let state = State::of(assignment)?;
                let may_repeat = state == State::Some || assignment.mode == Mode::Delete;
                for handler_path in &mut handler_paths {
                    handler_path.after = Some(state.clone());
                    handler_path.may_repeat = may_repeat;
                }
            }
            StepKind::Choose(step) => handler_paths = step_paths(step, own, handler_paths)?,
            StepKind::Segment(_) | StepKind::Run(_) => {}
        }
    }
    Some(handler_paths)
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
