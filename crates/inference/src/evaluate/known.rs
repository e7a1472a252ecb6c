//! What is inferred from a trace as it is: subtracted from what is inferred once events are left out.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::model::{Inconsistency, InferredEvent};

/// What was concluded from the whole trace, by what makes two conclusions the same: the instance, the event
/// that showed it, what was concluded. Not the probability, which moves with all that is learned; nor
/// where the interval begins, which follows whatever was left out before it.
#[derive(Debug, Default)]
pub struct Known {
    inferred: HashMap<u64, u32>,
    inconsistencies: HashMap<u64, u32>,
}

impl Known {
    /// Remembers these.
    pub fn new(events: &[InferredEvent], found: &[Inconsistency]) -> Known {
        let mut known = Known::default();
        events.iter().for_each(|event| *known.inferred.entry(inferred(event)).or_default() += 1);
        found.iter().for_each(|one| *known.inconsistencies.entry(inconsistency(one)).or_default() += 1);
        known
    }

    /// What of these is not known, and how many inconsistencies are not.
    pub fn new_events(
        &self,
        events: Vec<InferredEvent>,
        found: &[Inconsistency],
    ) -> (Vec<InferredEvent>, usize) {
        let is_new = |old: &mut HashMap<u64, u32>, what: u64| match old.get_mut(&what) {
            Some(left) if *left > 0 => {
                *left -= 1;
                false
            }
            _ => true,
        };
        let (mut old, mut old_found) = (self.inferred.clone(), self.inconsistencies.clone());
        let new_events = events.into_iter().filter(|event| is_new(&mut old, inferred(event))).collect();
        let found = found.iter().filter(|found| is_new(&mut old_found, inconsistency(found)));
        (new_events, found.count())
    }
}

fn inferred(event: &InferredEvent) -> u64 {
    let mut hash = DefaultHasher::new();
    let key = &event.key;
    (&key.machine, &key.instance, &key.name, event.cpu, key.to, key.rank).hash(&mut hash);
    for name in ["prev_tid", "next_tid"] {
        event.value(name).hash(&mut hash);
    }
    hash.finish()
}

fn inconsistency(found: &Inconsistency) -> u64 {
    let mut hash = DefaultHasher::new();
    (&found.machine, &found.instance, found.time, &found.event, found.cpu).hash(&mut hash);
    hash.finish()
}
