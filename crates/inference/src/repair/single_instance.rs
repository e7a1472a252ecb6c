//! One instance alone: which lost events lead from where it was to where an event takes it.
//!
//! For machines whose instances have nothing to do with who runs on a CPU, and for what happens to
//! an instance while it does not run. Uniform-cost search over states; it looks at few nodes, gives
//! up beyond [`EXPANSIONS`], and says what share of all that it found the best explanation is.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use model::machine::condition::Operand;
use model::machine::{Comparison, Condition, Machine, ValueSource};
use model::{EventKey, Scalar, Timestamp};

use crate::estimate::instances::costs::{Cost, UNDECLARED};
use crate::estimate::instances::instance::Ix;
use crate::estimate::instances::monitor::Monitor;
use crate::estimate::instances::shared::Shared;
use crate::model::field_values::{choose, ranked};
use crate::model::{InferredEvent, InferredField};
use crate::state_machines::plan::LostArc;
use crate::state_machines::plan::Part;
use crate::state_machines::state_estimate::{ANY, NOTHING, StateEstimate};
use crate::state_set::StateSet;
use crate::value::{Name, Value};

/// Nodes that one search may look at.
const EXPANSIONS: usize = 500;
/// Lost events in a row.
const LONGEST: usize = 6;
/// Explanations that are compared.
const HYPOTHESES: usize = 8;
/// The weight of what the search does not return, for each event of the best.
const REST_OF_ALL: f64 = 0.02;

/// An explanation: ways of the rules with what they open or close, and how probable each of them is.
#[derive(Debug, Clone)]
pub(crate) struct Path {
    pub(crate) steps: Vec<(usize, u32, f64)>,
    /// What else may be at the place of each, and how probable that is.
    pub(crate) others: Vec<Vec<(usize, u32, f64)>>,
    /// Nothing else leads there.
    pub(crate) is_only: bool,
}

/// What an inferred event of one instance is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct About<'a> {
    pub(crate) ix: Ix,
    pub(crate) from: i64,
    pub(crate) to: i64,
    pub(crate) cpu: Option<u32>,
    pub(crate) incoherence: Option<usize>,
    pub(crate) window: Option<usize>,
    /// How sure it is that anything is missing here.
    pub(crate) share: f64,
    /// The present event is the next of the instance.
    pub(crate) has_next: bool,
    pub(crate) reason: &'a str,
}

/// Where lost events lead.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Goal {
    /// To where an event of this row is taken.
    Row(u32),
    /// Into one of these states.
    State(StateSet),
}

impl Monitor {
    /// The lost events between `from` and a goal, without its own.
    pub(crate) fn path(
        &self,
        from: StateEstimate,
        goal: Goal,
        allowed: &dyn Fn(&LostArc) -> bool,
    ) -> Option<Path> {
        let row = match goal {
            Goal::Row(row) => Some(self.rules.row(row)?),
            Goal::State(_) => None,
        };
        let needed = row.and_then(|row| row.accepts.iter().find_map(|state| row.target(state, ANY)?.closes));
        let needed = needed.unwrap_or(ANY);
        let is_there = |state: usize, open: u32| match (row, goal) {
            (Some(row), _) => row.target(state, open).is_some(),
            (None, Goal::State(set)) => set.has(state),
            (None, Goal::Row(_)) => false,
        };
        struct Node {
            state: usize,
            open: u32,
            steps: Vec<(usize, u32)>,
        }
        let mut nodes: Vec<Node> =
            from.set.iter().map(|state| Node { state, open: from.open, steps: Vec::new() }).collect();
        let mut heap: BinaryHeap<Reverse<(Cost, usize)>> =
            (0..nodes.len()).map(|node| Reverse((0, node))).collect();
        let mut hypotheses: Vec<(Vec<(usize, u32)>, Cost)> = Vec::new();
        let (mut expanded, mut is_all) = (0, true);
        while let Some(Reverse((cost, index))) = heap.pop() {
            expanded += 1;
            if expanded > EXPANSIONS || hypotheses.len() >= HYPOTHESES {
                is_all = false;
                break;
            }
            let Some(node) = nodes.get_mut(index) else { continue };
            let (state, open, steps) = (node.state, node.open, std::mem::take(&mut node.steps));
            let here = StateEstimate { set: crate::StateSet::one(state), open };
            if is_there(state, open) && !steps.is_empty() {
                let cost = cost + row.map_or(0, |row| self.costs.of(here, Some(row.symbol)));
                if !hypotheses.iter().any(|(hypothesis, _)| *hypothesis == steps) {
                    hypotheses.push((steps, cost));
                }
                continue;
            }
            if steps.len() >= LONGEST {
                continue;
            }
            for (number, arc) in self.rules.lost.iter().enumerate() {
                if arc.from != state || !allowed(arc) {
                    continue;
                }
                let (stem, open) = match (arc.opens, arc.closes) {
                    (true, _) => (needed, needed),
                    (false, true) => (open, NOTHING),
                    (false, false) => (ANY, open),
                };
                let symbols = self.symbols(number, stem);
                let event = symbols.iter().map(|&symbol| self.costs.of(here, Some(symbol))).min();
                // Of a kind that the trace does not have at all.
                if event.is_none() && !arc.is_named && stem >= NOTHING {
                    continue;
                }
                let event = event.unwrap_or_else(|| self.costs.of(here, None).max(self.costs.unheard_of()));
                let cost = cost + UNDECLARED + event;
                for to in arc.to.iter() {
                    let mut steps = steps.clone();
                    steps.push((number, stem));
                    nodes.push(Node { state: to, open, steps });
                    heap.push(Reverse((cost, nodes.len() - 1)));
                }
            }
        }
        hypotheses.sort_by_key(|(_, cost)| *cost);
        let (best, least) = hypotheses.first()?;
        let weight = |cost: Cost| (-f64::from(cost - least) / 1000.0).exp();
        let all =
            hypotheses.iter().map(|(_, cost)| weight(*cost)).sum::<f64>() + REST_OF_ALL * best.len() as f64;
        let steps = best.iter().enumerate().map(|(position, step)| {
            let holds = hypotheses.iter().filter(|(hypothesis, _)| hypothesis.get(position) == Some(step));
            (step.0, step.1, holds.map(|(_, cost)| weight(*cost)).sum::<f64>() / all)
        });
        let others = best.iter().enumerate().map(|(position, step)| {
            let others =
                hypotheses.iter().filter_map(|(hypothesis, cost)| Some((hypothesis.get(position)?, *cost)));
            let others = others.filter(|(other, _)| *other != step);
            others.map(|(other, cost)| (other.0, other.1, weight(cost) / all)).collect()
        });
        let others = others.collect();
        Some(Path { steps: steps.collect(), others, is_only: is_all && hypotheses.len() == 1 })
    }

