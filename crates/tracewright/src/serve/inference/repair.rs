//! The repaired layer: the states of the trace with the inferred events in it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::RwLock;

use inference::model::Scalar;
use model::{OwnedEvent, Symbol, Value};

use super::super::timeline::{Index, compare, fill_machines};
use super::merged::{Inserted, Merged};
use crate::answer::Answer;
use crate::exit::Result;
use crate::open::open;

/// Chosen values, by the number of the event and the field.
pub(super) type Values = HashMap<(usize, String), Scalar>;

/// The layer of `answer`; what it owes to inferred events is marked by comparing with `original`.
pub(super) fn repair(
    input: &Path,
    model: Option<&str>,
    answer: &Answer,
    original: &RwLock<Index>,
) -> Result<Index> {
    let mut inserted: Vec<Inserted> = Vec::with_capacity(answer.inferred.len());
    for event in &answer.inferred {
        let values: Vec<(&str, Value<'_>)> = event
            .fields
            .iter()
            .filter_map(|field| Some((field.name.as_str(), field.value.as_ref()?.value())))
            .collect();
        let owned = OwnedEvent::new(Symbol(0), event.time.0, event.cpu.unwrap_or(0), &values);
        inserted.push(Inserted { time: event.time.0, name: event.key.name.clone(), event: owned });
    }
    inserted.sort_by_key(|inserted| inserted.time);
    let alphabet = original.read().unwrap_or_else(std::sync::PoisonError::into_inner).alphabet.clone();
    let mut merged = Merged::new(open(input)?, inserted, alphabet);
    let layer = RwLock::new(Index::default());
    fill_machines(&layer, &mut merged, model)?;
    let layer = layer.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let original = original.read().unwrap_or_else(std::sync::PoisonError::into_inner);
    Ok(compare(&original, layer))
}
