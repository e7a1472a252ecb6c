//! Machines: `fsm`, its states and transitions, and our `tw:instances`.

use std::collections::HashMap;

use model::machine::fsm::{ERROR, INITIAL};
use model::machine::{EventPattern, KeyRule, KeySource, Machine, Precondition, State, Transition};
use roxmltree::Node;

use super::NAMESPACE;
use super::context::{Context, children, own_children};
use crate::limits::MODEL_STATES;

/// A machine whose states are being collected.
#[derive(Default)]
struct States<'a, 'i> {
    states: Vec<State>,
    nodes: Vec<Option<Node<'a, 'i>>>,
    by_id: HashMap<String, usize>,
}

impl<'a, 'i> States<'a, 'i> {
    fn add(&mut self, context: &mut Context, id: &str, node: Node<'a, 'i>) -> usize {
        let index = self.states.len();
        if self.by_id.contains_key(id) {
            context.refuse(node, format!("Another state is called `{id}`."));
        } else if index >= MODEL_STATES {
            context.refuse(node, format!("A machine has more than {MODEL_STATES} states."));
        }
        self.by_id.insert(id.to_owned(), index);
        self.states.push(State { id: id.to_owned(), spot: context.spot(node), ..State::default() });
        self.nodes.push(Some(node));
        index
    }
}

pub(super) fn machine(context: &mut Context, node: Node<'_, '_>) -> Machine {
    let id = context.required(node, "id").to_owned();
    let mut states = States::default();
    let named = |name: &'static str| children(node).filter(move |child| child.has_tag_name(name));
    let initial_state = named("initialState").next();
    if let Some(child) = initial_state {
        states.add(context, INITIAL, child);
    }
    for child in named("state") {
        let id = context.required(child, "id").to_owned();
        states.add(context, &id, child);
    }
    let mut end = |context: &mut Context, name: &'static str| -> Option<usize> {
        let child = named(name).next()?;
        let id = context.required(child, "id").to_owned();
        Some(match states.by_id.get(&id) {
            Some(&known) => known,
            None => states.add(context, &id, child),
        })
    };
    let (last, abandon) = (end(context, "final"), end(context, "abandonState"));
    let States { states, nodes, by_id } = states;
    let mut machine = Machine {
        consuming: context.flag(node, "consuming", true),
        multiple: context.flag(node, "multiple", true),
        preconditions: named("precondition").map(|child| precondition(context, child)).collect(),
        initial: initial(context, node, initial_state.is_some(), &by_id),
        error: by_id.get(ERROR).copied(),
        keys: keys(context, node).or_else(|| KeyRule::of_the_original(&id)),
        spot: context.spot(node),
        id,
        states,
        last,
        abandon,
    };
    for (state, node) in machine.states.iter_mut().zip(nodes) {
        if let Some(node) = node {
            fill(context, node, state, &by_id);
        }
    }
    for child in children(node) {
        let known = ["initialState", "initial", "state", "final", "abandonState", "precondition"];
        if !known.contains(&child.tag_name().name()) {
            context.unexpected(child);
        }
    }
    machine
}

/// Which state comes first: the element, else the attribute, else the target of `initial`, else
/// the first state.
fn initial(
    context: &mut Context,
    node: Node<'_, '_>,
    has_element: bool,
    by_id: &HashMap<String, usize>,
) -> usize {
    let attribute = node.attribute("initial").filter(|id| !id.is_empty());
    let element = children(node).find(|child| child.has_tag_name("initial"));
    let target = element.and_then(|node| {
        let transition = children(node).find(|child| child.has_tag_name("transition"));
        transition.and_then(|transition| transition.attribute("target"))
    });
    if has_element {
        if attribute.or(target).is_some() {
            context.note(node, "Both `initialState` and `initial` are given: `initialState` counts.".into());
        }
        return by_id.get(INITIAL).copied().unwrap_or(0);
    }
    match attribute.or(target) {
        Some(id) => by_id.get(id).copied().unwrap_or_else(|| {
            context.refuse(node, format!("There is no state `{id}` to begin in."));
            0
        }),
        None => {
            if !children(node).any(|child| child.has_tag_name("state")) {
                context.refuse(node, "The machine has no state to begin in.".into());
            }
            0
        }
    }
}

