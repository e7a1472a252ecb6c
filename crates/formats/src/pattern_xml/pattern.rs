//! One `pattern`: its definitions and its handler.

use model::machine::{Definition, MappingGroup, Pattern, StoredField};
use roxmltree::Node;

use super::context::{Context, children};
use super::ids::Ids;
use super::value::{path_of, value};
use super::{action, condition, fsm};

pub(super) fn read(context: &mut Context, node: Node<'_, '_>) -> Pattern {
    context.ids = Ids::default();
    let mut pattern = Pattern { id: context.required(node, "id").to_owned(), ..Pattern::default() };
    let named = |name: &'static str| children(node).filter(move |child| child.has_tag_name(name));
    for head in named("head") {
        for child in children(head) {
            match child.tag_name().name() {
                "traceType" => pattern.trace_types.push(context.required(child, "id").to_owned()),
                "label" => pattern.label = child.attribute("value").unwrap_or("").to_owned(),
                _ => {}
            }
        }
    }
    for child in named("storedField") {
        let field = context.required(child, "id").to_owned();
        let alias = child.attribute("alias").unwrap_or(&field).to_owned();
        pattern.stored_fields.push(StoredField { field, alias });
    }
    for child in named("definedValue") {
        let name = context.required(child, "name").to_owned();
        let value = context.required(child, "value").to_owned();
        let color = child.attribute("color").map(str::to_owned);
        context.ids.defined.insert(name.clone(), value.clone());
        pattern.definitions.push(Definition { name, value, color });
    }
    // A location may use those before it, so none reaches itself.
    for child in named("location") {
        let id = context.required(child, "id").to_owned();
        let steps = path_of(context, child).steps;
        if context.ids.locations.insert(id.clone(), steps).is_some() {
            context
                .note(child, format!("Another `location` is called `{id}`: from here on this one counts."));
        }
    }
    context.ids.are_locations_complete = true;
    let groups: Vec<_> = named("mappingGroup").collect();
    for (index, group) in groups.iter().enumerate() {
        let id = context.required(*group, "id").to_owned();
        context.ids.mappings.insert(id, index);
    }
    for group in groups {
        pattern.mappings.push(mapping(context, group));
    }
    match (named("patternHandler").next(), named("patternHandler").nth(1)) {
        (Some(handler), None) => read_handler(context, handler, &mut pattern),
        _ => context.refuse(node, "A pattern has exactly one `patternHandler`.".into()),
    }
    pattern
}

fn mapping(context: &mut Context, node: Node<'_, '_>) -> MappingGroup {
    let id = node.attribute("id").unwrap_or("").to_owned();
    let mut entries = Vec::new();
    for entry in children(node).filter(|child| child.has_tag_name("entry")) {
        let values: Vec<_> = children(entry).filter(|child| child.has_tag_name("stateValue")).collect();
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

fn read_handler(context: &mut Context, handler: Node<'_, '_>, pattern: &mut Pattern) {
    let named =
        |name: &str| -> Vec<_> { children(handler).filter(|child| child.has_tag_name(name)).collect() };
    for child in children(handler) {
        if !["test", "action", "fsm"].contains(&child.tag_name().name()) {
            context.unexpected(child);
        }
    }
    let (tests, actions, machines) = (named("test"), named("action"), named("fsm"));
    for (nodes, what) in [(&tests, "test"), (&actions, "action")] {
        for (index, node) in nodes.iter().enumerate() {
            let id = context.required(*node, "id").to_owned();
            let table = if what == "test" { &mut context.ids.tests } else { &mut context.ids.actions };
            if table.insert(id.clone(), index).is_some() {
                context.note(*node, format!("Another `{what}` is called `{id}`: this one counts."));
            }
        }
    }
    pattern.tests = tests.iter().map(|node| condition::test(context, *node)).collect();
    pattern.actions = actions.iter().map(|node| action::action(context, *node)).collect();
    action::check_sizes(context, &pattern.actions, &actions);
    for node in machines {
        let machine = fsm::machine(context, node);
        if pattern.machine(&machine.id).is_some() {
            context.refuse(node, format!("Another `fsm` is called `{}`.", machine.id));
        }
        pattern.machines.push(machine);
    }
    for (id, spot) in std::mem::take(&mut context.ids.awaited) {
        if !pattern.machines.iter().any(|machine| machine.state(&id).is_some()) {
            context.note_at(spot, format!("No machine has a state `{id}` to count the time from."));
        }
    }
    pattern.started = match handler.attribute("initial").filter(|list| !list.is_empty()) {
        None => (0..pattern.machines.len()).collect(),
        Some(list) => {
            let mut started = Vec::new();
            for id in list.split(':') {
                match pattern.machines.iter().position(|machine| machine.id == id) {
                    Some(index) => started.push(index),
                    None => context.refuse(handler, format!("No `fsm` is called `{id}`.")),
                }
            }
            started.sort_unstable();
            started.dedup();
            started
        }
    };
}
