//! One `pattern`: its definitions and its handler.

use model::machine::Pattern;
use roxmltree::Node;

use super::context::{Context, children};
use super::{action, condition, definitions, fsm};

pub(super) fn read(context: &mut Context, node: Node<'_, '_>) -> Pattern {
    let mut pattern = definitions::read(context, node);
    for child in children(node) {
        let known = ["head", "storedField", "definedValue", "location", "mappingGroup", "patternHandler"];
        if !known.contains(&child.tag_name().name()) {
            context.unexpected(child);
        }
    }
    let mut handlers = definitions::named(node, "patternHandler");
    match (handlers.next(), handlers.next()) {
        (Some(handler), None) => read_handler(context, handler, &mut pattern),
        (None, _) => {
            context.refuse(node, "A pattern has exactly one `patternHandler`, and there is none.".into())
        }
        (_, Some(second)) => {
            context
                .refuse(second, "A pattern has exactly one `patternHandler`, and this is the second.".into());
        }
    }
    pattern
}

fn read_handler(context: &mut Context, handler: Node<'_, '_>, pattern: &mut Pattern) {
    let named =
        |name: &str| -> Vec<_> { children(handler).filter(|child| child.has_tag_name(name)).collect() };
    for child in children(handler) {
        if !["test", "action", "fsm"].contains(&child.tag_name().name()) {
            context.unexpected(child);
        }
    }
    let (tests, machines) = (named("test"), named("fsm"));
    // Actions may stand in others, with an id like all.
    let is_defined = |child: &Node<'_, '_>| {
        let is_inner = child.parent_element().is_some_and(|parent| parent.has_tag_name("action"));
        child.has_tag_name("action") && (!is_inner || children(*child).next().is_some())
    };
    let actions: Vec<_> =
        named("action").into_iter().flat_map(|node| node.descendants()).filter(is_defined).collect();
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