fn fill(context: &mut Context, node: Node<'_, '_>, state: &mut State, by_id: &HashMap<String, usize>) {
    for child in children(node) {
        match child.tag_name().name() {
            "transition" => state.transitions.push(transition(context, child, by_id)),
            "onentry" | "onexit" => {
                let name = child.tag_name().name();
                context.note(child, format!("`{name}` is read and not done, as in Trace Compass up to 4."));
            }
            "state" | "initial" | "final" => {
                context.refuse(child, "States inside states are not supported.".into());
            }
            _ => context.unexpected(child),
        }
    }
    state.stays_on_cpu = node.attribute((NAMESPACE, "stays-on-cpu")) == Some("true");
    state.begins = node.attribute((NAMESPACE, "begins")) == Some("true");
    state.ends = node.attribute((NAMESPACE, "ends")) == Some("true");
    state.waits = node.attribute((NAMESPACE, "waits")) == Some("true");
    for id in node.attribute((NAMESPACE, "stands-for")).unwrap_or("").split_ascii_whitespace() {
        match by_id.get(id) {
            Some(&index) => state.stands_for.push(index),
            None => context.refuse(node, format!("There is no state `{id}` to stand for.")),
        }
    }
}

fn transition(context: &mut Context, node: Node<'_, '_>, by_id: &HashMap<String, usize>) -> Transition {
    let target = context.required(node, "target");
    let target = by_id.get(target).copied().unwrap_or_else(|| {
        context.refuse(node, format!("There is no state `{target}` to go to."));
        0
    });
    let mut transition = Transition {
        events: EventPattern::parse(node.attribute("event").unwrap_or("")),
        tests: tests(context, node),
        target,
        saves_fields: context.flag(node, "saveStoredFields", false),
        clears_fields: context.flag(node, "clearStoredFields", false),
        opens: node.attribute((NAMESPACE, "opens")) == Some("true"),
        closes: node.attribute((NAMESPACE, "closes")) == Some("true"),
        optional: node.attribute((NAMESPACE, "optional")) == Some("true"),
        like: node.attribute((NAMESPACE, "like")).map(str::to_owned),
        spot: context.spot(node),
        ..Transition::default()
    };
    for id in names(node.attribute("action")) {
        match context.ids.actions.get(id) {
            Some(&index) => transition.actions.push(index),
            None => {
                // The original logs this while it runs and then forgets the event.
                context.note(node, format!("No `action` is called `{id}`: the transition has no effect."));
                transition.is_broken = true;
                break;
            }
        }
    }
    transition
}

fn precondition(context: &mut Context, node: Node<'_, '_>) -> Precondition {
    Precondition {
        events: EventPattern::parse(node.attribute("event").unwrap_or("")),
        tests: tests(context, node),
        spot: context.spot(node),
    }
}

fn tests(context: &mut Context, node: Node<'_, '_>) -> Vec<usize> {
    let mut tests = Vec::new();
    for id in names(node.attribute("cond")) {
        match context.ids.tests.get(id) {
            Some(&index) => tests.push(index),
            None => context.refuse(node, format!("No `test` is called `{id}`.")),
        }
    }
    tests
}

fn names(list: Option<&str>) -> impl Iterator<Item = &str> {
    list.unwrap_or("").split(':').map(str::trim).filter(|name| !name.is_empty())
}

/// Our extension.
fn keys(context: &mut Context, node: Node<'_, '_>) -> Option<Vec<KeyRule>> {
    let instances = own_children(node).find(|child| child.tag_name().name() == "instances")?;
    let mut rules = Vec::new();
    for child in own_children(instances) {
        if child.tag_name().name() != "key" {
            context
                .refuse(child, format!("`tw:instances` holds `tw:key`, not `{}`.", child.tag_name().name()));
            continue;
        }
        let sources = context.required(child, "of").split_ascii_whitespace().map(|name| match name {
            "@cpu" => KeySource::Cpu,
            "@thread" => KeySource::RunningThread,
            field => KeySource::Field(field.to_owned()),
        });
        let events = EventPattern::parse(child.attribute("events").unwrap_or(""));
        let except = child.attribute("except").unwrap_or("").split_ascii_whitespace();
        let except = except.map(str::to_owned).collect();
        let sends_to = child.attribute("sends-to").map(str::to_owned);
        let spot = context.spot(child);
        let within = child.attribute("within").map(str::to_owned);
        rules.push(KeyRule { events, sources: sources.collect(), except, within, sends_to, spot });
    }
    Some(rules)
}
