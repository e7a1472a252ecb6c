//! The names of machines and states, shared by all that mentions them.

use std::sync::Arc;

use model::machine::Pattern;

use crate::state_set::StateSet;

#[derive(Debug)]
pub(super) struct Names {
    machines: Vec<Arc<str>>,
    states: Vec<Vec<Arc<str>>>,
}

impl Names {
    pub(super) fn new(pattern: &Pattern) -> Names {
        let machines = &pattern.machines;
        let states = machines.iter().map(|machine| machine.states.iter().map(|state| (*state.id).into()));
        Names {
            machines: machines.iter().map(|machine| (*machine.id).into()).collect(),
            states: states.map(Iterator::collect).collect(),
        }
    }

    pub(super) fn machine(&self, index: usize) -> Arc<str> {
        self.machines.get(index).cloned().unwrap_or_else(|| "?".into())
    }

    pub(super) fn state(&self, machine: usize, state: usize) -> Arc<str> {
        let states = self.states.get(machine);
        states.and_then(|states| states.get(state)).cloned().unwrap_or_else(|| "?".into())
    }

    pub(super) fn states(&self, machine: usize, set: StateSet) -> Vec<Arc<str>> {
        set.iter().map(|state| self.state(machine, state)).collect()
    }
}
