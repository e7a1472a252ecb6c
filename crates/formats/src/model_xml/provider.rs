//! One `stateProvider`: its definitions and its event handlers.

use model::machine::{EventPattern, Handler, Pattern};
use roxmltree::Node;

use super::action::state_change;
use super::context::{Context, children};
use super::definitions;

pub(super) fn read(context: &mut Context, node: Node<'_, '_>) -> Pattern {
    check_order(context, node);
    let mut pattern = definitions::read(context, node);
    for child in definitions::named(node, "eventHandler") {
        pattern.handlers.push(handler(context, child));
    }
    pattern
}

/// The head comes first, and definitions come before a handler: one behind the last handler belongs
/// to none.
fn check_order(context: &mut Context, node: Node<'_, '_>) {
    let (mut has_begun, mut has_handler, mut trailing) = (false, false, None);
    for child in children(node) {
        let name = child.tag_name().name();
        match name {
            "head" if has_begun => context.refuse(child, "`head` has to come first.".into()),
            "head" => {}
            "definedValue" | "location" | "mappingGroup" => {
                trailing.get_or_insert(child);
            }
            "eventHandler" => (has_handler, trailing) = (true, None),
            _ => context.unexpected(child),
        }
        has_begun = true;
    }
    if !has_handler {
        context.refuse(node, "A `stateProvider` needs an `eventHandler`, and there is none.".into());
    } else if let Some(child) = trailing {
        let name = child.tag_name().name();
        let end = context.end_line(node);
        context.refuse(
            child,
            format!("No `eventHandler` follows this `{name}` before the `stateProvider` ends in line {end}."),
        );
    }
}

fn handler(context: &mut Context, node: Node<'_, '_>) -> Handler {
    let name = context.required(node, "eventName");
    if name.contains(['(', '[', '\\', '^', '$', '+']) {
        let sentence =
            format!("In `{name}` only `*` and `|` mean something here; other signs stand for themselves.");
        context.note(node, sentence);
    }
    let mut steps = Vec::new();
    for child in children(node) {
        match child.tag_name().name() {
            "stateChange" => steps.extend(state_change(context, child)),
            _ => context.unexpected(child),
        }
    }
    if steps.is_empty() {
        context.note(node, "This `eventHandler` does nothing.".into());
    }
    Handler { events: EventPattern::parse(name), steps, spot: context.spot(node) }
}
