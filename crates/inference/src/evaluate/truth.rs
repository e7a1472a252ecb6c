//! What was deleted: name, place and key fields of the events of all cases.

use std::collections::HashMap;

use model::machine::{KeySource, Pattern};
use model::{EventSource, Item, Scalar};

use super::Case;
use super::index::Index;

/// An event that was deleted.
#[derive(Debug, Clone, PartialEq)]
pub struct Deleted {
    pub time: Option<i64>,
    pub cpu: Option<u32>,
    pub name: String,
    /// The key fields that it has, with their values.
    pub keys: Vec<(String, Scalar)>,
}

/// The deleted events of all cases, by their number in the index. Reads `source` to its end.
pub fn read(
    source: &mut dyn EventSource,
    index: &Index,
    cases: &[Case],
    patterns: &[&Pattern],
) -> HashMap<usize, Deleted> {
    let mut wanted: Vec<usize> = cases.iter().flat_map(|case| case.gone.iter().copied()).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let mut all = HashMap::with_capacity(wanted.len());
    let mut fields: Vec<Option<Vec<String>>> = vec![None; index.names.len()];
    let mut wanted = wanted.into_iter().peekable();
    let mut event_number = 0;
    while wanted.peek().is_some()
        && let Some(item) = source.next_item()
    {
        let Item::Event(event) = item else { continue };
        let number = event_number;
        event_number += 1;
        if wanted.next_if_eq(&number).is_none() {
            continue;
        }
        let name = index.names.name(event.symbol);
        let Some(fields) = fields.get_mut(event.symbol.0 as usize) else { continue };
        let fields = fields.get_or_insert_with(|| key_fields(name, patterns));
        let value = |field: &String| Some((field.clone(), Scalar::of(event.fields.get(field)?)?));
        let keys = fields.iter().filter_map(value).collect();
        let (time, cpu) = (event.time.map(|time| time.0), event.cpu);
        all.insert(number, Deleted { time, cpu, name: name.to_owned(), keys });
    }
    all
}

/// The fields by which the models identify the instances that an event of this name concerns.
fn key_fields(name: &str, patterns: &[&Pattern]) -> Vec<String> {
    if name == "sched_switch" {
        return vec!["prev_tid".into(), "next_tid".into()];
    }
    let mut fields = Vec::new();
    for machine in patterns.iter().flat_map(|pattern| &pattern.machines) {
        let rules = machine.keys.iter().flatten();
        let mut rules = rules.filter(|rule| rule.events.matches(name));
        let Some(rule) = rules.next() else { continue };
        let sources = rule.sources.iter().filter_map(|source| match source {
            KeySource::Field(field) => Some(field),
            _ => None,
        });
        for field in sources.chain(&rule.within) {
            if !fields.contains(field) {
                fields.push(field.clone());
            }
        }
    }
    fields
}
