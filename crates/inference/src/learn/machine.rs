//! A learned machine as a model says it: states with names that a person would give, tests, instances.

use std::collections::{BTreeMap, BTreeSet};

use model::Scalar;
use model::machine::condition::Operand;
use model::machine::{
    Comparison, Condition, EventPattern, KeyRule, KeySource, Machine, Path, Pattern, Spot, State, Test,
    Transition, ValueExpr, ValueSource,
};

use super::events::Events;
use super::merge::Automaton;
use super::roles::{Key, MOST_FIELDS, fields_of, kind_of};
use super::sequences::{Label, Sequences};

/// Whether a model can name events of these kinds by these fields, and what it leaves out: in names of events `*`
/// and `|` mean something, lists of fields are separated by spaces, and `@` is ours.
pub(super) fn is_sayable(events: &Events, key: &Key) -> bool {
    let is_kind = |name: &str| {
        !name.is_empty()
            && name.trim() == name
            && !name.contains(['*', '|'])
            && !name.chars().any(char::is_control)
    };
    let is_field = |name: &str| {
        !name.is_empty()
            && !name.starts_with(['@', '$'])
            && !name.chars().any(char::is_control)
            && !name.contains(char::is_whitespace)
    };
    let is_value = |value: &u32| match events.scalar(*value) {
        Some(Scalar::Text(text)) => {
            !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c.is_control())
        }
        value => value.is_some(),
    };
    let is_phase = |kind: u32| match events.phase(kind) {
        Some((field, value)) => is_field(events.field(field)) && is_constant(value),
        None => true,
    };
    key.within.is_none_or(|field| is_field(events.field(field)))
        && key.roles.iter().all(|role| is_phase(role.kind))
        && key.roles.iter().all(|role| is_kind(events.name(role.kind)) && is_field(events.field(role.field)))
        && key.except.iter().all(is_value)
}

/// Whether a test of a model can hold a value: `$` would make it the name of a definition.
pub(super) fn is_constant(value: &Scalar) -> bool {
    match value {
        Scalar::Number(_) => true,
        Scalar::Text(text) => !text.starts_with('$') && !text.chars().any(char::is_control),
    }
}

/// Adds the machine to `pattern`.
pub(super) fn add(
    pattern: &mut Pattern,
    events: &Events,
    (key, sequences): (&Key, &Sequences),
    fields: &BTreeMap<u32, u16>,
    automaton: &Automaton,
) {
    let id = id(pattern, events, key);
    let mut builder = Builder { pattern, events, key, fields, tests: BTreeMap::new() };
    let classes = classes(sequences, automaton);
    let names = names(events, sequences, automaton, fields);
    let mut states = Vec::new();
    for (node, name) in automaton.nodes.iter().zip(names) {
        let all: u32 = node.out.values().map(|(times, _)| *times).sum::<u32>() + node.ends;
        let mut state = State {
            id: name,
            begins: node.begins > 0,
            // One that a few never leave is not where they end.
            ends: f64::from(node.ends) >= 0.02 * f64::from(all) && node.ends > 0,
            ..State::default()
        };
        let mut done: BTreeSet<(u32, usize)> = BTreeSet::new();
        let mut order: Vec<(u32, (u32, usize))> = node.out.iter().map(|(label, to)| (*label, *to)).collect();
        order.sort_by_key(|(label, (times, _))| (std::cmp::Reverse(*times), *label));
        for (label, (_, target)) in order {
            let Some(label) = sequences.labels.get(label as usize) else { continue };
            let class = classes.iter().position(|class| class.labels.contains(label)).unwrap_or(0);
            if !done.insert((label.token, class)) {
                continue;
            }
            let tests = builder.tests_of(label, classes.get(class));
            state.transitions.push(Transition {
                events: EventPattern { names: vec![events.name(kind_of(label.token)).to_owned()] },
                tests,
                target,
                ..Transition::default()
            });
        }
        merge_names(&mut state.transitions);
        states.push(state);
    }
    let machine = Machine {
        id,
        consuming: true,
        multiple: true,
        preconditions: Vec::new(),
        states,
        initial: 0,
        last: None,
        abandon: None,
        error: None,
        keys: Some(builder.rules()),
        spot: Spot::default(),
    };
    pattern.started.push(pattern.machines.len());
    pattern.machines.push(machine);
}

/// Merges transitions that lead to the same state under the same conditions.
fn merge_names(transitions: &mut Vec<Transition>) {
    let mut merged: Vec<Transition> = Vec::new();
    for transition in transitions.drain(..) {
        let known = merged
            .iter_mut()
            .find(|known| known.target == transition.target && known.tests == transition.tests);
        match known {
            Some(known) => known.events.names.extend(transition.events.names),
            None => merged.push(transition),
        }
    }
    *transitions = merged;
}

