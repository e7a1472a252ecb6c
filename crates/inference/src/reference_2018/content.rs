//! What a lost event carried: what the conditions of its transition imply, and defaults.
//!
//! By the rules of the original (notes on the founding text, part 4.1): `or` counts as `and`, a
//! denied number is the number after it, a denied text is the text with `not_` before it.

use std::rc::Rc;

use model::machine::{Condition, Machine, Operand, Path, PathStep, ValueExpr, ValueSource};
use model::{Scalar, Timestamp};

use super::graph::Arc;
use crate::coherence::Incoherence;
use crate::engine::Engine;
use crate::states::{NodeId, ROOT};
use crate::value::{Name, Value};

/// The fields of an event: one value for a field that is certain, several where the user has to
/// choose, the first of them being taken until then. In the order in which they were found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Content {
    /// Names and values; the list of values is never empty. It is shared: a switch may have been
    /// from any thread to any other.
    pub fields: Vec<(Rc<str>, Rc<[Scalar]>)>,
}

impl Content {
    fn position(&self, field: &str) -> Option<usize> {
        self.fields.iter().position(|(name, _)| **name == *field)
    }

    /// A certain value replaces what was only possible.
    fn set(&mut self, field: &str, values: Rc<[Scalar]>) {
        if values.is_empty() {
            return;
        }
        match self.position(field).and_then(|scope| self.fields.get_mut(scope)) {
            Some((_, known)) if values.len() == 1 => *known = values,
            Some((_, known)) if known.len() > 1 => {
                let new = values.iter().filter(|value| !known.contains(value));
                *known = known.iter().chain(new).cloned().collect();
            }
            Some(_) => {}
            None => self.fields.push((field.into(), values)),
        }
    }

    /// The values of a field.
    pub fn values(&self, field: &str) -> &[Scalar] {
        let found = self.position(field).and_then(|scope| self.fields.get(scope));
        found.map_or(&[], |(_, values)| &**values)
    }

    /// The value that is taken for a field until the user chooses.
    pub fn first(&self, field: &str) -> Option<&Scalar> {
        self.values(field).first()
    }
}

/// Reads contents off an engine that is done.
pub(super) struct Reader<'e> {
    engine: &'e Engine,
    threads: Rc<[Scalar]>,
    zero: Rc<[Scalar]>,
}

