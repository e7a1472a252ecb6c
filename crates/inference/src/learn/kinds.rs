//! Fields that distinguish transitions: `outcome` of an event after which another one comes if it failed, `phase`
//! of a log whose events are all called alike.
//!
//! A field with few values is one if what comes next is predicted better with it, or if it goes through its
//! values in an order of its own. One that mostly stays as it is identifies an instance, not what happens to it.

use std::collections::{BTreeMap, BTreeSet};

use super::bits::{Counts, code_length};
use super::events::Events;
use super::roles::{CUT, Key, kind_of};

/// Values of such a field.
const MOST_VALUES: usize = 6;
/// Events of each value.
const FEWEST: u32 = 4;
/// Bits that it must gain at least, and the part of all bits.
const GAIN: (f64, f64) = (24.0, 0.15);

/// By kind, the field that distinguishes its transitions.
pub(super) fn distinguishing(events: &Events, key: &Key) -> BTreeMap<u32, u16> {
    let mut fields: BTreeMap<u32, BTreeMap<u16, Option<BTreeMap<u32, u32>>>> = BTreeMap::new();
    for named in &key.named {
        let of_kind = fields.entry(kind_of(named.token)).or_default();
        for &(field, value) in events.cells(named.row as usize) {
            let values = of_kind.entry(field).or_insert_with(|| Some(BTreeMap::new()));
            let Some(known) = values else { continue };
            *known.entry(value).or_default() += 1;
            if known.len() > MOST_VALUES {
                *values = None;
            }
        }
    }
    let mut chosen = BTreeMap::new();
    for (kind, of_kind) in fields {
        let mut best: Option<(f64, u16)> = None;
        for (field, values) in of_kind {
            let Some(values) = values else { continue };
            let is_recurring = values.iter().all(|(value, times)| {
                *times >= FEWEST && events.scalar(*value).is_some_and(super::machine::is_constant)
            });
            let name = events.field(field);
            if name.starts_with('$') || name.chars().any(char::is_control) {
                continue;
            }
            if values.len() < 2 || !is_recurring || key.fields.contains(&field) {
                continue;
            }
            let gain = foretells(events, key, (kind, field)).max(is_phase(events, key, (kind, field)));
            if gain > best.map_or(0.0, |(gain, _)| gain) {
                best = Some((gain, field));
            }
        }
        if let Some((_, field)) = best {
            chosen.insert(kind, field);
        }
    }
    chosen
}

/// What is worth the name of a gain, of so many bits.
fn worth(gain: f64, bits: f64) -> f64 {
    if gain > GAIN.0.max(GAIN.1 * bits) { gain } else { 0.0 }
}

/// The bits that are gained for what comes next.
fn foretells(events: &Events, key: &Key, (kind, field): (u32, u16)) -> f64 {
    let (mut plain, mut split) = (Counts::default(), Counts::default());
    let mut next: BTreeSet<u32> = BTreeSet::new();
    for pair in key.named.windows(2) {
        let &[one, other] = pair else { continue };
        let is_one = one.value == other.value && events.is_intact(one.row as usize, other.row as usize);
        if is_one && kind_of(one.token) == kind {
            plain.add(one.token, other.token);
            split.add((one.token, events.value(one.row as usize, field)), other.token);
            next.insert(other.token);
        }
    }
    let (plain, split) = (plain.bits(next.len()), split.bits(next.len()));
    worth(plain - split, plain)
}

/// The bits that are gained for the values themselves by what came before in the instance.
fn is_phase(events: &Events, key: &Key, (kind, field): (u32, u16)) -> f64 {
    let mut alone: BTreeMap<u32, u32> = BTreeMap::new();
    let mut after = Counts::default();
    let mut stays = 0u32;
    let mut before = None;
    for (context, named) in key.pairs(events) {
        let last = before.filter(|_| context < CUT);
        let value = events.value(named.row as usize, field);
        before = value;
        let Some(value) = value.filter(|_| kind_of(named.token) == kind) else { continue };
        *alone.entry(value).or_default() += 1;
        stays += u32::from(last == Some(value));
        after.add((context, last), value);
    }
    let all: u32 = alone.values().sum();
    if stays * 2 > all {
        return 0.0;
    }
    let bits = code_length(alone.values().copied(), alone.len());
    let gain = bits - after.bits(alone.len());
    if gain > bits / 2.0 { worth(gain, bits) } else { 0.0 }
}
