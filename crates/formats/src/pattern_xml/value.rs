//! Paths and values: `stateAttribute` and `stateValue`.

use model::machine::{Path, PathStep, StackRead, ValueExpr, ValueSource, ValueType};
use roxmltree::Node;

use super::context::{Context, children};

/// The longest path, in steps, after locations were put in and with the paths of its queries.
const LONGEST: usize = 256;

/// `$NAME` is the value of a definition.
fn defined(context: &mut Context, node: Node<'_, '_>, text: &str) -> String {
    let Some(name) = text.strip_prefix('$') else { return text.to_owned() };
    match context.ids.defined.get(name) {
        Some(value) => value.clone(),
        None => {
            context.refuse(node, format!("No `definedValue` is called `{name}`."));
            String::new()
        }
    }
}

/// The path made of these `stateAttribute` elements.
pub(super) fn path<'a, 'i: 'a>(context: &mut Context, nodes: impl Iterator<Item = Node<'a, 'i>>) -> Path {
    let mut steps = Vec::new();
    for node in nodes {
        attribute(context, node, &mut steps);
        // Here and not at the end: locations that use locations could double with each of them.
        if length(&steps) > LONGEST {
            context.refuse(node, format!("The path has more than {LONGEST} steps."));
            steps.clear();
            break;
        }
    }
    Path { steps }
}

fn length(steps: &[PathStep]) -> usize {
    let of = |step: &PathStep| match step {
        PathStep::Query(path) => 1 + length(&path.steps),
        _ => 1,
    };
    steps.iter().map(of).sum()
}

/// The `stateAttribute` children of an element, as a path.
pub(super) fn path_of(context: &mut Context, node: Node<'_, '_>) -> Path {
    path(context, children(node).filter(|child| child.has_tag_name("stateAttribute")))
}

fn attribute(context: &mut Context, node: Node<'_, '_>, steps: &mut Vec<PathStep>) {
    let value = node.attribute("value").unwrap_or("");
    let step = match node.attribute("type").unwrap_or("") {
        "constant" if value == "#CurrentScenario" => PathStep::CurrentScenario,
        "constant" if value == "#currentState" => PathStep::CurrentState,
        "constant" => PathStep::Constant(defined(context, node, value)),
        "eventField" => PathStep::Field(value.to_owned()),
        "eventName" => PathStep::EventName,
        "query" => PathStep::Query(path_of(context, node)),
        "location" => {
            match context.ids.locations.get(value) {
                Some(location) => steps.extend(location.iter().cloned()),
                None if context.ids.are_locations_complete => {
                    context.refuse(node, format!("No `location` is called `{value}`."));
                }
                None => {
                    context.refuse(node, format!("No `location` before this one is called `{value}`."));
                }
            }
            return;
        }
        "self" | "" => return,
        other => return context.refuse(node, format!("An attribute cannot have the type `{other}`.")),
    };
    steps.push(step);
}

/// A `stateValue`. `delete` is none: whoever allows it looks for it first.
pub(super) fn value(context: &mut Context, node: Node<'_, '_>) -> ValueExpr {
    let text = defined(context, node, node.attribute("value").unwrap_or(""));
    let kind = node.attribute("type").unwrap_or("");
    let source = match kind {
        "null" => ValueSource::Null,
        "int" => number(&text).and_then(|value| i32::try_from(value).ok()).map_or_else(
            || {
                context.refuse(node, format!("`{text}` is not a 32-bit number."));
                ValueSource::Null
            },
            ValueSource::Int,
        ),
        "long" => match number(&text) {
            Some(value) => ValueSource::Long(value),
            None => {
                context.refuse(node, format!("`{text}` is not a 64-bit number."));
                ValueSource::Null
            }
        },
        "string" => ValueSource::Text(text),
        "eventField" => ValueSource::Field(text),
        "eventName" => ValueSource::EventName,
        "query" => {
            let stack = match node.attribute("stack") {
                Some("peek") => StackRead::Peek,
                Some("pop") => StackRead::Pop,
                _ => StackRead::No,
            };
            ValueSource::Query(path_of(context, node), stack)
        }
        "delete" => {
            context.refuse(node, "`delete` is only meant for a state change.".into());
            ValueSource::Null
        }
        "script" => {
            context.refuse(node, "Scripts in values are not run.".into());
            ValueSource::Null
        }
        other => {
            context.refuse(node, format!("A value cannot have the type `{other}`."));
            ValueSource::Null
        }
    };
    ValueExpr { source, forced: forced(context, node), mapping: mapping(context, node) }
}

fn forced(context: &mut Context, node: Node<'_, '_>) -> Option<ValueType> {
    Some(match node.attribute("forcedType")? {
        "" => return None,
        "int" => ValueType::Int,
        "long" => ValueType::Long,
        "double" => ValueType::Double,
        "string" => ValueType::Text,
        other => {
            context.refuse(node, format!("A value cannot be forced to the type `{other}`."));
            return None;
        }
    })
}

fn mapping(context: &mut Context, node: Node<'_, '_>) -> Option<usize> {
    let name = node.attribute("mappingGroup").filter(|name| !name.is_empty())?;
    let found = context.ids.mappings.get(name).copied();
    if found.is_none() {
        context.refuse(node, format!("No `mappingGroup` is called `{name}`."));
    }
    found
}

/// A number, decimal or with `0x`.
fn number(text: &str) -> Option<i64> {
    let text = text.trim();
    match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Nanoseconds from a number and a unit.
pub(super) fn nanoseconds(context: &mut Context, node: Node<'_, '_>, text: &str, unit: &str) -> i64 {
    let factor = match unit {
        "ns" | "" => 1,
        "us" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        other => {
            context.refuse(node, format!("`{other}` is no unit of time: ns, us, ms and s are."));
            1
        }
    };
    match number(text).and_then(|value| value.checked_mul(factor)) {
        Some(value) => value,
        None => {
            context.refuse(node, format!("`{text}` is not a time that 64 bits hold in nanoseconds."));
            0
        }
    }
}