/// A machine is called like the field that names its instances most often.
fn id(pattern: &Pattern, events: &Events, key: &Key) -> String {
    let mut counts: BTreeMap<u16, usize> = BTreeMap::new();
    key.roles.iter().for_each(|role| *counts.entry(role.field).or_default() += 1);
    let field = counts.iter().max_by_key(|(field, times)| (**times, std::cmp::Reverse(**field)));
    let name = field.map_or("instance", |(field, _)| events.field(*field)).replace(':', ".");
    let mut id = name.clone();
    let mut number = 2;
    while pattern.machine(&id).is_some() {
        id = format!("{name} {number}");
        number += 1;
    }
    id
}

/// Values of a field that all states take alike.
struct Class {
    labels: BTreeSet<Label>,
    /// All values but those of the other classes.
    is_rest: bool,
    /// All labels of this token that are in no rest.
    others: BTreeSet<Label>,
    is_only: bool,
}

fn classes(sequences: &Sequences, automaton: &Automaton) -> Vec<Class> {
    let mut by_token: BTreeMap<u32, BTreeMap<Vec<Option<usize>>, BTreeSet<Label>>> = BTreeMap::new();
    for (number, label) in (0u32..).zip(&sequences.labels) {
        let targets = (0..automaton.nodes.len()).map(|node| automaton.step(node, number)).collect();
        by_token.entry(label.token).or_default().entry(targets).or_default().insert(*label);
    }
    let mut all = Vec::new();
    for classes in by_token.into_values() {
        let has_none = |class: &BTreeSet<Label>| class.iter().any(|label| label.value.is_none());
        let rest = classes.values().position(has_none).or_else(|| {
            let largest = classes.values().enumerate().max_by_key(|(_, class)| class.len());
            largest.filter(|(_, class)| class.len() > 1).map(|(index, _)| index)
        });
        let is_only = classes.len() == 1;
        let labels: Vec<BTreeSet<Label>> = classes.into_values().collect();
        for (index, class) in labels.iter().enumerate() {
            let is_rest = rest == Some(index);
            let others = labels.iter().enumerate().filter(|(other, _)| *other != index);
            let others = others.flat_map(|(_, class)| class.iter().copied()).collect();
            all.push(Class { labels: class.clone(), is_rest, others, is_only });
        }
    }
    all
}

struct Builder<'a> {
    pattern: &'a mut Pattern,
    events: &'a Events,
    key: &'a Key,
    fields: &'a BTreeMap<u32, u16>,
    tests: BTreeMap<String, usize>,
}

impl Builder<'_> {
    /// The fields of the key that events of a kind have.
    fn of_kind(&self, kind: u32) -> Vec<u16> {
        let name = self.events.name_of(kind);
        let roles = self.key.roles.iter().filter(|role| self.events.name_of(role.kind) == name);
        roles.map(|role| role.field).collect::<BTreeSet<u16>>().into_iter().collect()
    }

    fn tests_of(&mut self, label: &Label, class: Option<&Class>) -> Vec<usize> {
        let mut tests = Vec::new();
        let own = self.of_kind(kind_of(label.token));
        if own.len() > 1 {
            for field in own {
                let index = self.key.fields.iter().position(|known| *known == field).unwrap_or(MOST_FIELDS);
                let is_named = fields_of(label.token) >> index & 1 == 1;
                tests.push(self.own(field, is_named));
            }
        }
        if let Some((field, value)) = self.events.phase(kind_of(label.token)) {
            let name = self.events.field(field).to_owned();
            let condition = equal(&name, value);
            tests.push(self.test(format!("{name} is {value}"), condition));
        }
        if let Some(class) = class.filter(|class| !class.is_only)
            && let Some(&field) = self.fields.get(&kind_of(label.token))
        {
            tests.push(self.values(field, class));
        }
        tests
    }

    fn test(&mut self, id: String, condition: Condition) -> usize {
        // Names of tests are separated by colons.
        let id = id.replace(':', ".");
        if let Some(&known) = self.tests.get(&id) {
            return known;
        }
        let equal = self.pattern.tests.iter().position(|test| test.condition == condition);
        let is_taken = |pattern: &Pattern, id: &str| pattern.tests.iter().any(|test| test.id == id);
        let index = equal.unwrap_or_else(|| {
            let mut unique = id.clone();
            let mut number = 2;
            while is_taken(self.pattern, &unique) {
                unique = format!("{id} {number}");
                number += 1;
            }
            self.pattern.tests.push(Test { id: unique, condition, spot: Spot::default() });
            self.pattern.tests.len() - 1
        });
        self.tests.insert(id, index);
        index
    }

    /// Whether the instance is the one that a field names.
    fn own(&mut self, field: u16, is_named: bool) -> usize {
        let name = self.events.field(field).to_owned();
        let condition = Condition::Compare {
            left: Operand::Path(Path::own_key()),
            comparison: Comparison::Equal,
            right: ValueSource::Field(name.clone()).into(),
        };
        match is_named {
            true => self.test(format!("it is {name}"), condition),
            false => self.test(format!("it is not {name}"), Condition::Not(Box::new(condition))),
        }
    }

    fn values(&mut self, field: u16, class: &Class) -> usize {
        let name = self.events.field(field).to_owned();
        let listed = if class.is_rest { &class.others } else { &class.labels };
        let values: Vec<Scalar> = listed
            .iter()
            .filter_map(|label| label.value.and_then(|value| self.events.scalar(value)).cloned())
            .collect();
        let words = values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ");
        let mut conditions: Vec<Condition> = values.iter().map(|value| equal(&name, value)).collect();
        let any = match (conditions.pop(), conditions.is_empty()) {
            (Some(only), true) => only,
            (last, _) => Condition::Any(conditions.into_iter().chain(last).collect()),
        };
        match class.is_rest {
            false => self.test(format!("{name} is {words}"), any),
            true => self.test(format!("{name} is not {words}"), Condition::Not(Box::new(any))),
        }
    }

    /// Which instances events concern: kinds that are alike in one rule.
    fn rules(&self) -> Vec<KeyRule> {
        let mut kinds: BTreeMap<Vec<u16>, Vec<String>> = BTreeMap::new();
        let all: BTreeSet<u32> = self.key.roles.iter().map(|role| role.kind).collect();
        for kind in all {
            let names = kinds.entry(self.of_kind(kind)).or_default();
            let name = self.events.name(kind);
            if names.iter().all(|known| known != name) {
                names.push(name.to_owned());
            }
        }
        let except: Vec<String> = self
            .key
            .except
            .iter()
            .filter_map(|value| self.events.scalar(*value))
            .map(ToString::to_string)
            .collect();
        let rule = |(fields, names): (Vec<u16>, Vec<String>)| KeyRule {
            events: EventPattern { names },
            sources: fields
                .iter()
                .map(|field| KeySource::Field(self.events.field(*field).to_owned()))
                .collect(),
            except: except.clone(),
            within: self.key.within.map(|field| self.events.field(field).to_owned()),
            sends_to: None,
            spot: Spot::default(),
        };
        kinds.into_iter().map(rule).collect()
    }
}

