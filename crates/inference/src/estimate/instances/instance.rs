//! The instances of one machine: a CPU, a thread, an object.

use std::collections::HashMap;

use model::Scalar;
use rustc_hash::FxBuildHasher;

use crate::state_machines::arrival::NO_CPU;
use crate::state_machines::state_estimate::StateEstimate;
use crate::value::Name;

/// An instance, by number of first sight.
pub(crate) type Ix = u32;
/// It is not known which.
pub(crate) const NO_INSTANCE: Ix = u32::MAX;
/// None of them: the CPU is idle.
pub(crate) const IDLE: Ix = u32::MAX - 1;

/// What is known of an instance.
#[derive(Debug, Clone)]
pub(crate) struct Instance {
    pub(crate) key: Name,
    pub(crate) estimate: StateEstimate,
    /// Since when its set of states is what it is.
    pub(crate) since: i64,
    /// When it was last seen to go to another state.
    pub(crate) moved: i64,
    /// Its last event, and where that was.
    pub(crate) time: i64,
    pub(crate) cpu: u32,
    /// Where it runs.
    pub(crate) on: u32,
    /// Where it was last sent.
    pub(crate) target: u32,
    /// The declared loss that made it uncertain.
    pub(crate) window: Option<usize>,
    pub(crate) was_certain: bool,
    /// The inferred event by which it left its CPU, whose fields its next event determines.
    pub(crate) pending: Option<usize>,
    /// Events on its path that did not decide what is open: what was lost may have been between them.
    pub(crate) trail: Vec<Trail>,
    /// Where that begins: when, on which CPU, and with what estimate.
    pub(crate) trail_from: (i64, u32),
    pub(crate) trail_estimate: StateEstimate,
    /// What events recorded of it: (name of the field without its prefix, value).
    pub(crate) reported: Vec<(u32, Scalar)>,
}

/// An event on the path of an instance.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Trail {
    pub(crate) time: i64,
    pub(crate) cpu: u32,
    pub(crate) row: u32,
    pub(crate) after: StateEstimate,
}

impl Instance {
    /// The state estimate at some moment and since when it held, as far as its path is kept.
    pub(crate) fn as_of(&self, at: i64) -> Option<(i64, StateEstimate)> {
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
pub(crate) struct Instances {
    list: Vec<Instance>,
    small: Vec<Ix>,
    others: HashMap<Name, Ix, FxBuildHasher>,
}

/// There is room for so many instances before the list has to grow.
const AT_FIRST: usize = 4_096;

/// Keys below this number are found in a table.
const SMALL: i64 = 1 << 17;

impl Instances {
    pub(crate) fn find(&self, key: Name) -> Option<Ix> {
        match key {
            Name::Number(number) if (0..SMALL).contains(&number) => {
                self.small.get(number as usize).copied().filter(|ix| *ix != NO_INSTANCE)
            }
            key => self.others.get(&key).copied(),
        }
    }

    /// The instance called so, which begins with `estimate` at `time` when it is new; and whether it is.
    pub(crate) fn of(&mut self, key: Name, estimate: StateEstimate, time: i64) -> (Ix, bool) {
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
    pub(crate) fn get(&self, ix: Ix) -> Option<&Instance> {
        self.list.get(ix as usize)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, ix: Ix) -> Option<&mut Instance> {
        self.list.get_mut(ix as usize)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Ix, &Instance)> {
        (0..).zip(&self.list)
    }
}
