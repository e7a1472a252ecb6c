//! Which events are missing before an incoherent one, and when they may have been.

use std::collections::HashMap;

use model::{EventKey, Symbol, Timestamp};

use super::content::{Content, Reader};
use super::graph::{Arc, Graph, expression};
use super::java_order::{arc_hash, order};
use crate::engine::Engine;
use crate::model::InferredEvent;
use crate::scenario::Scenario;

/// An event that was concluded to be missing, and from what.
#[derive(Debug, Clone, PartialEq)]
pub struct Inferred {
    /// The event, without its fields. Its name may be an expression that several names fit.
    pub event: InferredEvent,
    /// The machine, an index into those of the pattern.
    pub machine: usize,
    /// The state that it leaves and the one that it leads to.
    pub states: (usize, usize),
    /// What it carries, if the engine kept history.
    pub content: Content,
}

/// What was chosen for one incoherence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// The states that would have taken the incoherent event, in the order of the original.
    pub possible: Vec<usize>,
    /// The state that must be reached again: the way starts here.
    pub target: usize,
    /// The source of the transition that takes the incoherent event.
    pub from: usize,
    /// Its target.
    pub to: usize,
}

/// All that was concluded.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Inference {
    /// The events, by time.
    pub events: Vec<Inferred>,
    /// What was chosen, for each incoherence of the engine.
    pub chosen: Vec<Option<Chosen>>,
}

/// Infers by the rules of the original.
pub fn infer(engine: &Engine) -> Inference {
    let mut inference = Inference { events: Vec::new(), chosen: vec![None; engine.incoherences.len()] };
    let symbols = engine.symbols_by_name();
    for &machine in &engine.pattern.started {
        infer_machine(engine, machine, &symbols, &mut inference);
    }
    inference.events.sort_by_key(|inferred| inferred.event.time);
    inference
}

/// How often an arc was taken: by this scenario, by any.
struct Statistics<'a> {
    engine: &'a Engine,
}

impl Statistics<'_> {
    fn counts(&self, arc: &Arc, scenario: Option<&Scenario>) -> (Option<u32>, Option<u32>) {
        let Some(id) = arc.count else { return (None, None) };
        let local = scenario.and_then(|scenario| scenario.counts.get(&id).copied());
        let global = self.engine.counts.get(id as usize).copied().filter(|count| *count > 0);
        (local, global)
    }

    fn weight(&self, arc: &Arc, scenario: Option<&Scenario>) -> f32 {
        let (local, global) = self.counts(arc, scenario);
        1.0 / local.or(global).unwrap_or(1) as f32
    }

    /// The most frequent of the transitions that would have taken an event.
    fn best<'p>(&self, possible: &'p [Arc], scenario: Option<&Scenario>) -> Option<&'p Arc> {
        let mut best: Option<(&Arc, Option<u32>, Option<u32>)> = None;
        for arc in possible {
            let (local, global) = self.counts(arc, scenario);
            let wins = match (local, global, best) {
                (_, _, None) => true,
                (Some(local), _, Some((_, Some(best), _))) => local > best,
                (None, Some(global), Some((_, _, best))) => best.is_none_or(|best| global > best),
                _ => false,
            };
            if wins {
                best = Some((arc, local, global));
            }
        }
        best.map(|(arc, _, _)| arc)
    }
}

fn infer_machine(engine: &Engine, index: usize, symbols: &HashMap<&str, Symbol>, inference: &mut Inference) {
    let Some(machine) = engine.pattern.machines.get(index) else { return };
    let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let count = |source: usize, target: usize, event: &str| {
        let symbol = *symbols.get(event)?;
        engine.arcs.find((narrow(index), narrow(source), narrow(target), symbol))
    };
    let graph = Graph::new(machine, count);
    let statistics = Statistics { engine };
    let reader = Reader::new(engine);
    let state_name = |state: usize| machine.states.get(state).map_or("", |state| &*state.id);
    // The incoherence before this one, and the state in which its inferred way ended.
    let mut before: Option<(Timestamp, usize)> = None;
    for (number, incoherence) in engine.incoherences.iter().enumerate() {
        if incoherence.machine != index {
            continue;
        }
        let scenario = engine.scenarios.get(incoherence.scenario);
        let mut possible: Vec<Arc> = Vec::new();
        let mut by_rank = incoherence.possible.clone();
        by_rank.sort_by_key(|(state, _)| graph.rank.get(*state as usize).copied());
        for (state, transition) in by_rank {
            let (source, transition) = (state as usize, transition as usize);
            let found = machine.states.get(source).and_then(|state| state.transitions.get(transition));
            let Some(found) = found else { continue };
            let event = expression(found.events.matching(&incoherence.found.event).unwrap_or(""));
            let count = count(source, found.target, &event);
            let arc = Arc { source, target: found.target, event, transition, count };
            if !possible.iter().any(|other| other.is_same(&arc)) {
                possible.push(arc);
            }
        }
        order(&mut possible, |arc| arc_hash(state_name(arc.target), state_name(arc.source), &arc.event));
        let target = match before {
            Some((time, state)) if incoherence.found.previous == Some(time) => state,
            _ => incoherence.state,
        };
        let Some(last) = statistics.best(&possible, scenario) else { continue };
        let path = graph.cheapest(target, last.source, |arc| statistics.weight(arc, scenario));
        if let Some(position) = inference.chosen.get_mut(number) {
            *position = Some(Chosen {
                possible: possible.iter().map(|arc| arc.source).collect(),
                target,
                from: last.source,
                to: last.target,
            });
        }
        before = Some((incoherence.found.time, last.target));
        let from =
            incoherence.found.previous.or(engine.first_time.map(Timestamp)).unwrap_or(incoherence.found.time);
        let count = i64::try_from(path.len()).unwrap_or(i64::MAX - 1);
        let step = incoherence.found.time.0.saturating_sub(from.0) / (count + 1);
        for (rank, arc) in (1i64..).zip(path) {
            let event = InferredEvent {
                key: EventKey {
                    name: arc.event.clone(),
                    machine: incoherence.found.machine.clone(),
                    instance: incoherence.found.instance.clone(),
                    from,
                    to: incoherence.found.time,
                    rank: u32::try_from(rank).unwrap_or(u32::MAX),
                },
                original_key: None,
                time: Timestamp(from.0.saturating_add(step.saturating_mul(rank))),
                names: Vec::new(),
                cpu: incoherence.found.cpu,
                fields: Vec::new(),
                probability: None,
                is_only_explanation: false,
                reason: None,
                inconsistency: Some(number),
                window: None,
                group: None,
            };
            inference.events.push(Inferred {
                event,
                machine: index,
                states: (arc.source, arc.target),
                content: reader.content(machine, arc, incoherence, from),
            });
        }
    }
}
