//! A machine as a graph of states, and the cheapest way through it.

use model::machine::Machine;

use super::java_order::{arc_hash, order, string_hash};

/// An arc: one transition for one of its event names. Wildcards are written as the regular
/// expressions that the original makes of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Arc {
    pub(super) source: usize,
    pub(super) target: usize,
    pub(super) event: String,
    /// Its index among the transitions of the source.
    pub(super) transition: usize,
    /// Its place in the statistics. Counts are kept under real names, so that an arc with a
    /// wildcard never has one.
    pub(super) count: Option<u32>,
}

impl Arc {
    /// Two rows with the same ends and the same event are one arc to the original.
    pub(super) fn is_same(&self, other: &Arc) -> bool {
        (self.source, self.target, &self.event) == (other.source, other.target, &other.event)
    }
}

/// The arcs into each state, in the order in which the original sees them.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) incoming: Vec<Vec<Arc>>,
    /// The place of each state in the original's table of states.
    pub(super) rank: Vec<usize>,
}

/// The regular expression that the original makes of an event name.
pub(super) fn expression(name: &str) -> String {
    name.replace('*', ".*")
}

impl Graph {
    /// `count` says where the count of (source, target, event) stands.
    pub(super) fn new(machine: &Machine, count: impl Fn(usize, usize, &str) -> Option<u32>) -> Graph {
        let mut by_hash: Vec<usize> = (0..machine.states.len()).collect();
        let name = |index: usize| machine.states.get(index).map_or("", |state| &*state.id);
        order(&mut by_hash, |index| string_hash(name(*index)));
        let mut rank = vec![0; machine.states.len()];
        let mut incoming: Vec<Vec<Arc>> = vec![Vec::new(); machine.states.len()];
        for (position, &source) in by_hash.iter().enumerate() {
            if let Some(rank) = rank.get_mut(source) {
                *rank = position;
            }
            let transitions = machine.states.get(source).map_or(&[][..], |state| &state.transitions);
            for (number, transition) in transitions.iter().enumerate() {
                let Some(arcs) = incoming.get_mut(transition.target) else { continue };
                for event in &transition.events.names {
                    let event = expression(event);
                    let count = count(source, transition.target, &event);
                    let arc = Arc { source, target: transition.target, event, transition: number, count };
                    if !arcs.iter().any(|other| other.is_same(&arc)) {
                        arcs.push(arc);
                    }
                }
            }
        }
        for arcs in &mut incoming {
            order(arcs, |arc| arc_hash(name(arc.target), name(arc.source), &arc.event));
        }
        Graph { incoming, rank }
    }

    /// The cheapest way from `from` forward to `to`: Dijkstra's search, run backwards from `to`
    /// until `from` is settled. Of equal ways the one that was found first. Empty if there is none,
    /// or if both are the same.
    pub(super) fn cheapest(&self, from: usize, to: usize, weight: impl Fn(&Arc) -> f32) -> Vec<&Arc> {
        let mut distance = vec![f32::INFINITY; self.incoming.len()];
        let mut next: Vec<Option<&Arc>> = vec![None; self.incoming.len()];
        let mut settled = vec![false; self.incoming.len()];
        let mut open = vec![to];
        if let Some(distance) = distance.get_mut(to) {
            *distance = 0.0;
        }
        let far = |distance: &[f32], state: usize| distance.get(state).copied().unwrap_or(f32::INFINITY);
        while !open.is_empty() {
            let mut best = 0;
            for (position, &state) in open.iter().enumerate() {
                if open.get(best).is_some_and(|&known| far(&distance, state) < far(&distance, known)) {
                    best = position;
                }
            }
            let state = open.remove(best);
            if let Some(settled) = settled.get_mut(state) {
                *settled = true;
            }
            if state == from {
                break;
            }
            for arc in self.incoming.get(state).into_iter().flatten() {
                if settled.get(arc.source).copied().unwrap_or(true) {
                    continue;
                }
                let through = far(&distance, state) + weight(arc);
                if through < far(&distance, arc.source) {
                    if !open.contains(&arc.source) {
                        open.push(arc.source);
                    }
                    if let (Some(distance), Some(next)) =
                        (distance.get_mut(arc.source), next.get_mut(arc.source))
                    {
                        *distance = through;
                        *next = Some(arc);
                    }
                }
            }
        }
        let mut path = Vec::new();
        let mut state = from;
        while state != to
            && let Some(Some(arc)) = next.get(state).copied()
        {
            path.push(arc);
            state = arc.target;
        }
        path
    }
}
