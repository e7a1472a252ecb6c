//! Actions: `action` and `stateChange`.

use model::machine::{Action, Assignment, Mode, Step, StepKind, ValueExpr, ValueSource};
use roxmltree::Node;

use super::condition::inside_if;
use super::context::{Context, children};
use super::segment::segment;
use super::value::{path_of, value};
use crate::limits::PATTERN_STEPS;

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

fn state_change(context: &mut Context, node: Node<'_, '_>) -> Option<Step> {
    let part = |name: &str| children(node).find(|child| child.has_tag_name(name));
    let Some(question) = part("if") else {
        return assignment(context, node).map(|kind| Step::always(StepKind::Assign(kind)));
    };
    let condition = Some(inside_if(context, question));
    let mut branch = |name: &str| -> Vec<StepKind> {
        let found = part(name).and_then(|node| assignment(context, node));
        found.into_iter().map(StepKind::Assign).collect()
    };
    Some(Step { condition, then: branch("then"), otherwise: branch("else") })
}

fn assignment(context: &mut Context, node: Node<'_, '_>) -> Option<Assignment> {
    let path = path_of(context, node);
    let Some(target) = children(node).find(|child| child.has_tag_name("stateValue")) else {
        context.refuse(node, "A state change ends with a `stateValue`.".into());
        return None;
    };
    if path.steps.is_empty() {
        context.refuse(node, "A state change needs a path.".into());
        return None;
    }
    if target.attribute("type") == Some("delete") {
        let value = ValueExpr::from(ValueSource::Null);
        return Some(Assignment { path, value, mode: Mode::Delete });
    }
    let increment = context.flag(target, "increment", false);
    let update = context.flag(target, "update", false);
    let mode = match target.attribute("stack") {
        Some("push") => Mode::Push,
        Some("pop") if target.attribute("type") != Some("query") => Mode::Pop,
        Some("pop" | "peek") | None => match (increment, update) {
            (true, _) => Mode::Increment,
            (false, true) => Mode::Update,
            (false, false) => Mode::Set,
        },
        Some(other) => {
            context.refuse(target, format!("`stack` is `{other}`, not `push`, `pop` or `peek`."));
            Mode::Set
        }
    };
    let value = match mode {
        Mode::Pop => ValueExpr::from(ValueSource::Null),
        _ => value(context, target),
    };
    Some(Assignment { path, value, mode })
}

/// Refuses actions that reach themselves or that do too much in all.
pub(super) fn check_sizes(context: &mut Context, actions: &[Action], nodes: &[Node<'_, '_>]) {
    let mut sizes = vec![None; actions.len()];
    for (index, node) in nodes.iter().enumerate() {
        let mut open = vec![false; actions.len()];
        if size(actions, index, &mut sizes, &mut open).is_none_or(|size| size > PATTERN_STEPS) {
            context.refuse(
                *node,
                format!("The action calls itself, or does more than {PATTERN_STEPS} steps in all."),
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
            sum = sum.saturating_add(match kind {
                StepKind::Run(inner) => size(actions, *inner, sizes, open)?,
                _ => 1,
            });
        }
    }
    *open.get_mut(index)? = false;
    *sizes.get_mut(index)? = Some(sum);
    Some(sum)
}