impl<'e> Reader<'e> {
    pub(super) fn new(engine: &'e Engine) -> Reader<'e> {
        let mut threads: Vec<Scalar> = Vec::new();
        if let Some(node) = engine.attribute(&["Threads"]) {
            for child in engine.states().children(node) {
                let name = engine.texts().show_name(engine.states().name(child));
                // Idle threads have one attribute for each CPU, `0_<cpu>`.
                let number = name.strip_prefix("0_").map_or(&*name, |_| "0");
                if let Ok(number) = number.parse() {
                    let value = Scalar::Number(number);
                    if number != 0 || !threads.contains(&value) {
                        threads.push(value);
                    }
                }
            }
        }
        Reader { engine, threads: threads.into(), zero: Rc::new([Scalar::Number(0)]) }
    }

    /// The content of the event of an inferred arc.
    pub(super) fn content(
        &self,
        machine: &Machine,
        arc: &Arc,
        incoherence: &Incoherence,
        from: Timestamp,
    ) -> Content {
        let mut content = Content::default();
        if !self.engine.states().has_history() {
            return content;
        }
        match &*arc.event {
            "sched_switch" => {
                content.set("prev_tid", self.threads.clone());
                content.set("next_tid", self.threads.clone());
                for field in ["prev_state", "prev_prio", "next_prio"] {
                    content.set(field, self.zero.clone());
                }
            }
            "irq_handler_entry" | "irq_handler_exit" => content.set("irq", self.zero.clone()),
            _ => {}
        }
        let state = machine.states.get(arc.source);
        let transition = state.and_then(|state| state.transitions.get(arc.transition));
        let scope = Scope {
            time: incoherence.found.time,
            scenario: self.engine.scenarios.get(incoherence.scenario).map(|scenario| scenario.node),
        };
        for test in transition.map_or(&[][..], |transition| &transition.tests) {
            if let Some(test) = self.engine.pattern.tests.get(*test) {
                self.collect(&test.condition, false, &scope, &mut content);
            }
        }
        for (field, comm) in [("prev_tid", "prev_comm"), ("next_tid", "next_comm")] {
            if let Some(Scalar::Number(thread)) = content.first(field).cloned() {
                content.set(comm, Rc::new([Scalar::Text(self.comm(thread, from))]));
            }
        }
        content
    }

    fn collect(&self, condition: &Condition, is_denied: bool, scope: &Scope, content: &mut Content) {
        match condition {
            Condition::All(parts) | Condition::Any(parts) => {
                // Denial reaches only what stands directly below it.
                for part in parts {
                    self.collect(part, false, scope, content);
                }
            }
            Condition::Not(part) => self.collect(part, true, scope, content),
            Condition::Compare { left: Operand::Field(field), right, .. } => {
                let value = self.fixed(right, scope);
                content.set(field, value.map(|value| denied(value, is_denied)).into_iter().collect());
            }
            Condition::Compare { left: Operand::Path(path), right, .. } => {
                if let ValueSource::Field(field) = &right.source
                    && let Some(node) = self.node(path, scope)
                {
                    content.set(field, self.at(node, scope, is_denied));
                }
            }
            Condition::Same(left, _, right) => {
                let pair = match (&left.source, &right.source) {
                    (ValueSource::Field(field), _) => Some((field, right)),
                    (_, ValueSource::Field(field)) => Some((field, left)),
                    _ => None,
                };
                if let Some((field, other)) = pair {
                    let value = self.fixed(other, scope);
                    content.set(field, value.map(|value| denied(value, is_denied)).into_iter().collect());
                }
            }
            Condition::Within { .. } | Condition::Elapsed { .. } => {}
        }
    }

    /// The value at an attribute at the time of the incoherent event; denied, all its other values.
    fn at(&self, node: NodeId, scope: &Scope, is_denied: bool) -> Rc<[Scalar]> {
        let states = self.engine.states();
        let value = self.shown(states.value_at(node, scope.time)).unwrap_or(Scalar::Number(-1));
        if !is_denied {
            return Rc::new([value]);
        }
        let all = states.range(node, Timestamp(i64::MIN), Timestamp(i64::MAX));
        let mut others: Vec<Scalar> = Vec::new();
        for other in all.into_iter().filter_map(|span| self.shown(span.value)) {
            if other != value && !others.contains(&other) {
                others.push(other);
            }
        }
        others.into()
    }

    /// The value of an expression that no event is needed for.
    fn fixed(&self, value: &ValueExpr, scope: &Scope) -> Option<Scalar> {
        match &value.source {
            ValueSource::Int(number) => Some(Scalar::Number(i64::from(*number))),
            ValueSource::Long(number) => Some(Scalar::Number(*number)),
            ValueSource::Text(text) => Some(Scalar::Text(text.clone())),
            ValueSource::Query(path, _) => {
                let node = self.node(path, scope)?;
                self.shown(self.engine.states().value_at(node, scope.time))
            }
            ValueSource::Null | ValueSource::Field(_) | ValueSource::EventName | ValueSource::Script(_) => {
                None
            }
        }
    }

    /// The attribute at a path that needs no event.
    fn node(&self, path: &Path, scope: &Scope) -> Option<NodeId> {
        let states = self.engine.states();
        path.steps.iter().try_fold(ROOT, |node, step| match step {
            PathStep::CurrentScenario => scope.scenario,
            PathStep::Constant(name) => {
                let name = match name.parse::<i64>() {
                    Ok(number) => Name::Number(number),
                    Err(_) => Name::Text(self.engine.texts().find(name)?),
                };
                states.find(node, name)
            }
            PathStep::Query(inner) => {
                let found = self.node(inner, scope)?;
                let name = match states.value_at(found, scope.time) {
                    Value::Null | Value::Double(_) => return None,
                    Value::Text(text) => Name::Text(text),
                    number => Name::Number(number.as_i64()?),
                };
                states.find(node, name)
            }
            PathStep::CurrentState
            | PathStep::Field(_)
            | PathStep::EventName
            | PathStep::Pool
            | PathStep::Undefined => None,
        })
    }

    fn shown(&self, value: Value) -> Option<Scalar> {
        Some(match value {
            Value::Null => return None,
            Value::Text(_) | Value::Double(_) => Scalar::Text(self.engine.texts().show(value)),
            number => Scalar::Number(number.as_i64()?),
        })
    }

    /// The first name that a thread has at or after a moment.
    fn comm(&self, thread: i64, from: Timestamp) -> String {
        let thread = thread.to_string();
        let node = self.engine.attribute(&["Threads", &thread, "Exec_name"]);
        let first = node.and_then(|node| self.engine.states().first_at_or_after(node, from));
        first.map_or_else(|| "unknown".to_owned(), |name| self.engine.texts().show(name))
    }
}

/// Where a condition is looked at.
struct Scope {
    time: Timestamp,
    scenario: Option<NodeId>,
}

fn denied(value: Scalar, is_denied: bool) -> Scalar {
    match value {
        value if !is_denied => value,
        Scalar::Number(number) => Scalar::Number(number.wrapping_add(1)),
        Scalar::Text(text) => Scalar::Text(format!("not_{text}")),
    }
}
