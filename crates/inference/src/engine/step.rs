//! What an event does to one scenario: checked, taken, bound to its instance, ended.

use model::Timestamp;
use model::machine::Machine;

use super::Engine;
use crate::coherence::Incoherence;
use crate::model::Inconsistency;
use crate::program::{Candidate, Plan};
use crate::scenario::Status;
use crate::value::{Name, Value};
use crate::world::{Asker, Input};

impl Engine {
    /// Gives an event to a scenario; whether it took it.
    pub(super) fn handle(
        &mut self,
        machine: &Machine,
        position: usize,
        scenario: u32,
        plan: &Plan,
        input: &Input<'_>,
        is_checked: bool,
    ) -> bool {
        let Some(state) = self.scenarios.get(scenario).map(|scenario| scenario.state) else { return false };
        let mut taken = false;
        if plan.concerns {
            if let Some(candidate) = self.first_fit(machine, scenario, state, plan, input) {
                self.take(machine, position, scenario, candidate, input);
                taken = true;
            } else if is_checked {
                taken = self.check(machine, position, scenario, plan, input);
            }
        }
        if let Some(scenario) = self.scenarios.get_mut(scenario) {
            scenario.previous = Some(input.time);
        }
        taken
    }

    /// No transition of the current state fits: is there another state that would have taken the
    /// event? Whether `#error` took it.
    pub(super) fn check(
        &mut self,
        machine: &Machine,
        position: usize,
        scenario: u32,
        plan: &Plan,
        input: &Input<'_>,
    ) -> bool {
        let Some(state) = self.scenarios.get(scenario).map(|scenario| scenario.state) else { return false };
        let mut possible = std::mem::take(&mut self.possible);
        possible.clear();
        for (other, candidates) in (0u32..).zip(&plan.states) {
            if other == state || candidates.is_empty() {
                continue;
            }
            let Some(transitions) = machine.states.get(other as usize).map(|state| &state.transitions) else {
                continue;
            };
            for candidate in candidates {
                if let Some(transition) = transitions.get(candidate.transition as usize)
                    && self.fits(scenario, &transition.tests, input)
                {
                    possible.push((other, candidate.transition));
                }
            }
        }
        let found = (!possible.is_empty()).then(|| possible.clone());
        self.possible = possible;
        let Some(possible) = found else { return false };
        let Some(known) = self.scenarios.get_mut(scenario) else { return false };
        let (index, from) = (known.machine as usize, state as usize);
        let mut accepted_by: Vec<u32> = possible.iter().map(|(state, _)| *state).collect();
        accepted_by.dedup();
        let found = Inconsistency {
            machine: self.called.machine(index),
            instance: known.key.map_or_else(String::new, |key| self.world.texts.show_name(key)),
            time: Timestamp(input.time),
            event: self.world.texts.shared(input.name),
            ordinal: self.ordinal,
            cpu: input.event.cpu,
            states: vec![self.called.state(index, from)],
            accepted_by: accepted_by
                .into_iter()
                .map(|state| self.called.state(index, state as usize))
                .collect(),
            previous: known.previous.map(Timestamp),
            window: None,
            sentence: None,
            is_explained: false,
        };
        let incoherence = Incoherence { found, machine: index, state: from, possible, scenario };
        if known.key.is_some() {
            known.is_cited = true;
            self.incoherences.push(incoherence);
        } else {
            known.waiting.push(incoherence);
        }
        let Some(error) = machine.error.and_then(|error| u32::try_from(error).ok()) else { return false };
        self.enter(scenario, error, input.time, true);
        match self.first_fit(machine, scenario, error, plan, input) {
            Some(candidate) => {
                self.take(machine, position, scenario, candidate, input);
                true
            }
            None => false,
        }
    }