    /// The events seen in this trace that a lost one could be.
    pub(crate) fn symbols(&self, arc: usize, stem: u32) -> Vec<u32> {
        let known = self.arc_symbols.get(arc).map_or(&[][..], |known| known);
        let fits = known.iter().filter(|(_, of)| stem == ANY || *of == stem);
        fits.map(|(symbol, _)| *symbol).collect()
    }

    /// The names that a lost event can have, the most probable first, with their shares.
    pub(crate) fn names(
        &self,
        shared: &Shared,
        machine: &Machine,
        arc: usize,
        stem: u32,
    ) -> Vec<(String, f64)> {
        let Some(lost) = self.rules.lost.get(arc) else { return Vec::new() };
        let mut counted: Vec<(u32, u32)> = Vec::new();
        for symbol in self.symbols(arc, stem) {
            counted.push((self.costs.times(lost.from, symbol) + 1, symbol));
        }
        counted.sort_by_key(|&(times, symbol)| (std::cmp::Reverse(times), symbol));
        let all: u32 = counted.iter().map(|(times, _)| times).sum();
        let mut names: Vec<(String, f64)> = counted
            .into_iter()
            .map(|(times, symbol)| {
                (shared.name(model::Symbol(symbol)).to_owned(), f64::from(times) / f64::from(all.max(1)))
            })
            .collect();
        if names.is_empty() {
            // Of a kind that the trace does not have otherwise: as the model calls it.
            let transition =
                machine.states.get(lost.from).and_then(|state| state.transitions.get(lost.index));
            let pattern = transition.and_then(|transition| transition.events.names.first());
            if let Some(pattern) = pattern
                && (!pattern.contains('*') || stem < NOTHING)
            {
                let stem = if stem < NOTHING { shared.stems.name(model::Symbol(stem)) } else { "" };
                names.push((pattern.replacen('*', stem, 1), 1.0));
            }
        }
        names
    }

