//! The instances of one machine: a CPU, a thread, an object.

use std::collections::HashMap;

use model::Scalar;
use rustc_hash::FxBuildHasher;

use super::state_estimate::StateEstimate;
use crate::value::Name;

/// An instance, by number of first sight.
pub(super) type Ix = u32;
/// Nobody knows which.
pub(super) const NO_INSTANCE: Ix = u32::MAX;
/// None of them: a CPU that rests.
pub(super) const IDLE: Ix = u32::MAX - 1;
/// No CPU, or nobody knows which.
pub(super) const NO_CPU: u32 = u32::MAX;

/// What is known of an instance.
#[derive(Debug, Clone)]
pub(super) struct Instance {
    pub(super) key: Name,
    pub(super) estimate: StateEstimate,
    /// Since when its set of states is what it is.
    pub(super) since: i64,
    /// When it was last seen to go to another state.
    pub(super) moved: i64,
    /// Its last event, and where that was.
    pub(super) time: i64,
    pub(super) cpu: u32,
    /// Where it runs.
    pub(super) on: u32,
    /// Where it was last sent.
    pub(super) target: u32,
    /// The declared loss that made it uncertain.
    pub(super) window: Option<usize>,
    pub(super) was_certain: bool,
    /// The inferred event by which it left its CPU, whose fields its next event tells.
    pub(super) pending: Option<usize>,
    /// Events on its way that did not tell what is open: what was lost may have been between them.
    pub(super) trail: Vec<Trail>,
    /// Where that begins: when, on which CPU, and with what estimate.
    pub(super) trail_from: (i64, u32),
    pub(super) trail_estimate: StateEstimate,
    /// What events said of it: (name of the field without its prefix, value).
    pub(super) reported: Vec<(u32, Scalar)>,
}

/// An event on the way of an instance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trail {
    pub(super) time: i64,
    pub(super) cpu: u32,
    pub(super) row: u32,
    pub(super) after: StateEstimate,
}

impl Instance {
    /// Since when it was in what at some moment, as far as its way is kept.
    pub(super) fn as_of(&self, at: i64) -> Option<(i64, StateEstimate)> {
        if self.moved <= at {
            return Some((self.moved, self.estimate));
        }
        let (begun, estimate) = (self.trail_from.0, self.trail_estimate);
        let before = self.trail.iter().rev().find(|step| step.time <= at);
        before.map(|step| (step.time, step.after)).or((begun <= at).then_some((begun, estimate)))
    }
}

/// All instances of a machine.
#[derive(Debug, Default)]
pub(super) struct Instances {
    list: Vec<Instance>,
    small: Vec<Ix>,
    others: HashMap<Name, Ix, FxBuildHasher>,
}

/// There is room for so many instances before the list has to grow.
const AT_FIRST: usize = 4_096;

/// Keys below this number are found in a table.
const SMALL: i64 = 1 << 17;

impl Instances {
    pub(super) fn find(&self, key: Name) -> Option<Ix> {
        match key {
            Name::Number(number) if (0..SMALL).contains(&number) => {
                self.small.get(number as usize).copied().filter(|ix| *ix != NO_INSTANCE)
            }
            key => self.others.get(&key).copied(),
        }
    }

    /// The instance called so, which begins with `estimate` at `time` when it is new; and whether it is.
    pub(super) fn of(&mut self, key: Name, estimate: StateEstimate, time: i64) -> (Ix, bool) {
        if let Some(ix) = self.find(key) {
            return (ix, false);
        }
        let ix = self.list.len() as Ix;
        if self.list.is_empty() {
            // Memory that nobody touched costs nothing; growing step by step copies.
            self.list.reserve(AT_FIRST);
        }
        self.list.push(Instance {
            key,
            estimate,
            since: time,
            moved: i64::MIN,
            time,
            cpu: NO_CPU,
            on: NO_CPU,
            target: NO_CPU,
            window: None,
            was_certain: false,
            pending: None,
            trail: Vec::new(),
            trail_from: (time, NO_CPU),
            trail_estimate: estimate,
            reported: Vec::new(),
        });
        match key {
            Name::Number(number) if (0..SMALL).contains(&number) => {
                let index = number as usize;
                if self.small.len() <= index {
                    self.small.resize((index + 1).next_power_of_two(), NO_INSTANCE);
                }
                if let Some(index) = self.small.get_mut(index) {
                    *index = ix;
                }
            }
            key => {
                self.others.insert(key, ix);
            }
        }
        (ix, true)
    }

    #[inline]
    pub(super) fn get(&self, ix: Ix) -> Option<&Instance> {
        self.list.get(ix as usize)
    }

    #[inline]
    pub(super) fn get_mut(&mut self, ix: Ix) -> Option<&mut Instance> {
        self.list.get_mut(ix as usize)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Ix, &Instance)> {
        (0..).zip(&self.list)
    }
}