    /// Takes a transition of the state in which the scenario is.
    pub(super) fn take(
        &mut self,
        machine: &Machine,
        position: usize,
        scenario: u32,
        candidate: Candidate,
        input: &Input<'_>,
    ) {
        let Some(known) = self.scenarios.get_mut(scenario) else { return };
        let transition = machine.states.get(known.state as usize);
        let transition = transition.and_then(|state| state.transitions.get(candidate.transition as usize));
        let Some(transition) = transition else { return };
        *known.counts.entry(candidate.arc).or_insert(0) += 1;
        if let Some(count) = self.counts.get_mut(candidate.arc as usize) {
            *count += 1;
        }
        if known.status == Status::Pending {
            known.started = input.time;
        }
        if transition.saves_fields {
            self.world.store(&self.program, input, known.node, true);
        }
        let names = self.state_names.get(known.machine as usize);
        let asker = Asker {
            node: known.node,
            key: known.key_node,
            state: names.and_then(|names| names.get(known.state as usize)).copied().unwrap_or(input.name),
            started: known.started,
            entered: &known.entered,
        };
        for action in &transition.actions {
            if let Some(effects) = self.program.actions.get(*action) {
                self.world.act(&self.program, effects, input, &asker);
            }
        }
        if transition.is_broken {
            return;
        }
        if transition.clears_fields {
            self.world.store(&self.program, input, known.node, false);
        }
        // The original means events that leave only one state possible; as it works, every
        // transition that names its events counts as such (notes, part 2.5).
        if self.options.history && !transition.events.is_any() {
            known.certainty.push((input.time, true));
        }
        let is_first = known.status == Status::Pending;
        known.status = match Some(transition.target) {
            target if target == machine.last => Status::Matched,
            target if target == machine.abandon => Status::Abandoned,
            _ => Status::InProgress,
        };
        let is_over = matches!(known.status, Status::Matched | Status::Abandoned);
        let target = u32::try_from(transition.target).unwrap_or(u32::MAX);
        let (node, is_other) = (known.node, known.state != target);
        if self.options.by_key {
            self.enter(scenario, target, input.time, true);
        }
        if is_first {
            self.bind(position, scenario);
        }
        if is_over {
            self.world.recycle(node, input.time);
        }
        if !self.options.by_key {
            // How it ended is all that stays of a scenario, until its number is used again.
            self.enter(scenario, target, input.time, is_other || is_over);
        }
        if is_over {
            self.end(position, scenario);
        }
    }

    /// Puts a scenario into a state; `is_other` unless it was in it before.
    pub(super) fn enter(&mut self, scenario: u32, state: u32, time: i64, is_other: bool) {
        let Some(known) = self.scenarios.get_mut(scenario) else { return };
        known.state = state;
        let name = self.state_names.get(known.machine as usize).and_then(|names| names.get(state as usize));
        let Some(&name) = name else { return };
        if self.program.asks_entered && is_other {
            match known.entered.iter_mut().find(|(entered, _)| *entered == name) {
                Some((_, at)) => *at = time,
                None => known.entered.push((name, time)),
            }
        }
        if self.options.history || self.program.reads_scenarios {
            let (world, words) = (&mut self.world.states, &self.words);
            let status = world.child(known.node, words.status);
            world.set(status, time, Value::Int(known.status as i32));
            if self.options.by_key || known.status == Status::InProgress {
                let start = world.child(known.node, words.start_time);
                world.set(start, time, Value::Long(known.started));
            }
            let position = world.child(known.node, words.state);
            world.set(position, time, Value::Text(name));
            if is_other {
                let position = world.child(position, Name::Text(name));
                let position = world.child(position, words.start_time);
                world.set(position, time, Value::Long(time));
            }
        }
    }

    /// A scenario took its first transition: from now on it is about an instance.
    pub(super) fn bind(&mut self, position: usize, scenario: u32) {
        let Some(running) = self.machines.get_mut(position) else { return };
        running.pending = None;
        running.live.push(scenario);
        self.scenarios.started += 1;
        let Some(known) = self.scenarios.get_mut(scenario) else { return };
        let value = self.world.states.value(known.key_node);
        let key = self.world.texts.name_of(value).unwrap_or(Name::Number(-1));
        known.key = Some(key);
        if self.options.by_key {
            running.active.insert(key, scenario);
        }
        for incoherence in std::mem::take(&mut known.waiting) {
            known.is_cited = true;
            let instance = self.world.texts.show_name(key);
            let found = Inconsistency { instance, ..incoherence.found };
            self.incoherences.push(Incoherence { found, ..incoherence });
        }
    }

    /// A scenario came to its end.
    pub(super) fn end(&mut self, position: usize, scenario: u32) {
        let Some(running) = self.machines.get_mut(position) else { return };
        let Some(known) = self.scenarios.get(scenario) else { return };
        running.live.retain(|other| *other != scenario);
        if let Some(key) = known.key
            && running.active.get(&key) == Some(&scenario)
        {
            running.active.remove(&key);
        }
        running.numbers.give_back(known.number);
        self.scenarios.end(scenario);
    }
}
