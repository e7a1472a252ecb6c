//! What an event of an instance has in common with the one before it: the thread that takes a lock gives it back,
//! one request is served on one CPU.
//!
//! A lost event has fields that do not follow from its instance. Where events of its name mostly carry the value of
//! the event before, or of the one after, it is reported with that value.

use std::collections::HashMap;

use model::Scalar;
use rustc_hash::FxBuildHasher;

use crate::estimate::instances::instance::Ix;
use crate::estimate::instances::shared::Shared;
use crate::state_machines::arrival::Arrival;
use crate::value::Name;

/// A value is reported if events have it so often, and if so many were seen.
const LEAST: f64 = 0.5;
const FEWEST: u32 = 4;
/// In place of a field: the CPU.
const CPU: usize = usize::MAX;

/// The last event of an instance.
#[derive(Debug, Clone)]
struct Last {
    symbol: u32,
    values: Vec<Option<Name>>,
    cpu: Option<u32>,
}

/// How often a value was that of the event before; of the one after.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    before: (u32, u32),
    after: (u32, u32),
}

/// What instances of a machine carry from event to event.
#[derive(Debug, Default)]
pub(crate) struct Carried {
    /// Fields by which other machines identify their instances.
    fields: Vec<usize>,
    is_on: bool,
    last: Vec<Option<Last>>,
    tallies: HashMap<(u32, usize), Tally, FxBuildHasher>,
}

impl Carried {
    /// Keeps these fields, and CPUs.
    pub(crate) fn of(fields: Vec<usize>) -> Carried {
        Carried { fields, is_on: true, ..Carried::default() }
    }

    /// Whether anything is kept.
    pub(crate) fn is_on(&self) -> bool {
        self.is_on
    }

    /// An event of an instance, once all that it meant was reported.
    pub(crate) fn record(&mut self, shared: &Shared, now: &Arrival<'_>, ix: Ix) {
        if !self.is_on {
            return;
        }
        let value = |slot: &usize| shared.facts.get(*slot).and_then(|value| shared.key_of(value));
        let new =
            Last { symbol: now.symbol.0, values: self.fields.iter().map(value).collect(), cpu: now.cpu };
        let index = ix as usize;
        if self.last.len() <= index {
            self.last.resize(index + 1, None);
        }
        let old = self.last.get_mut(index).and_then(|last| last.replace(new.clone()));
        let Some(old) = old else { return };
        let fields = self.fields.iter().zip(old.values.iter().zip(&new.values));
        let mut count = |which: usize, is_same: Option<bool>| {
            let Some(is_same) = is_same else { return };
            let before = &mut self.tallies.entry((new.symbol, which)).or_default().before;
            *before = (before.0 + u32::from(is_same), before.1 + 1);
            let after = &mut self.tallies.entry((old.symbol, which)).or_default().after;
            *after = (after.0 + u32::from(is_same), after.1 + 1);
        };
        for (slot, (old, new)) in fields {
            count(*slot, old.zip(*new).map(|(old, new)| old == new));
        }
        count(CPU, old.cpu.zip(new.cpu).map(|(old, new)| old == new));
    }

    /// Whether a lost event of this name is rather like the one before than like the one behind; `None`: like
    /// neither.
    fn is_like_before(&self, symbol: u32, which: usize, has_next: bool) -> Option<(bool, f64)> {
        let tally = self.tallies.get(&(symbol, which))?;
        let share =
            |(hits, all): (u32, u32)| if all < FEWEST { 0.0 } else { f64::from(hits) / f64::from(all) };
        let (before, after) = (share(tally.before), if has_next { share(tally.after) } else { 0.0 });
        let best = before.max(after);
        (best >= LEAST).then_some((before >= after, best))
    }

    /// The fields of a lost event of an instance, with how probable each is; `has_next`: the present event is the
    /// one behind it.
    pub(crate) fn fields(
        &self,
        shared: &Shared,
        (ix, symbol, has_next): (Ix, u32, bool),
    ) -> Vec<(usize, Scalar, f64)> {
        let last = self.last.get(ix as usize).and_then(Option::as_ref);
        let mut known = Vec::new();
        for (index, slot) in self.fields.iter().enumerate() {
            let of_last = last.and_then(|last| *last.values.get(index)?);
            let of_next = shared.facts.get(*slot).filter(|_| has_next).and_then(|value| shared.key_of(value));
            let both = of_last.filter(|_| of_last == of_next).map(|value| (value, 1.0));
            let likely = self.is_like_before(symbol, *slot, has_next).and_then(|(is_before, share)| {
                Some((if is_before { of_last.or(of_next)? } else { of_next.or(of_last)? }, share))
            });
            let carries = self.tallies.contains_key(&(symbol, *slot));
            if let Some((value, share)) = likely.or(both.filter(|_| carries)) {
                known.push((*slot, shared.scalar(value), share));
            }
        }
        known
    }

    /// The CPU of a lost event of an instance.
    pub(crate) fn cpu(&self, (ix, symbol, has_next): (Ix, u32, bool), next: Option<u32>) -> Option<u32> {
        let last = self.last.get(ix as usize).and_then(Option::as_ref).and_then(|last| last.cpu);
        match self.is_like_before(symbol, CPU, has_next) {
            Some((true, _)) => last.or(next),
            _ => next.or(last),
        }
    }
}
