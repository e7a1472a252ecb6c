//! Phases: a field that distinguishes the events of a log that are all called alike.
//!
//! ```text
//! log{req=7, phase=accept}   log{req=7, phase=send}      one kind of event, which says nothing
//! log phase=accept           log phase=send              two, in an order
//! ```
//!
//! A field is a phase if the events of its kind that share the value of another field go through its values in an
//! order of their own: then each value counts as a kind from here on. What events of other kinds have in the same field,
//! too, names something that both are about, the address of a lock say, and is no phase.

use std::collections::{BTreeMap, BTreeSet};

use super::events::Events;
use super::keys::is_regular;
use super::roles::{Key, Role};

/// Kinds that are looked at, and the part of all events that they have at least.
const MOST_KINDS: usize = 4;
const PART: f64 = 0.1;
/// Values of a phase, events of each, and events that are looked at.
const VALUES: std::ops::RangeInclusive<usize> = 2..=16;
const FEWEST: usize = 4;
const SAMPLE: usize = 20_000;

/// Splits kinds by their phases, where they have any.
pub(super) fn split(events: &mut Events) {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    events.rows.iter().for_each(|row| *counts.entry(row.kind).or_default() += 1);
    let mut kinds: Vec<(usize, u32)> = counts.into_iter().map(|(kind, times)| (times, kind)).collect();
    kinds.sort_by_key(|(times, kind)| (std::cmp::Reverse(*times), *kind));
    let least = PART * events.rows.len() as f64;
    for (times, kind) in kinds.into_iter().take(MOST_KINDS) {
        if times as f64 >= least
            && let Some(field) = phase(events, kind)
        {
            events.split(kind, field);
        }
    }
}

/// The field that says in which phase events of a kind are.
fn phase(events: &Events, kind: u32) -> Option<u16> {
    let mut values: BTreeMap<u16, BTreeMap<u32, usize>> = BTreeMap::new();
    let rows = || events.rows.iter().enumerate().take(SAMPLE).filter(|(_, row)| row.kind == kind);
    for (number, _) in rows() {
        for &(field, value) in events.cells(number) {
            *values.entry(field).or_default().entry(value).or_default() += 1;
        }
    }
    let mut elsewhere: BTreeSet<(u16, u32)> = BTreeSet::new();
    let others = events.rows.iter().enumerate().take(SAMPLE).filter(|(_, row)| row.kind != kind);
    others.for_each(|(number, _)| elsewhere.extend(events.cells(number)));
    let is_phase = |field: u16, values: &BTreeMap<u32, usize>| {
        let shared = values.keys().filter(|value| elsewhere.contains(&(field, **value))).count();
        VALUES.contains(&values.len())
            && values.values().all(|times| *times >= FEWEST)
            && 2 * shared < values.len()
    };
    let phases: Vec<u16> =
        values.iter().filter(|(field, values)| is_phase(**field, values)).map(|(field, _)| *field).collect();
    let mut best: Option<(f64, u16)> = None;
    for field in phases {
        let mut tried = events.sample(SAMPLE);
        let kinds = tried.split(kind, field);
        for (&key, known) in values.iter().filter(|(key, _)| **key != field) {
            let named: usize = known.values().sum();
            if known.len() < 2 || named < known.len() * 3 / 2 {
                continue;
            }
            let roles: Vec<Role> = kinds.iter().map(|kind| Role { kind: *kind, field: key }).collect();
            let Some(key) = Key::new(&tried, &roles, &[], usize::MAX) else { continue };
            if !is_regular(&tried, &key) {
                continue;
            }
            let length = key.length(&tried);
            let gain = length.gain() / length.alone.max(1.0);
            if best.is_none_or(|(most, _)| gain > most) {
                best = Some((gain, field));
            }
        }
    }
    best.map(|(_, field)| field)
}
