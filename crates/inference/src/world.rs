//! What guards and actions look at: the event, the attributes, the scenario that asks.
//!
//! Looking at a path creates its attributes, and a path in error makes a state change do nothing.
//! What else it means, and how values compare, [`Semantics`] say.

use std::cmp::Ordering;

use model::machine::{Comparison, StackRead, ValueType};
use model::{Event, Value as FieldValue};

use super::effects::SegmentMade;
use super::later::Later;
use super::pools::Pools;
use super::program::{Expr, FieldId, Program, Question, Route, RouteStep, Source};
use super::script::{self, Operand};
use super::states::{NodeId, StateSystem};
use super::value::{Name, TextId, Texts, Value};

/// By whose rules values compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Semantics {
    /// Those of the founding text's program (notes on it, part 1.2): a path in error makes a condition
    /// false, no value is -1 among numbers, a number and a text do not compare, what a mapping does not
    /// know stays as it is.
    Of2018,
    /// Those of Trace Compass today: a path in error has no value, what are not two numbers compare as
    /// texts, and what a mapping does not know has no value.
    Current,
}

/// An event on its way through the machines.
#[derive(Clone, Copy)]
pub(super) struct Input<'e> {
    pub(super) event: &'e Event<'e>,
    pub(super) name: TextId,
    pub(super) time: i64,
    /// The thread that runs on the CPU of the event.
    pub(super) running: Option<i64>,
}

/// The scenario that asks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asker<'s> {
    pub(super) node: NodeId,
    /// The attribute that holds its key.
    pub(super) key: NodeId,
    pub(super) state: TextId,
    pub(super) started: i64,
    /// When it last entered states, by the name of the state.
    pub(super) entered: &'s [(TextId, i64)],
}

/// A field of the current event, fetched once.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Slot {
    Absent,
    Known(Value),
    /// A text that no attribute knows yet: it equals none of them.
    NewText,
}

/// The attributes and what is known of the current event.
#[derive(Debug)]
pub(super) struct World {
    pub(super) texts: Texts,
    pub(super) states: StateSystem,
    pub(super) segments: Option<Vec<SegmentMade>>,
    slots: Vec<(u64, Slot)>,
    /// Where routes led, and when: event, asker, state of the attributes.
    ends: Vec<((u64, u32, u64), Option<NodeId>)>,
    pub(super) event: u64,
    pub(super) stored_fields: Name,
    pub(super) semantics: Semantics,
    /// What the host is called that the current event comes from.
    pub(super) host: Option<TextId>,
    pub(super) pools: Pools,
    pub(super) later: Later,
}

impl World {
    pub(super) fn new(has_history: bool, has_segments: bool) -> World {
        let mut texts = Texts::default();
        let stored_fields = texts.name("storedFields");
        World {
            texts,
            states: StateSystem::new(has_history),
            segments: has_segments.then(Vec::new),
            slots: Vec::new(),
            ends: Vec::new(),
            event: 0,
            stored_fields,
            semantics: Semantics::Of2018,
            host: None,
            pools: Pools::default(),
            later: Later::default(),
        }
    }

    /// Another event comes: what was fetched from the last one is forgotten.
    pub(super) fn next_event(&mut self, program: &Program) {
        self.event += 1;
        if self.slots.len() != program.fields.len() || self.ends.len() != program.routes.len() {
            self.slots.resize(program.fields.len(), (0, Slot::Absent));
            self.ends.resize(program.routes.len(), ((0, 0, 0), None));
        }
    }

    fn slot(&mut self, program: &Program, id: FieldId, input: &Input<'_>) -> Slot {
        if let Some(&(event, slot)) = self.slots.get(id.0 as usize)
            && event == self.event
        {
            return slot;
        }
        let name = program.fields.get(id.0 as usize).map_or("", |name| name);
        let slot = match input.event.fields.get(name) {
            Some(FieldValue::Text(bytes)) => {
                let text = String::from_utf8_lossy(bytes);
                self.texts.find(&text).map_or(Slot::NewText, |id| Slot::Known(Value::Text(id)))
            }
            Some(value) => self.number(value),
            None => self.special(name, input),
        };
        if let Some(entry) = self.slots.get_mut(id.0 as usize) {
            *entry = (self.event, slot);
        }
        slot
    }

    fn number(&mut self, value: FieldValue<'_>) -> Slot {
        Slot::Known(match value {
            FieldValue::Float(number) => Value::Double(number),
            FieldValue::Bool(value) => Value::Text(self.texts.intern(if value { "true" } else { "false" })),
            FieldValue::Null => Value::Null,
            other => match other.as_i64() {
                Some(number) => Value::Long(number),
                // Beyond 64 bits: its low half, as a long of the original would hold it.
                None => match other {
                    FieldValue::Unsigned(number, _) => Value::Long(number as i64),
                    FieldValue::Signed(number, _) | FieldValue::Enum(number, _) => Value::Long(number as i64),
                    _ => Value::Null,
                },
            },
        })
    }

