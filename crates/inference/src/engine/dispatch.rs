//! Which scenarios an event goes to, and whether a transition of one fits it.

use std::collections::HashMap;
use std::rc::Rc;

use model::machine::Machine;
use model::machine::Pattern;

use super::Engine;
use crate::program::{Candidate, Plan};
use crate::scenario::{Scenario, Status};
use crate::value::Name;
use crate::world::{Asker, Input};

impl Engine {
    pub(super) fn make_pending(&mut self, position: usize, input: &Input<'_>) {
        let Some(running) = self.machines.get_mut(position) else { return };
        let Some(machine) = self.pattern.machines.get(running.index) else { return };
        if running.pending.is_some() || (running.has_started && !machine.multiple) {
            return;
        }
        running.has_started = true;
        let number = running.numbers.take();
        let node = self.world.states.child(running.node, Name::Number(i64::from(number)));
        let scenario = Scenario {
            machine: u32::try_from(running.index).unwrap_or(u32::MAX),
            number,
            node,
            key_node: self.world.states.child(node, self.words.attribute),
            state: u32::try_from(machine.initial).unwrap_or(u32::MAX),
            status: Status::Pending,
            started: self.last_time,
            key: None,
            previous: None,
            entered: Vec::new(),
            counts: HashMap::default(),
            waiting: Vec::new(),
            is_cited: false,
            certainty: match (self.options.history, self.first_time) {
                (true, Some(first)) => vec![(first, false)],
                _ => Vec::new(),
            },
        };
        let initial = scenario.state;
        let index = self.scenarios.add(scenario);
        running.pending = Some(index);
        if !self.options.by_key {
            self.enter(index, initial, input.time, true);
        }
    }

    pub(super) fn dispatch(&mut self, pattern: &Pattern, position: usize, input: &Input<'_>) {
        let Some(running) = self.machines.get(position) else { return };
        let Some(machine) = pattern.machines.get(running.index) else { return };
        let Some(Some(plan)) = running.plans.get(input.event.symbol.0 as usize) else { return };
        let plan = Rc::clone(plan);
        if self.options.by_key {
            self.dispatch_by_key(machine, position, &plan, input);
        } else if plan.concerns {
            self.dispatch_to_all(machine, position, &plan, input);
        }
    }

    pub(super) fn dispatch_to_all(
        &mut self,
        machine: &Machine,
        position: usize,
        plan: &Plan,
        input: &Input<'_>,
    ) {
        if !self.preconditions_hold(machine, position, input) {
            return;
        }
        let live = self.machines.get(position).map_or_else(Vec::new, |running| running.live.clone());
        let mut taken = false;
        for scenario in live {
            taken |= self.handle(machine, position, scenario, plan, input, false);
            if taken && machine.consuming {
                return;
            }
        }
        if let Some(pending) = self.machines.get(position).and_then(|running| running.pending) {
            self.handle(machine, position, pending, plan, input, false);
        }
    }

    pub(super) fn dispatch_by_key(
        &mut self,
        machine: &Machine,
        position: usize,
        plan: &Plan,
        input: &Input<'_>,
    ) {
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        if let Some(running) = self.machines.get(position) {
            running.keys.read(plan.rule, (&self.program, &mut self.world), input, &mut keys);
        }
        let (mut taken, count) = (0, keys.len());
        for key in &keys {
            let found = self.machines.get(position).and_then(|running| running.active.get(key).copied());
            if let Some(scenario) = found {
                let is_checked = self.is_checking && taken != count;
                taken += usize::from(self.handle(machine, position, scenario, plan, input, is_checked));
            }
        }
        let pending = self.machines.get(position).and_then(|running| running.pending);
        if let Some(pending) = pending
            && count > 0
            && plan.concerns
            && !(machine.consuming && taken > 0)
            && (machine
                .states
                .get(machine.initial)
                .is_some_and(|state| state.id == model::machine::fsm::INITIAL)
                || self.preconditions_hold(machine, position, input))
        {
            let is_checked = self.is_checking && taken != count;
            self.handle(machine, position, pending, plan, input, is_checked);
        }
        self.keys = keys;
    }

    pub(super) fn preconditions_hold(
        &mut self,
        machine: &Machine,
        position: usize,
        input: &Input<'_>,
    ) -> bool {
        if machine.preconditions.is_empty() {
            return true;
        }
        let name = self.world.texts.get(input.name).to_owned();
        let Some(pending) = self.machines.get(position) else { return false };
        let scenario = pending.pending.and_then(|index| self.scenarios.get(index));
        let (node, key) = scenario.map_or((pending.node, pending.node), |s| (s.node, s.key_node));
        machine.preconditions.iter().any(|precondition| {
            precondition.events.matches(&name)
                && precondition.tests.iter().all(|test| {
                    let asker = Asker { node, key, state: input.name, started: input.time, entered: &[] };
                    let question = self.program.tests.get(*test);
                    question.is_some_and(|question| self.world.holds(&self.program, question, input, &asker))
                })
        })
    }

    /// Whether all tests of a transition hold for a scenario.
    pub(super) fn fits(&mut self, scenario: u32, tests: &[usize], input: &Input<'_>) -> bool {
        let Some(state) = self.scenarios.get(scenario) else { return false };
        let names = self.state_names.get(state.machine as usize);
        let asker = Asker {
            node: state.node,
            key: state.key_node,
            state: names.and_then(|names| names.get(state.state as usize)).copied().unwrap_or(input.name),
            started: state.started,
            entered: &state.entered,
        };
        let about = (self.ordinal, scenario);
        self.memo.all_hold(about, (&self.program, &mut self.world), tests, input, &asker)
    }

    pub(super) fn first_fit(
        &mut self,
        machine: &Machine,
        scenario: u32,
        state: u32,
        plan: &Plan,
        input: &Input<'_>,
    ) -> Option<Candidate> {
        let transitions = &machine.states.get(state as usize)?.transitions;
        let candidates = plan.states.get(state as usize)?;
        candidates.iter().copied().find(|candidate| {
            let transition = transitions.get(candidate.transition as usize);
            transition.is_some_and(|transition| self.fits(scenario, &transition.tests, input))
        })
    }
}
