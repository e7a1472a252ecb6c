//! A scenario: one machine at work on one instance.

use std::collections::{HashMap, VecDeque};

use rustc_hash::FxBuildHasher;

use super::coherence::Incoherence;
use super::states::NodeId;
use super::value::{Name, TextId};

/// How far a scenario is. The numbers are those of the attribute `status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It waits for its first event.
    Pending = 0,
    /// It is about an instance.
    InProgress = 1,
    /// It came to its final state.
    Matched = 2,
    /// It came to the state in which it is given up.
    Abandoned = 3,
}

/// One machine at work on one instance.
#[derive(Debug)]
pub(super) struct Scenario {
    pub(super) machine: u32,
    /// Its number among the scenarios of its machine; numbers are used again.
    pub(super) number: u32,
    pub(super) node: NodeId,
    /// The attribute that holds its key.
    pub(super) key_node: NodeId,
    pub(super) state: u32,
    pub(super) status: Status,
    pub(super) started: i64,
    pub(super) key: Option<Name>,
    /// When an event was last given to it.
    pub(super) previous: Option<i64>,
    /// When it last entered states.
    pub(super) entered: Vec<(TextId, i64)>,
    /// How often it took which arc.
    pub(super) counts: HashMap<u32, u32, FxBuildHasher>,
    /// Incoherences found before it had a key.
    pub(super) waiting: Vec<Incoherence>,
    /// Whether incoherences refer to it, so that it must be kept when it ends.
    pub(super) is_cited: bool,
    /// From when on it was certain or not; only kept with history.
    pub(super) certainty: Vec<(i64, bool)>,
}

/// Numbers for scenarios: those given back first are given out first.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    free: VecDeque<u32>,
    next: u32,
}

impl Numbers {
    pub(super) fn take(&mut self) -> u32 {
        self.free.pop_front().unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        })
    }

    pub(super) fn give_back(&mut self, number: u32) {
        self.free.push_back(number);
    }
}

/// All scenarios, by a number that lives as long as they do.
#[derive(Debug, Default)]
pub(super) struct Scenarios {
    all: Vec<Option<Scenario>>,
    free: Vec<u32>,
    /// How many took a first transition.
    pub(super) started: u64,
}

impl Scenarios {
    pub(super) fn add(&mut self, scenario: Scenario) -> u32 {
        if let Some(index) = self.free.pop()
            && let Some(slot) = self.all.get_mut(index as usize)
        {
            *slot = Some(scenario);
            return index;
        }
        self.all.push(Some(scenario));
        u32::try_from(self.all.len() - 1).unwrap_or(u32::MAX)
    }

    pub(super) fn get(&self, index: u32) -> Option<&Scenario> {
        self.all.get(index as usize)?.as_ref()
    }

    pub(super) fn get_mut(&mut self, index: u32) -> Option<&mut Scenario> {
        self.all.get_mut(index as usize)?.as_mut()
    }

    /// Forgets a scenario that ended, unless something refers to it.
    pub(super) fn end(&mut self, index: u32) {
        if let Some(slot) = self.all.get_mut(index as usize)
            && slot.as_ref().is_some_and(|scenario| !scenario.is_cited && scenario.certainty.is_empty())
        {
            *slot = None;
            self.free.push(index);
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Scenario> {
        self.all.iter().flatten()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Scenario> {
        self.all.iter_mut().flatten()
    }
}