    /// Names that mean something where the event has no such field.
    fn special(&mut self, name: &str, input: &Input<'_>) -> Slot {
        let known = |value: Option<i64>| value.map_or(Slot::Absent, |value| Slot::Known(Value::Long(value)));
        if name.eq_ignore_ascii_case("cpu") {
            let cpu = input.event.cpu.map(|cpu| Value::Int(i32::try_from(cpu).unwrap_or(i32::MAX)));
            cpu.map_or(Slot::Absent, Slot::Known)
        } else if name.eq_ignore_ascii_case("tid") {
            known(input.running)
        } else if name.eq_ignore_ascii_case("timestamp") {
            known(Some(input.time))
        } else if is_host(name) {
            self.host.map_or(Slot::Absent, |host| Slot::Known(Value::Text(host)))
        } else if name.eq_ignore_ascii_case("event type") {
            Slot::Known(Value::Text(input.name))
        } else {
            Slot::Absent
        }
    }

    /// The value of a field for keeping: a new text becomes a known one.
    pub(super) fn field(&mut self, program: &Program, id: FieldId, input: &Input<'_>) -> Option<Value> {
        match self.slot(program, id, input) {
            Slot::Absent => None,
            Slot::Known(value) => Some(value),
            Slot::NewText => {
                let name = program.fields.get(id.0 as usize).map_or("", |name| name);
                let Some(FieldValue::Text(bytes)) = input.event.fields.get(name) else { return None };
                let value = Value::Text(self.texts.intern(&String::from_utf8_lossy(bytes)));
                if let Some(entry) = self.slots.get_mut(id.0 as usize) {
                    *entry = (self.event, Slot::Known(value));
                }
                Some(value)
            }
        }
    }

    /// The attribute at the end of a route; `None`: the path is in error.
    pub(super) fn follow(
        &mut self,
        program: &Program,
        route: &Route,
        input: &Input<'_>,
        asker: &Asker<'_>,
    ) -> Option<NodeId> {
        if route.is_own_key {
            return Some(asker.key);
        }
        let asker_now = if route.needs.asker { asker.node.0 } else { 0 };
        let values_now = if route.needs.values { self.states.changes() } else { 0 };
        let now = (self.event, asker_now, values_now);
        if let Some(&(then, node)) = self.ends.get(route.id)
            && then == now
        {
            return node;
        }
        let node = self.walk(program, route, input, asker);
        if !route.needs.state
            && let Some(entry) = self.ends.get_mut(route.id)
        {
            *entry = (now, node);
        }
        node
    }

    fn walk(
        &mut self,
        program: &Program,
        route: &Route,
        input: &Input<'_>,
        asker: &Asker<'_>,
    ) -> Option<NodeId> {
        let mut node = route.start;
        for step in &route.steps {
            let name = match step {
                RouteStep::Child(name) => *name,
                RouteStep::Scenario => {
                    node = asker.node;
                    continue;
                }
                RouteStep::StateName => Name::Text(asker.state),
                RouteStep::Field(field) => {
                    let value = self.field(program, *field, input)?;
                    self.texts.name_of(value)?
                }
                RouteStep::EventName => self.texts.name_of(Value::Text(input.name))?,
                RouteStep::Pool => Name::Number(self.pools.number(node, asker.node)),
                RouteStep::Undefined => return None,
                RouteStep::Query(route) => {
                    let found = self.follow(program, route, input, asker)?;
                    let value = self.states.value(found);
                    self.texts.name_of(value)?
                }
            };
            node = self.states.child(node, name);
        }
        Some(node)
    }

    /// The value of an expression; what cannot be had is no value.
    pub(super) fn value(
        &mut self,
        program: &Program,
        expr: &Expr,
        input: &Input<'_>,
        asker: &Asker<'_>,
    ) -> Value {
        let mut value = match &expr.source {
            Source::Fixed(value) => *value,
            Source::Field(field) => self.field(program, *field, input).unwrap_or(Value::Null),
            Source::EventName => Value::Text(input.name),
            Source::Query(route, stack) => match self.follow(program, route, input, asker) {
                None => Value::Null,
                Some(node) => match stack {
                    StackRead::No => self.states.value(node),
                    StackRead::Peek => self.top(node).map_or(Value::Null, |(top, _)| self.states.value(top)),
                    StackRead::Pop => self.pop(node, input.time),
                },
            },
            Source::Script(plan) => {
                let mut names = Vec::with_capacity(plan.names.len());
                for name in &plan.names {
                    let value = self.value(program, name, input, asker);
                    names.push(self.operand(value));
                }
                self.result(script::compute(&plan.expression, &names))
            }
        };
        if let Some(group) = expr.mapping.and_then(|index| program.mappings.get(index)) {
            let mut mapped = None;
            for (from, to) in group {
                let from = self.value(program, from, input, asker);
                if self.order(from, value) == Some(Ordering::Equal) {
                    mapped = Some(self.value(program, to, input, asker));
                    break;
                }
            }
            value = match self.semantics {
                Semantics::Of2018 => mapped.unwrap_or(value),
                Semantics::Current => mapped.unwrap_or(Value::Null),
            };
        }
        match expr.forced {
            None => value,
            Some(kind) => self.forced(value, kind),
        }
    }

