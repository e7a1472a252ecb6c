//! What state providers and patterns begin with: their head, named values, locations and mappings.

use std::collections::HashMap;

use model::machine::{Definition, MappingGroup, Pattern, StoredField};
use roxmltree::Node;

use super::context::{Context, children};
use super::ids::Ids;
use super::value::{path_of, value};

/// An analysis with its head and definitions. Their order among themselves is free.
pub(super) fn read(context: &mut Context, node: Node<'_, '_>) -> Pattern {
    context.ids = Ids::default();
    let mut pattern = Pattern {
        id: context.required(node, "id").to_owned(),
        spot: context.spot(node),
        ..Pattern::default()
    };
    if let Some(version) = node.attribute("version").filter(|version| version.parse::<i64>().is_err()) {
        context.note(node, format!("`version` is `{version}`, not a whole number."));
    }
    for head in named(node, "head") {
        read_head(context, head, &mut pattern);
    }
    for child in named(node, "storedField") {
        let field = context.required(child, "id").to_owned();
        let alias = child.attribute("alias").unwrap_or(&field).to_owned();
        pattern.stored_fields.push(StoredField { field, alias });
    }
    for child in named(node, "definedValue") {
        let name = context.required(child, "name").to_owned();
        let value = context.required(child, "value").to_owned();
        let color = child.attribute("color").map(str::to_owned);
        context.ids.defined.insert(name.clone(), value.clone());
        pattern.definitions.push(Definition { name, value, color });
    }
    read_locations(context, &named(node, "location").collect::<Vec<_>>());
    let groups: Vec<_> = named(node, "mappingGroup").collect();
    for (index, group) in groups.iter().enumerate() {
        let id = context.required(*group, "id").to_owned();
        context.ids.mappings.insert(id, index);
    }
    for group in groups {
        pattern.mappings.push(mapping(context, group));
    }
    pattern
}

/// The child elements of one name.
pub(super) fn named<'a, 'i: 'a>(
    node: Node<'a, 'i>,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'i>> {
    children(node).filter(move |child| child.has_tag_name(name))
}

fn read_head(context: &mut Context, head: Node<'_, '_>, pattern: &mut Pattern) {
    for child in children(head) {
        match child.tag_name().name() {
            "traceType" => pattern.trace_types.push(context.required(child, "id").to_owned()),
            "label" => pattern.label = child.attribute("value").unwrap_or("").to_owned(),
            "viewLabelPrefix" => {}
            _ => context.unexpected(child),
        }
    }
}

/// Reads locations so that each comes after those that it uses, wherever they stand.
fn read_locations(context: &mut Context, nodes: &[Node<'_, '_>]) {
    let ids: Vec<String> = nodes.iter().map(|node| context.required(*node, "id").to_owned()).collect();
    let by_id: HashMap<&str, usize> =
        ids.iter().enumerate().map(|(index, id)| (id.as_str(), index)).collect();
    for (index, id) in ids.iter().enumerate() {
        if by_id.get(id.as_str()) != Some(&index) {
            let node = nodes.get(index).copied();
            node.into_iter().for_each(|node| {
                context.note(node, format!("A later `location` is called `{id}`, too: that one counts."));
            });
        }
    }
    let uses: Vec<Vec<usize>> = nodes.iter().map(|node| used(*node, &by_id)).collect();
    let mut marks = vec![Mark::New; nodes.len()];
    for first in 0..nodes.len() {
        // Not by recursion: a file may hold thousands of them, each using the next.
        let mut open = vec![(first, 0)];
        while let Some((index, next)) = open.pop() {
            let (Some(mark), Some(uses), Some(&node)) =
                (marks.get_mut(index), uses.get(index), nodes.get(index))
            else {
                continue;
            };
            match (*mark, next) {
                (Mark::Done, _) => continue,
                (Mark::Open, 0) => {
                    context.refuse(node, format!("The location `{}` uses itself.", ids[index]));
                    *mark = Mark::Done;
                    continue;
                }
                _ => *mark = Mark::Open,
            }
            match uses.get(next) {
                Some(&used) => open.extend([(index, next + 1), (used, 0)]),
                None => {
                    *mark = Mark::Done;
                    if by_id.get(ids[index].as_str()) == Some(&index) {
                        let steps = path_of(context, node).steps;
                        context.ids.locations.insert(ids[index].clone(), steps);
                    }
                }
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    Open,
    Done,
}

/// The other locations that a location names, in its queries, too.
fn used(node: Node<'_, '_>, by_id: &HashMap<&str, usize>) -> Vec<usize> {
    let names = node
        .descendants()
        .filter(|child| child.has_tag_name("stateAttribute") && child.attribute("type") == Some("location"));
    names.filter_map(|child| by_id.get(child.attribute("value")?).copied()).collect()
}

fn mapping(context: &mut Context, node: Node<'_, '_>) -> MappingGroup {
    let id = node.attribute("id").unwrap_or("").to_owned();
    let mut entries = Vec::new();
    for entry in named(node, "entry") {
        let values: Vec<_> = named(entry, "stateValue").collect();
        match values.as_slice() {
            [from, to] => {
                let from = value(context, *from);
                entries.push((from, value(context, *to)));
            }
            _ => context.refuse(entry, "An `entry` holds two values.".into()),
        }
    }
    // A group that goes through groups would make values endless.
    if entries.iter().any(|(from, to)| from.mapping.is_some() || to.mapping.is_some()) {
        context.refuse(node, "The values of a `mappingGroup` cannot be mapped themselves.".into());
    }
    MappingGroup { id, entries }
}