    /// Reports the events of a path: all in the same time, in this order.
    pub(crate) fn report_path(&self, shared: &mut Shared, machine: &Machine, path: &Path, about: &About<'_>) {
        let Some(key) = self.instances.get(about.ix).map(|one| one.key) else { return };
        let count = path.steps.len() as i128 + 1;
        for ((position, &(arc, stem, probability)), others) in (1i128..).zip(&path.steps).zip(&path.others) {
            let mut names = self.names(shared, machine, arc, stem).into_iter();
            let Some((name, share)) = names.next() else { continue };
            let others = others.iter().flat_map(|&(arc, stem, probability)| {
                let names = self.names(shared, machine, arc, stem).into_iter();
                names.map(move |(name, share)| (name, probability * share))
            });
            let others = names.map(|(name, share)| (name, probability * share)).chain(others);
            let names = ranked(&name, others.map(|(name, probability)| (name, probability * about.share)));
            let part = self.rules.lost.get(arc).map(|arc| arc.part);
            let cpu = match (part, key) {
                (Some(Part::Cpu), Name::Number(number)) => u32::try_from(number).ok(),
                _ if self.carried.is_on() && about.window.is_none() => {
                    let symbol = shared.by_name.get(&name).copied().unwrap_or(u32::MAX);
                    self.carried.cpu((about.ix, symbol, about.has_next), about.cpu)
                }
                _ => about.cpu,
            };
            let (from, to) = (i128::from(about.from), i128::from(about.to));
            let at = from + (to - from) / count * position;
            let is_sure = path.is_only && share >= 1.0 && about.share >= 1.0;
            let probability = if is_sure { 1.0 } else { probability * share * about.share };
            let mut fields = self.path_fields(shared, machine, (arc, &name), key, probability);
            if let Some(&symbol) = shared.by_name.get(&name) {
                for (slot, value, share) in self.carried.fields(shared, (about.ix, symbol, about.has_next)) {
                    let field = shared.facts.name(slot);
                    let has =
                        self.rules.plan(symbol).is_some_and(|plan| plan.parts.contains(&Part::Field(slot)));
                    if !has && fields.iter().all(|known| known.name != field) {
                        fields.push(InferredField::new(field, Some(value), probability * share));
                    }
                }
            }
            shared.windows.spend(about.window);
            let machine = shared.called.machine(self.rules.index);
            let instance = shared.world.texts.show_name(key);
            let (from, to) = (Timestamp(about.from), Timestamp(about.to));
            shared.inferred.push(InferredEvent {
                key: EventKey { name, machine, instance, from, to, rank: 0 },
                original_key: None,
                time: Timestamp(at as i64),
                names,
                cpu,
                fields,
                probability: Some(probability),
                is_only_explanation: is_sure,
                reason: Some(about.reason.to_owned()),
                inconsistency: about.incoherence,
                window: about.window,
                group: None,
            });
        }
    }

    /// What a lost event of one instance carried: its key, and what the tests of the transition say.
    fn path_fields(
        &self,
        shared: &Shared,
        machine: &Machine,
        (arc, name): (usize, &str),
        key: Name,
        probability: f64,
    ) -> Vec<InferredField> {
        let Some(lost) = self.rules.lost.get(arc) else { return Vec::new() };
        let field = |name: &str, value| InferredField::new(name, value, probability);
        let mut fields = Vec::new();
        if let Part::Field(slot) = lost.part {
            fields.push(field(shared.facts.name(slot), Some(shared.scalar(self.pairs.own(key)))));
        }
        let within = shared.by_name.get(name).and_then(|symbol| self.rules.plan(*symbol)?.within);
        if let Some((slot, within)) = within.zip(self.pairs.within(key)) {
            fields.push(field(shared.facts.name(slot), Some(shared.scalar(within))));
        }
        let Some(transition) = machine.states.get(lost.from).and_then(|s| s.transitions.get(lost.index))
        else {
            return fields;
        };
        let symbol = shared.by_name.get(name);
        let plan = symbol.and_then(|symbol| self.rules.plan(*symbol));
        for (slot, values) in plan.into_iter().flat_map(|plan| &plan.values) {
            let asked = transition.tests.iter().filter_map(|test| self.rules.test(*test));
            let asked: Vec<_> = asked.filter(|ask| ask.is_about(*slot)).collect();
            if asked.is_empty() {
                continue;
            }
            let fits = |value: i64| {
                let known = |other: usize| (other == *slot).then_some(Some(Value::Long(value)));
                asked.iter().all(|ask| ask.holds(&shared.world.texts, &known, &|_| None) != Some(false))
            };
            let mut reported = field(shared.facts.name(*slot), None);
            choose(&mut reported, probability, values, &fits);
            fields.push(reported);
        }
        // What a test demands needs not have been seen.
        for test in transition.tests.iter().filter_map(|test| shared.test(*test)) {
            demanded(test, &mut |name, value| match fields.iter_mut().find(|field| field.name == name) {
                Some(known) if known.value.is_none() => *known = field(name, Some(value)),
                Some(_) => {}
                None => fields.push(field(name, Some(value))),
            });
        }
        fields
    }

    /// How often a state was left by an event of this name to one of these states.
    pub(crate) fn often(&self, state: usize, row: u32) -> u32 {
        let states = self.rules.states.max(1);
        self.flows.get(row as usize * states + state).copied().unwrap_or(0)
    }
}

/// The fields that a condition says the value of.
fn demanded(condition: &Condition, found: &mut dyn FnMut(&str, Scalar)) {
    match condition {
        Condition::Compare { left: Operand::Field(field), comparison: Comparison::Equal, right } => {
            let value = match &right.source {
                ValueSource::Int(number) => Scalar::Number(i64::from(*number)),
                ValueSource::Long(number) => Scalar::Number(*number),
                ValueSource::Text(text) => Scalar::Text(text.clone()),
                _ => return,
            };
            found(field, value);
        }
        Condition::All(parts) => parts.iter().for_each(|part| demanded(part, found)),
        _ => {}
    }
}
