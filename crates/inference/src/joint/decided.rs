//! What the user decided: values of fields for which several were possible.
//!
//! A choice names an event as it would be inferred without any. Where it takes another explanation of a
//! loss than the best one, that explanation is believed from there on. Choices that no explanation has
//! together contradict each other; then none of them is followed.

use std::collections::HashMap;

use model::Timestamp;
use rustc_hash::FxBuildHasher;

use super::inferred::{Alternative, Called, Guess, Inferred, Ways};

/// A value that was chosen for a field.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The machine that the event is inferred for, an index into those of the pattern.
    pub machine: usize,
    /// The name of the event.
    pub name: String,
    /// Which one.
    pub called: Called,
    /// The field.
    pub field: String,
    /// What it shall be.
    pub value: Guess,
}

/// All choices, by the event that they are for.
#[derive(Debug, Default)]
pub(super) struct Choices {
    by_event: HashMap<(usize, Called), Vec<Choice>, FxBuildHasher>,
    /// Those that go with no explanation together.
    pub(super) contradictions: Vec<Vec<Choice>>,
}

impl Choices {
    pub(super) fn add(&mut self, choices: Vec<Choice>) {
        for choice in choices {
            self.by_event.entry((choice.machine, choice.called.clone())).or_default().push(choice);
        }
    }

    /// The explanations that are left of those of these events, which are explained together, and the
    /// choices that left them; nothing if all is as the user wants it.
    pub(super) fn allowed(&mut self, told: &[Inferred]) -> Option<(Ways, Vec<Choice>)> {
        if self.by_event.is_empty() {
            return None;
        }
        let mut found: (Ways, Vec<Choice>) = (Ways::ALL, Vec::new());
        for (event, called) in told.iter().zip(called(told)) {
            for choice in self.by_event.get(&(event.machine, called)).into_iter().flatten() {
                let field = event.fields.iter().find(|field| field.name == choice.field);
                let others = field.into_iter().flat_map(|field| &field.alternatives);
                let chosen = others.filter(|_| choice.name == event.name);
                // Who says what would be said anyway decides nothing.
                let mut chosen =
                    chosen.filter(|other| other.value == choice.value && other.ways != Ways::ALL);
                if let Some(chosen) = chosen.next() {
                    found.0 = found.0.and(chosen.ways);
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

/// What each of these is called.
pub(super) fn called(told: &[Inferred]) -> impl Iterator<Item = Called> + '_ {
    let same = |one: &Inferred, other: &Inferred| {
        (one.machine, &one.key, one.from, one.to) == (other.machine, &other.key, other.from, other.to)
    };
    told.iter().enumerate().map(move |(number, event)| {
        let before = told.iter().take(number).filter(|other| same(event, other)).count();
        let (from, to): (Timestamp, Timestamp) = (event.from, event.to);
        Called { key: event.key.clone(), from, to, place: before as u32 + 1 }
    })
}

/// Gives the events of the chosen explanation what is known of those of the best, whose places they take:
/// what they are called, and what else is possible.
pub(super) fn take_places(chosen: &mut [Inferred], best: &[Inferred], by: &[Choice]) {
    let mut free: Vec<usize> = (0..chosen.len()).collect();
    for (event, called) in best.iter().zip(called(best)) {
        let wanted: Vec<&Choice> = by.iter().filter(|choice| choice.called == called).collect();
        let says = |new: &Inferred, field: &str, value: &Guess| new.field(field) == Some(value);
        let fits = |new: &Inferred| {
            let as_wanted = wanted.iter().filter(|choice| says(new, &choice.field, &choice.value)).count();
            let alike = event.fields.iter().filter(|field| says(new, &field.name, &field.value)).count();
            (new.name == event.name).then_some((as_wanted, alike))
        };
        let ranked =
            free.iter().filter_map(|&number| Some((fits(chosen.get(number)?)?, std::cmp::Reverse(number))));
        let Some((_, std::cmp::Reverse(number))) = ranked.max() else { continue };
        free.retain(|other| *other != number);
        let Some(new) = chosen.get_mut(number) else { continue };
        for field in &mut new.fields {
            let Some(known) = event.fields.iter().find(|known| known.name == field.name) else { continue };
            let taken = known.alternatives.iter().find(|other| other.value == field.value);
            if let Some(taken) = taken {
                // The chosen one changes places with the best.
                (field.probability, field.ways) = (taken.probability, taken.ways);
                field.alternatives = known.alternatives.clone();
                let (value, probability, ways) = (known.value.clone(), known.probability, known.ways);
                for other in field.alternatives.iter_mut().filter(|other| other.value == field.value) {
                    (other.value, other.probability, other.ways) = (value.clone(), probability, ways);
                }
                field.alternatives.sort_by(|one, other| other.probability.total_cmp(&one.probability));
            } else if known.value == field.value {
                *field = known.clone();
            } else {
                // Nobody knows it of the one who was chosen.
                field.alternatives = known.alternatives.clone();
                let (value, probability, ways) = (known.value.clone(), known.probability, known.ways);
                field.alternatives.insert(0, Alternative { value, probability, ways });
            }
            field.is_chosen =
                wanted.iter().any(|choice| choice.field == field.name && choice.value == field.value);
        }
        (new.called, new.together) = (Some(called), event.together);
    }
}
