//! Sets of states of one machine, and what a machine's shape says about them.

use model::machine::Machine;
use model::machine::fsm::{ERROR, INITIAL};

/// States of a machine, by their numbers: at most 128.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct StateSet(u128);

impl StateSet {
    /// The most states that a machine may have here.
    pub const MOST: usize = 128;

    /// The set of one state.
    #[inline]
    pub fn one(state: usize) -> StateSet {
        StateSet(u32::try_from(state).ok().and_then(|state| 1u128.checked_shl(state)).unwrap_or(0))
    }

    /// All states that there can be.
    #[inline]
    pub fn all() -> StateSet {
        StateSet(u128::MAX)
    }

    /// All states that are not in it.
    #[must_use]
    #[inline]
    pub fn others(self) -> StateSet {
        StateSet(!self.0)
    }

    /// All states of both.
    #[must_use]
    #[inline]
    pub fn or(self, other: StateSet) -> StateSet {
        StateSet(self.0 | other.0)
    }

    /// The states that both have.
    #[must_use]
    #[inline]
    pub fn and(self, other: StateSet) -> StateSet {
        StateSet(self.0 & other.0)
    }

    /// Whether a state is in it.
    #[inline]
    pub fn has(self, state: usize) -> bool {
        self.and(StateSet::one(state)) != StateSet::default()
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many states are in it.
    #[inline]
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The only state, if there is one.
    #[inline]
    pub fn only(self) -> Option<usize> {
        // Asked several times an event; counting bits takes longer.
        let is_one = self.0 != 0 && self.0 & self.0.wrapping_sub(1) == 0;
        is_one.then_some(self.0.trailing_zeros() as usize)
    }

    /// The states in ascending order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let state = (rest != 0).then_some(rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(state)
        })
    }
}

/// What the transitions of a machine say about sets of its states.
#[derive(Debug)]
pub(super) struct Shape {
    /// States in which an instance may be that nobody saw yet.
    pub(super) ordinary: StateSet,
    /// The state before the first event; empty if the machine has none of that kind.
    pub(super) initial: StateSet,
    /// States in which nothing happens on other CPUs.
    pub(super) stays: StateSet,
    /// States that end an instance.
    pub(super) ends: StateSet,
    /// What a state stands for; itself, for most.
    expanded: Vec<StateSet>,
    /// Where events may lead from a state, in any number of steps.
    reach: Vec<StateSet>,
}

impl Shape {
    pub(super) fn new(machine: &Machine) -> Shape {
        let states = || machine.states.iter().enumerate();
        let set_of = |filter: &dyn Fn(usize) -> bool| {
            let chosen = (0..machine.states.len()).filter(|index| filter(*index));
            chosen.fold(StateSet::default(), |set, index| set.or(StateSet::one(index)))
        };
        let is_named = |index: usize, name: &str| machine.states.get(index).is_some_and(|s| s.id == name);
        let stands_for = |index: usize| machine.states.get(index).map_or(&[][..], |s| &s.stands_for);
        let ends = set_of(&|index| machine.last == Some(index) || machine.abandon == Some(index));
        let initial = set_of(&|index| is_named(index, INITIAL));
        let mut expanded: Vec<StateSet> = states().map(|(index, _)| StateSet::one(index)).collect();
        for (index, _) in states() {
            let all = stands_for(index).iter().fold(StateSet::default(), |set, s| set.or(StateSet::one(*s)));
            if let Some(position) = expanded.get_mut(index)
                && !all.is_empty()
            {
                *position = all;
            }
        }
        let ordinary = set_of(&|index| {
            !ends.has(index) && !initial.has(index) && !is_named(index, ERROR) && stands_for(index).is_empty()
        });
        let targets = |index: usize| {
            let transitions = machine.states.get(index).map_or(&[][..], |s| &s.transitions);
            transitions.iter().fold(StateSet::default(), |set, transition| {
                set.or(expanded.get(transition.target).copied().unwrap_or_default())
            })
        };
        // An instance that may have ended may also have begun anew.
        let mut reach: Vec<StateSet> = states()
            .map(|(index, _)| {
                let anew = if ends.has(index) { initial } else { StateSet::default() };
                StateSet::one(index).or(targets(index)).or(anew)
            })
            .collect();
        loop {
            let wider: Vec<StateSet> = reach
                .iter()
                .map(|set| set.iter().fold(*set, |set, s| set.or(reach.get(s).copied().unwrap_or_default())))
                .collect();
            if wider == reach {
                break;
            }
            reach = wider;
        }
        let stays = set_of(&|index| machine.states.get(index).is_some_and(|s| s.stays_on_cpu));
        Shape { ordinary, initial, stays, ends, expanded, reach }
    }

    /// What a target means.
    pub(super) fn expand(&self, state: usize) -> StateSet {
        self.expanded.get(state).copied().unwrap_or_default()
    }

    /// Where an instance may be when events may have been lost.
    pub(super) fn widen(&self, set: StateSet) -> StateSet {
        set.iter().fold(set, |wide, state| wide.or(self.reach.get(state).copied().unwrap_or_default()))
    }

    /// Where an instance may be that nobody saw yet.
    pub(super) fn unknown(&self) -> StateSet {
        self.ordinary.or(self.initial)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_states() {
        let set = StateSet::one(3).or(StateSet::one(127)).or(StateSet::one(128));
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 127]);
        assert_eq!((set.len(), set.only(), set.has(3), set.has(4)), (2, None, true, false));
        assert_eq!(StateSet::one(5).only(), Some(5));
    }
}
