//! Actions: `action` and `stateChange`.

use model::machine::{Action, Assignment, Mode, Step, StepKind, ValueExpr, ValueSource};
use roxmltree::Node;

use super::condition::inside_if;
use super::context::{Context, children};
use super::segment::segment;
use super::value::{path_of, value};
use crate::limits::MODEL_STEPS;

/// An `action` with its id.
pub(super) fn action(context: &mut Context, node: Node<'_, '_>) -> Action {
    let id = context.required(node, "id").to_owned();
    let mut steps = Vec::new();
    for child in children(node) {
        match child.tag_name().name() {
            "stateChange" => steps.extend(state_change(context, child)),
            "segment" => {
                steps.push(Step::always(StepKind::Segment(Box::new(segment(context, child)))));
            }
            // One that has something in it is done here, one that has not is another one by its name.
            "action" => {
                let name = context.required(child, "id");
                match context.ids.actions.get(name) {
                    Some(&index) => steps.push(Step::always(StepKind::Run(index))),
                    None => context.refuse(child, format!("No `action` is called `{name}`.")),
                }
            }
            _ => context.unexpected(child),
        }
    }
    Action { id, steps, spot: context.spot(node) }
}

/// One `stateChange`, or a branch of one: an assignment, or two branches of a condition. Branches nest
/// no deeper than elements may.
pub(super) fn state_change(context: &mut Context, node: Node<'_, '_>) -> Option<Step> {
    let part = |name: &str| children(node).find(|child| child.has_tag_name(name));
    let Some(question) = part("if") else {
        return assignment(context, node).map(|kind| Step::always(StepKind::Assign(kind)));
    };
    let condition = Some(inside_if(context, question));
    if part("then").is_none() {
        context.refuse(node, "An `if` needs a `then`.".into());
    }
    let mut branch = |name: &str| -> Vec<StepKind> {
        let found = part(name).and_then(|node| state_change(context, node));
        found.into_iter().flat_map(kinds).collect()
    };
    Some(Step { condition, then: branch("then"), otherwise: branch("else") })
}

/// A step as what a branch does.
fn kinds(step: Step) -> Vec<StepKind> {
    match step.condition {
        None => step.then,
        Some(_) => vec![StepKind::Choose(Box::new(step))],
    }
}

fn assignment(context: &mut Context, node: Node<'_, '_>) -> Option<Assignment> {
    let missing = context.missing;
    let path = path_of(context, node);
    let mut targets = children(node).filter(|child| child.has_tag_name("stateValue"));
    let (target, second) = (targets.next(), targets.next());
    let Some(target) = target else {
        context.refuse(node, "A state change ends with a `stateValue`.".into());
        return None;
    };
    if let Some(second) = second {
        context.refuse(second, "A state change has one `stateValue`, and this is the second.".into());
    }
    if path.steps.is_empty() {
        context.refuse(node, "A state change needs a path.".into());
        return None;
    }
    let at = children(node).find(|child| child.has_tag_name("futureTime"));
    let at = at.map(|node| value(context, node));
    let mode = mode(context, target);
    let value = match mode {
        Mode::Pop | Mode::PopAll | Mode::Delete => ValueExpr::from(ValueSource::Null),
        _ => value(context, target),
    };
    let called = target.attribute("value").and_then(|value| value.strip_prefix('$')).map(str::to_owned);
    (context.missing == missing).then_some(Assignment { path, value, mode, at, called })
}

fn mode(context: &mut Context, target: Node<'_, '_>) -> Mode {
    let kind = target.attribute("type");
    if kind == Some("delete") {
        return Mode::Delete;
    }
    let increment = context.flag(target, "increment", false);
    let update = context.flag(target, "update", false);
    let stacked = match target.attribute("stack").filter(|stack| !stack.is_empty()) {
        Some("push") => Mode::Push,
        Some("pop") if kind != Some("query") => Mode::Pop,
        Some("popAll") => Mode::PopAll,
        Some("pop" | "peek") | None => {
            return match (increment, update) {
                (true, _) => Mode::Increment,
                (false, true) => Mode::Update,
                (false, false) => Mode::Set,
            };
        }
        Some(other) => {
            context.refuse(target, format!("`stack` is `{other}`, not `push`, `pop`, `popAll` or `peek`."));
            Mode::Set
        }
    };
    if increment || update {
        context.refuse(target, "A stack can be neither incremented nor updated.".into());
    }
    stacked
}

/// Refuses actions that reach themselves or that do too much in all.
pub(super) fn check_sizes(context: &mut Context, actions: &[Action], nodes: &[Node<'_, '_>]) {
    let mut sizes = vec![None; actions.len()];
    for (index, node) in nodes.iter().enumerate() {
        let mut open = vec![false; actions.len()];
        if size(actions, index, &mut sizes, &mut open).is_none_or(|size| size > MODEL_STEPS) {
            context.refuse(
                *node,
                format!("The action calls itself, or does more than {MODEL_STEPS} steps in all."),
            );
            return;
        }
    }
}

/// Steps of an action with those that it calls; `None` if it reaches itself. Depth is bounded by
/// the number of actions, as none is open twice; 64 is far above what anyone nests.
fn size(actions: &[Action], index: usize, sizes: &mut [Option<usize>], open: &mut [bool]) -> Option<usize> {
    if let Some(known) = sizes.get(index).copied().flatten() {
        return Some(known);
    }
    if std::mem::replace(open.get_mut(index)?, true) || open.iter().filter(|open| **open).count() > 64 {
        return None;
    }
    let mut sum = 1usize;
    for step in &actions.get(index)?.steps {
        for kind in step.then.iter().chain(&step.otherwise) {
            sum = sum.saturating_add(cost(actions, kind, sizes, open)?);
        }
    }
    *open.get_mut(index)? = false;
    *sizes.get_mut(index)? = Some(sum);
    Some(sum)
}

/// Steps of one part of an action; branches nest no deeper than elements may.
fn cost(
    actions: &[Action],
    kind: &StepKind,
    sizes: &mut [Option<usize>],
    open: &mut [bool],
) -> Option<usize> {
    match kind {
        StepKind::Run(inner) => size(actions, *inner, sizes, open),
        StepKind::Choose(step) => {
            let parts = step.then.iter().chain(&step.otherwise);
            let mut sum = 1usize;
            for part in parts {
                sum = sum.saturating_add(cost(actions, part, sizes, open)?);
            }
            Some(sum)
        }
        StepKind::Assign(_) | StepKind::Segment(_) => Some(1),
    }
}
