//! Views: `timeGraphView` and `xyView`, read and checked, not drawn.

use model::machine::{View, ViewKind};
use roxmltree::Node;

use super::context::{Context, children};

/// What may stand in an entry at most once.
const SINGLE: &[&str] = &["display", "id", "parent", "name"];

pub(super) fn read(context: &mut Context, node: Node<'_, '_>, kind: ViewKind) -> View {
    let mut view = View {
        kind,
        id: context.required(node, "id").to_owned(),
        label: String::new(),
        analyses: Vec::new(),
        paths: Vec::new(),
        spot: context.spot(node),
    };
    let mut entries = 0;
    for child in children(node) {
        match child.tag_name().name() {
            "head" => head(context, child, &mut view),
            "definedValue" if kind == ViewKind::TimeGraph => {
                context.required(child, "name");
                context.required(child, "value");
            }
            "entry" => {
                entries += 1;
                if kind == ViewKind::Chart && entries == 2 {
                    context.refuse(child, "An `xyView` has one `entry`, and this is the second.".into());
                }
                entry(context, child, "", kind, &mut view.paths);
            }
            _ => context.unexpected(child),
        }
    }
    if kind == ViewKind::Chart && entries == 0 {
        context.refuse(node, "An `xyView` needs an `entry`, and there is none.".into());
    }
    view
}

fn head(context: &mut Context, node: Node<'_, '_>, view: &mut View) {
    for child in children(node) {
        match child.tag_name().name() {
            "analysis" => view.analyses.push(context.required(child, "id").to_owned()),
            "label" => view.label = context.required(child, "value").to_owned(),
            _ => context.unexpected(child),
        }
    }
}

/// Adds the path of an entry, and of those in it. Nests no deeper than the file may.
fn entry(context: &mut Context, node: Node<'_, '_>, above: &str, kind: ViewKind, paths: &mut Vec<String>) {
    let own = context.required(node, "path");
    let path = if above.is_empty() { own.to_owned() } else { format!("{above}/{own}") };
    let mut seen = Vec::new();
    let mut is_shown = false;
    let mut inner = Vec::new();
    for child in children(node) {
        let name = child.tag_name().name();
        match name {
            "entry" if kind == ViewKind::TimeGraph => inner.push(child),
            "display" | "id" | "parent" | "name" => {
                let known = SINGLE.iter().find(|single| **single == name).copied().unwrap_or_default();
                if seen.contains(&known) {
                    context.refuse(child, format!("An `entry` has one `{name}`, and this is the second."));
                }
                seen.push(known);
                is_shown |= known == "display";
                let types: &[&str] = &["constant", "location", "query", "self"];
                let kind = context.required(child, "type");
                if !kind.is_empty() && !types.contains(&kind) {
                    context.refuse(child, format!("`{name}` cannot have the type `{kind}`."));
                }
            }
            _ => context.unexpected(child),
        }
    }
    // Views of thousands of nested rows would repeat their path a thousand times over.
    if is_shown && paths.len() < crate::limits::MODEL_VIEW_ROWS {
        paths.push(path.clone());
    }
    for child in inner {
        if path.len() < crate::limits::MODEL_VIEW_PATH {
            entry(context, child, &path, kind, paths);
        }
    }
}
