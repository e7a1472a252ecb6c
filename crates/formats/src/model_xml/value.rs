//! Paths and values: `stateAttribute` and `stateValue`.

use model::machine::{Path, PathStep, Script, StackRead, ValueExpr, ValueSource, ValueType};
use roxmltree::Node;

use super::context::{Context, children};
use super::script;

/// The longest path, in steps, after locations were put in and with the paths of its queries.
const LONGEST: usize = 256;

/// `$NAME` is the value of a definition.
pub(super) fn defined(context: &mut Context, node: Node<'_, '_>, text: &str) -> Option<String> {
    let Some(name) = text.strip_prefix('$') else { return Some(text.to_owned()) };
    let value = context.ids.defined.get(name).cloned();
    if value.is_none() {
        context.miss(node, format!("No `definedValue` is called `{name}`: what uses it is left out."));
    }
    value
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
    let kind = node.attribute("type").unwrap_or("");
    if value.is_empty() && matches!(kind, "constant" | "eventField" | "location") {
        return context.refuse(node, format!("An attribute of the type `{kind}` needs a `value`."));
    }
    let step = match kind {
        "constant" if value == "#CurrentScenario" => PathStep::CurrentScenario,
        "constant" if value == "#currentState" => PathStep::CurrentState,
        "constant" => defined(context, node, value).map_or(PathStep::Undefined, PathStep::Constant),
        "eventField" => defined(context, node, value).map_or(PathStep::Undefined, PathStep::Field),
        "eventName" => PathStep::EventName,
        "pool" => PathStep::Pool,
        "query" => {
            let path = path_of(context, node);
            if path.steps.is_empty() {
                context.refuse(node, "A query needs attributes in it.".into());
            }
            PathStep::Query(path)
        }
        "location" => match context.ids.locations.get(value) {
            Some(location) => return steps.extend(location.iter().cloned()),
            None => {
                context.miss(node, format!("No `location` is called `{value}`: what uses it is left out."));
                PathStep::Undefined
            }
        },
        "self" | "null" | "" => return,
        other => return context.refuse(node, format!("An attribute cannot have the type `{other}`.")),
    };
    steps.push(step);
}

/// A `stateValue`. `delete` is none: whoever allows it looks for it first.
pub(super) fn value(context: &mut Context, node: Node<'_, '_>) -> ValueExpr {
    let forced = forced(context, node);
    let mapping = mapping(context, node);
    let Some(text) = defined(context, node, node.attribute("value").unwrap_or("")) else {
        return ValueSource::Null.into();
    };
    let kind = node.attribute("type").unwrap_or("");
    // The top of a stack is a value whatever type is written beside it.
    if node.attribute("stack") == Some("peek") && kind != "query" {
        let path = path_of(context, node);
        if path.steps.is_empty() {
            context.refuse(node, "`peek` needs attributes in it: the path of the stack.".into());
        }
        return ValueExpr { source: ValueSource::Query(path, StackRead::Peek), forced, mapping };
    }
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
        "double" => {
            if text.trim().parse::<f64>().is_err() {
                context.refuse(node, format!("`{text}` is not a number."));
            }
            let forced = forced.or(Some(ValueType::Double));
            return ValueExpr { source: ValueSource::Text(text), forced, mapping };
        }
        "eventField" if text.is_empty() => {
            context.refuse(node, "A value of the type `eventField` needs a `value`.".into());
            ValueSource::Null
        }
        "eventField" => ValueSource::Field(text),
        "eventName" => ValueSource::EventName,
        "query" => query(context, node),
        "delete" => {
            context.refuse(node, "`delete` is only meant for a state change.".into());
            ValueSource::Null
        }
        "script" => scripted(context, node, text),
        other => {
            context.refuse(node, format!("A value cannot have the type `{other}`."));
            ValueSource::Null
        }
    };
    ValueExpr { source, forced, mapping }
}

fn query(context: &mut Context, node: Node<'_, '_>) -> ValueSource {
    let stack = match node.attribute("stack") {
        Some("peek") => StackRead::Peek,
        Some("pop") => StackRead::Pop,
        _ => StackRead::No,
    };
    let path = path_of(context, node);
    if path.steps.is_empty() {
        context.refuse(node, "A query needs attributes in it.".into());
    }
    ValueSource::Query(path, stack)
}

/// An expression over the values inside the element. Nests no deeper than elements may.
fn scripted(context: &mut Context, node: Node<'_, '_>, text: String) -> ValueSource {
    let mut names = Vec::new();
    for child in children(node).filter(|child| child.has_tag_name("stateValue")) {
        let id = context.required(child, "id").to_owned();
        names.push((id, value(context, child)));
    }
    let known: Vec<&str> = names.iter().map(|(name, _)| &**name).collect();
    match script::parse(&text, &known) {
        Ok(expression) => ValueSource::Script(Box::new(Script { expression, names, text })),
        Err(wrong) => {
            context.refuse(node, format!("This script is not an expression that can be computed: {wrong}."));
            ValueSource::Null
        }
    }
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
