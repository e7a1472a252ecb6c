//! Tests: `test`, `if`, `condition`, `and`, `or`, `not`.

use model::machine::{Comparison, Condition, Operand, Test};
use roxmltree::Node;

use super::context::{Context, children};
use super::value::{defined, nanoseconds, path, value};

/// What stands for a condition that could not be read; the file is refused then.
const NOTHING: Condition = Condition::All(Vec::new());

/// What stands for a condition that uses a name that nothing defines.
const NEVER: Condition = Condition::Any(Vec::new());

/// A `test` with its id.
pub(super) fn test(context: &mut Context, node: Node<'_, '_>) -> Test {
    let id = context.required(node, "id").to_owned();
    let spot = context.spot(node);
    let condition = match children(node).find(|child| child.has_tag_name("if")) {
        Some(inner) => inside_if(context, inner),
        None => {
            context.refuse(node, format!("The test `{id}` has no `if`."));
            NOTHING
        }
    };
    Test { id, condition, spot }
}

/// The one condition of an `if`.
pub(super) fn inside_if(context: &mut Context, node: Node<'_, '_>) -> Condition {
    let mut inner = children(node);
    match (inner.next(), inner.next()) {
        (Some(only), None) => condition(context, only),
        _ => {
            context.refuse(node, "`if` holds exactly one condition.".into());
            NOTHING
        }
    }
}

fn condition(context: &mut Context, node: Node<'_, '_>) -> Condition {
    let parts = |context: &mut Context| -> Vec<Condition> {
        children(node).map(|child| condition(context, child)).collect()
    };
    match node.tag_name().name() {
        name @ ("and" | "or") => {
            let parts = parts(context);
            if parts.is_empty() {
                context.refuse(node, format!("`{name}` holds no condition."));
            }
            if name == "and" { Condition::All(parts) } else { Condition::Any(parts) }
        }
        "not" => match (parts(context).pop(), children(node).count()) {
            (Some(only), 1) => Condition::Not(Box::new(only)),
            _ => {
                context.refuse(node, "`not` holds exactly one condition.".into());
                NOTHING
            }
        },
        "condition" => {
            let first = children(node).next().map(|child| child.tag_name().name());
            match first {
                Some("timerange") => time_range(context, node),
                Some("elapsedTime") => elapsed(context, node),
                _ => data(context, node),
            }
        }
        name => {
            context.refuse(node, format!("`{name}` is not a condition."));
            NOTHING
        }
    }
}

fn data(context: &mut Context, node: Node<'_, '_>) -> Condition {
    let missing = context.missing;
    let condition = compared(context, node);
    if context.missing == missing { condition } else { NEVER }
}

fn compared(context: &mut Context, node: Node<'_, '_>) -> Condition {
    let values: Vec<_> = children(node).filter(|child| child.has_tag_name("stateValue")).collect();
    let has_path = children(node).any(|child| child.has_tag_name("stateAttribute"));
    let field = children(node).find(|child| child.has_tag_name("field"));
    match (values.as_slice(), field, has_path) {
        ([left, right], None, false) => {
            let left = value(context, *left);
            let comparison = comparison(context, node);
            Condition::Same(left, comparison, value(context, *right))
        }
        ([right], Some(field), false) => {
            let name = context.required(field, "name");
            let left = Operand::Field(defined(context, field, name).unwrap_or_default());
            let comparison = comparison(context, node);
            Condition::Compare { left, comparison, right: value(context, *right) }
        }
        ([right], None, true) => {
            let left = children(node).filter(|child| child.has_tag_name("stateAttribute"));
            let left = Operand::Path(path(context, left));
            let comparison = comparison(context, node);
            Condition::Compare { left, comparison, right: value(context, *right) }
        }
        _ => {
            context
                .refuse(node, "A condition compares a field or a path with a value, or two values.".into());
            NOTHING
        }
    }
}

fn comparison(context: &mut Context, node: Node<'_, '_>) -> Comparison {
    match node.attribute("operator").unwrap_or("eq") {
        "eq" | "" => Comparison::Equal,
        "ne" => Comparison::NotEqual,
        "ge" => Comparison::GreaterOrEqual,
        "gt" => Comparison::Greater,
        "le" => Comparison::LessOrEqual,
        "lt" => Comparison::Less,
        other => {
            context.refuse(node, format!("`{other}` is not a comparison: eq, ne, ge, gt, le and lt are."));
            Comparison::Equal
        }
    }
}

fn time_range(context: &mut Context, node: Node<'_, '_>) -> Condition {
    let Some(range) = children(node).next() else { return NOTHING };
    let unit = range.attribute("unit").unwrap_or("ns");
    let Some(bounds) = children(range).find(|child| child.has_tag_name("in") || child.has_tag_name("out"))
    else {
        context.refuse(range, "`timerange` holds `in` or `out`.".into());
        return NOTHING;
    };
    let begin = context.required(bounds, "begin");
    let begin = nanoseconds(context, bounds, begin, unit);
    let end = context.required(bounds, "end");
    let end = nanoseconds(context, bounds, end, unit);
    Condition::Within { begin, end, inside: bounds.has_tag_name("in") }
}

fn elapsed(context: &mut Context, node: Node<'_, '_>) -> Condition {
    let Some(range) = children(node).next() else { return NOTHING };
    let unit = range.attribute("unit").unwrap_or("ns");
    let Some(bound) = children(range).next() else {
        context.refuse(range, "`elapsedTime` holds `less`, `equal` or `more`.".into());
        return NOTHING;
    };
    let comparison = match bound.tag_name().name() {
        "less" => Comparison::Less,
        "equal" => Comparison::Equal,
        "more" => Comparison::Greater,
        other => {
            context.refuse(bound, format!("`elapsedTime` holds `less`, `equal` or `more`, not `{other}`."));
            Comparison::Equal
        }
    };
    let since = context.required(bound, "since").to_owned();
    context.ids.awaited.push((since.clone(), context.spot(bound)));
    let number = context.required(bound, "value");
    let nanoseconds = nanoseconds(context, bound, number, unit);
    Condition::Elapsed { comparison, since, nanoseconds }
}
