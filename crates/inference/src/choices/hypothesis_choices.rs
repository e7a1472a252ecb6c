//! What the user decided: values of fields for which several were possible.
//!
//! A choice names an event as it would be inferred without any. Where it takes another explanation of a
//! loss than the best one, that explanation is believed from there on. HypothesisChoices that no explanation has
//! together contradict each other; then none of them is followed.

use std::collections::HashMap;

use model::{Choice, EventKey, Scalar};
use rustc_hash::FxBuildHasher;

use crate::model::{Alternative, Hypotheses, InferredEvent, InferredField};

/// All choices, by the event that they are for.
#[derive(Debug, Default)]
pub(crate) struct HypothesisChoices {
    by_event: HashMap<EventKey, Vec<Choice>, FxBuildHasher>,
    /// Those that go with no explanation together.
    pub(crate) contradictions: Vec<Vec<Choice>>,
}

impl HypothesisChoices {
    pub(crate) fn add(&mut self, choices: Vec<Choice>) {
        for choice in choices {
            self.by_event.entry(EventKey::clone(&choice.event)).or_default().push(choice);
        }
    }

    /// The explanations that are left of those of these events, which are explained together, and the
    /// choices that left them; nothing if all is as the user wants it.
    pub(crate) fn allowed(&mut self, reported: &[InferredEvent]) -> Option<(Hypotheses, Vec<Choice>)> {
        if self.by_event.is_empty() {
            return None;
        }
        let mut found: (Hypotheses, Vec<Choice>) = (Hypotheses::ALL, Vec::new());
        for (event, key) in reported.iter().zip(keys(reported)) {
            for choice in self.by_event.get(&key).into_iter().flatten() {
                // A choice of what is reported anyway decides nothing.
                let field = event.field(&choice.field);
                let field = field.filter(|field| field.value.as_ref() != Some(&choice.value));
                let chosen = field.and_then(|field| field.alternative(&choice.value));
                if let Some(chosen) = chosen.filter(|chosen| chosen.hypotheses != Hypotheses::ALL) {
                    found.0 = found.0.and(chosen.hypotheses);
                    found.1.push(choice.clone());
                }
            }
        }
        if !found.1.is_empty() && found.0.is_empty() {
            self.contradictions.push(found.1);
            return None;
        }
        (!found.1.is_empty()).then_some(found)
    }
}

/// What each of these is called, with its rank among them.
pub(crate) fn keys(reported: &[InferredEvent]) -> impl Iterator<Item = EventKey> + '_ {
    let same = |one: &EventKey, other: &EventKey| {
        (&one.machine, &one.instance, one.from, one.to)
            == (&other.machine, &other.instance, other.from, other.to)
    };
    reported.iter().enumerate().map(move |(number, event)| {
        let before = reported.iter().take(number).filter(|other| same(&event.key, &other.key)).count();
        EventKey { rank: before as u32 + 1, ..event.key.clone() }
    })
}

/// Gives the events of the chosen explanation what is known of those of the best, whose places they take:
/// what they are called, and what else is possible.
pub(crate) fn take_positions(chosen: &mut [InferredEvent], best: &[InferredEvent], by: &[Choice]) {
    let mut free: Vec<usize> = (0..chosen.len()).collect();
    for (event, key) in best.iter().zip(keys(best)) {
        let wanted: Vec<&Choice> = by.iter().filter(|choice| *choice.event == key).collect();
        let agrees = |new: &InferredEvent, field: &str, value: Option<&Scalar>| {
            new.field(field).is_some_and(|field| field.value.as_ref() == value)
        };
        let fits = |new: &InferredEvent| {
            let as_wanted =
                wanted.iter().filter(|choice| agrees(new, &choice.field, Some(&choice.value))).count();
            let alike =
                event.fields.iter().filter(|field| agrees(new, &field.name, field.value.as_ref())).count();
            (new.key.name == event.key.name).then_some((as_wanted, alike))
        };
        let ranked =
            free.iter().filter_map(|&number| Some((fits(chosen.get(number)?)?, std::cmp::Reverse(number))));
        let Some((_, std::cmp::Reverse(number))) = ranked.max() else { continue };
        free.retain(|other| *other != number);
        let Some(new) = chosen.get_mut(number) else { continue };
        for field in &mut new.fields {
            let Some(known) = event.field(&field.name) else { continue };
            take_alternatives(field, known);
            field.is_chosen = wanted
                .iter()
                .any(|choice| choice.field == field.name && Some(&choice.value) == field.value.as_ref());
        }
        (new.original_key, new.group) = (Some(key), event.group);
    }
}

/// Gives a field of the chosen explanation the alternatives of the same field of the best.
fn take_alternatives(field: &mut InferredField, known: &InferredField) {
    if known.value == field.value {
        *field = known.clone();
        return;
    }
    let index = |value: Option<&Scalar>| {
        known.alternatives.iter().position(|alternative| Some(&alternative.value) == value)
    };
    let (taken, best) = (index(field.value.as_ref()), index(known.value.as_ref()));
    // Where the value is not among them, nobody knows it of the one who was chosen.
    let own: Option<Alternative> = field.alternatives.drain(..).next().filter(|_| taken.is_none());
    field.alternatives.extend(own);
    field.alternatives.extend(known.alternatives.iter().cloned());
    if let (Some(taken), Some(best)) = (taken, best) {
        // The chosen one is swapped with the best.
        field.alternatives.swap(taken, best);
    }
}
