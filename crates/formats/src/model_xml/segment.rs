//! Segments: `segment` with `segType`, `segTime` and `segContent`.

use model::machine::segment::SegmentSource;
use model::machine::{
    Segment, SegmentEnd, SegmentField, SegmentName, SegmentTime, StackRead, ValueExpr, ValueSource, ValueType,
};
use roxmltree::Node;

use super::context::{Context, children};
use super::value::{path_of, value};

pub(super) fn segment(context: &mut Context, node: Node<'_, '_>) -> Segment {
    let mut segment =
        Segment { name: SegmentName::Fixed(String::new()), time: SegmentTime::Scenario, content: Vec::new() };
    for child in children(node) {
        match child.tag_name().name() {
            "segType" | "segName" => segment.name = name(context, child),
            "segTime" => segment.time = time(context, child),
            "segContent" => {
                for field in children(child).filter(|child| child.has_tag_name("segField")) {
                    let name = context.required(field, "name").to_owned();
                    let value = content(context, field);
                    segment.content.push(SegmentField { name, value });
                }
            }
            _ => context.unexpected(child),
        }
    }
    segment
}

fn name(context: &mut Context, node: Node<'_, '_>) -> SegmentName {
    if let Some(name) = node.attribute("segName").or_else(|| node.attribute("name")) {
        return SegmentName::Fixed(name.to_owned());
    }
    let inner = children(node).find(|child| child.has_tag_name("segName")).unwrap_or(node);
    match children(inner).find(|child| child.has_tag_name("stateValue")) {
        Some(node) => match value(context, node) {
            ValueExpr { source: ValueSource::Text(name), forced: None, mapping: None } => {
                SegmentName::Fixed(name)
            }
            other => SegmentName::Value(other),
        },
        None => {
            context.refuse(node, "A segment needs a name.".into());
            SegmentName::Fixed(String::new())
        }
    }
}

fn time(context: &mut Context, node: Node<'_, '_>) -> SegmentTime {
    let mut part = |name: &str| -> Option<ValueExpr> {
        children(node).find(|child| child.has_tag_name(name)).map(|node| typed(context, node))
    };
    let (begin, end, duration) = (part("begin"), part("end"), part("duration"));
    match (begin, end, duration) {
        (Some(begin), Some(end), None) => SegmentTime::Given { begin, end: SegmentEnd::At(end) },
        (Some(begin), None, Some(duration)) => SegmentTime::Given { begin, end: SegmentEnd::After(duration) },
        _ => {
            context.refuse(node, "`segTime` needs `begin`, and either `end` or `duration`.".into());
            SegmentTime::Scenario
        }
    }
}

/// A time given by the attributes of an element, or by a path inside it. Text is read as a number.
fn typed(context: &mut Context, node: Node<'_, '_>) -> ValueExpr {
    let value = match node.attribute("type") {
        Some(_) => value(context, node),
        None => ValueExpr::from(ValueSource::Query(path_of(context, node), StackRead::No)),
    };
    ValueExpr { forced: value.forced.or(Some(ValueType::Long)), ..value }
}

fn content(context: &mut Context, node: Node<'_, '_>) -> SegmentSource {
    if let Some(inner) = children(node).find(|child| child.has_tag_name("stateValue")) {
        return SegmentSource::Value(value(context, inner));
    }
    match node.attribute("type") {
        Some(_) => SegmentSource::Value(value(context, node)),
        None => SegmentSource::Path(path_of(context, node)),
    }
}