fn equal(field: &str, value: &Scalar) -> Condition {
    Condition::Compare {
        left: Operand::Field(field.to_owned()),
        comparison: Comparison::Equal,
        right: ValueExpr::from(match value {
            Scalar::Number(number) => ValueSource::Long(*number),
            Scalar::Text(text) => ValueSource::Text(text.clone()),
        }),
    }
}

/// What a person calls events of a kind.
fn called(events: &Events, kind: u32) -> String {
    match events.phase(kind) {
        Some((field, value)) => format!("{} {}={value}", events.name(kind), events.field(field)),
        None => events.name(kind).to_owned(),
    }
}

/// States are called after what leads there.
fn names(
    events: &Events,
    sequences: &Sequences,
    automaton: &Automaton,
    fields: &BTreeMap<u32, u16>,
) -> Vec<String> {
    let mut into: Vec<BTreeMap<&Label, u32>> = vec![BTreeMap::new(); automaton.nodes.len()];
    for node in &automaton.nodes {
        for (label, (times, target)) in &node.out {
            let label = sequences.labels.get(*label as usize);
            if let Some((into, label)) = into.get_mut(*target).zip(label) {
                *into.entry(label).or_default() += times;
            }
        }
    }
    // The value is part of the name where the same event with another value leads elsewhere.
    let leads_to =
        |token: u32| into.iter().filter(|into| into.keys().any(|label| label.token == token)).count();
    let mut names: Vec<String> = Vec::new();
    for into in &into {
        let mut words: Vec<(u32, String)> = Vec::new();
        for (label, times) in into {
            let kind = called(events, kind_of(label.token));
            let value = label.value.filter(|_| leads_to(label.token) > 1);
            let value = value.and_then(|value| events.scalar(value));
            let field = fields.get(&kind_of(label.token)).map_or("", |field| events.field(*field));
            let word = match value {
                Some(value) => format!("{kind} {field}={value}"),
                None => kind,
            };
            match words.iter_mut().find(|(_, known)| *known == word) {
                Some((known, _)) => *known += times,
                None => words.push((*times, word)),
            }
        }
        words.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let more = words.len() > 3;
        words.truncate(if more { 2 } else { 3 });
        let words: Vec<String> = words.into_iter().map(|(_, word)| word).collect();
        let name = match (words.is_empty(), more) {
            (true, _) => "new".to_owned(),
            (false, false) => format!("after {}", words.join(" or ")),
            (false, true) => format!("after {} or others", words.join(", ")),
        };
        let same =
            names.iter().filter(|known| **known == name || known.starts_with(&format!("{name} #"))).count();
        names.push(if same == 0 { name } else { format!("{name} #{}", same + 1) });
    }
    names
}