    fn operand(&self, value: Value) -> Operand {
        match value {
            Value::Null => Operand::None,
            Value::Int(number) => Operand::Whole(i64::from(number)),
            Value::Long(number) => Operand::Whole(number),
            Value::Double(number) => Operand::Number(number),
            Value::Text(id) => Operand::Text(self.texts.get(id).to_owned()),
        }
    }

    fn result(&mut self, result: Operand) -> Value {
        match result {
            Operand::None => Value::Null,
            Operand::Truth(truth) => Value::Text(self.texts.intern(if truth { "true" } else { "false" })),
            Operand::Whole(number) => i32::try_from(number).map_or(Value::Long(number), Value::Int),
            Operand::Number(number) => Value::Double(number),
            Operand::Text(text) => Value::Text(self.texts.intern(&text)),
        }
    }

    fn forced(&mut self, value: Value, kind: ValueType) -> Value {
        if value.is_null() {
            return value;
        }
        let number = match value {
            Value::Text(id) => self.texts.get(id).trim().parse::<f64>().ok(),
            other => other.as_f64(),
        };
        let whole = match value {
            Value::Text(id) => self.texts.get(id).trim().parse::<i64>().ok(),
            other => other.as_i64(),
        };
        match kind {
            ValueType::Int => whole.map_or(Value::Null, |number| Value::Int(number as i32)),
            ValueType::Long => whole.map_or(Value::Null, Value::Long),
            ValueType::Double => number.map_or(Value::Null, Value::Double),
            ValueType::Text => {
                let text = self.texts.show(value);
                Value::Text(self.texts.intern(&text))
            }
        }
    }

    /// Whether a condition holds.
    pub(super) fn holds(
        &mut self,
        program: &Program,
        question: &Question,
        input: &Input<'_>,
        asker: &Asker<'_>,
    ) -> bool {
        match question {
            Question::Field(field, comparison, expr) => {
                let mut left = self.slot(program, *field, input);
                let right = self.value(program, expr, input, asker);
                // A text that nobody knew differs from every text written in the pattern; anything
                // else may have become known by looking at the right side.
                let is_fixed = match (self.semantics, &expr.source) {
                    (Semantics::Of2018, Source::Fixed(_)) => true,
                    // A text may be written like a number.
                    (Semantics::Current, Source::Fixed(value)) => matches!(value, Value::Text(_)),
                    _ => false,
                };
                let is_plain = is_fixed && matches!(comparison, Comparison::Equal | Comparison::NotEqual);
                if left == Slot::NewText && !is_plain {
                    left = self.field(program, *field, input).map_or(Slot::Absent, Slot::Known);
                }
                match left {
                    Slot::NewText => *comparison == Comparison::NotEqual,
                    Slot::Absent => self.compare(Value::Null, *comparison, right),
                    Slot::Known(left) => self.compare(left, *comparison, right),
                }
            }
            Question::Route(route, comparison, right) => {
                let left = match (self.follow(program, route, input, asker), self.semantics) {
                    (Some(node), _) => self.states.value(node),
                    (None, Semantics::Of2018) => return false,
                    (None, Semantics::Current) => Value::Null,
                };
                let right = self.value(program, right, input, asker);
                self.compare(left, *comparison, right)
            }
            Question::Same(left, comparison, right) => {
                let left = self.value(program, left, input, asker);
                let right = self.value(program, right, input, asker);
                match self.semantics {
                    Semantics::Of2018 => left == right,
                    Semantics::Current => self.compare(left, *comparison, right),
                }
            }
            Question::Within { begin, end, inside } => (*begin..=*end).contains(&input.time) == *inside,
            Question::Elapsed { comparison, since, nanoseconds } => {
                let entered = asker.entered.iter().find(|(state, _)| state == since);
                entered
                    .is_some_and(|(_, at)| comparison.holds(input.time.saturating_sub(*at).cmp(nanoseconds)))
            }
            Question::All(parts) => parts.iter().all(|part| self.holds(program, part, input, asker)),
            Question::Any(parts) => parts.iter().any(|part| self.holds(program, part, input, asker)),
            Question::Not(part) => !self.holds(program, part, input, asker),
        }
    }

    fn compare(&self, left: Value, comparison: Comparison, right: Value) -> bool {
        self.order(left, right).is_some_and(|order| comparison.holds(order))
    }

    fn order(&self, left: Value, right: Value) -> Option<Ordering> {
        let is_number = |value: Value| !matches!(value, Value::Null | Value::Text(_));
        match self.semantics {
            Semantics::Current if !(is_number(left) && is_number(right)) => {
                Some(self.texts.show(left).cmp(&self.texts.show(right)))
            }
            _ => self.texts.compare(left, right),
        }
    }
}

/// Whether a field name means the host where the event has no such field.
pub(super) fn is_host(name: &str) -> bool {
    name.eq_ignore_ascii_case("hostid")
}
