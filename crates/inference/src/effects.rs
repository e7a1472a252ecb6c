//! What actions do: they write attributes, push and pop them, store fields and make segments.

use model::machine::Mode;

use super::later::Waiting;
use super::program::{Effect, Program, SegmentPlan};
use super::states::NodeId;
use super::value::{Name, Value};
use super::world::{Asker, Input, World};

/// A segment that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct SegmentMade {
    /// What it is called.
    pub name: String,
    /// Its start in nanoseconds.
    pub from: i64,
    /// Its end in nanoseconds.
    pub to: i64,
    /// What it carries, as text.
    pub content: Vec<(String, String)>,
}

impl World {
    /// Does what an action says.
    pub(super) fn act(
        &mut self,
        program: &Program,
        effects: &[Effect],
        input: &Input<'_>,
        asker: &Asker<'_>,
    ) {
        for effect in effects {
            match effect {
                Effect::Run(index) => {
                    let inner = program.actions.get(*index).map_or(&[][..], |effects| effects);
                    self.act(program, inner, input, asker);
                }
                Effect::If { question, then, otherwise } => {
                    let branch = if self.holds(program, question, input, asker) { then } else { otherwise };
                    self.act(program, branch, input, asker);
                }
                Effect::Assign { route, value, mode, at } => {
                    // The path comes first: making a value may pop a stack.
                    let Some(node) = self.follow(program, route, input, asker) else { continue };
                    let value = self.value(program, value, input, asker);
                    if let Some(at) = at {
                        let at = self.value(program, at, input, asker);
                        self.assign_at(node, *mode, value, at, input.time);
                        continue;
                    }
                    self.assign(node, *mode, value, input.time);
                    if node == asker.key || *mode == Mode::Delete {
                        // Routes over this key lead elsewhere now.
                        self.event += 1;
                    }
                }
                Effect::Segment(plan) => self.segment(program, plan, input, asker),
            }
        }
    }

    /// An assignment for a moment that a value says: what is no number means now, and what has passed
    /// is left out.
    fn assign_at(&mut self, node: NodeId, mode: Mode, value: Value, at: Value, now: i64) {
        let number = match at {
            Value::Null => None,
            Value::Text(id) => {
                let text = self.texts.get(id).trim();
                text.parse::<i64>().ok().or_else(|| text.parse::<f64>().ok().map(|number| number as i64))
            }
            other => other.as_i64(),
        };
        match number.unwrap_or(now) {
            time if time == now => self.assign(node, mode, value, now),
            time if time > now => {
                // What is added now holds from then on.
                let (mode, value) = match mode {
                    Mode::Increment => (Mode::Set, sum(self.states.value(node), value)),
                    other => (other, value),
                };
                self.later.add(Waiting { time, node, mode, value });
            }
            _ => {}
        }
    }

    /// Does what was to be done until now.
    pub(super) fn catch_up(&mut self, now: i64) {
        while let Some(Waiting { time, node, mode, value }) = self.later.due(now) {
            self.assign(node, mode, value, time);
        }
    }

    fn assign(&mut self, node: NodeId, mode: Mode, value: Value, time: i64) {
        match mode {
            Mode::Set => self.states.set(node, time, value),
            Mode::Update => self.states.update(node, time, value),
            Mode::Delete => self.states.clear(node, time),
            Mode::Increment => {
                let sum = sum(self.states.value(node), value);
                self.states.set(node, time, sum);
            }
            Mode::Push => {
                let depth = self.top(node).map_or(0, |(_, depth)| depth);
                let top = self.states.child(node, Name::Number(depth + 1));
                self.states.set(top, time, value);
                self.states.set(node, time, Value::Int(i32::try_from(depth + 1).unwrap_or(i32::MAX)));
            }
            Mode::Pop => {
                self.pop(node, time);
            }
            Mode::PopAll => while !self.pop(node, time).is_null() || self.top(node).is_some() {},
        }
    }

    /// A scenario ends: it and what it borrowed have no value any more.
    pub(super) fn recycle(&mut self, scenario: NodeId, time: i64) {
        self.states.clear(scenario, time);
        for (parent, number) in self.pools.give_back(scenario) {
            if let Some(node) = self.states.find(parent, Name::Number(number)) {
                self.states.clear(node, time);
            }
        }
    }

    /// The top of the stack at an attribute, and its depth.
    pub(super) fn top(&self, node: NodeId) -> Option<(NodeId, i64)> {
        let depth = match self.states.value(node) {
            Value::Int(depth) if depth > 0 => i64::from(depth),
            _ => return None,
        };
        Some((self.states.find(node, Name::Number(depth))?, depth))
    }

    pub(super) fn pop(&mut self, node: NodeId, time: i64) -> Value {
        let Some((top, depth)) = self.top(node) else { return Value::Null };
        let value = self.states.value(top);
        self.states.clear(top, time);
        let left = i32::try_from(depth - 1).unwrap_or(0);
        self.states.set(node, time, if left > 0 { Value::Int(left) } else { Value::Null });
        value
    }

    fn segment(&mut self, program: &Program, plan: &SegmentPlan, input: &Input<'_>, asker: &Asker<'_>) {
        if self.segments.is_none() {
            return;
        }
        let name = self.value(program, &plan.name, input, asker);
        let (from, to) = match &plan.begin_end {
            None => (asker.started, input.time),
            Some((begin, end, is_duration)) => {
                let begin = number(self.value(program, begin, input, asker)).unwrap_or(asker.started);
                let end = number(self.value(program, end, input, asker));
                let end = end.map(|end| if *is_duration { begin.saturating_add(end) } else { end });
                (begin, end.filter(|end| *end >= begin).unwrap_or(input.time))
            }
        };
        let mut content = Vec::new();
        for (name, expr) in &plan.content {
            let value = self.value(program, expr, input, asker);
            content.push((name.clone(), self.texts.show(value)));
        }
        if let Some(stored) = self.states.find(asker.node, self.stored_fields) {
            let fields: Vec<NodeId> = self.states.children(stored).collect();
            for field in fields {
                let value = self.states.value(field);
                if !value.is_null() {
                    content.push((self.texts.show_name(self.states.name(field)), self.texts.show(value)));
                }
            }
        }
        let made = SegmentMade { name: self.texts.show(name), from, to, content };
        self.segments.get_or_insert_default().push(made);
    }

    /// Keeps the stored fields of the event below the scenario, or forgets them.
    pub(super) fn store(&mut self, program: &Program, input: &Input<'_>, node: NodeId, keep: bool) {
        let below = self.states.child(node, self.stored_fields);
        for &(field, alias) in &program.stored {
            let value = if keep { self.field(program, field, input) } else { Some(Value::Null) };
            if let Some(value) = value {
                let slot = self.states.child(below, alias);
                self.states.set(slot, input.time, value);
            }
        }
    }
}

/// A whole number, if it is one.
fn number(value: Value) -> Option<i64> {
    value.as_i64().filter(|_| !value.is_null())
}

fn sum(left: Value, right: Value) -> Value {
    let zero = |value: Value| if value.is_null() { Value::Int(0) } else { value };
    match (zero(left), zero(right)) {
        (Value::Int(a), Value::Int(b)) => Value::Int(a.wrapping_add(b)),
        (a @ Value::Double(_), b) | (a, b @ Value::Double(_)) => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => Value::Double(a + b),
            _ => left,
        },
        (a, b) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => Value::Long(a.wrapping_add(b)),
            _ => left,
        },
    }
}
