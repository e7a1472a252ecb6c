//! From state to state without anybody seeing it: by events that were lost, or that are not recorded everywhere.

use model::machine::{KeySource, Machine, Transition};

use crate::estimate::instances::shared::Shared;
use crate::state_machines::facts::{Facts, Kind};
use crate::state_machines::plan::{LostArc, Part};
use crate::state_machines::rules::Rules;
use crate::state_machines::state_estimate::StateEstimate;
use crate::state_set::StateSet;
use crate::value::Texts;

impl Rules {
    /// Where an instance may be when events happened to it that are not recorded everywhere, and
    /// that the trace never had.
    pub(crate) fn silently(
        &self,
        estimate: StateEstimate,
        machine: &Machine,
        shared: &Shared,
    ) -> Option<StateEstimate> {
        let mut set = estimate.set;
        loop {
            let mut wider = set;
            for arc in &self.lost {
                let transition =
                    machine.states.get(arc.from).and_then(|state| state.transitions.get(arc.index));
                let is_unseen = transition.is_some_and(|transition| {
                    transition.optional
                        && !transition.events.is_any()
                        && !shared
                            .names
                            .iter()
                            .flatten()
                            .any(|name| transition.events.matches(shared.world.texts.get(*name)))
                });
                if set.has(arc.from) && is_unseen {
                    wider = wider.or(arc.to);
                }
            }
            if !wider.and(self.shape.ends).is_empty() {
                wider = wider.or(self.shape.unknown());
            }
            if wider == set {
                break;
            }
            set = wider;
        }
        (set != estimate.set)
            .then_some(StateEstimate { set, open: crate::state_machines::state_estimate::ANY })
    }

    /// Where an instance may run after anything that others did to it while it did not.
    pub(crate) fn unseen_until_it_runs(&self, estimate: StateEstimate) -> StateEstimate {
        let on = self.shape.stays;
        let mut set = estimate.set;
        loop {
            let arcs = self.lost.iter();
            let arcs = arcs
                .filter(|arc| matches!(arc.part, Part::Field(_)) && set.has(arc.from) && !on.has(arc.from));
            let wider = arcs.fold(set, |wider, arc| wider.or(arc.to));
            if wider == set {
                break;
            }
            set = wider;
        }
        let running = set.and(on);
        match running.is_empty() {
            true => StateEstimate::of(on),
            false => StateEstimate { set: running, open: estimate.open },
        }
    }

    /// Where events that name an instance lead it from a set of states.
    pub(crate) fn ready_after(&self, set: StateSet) -> StateSet {
        let arcs = self.lost.iter().filter(|arc| matches!(arc.part, Part::Field(_)) && set.has(arc.from));
        arcs.fold(StateSet::default(), |all, arc| all.or(arc.to))
    }

    /// All ways from state to state.
    pub(crate) fn lost_arcs(&self, machine: &Machine, facts: &mut Facts, texts: &Texts) -> Vec<LostArc> {
        let mut found = Vec::new();
        for (from, state) in machine.states.iter().enumerate() {
            if state.id == model::machine::fsm::ERROR {
                continue;
            }
            for (index, transition) in state.transitions.iter().enumerate() {
                let first = transition.events.names.first().map_or("", |name| name);
                let rules = machine.keys.iter().flatten();
                let Some(rule) = rules.into_iter().find(|rule| rule.events.matches(first)) else { continue };
                for source in &rule.sources {
                    let part = match source {
                        KeySource::Field(name) => Part::Field(facts.slot(name, Kind::Asked)),
                        KeySource::Cpu => Part::Cpu,
                        KeySource::RunningThread => Part::Runs,
                    };
                    if self.may_fit(transition, part, texts) {
                        let to = self.shape.expand(transition.target);
                        let (opens, closes) = (transition.opens, transition.closes);
                        let is_named = !first.contains('*');
                        found.push(LostArc { from, to, part, index, opens, closes, is_named });
                    }
                }
            }
        }
        found
    }

    fn may_fit(&self, transition: &Transition, part: Part, texts: &Texts) -> bool {
        let own = |slot: usize| Some(part == Part::Field(slot) || !matches!(part, Part::Field(_)));
        transition.tests.iter().all(|test| {
            let ask = self.tests.get(*test);
            ask.is_none_or(|ask| ask.holds(texts, &|_| None, &own) != Some(false))
        })
    }
}
