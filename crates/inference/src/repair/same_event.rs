//! Several machines that miss the same event: it is reported once, with what each of them knows of it.

use model::Timestamp;

use crate::model::InferredEvent;

/// What two machines together may be sure of, at most.
const SUREST: f64 = 0.995;

/// Puts together what different machines inferred of one event: the same name, a common time, and nothing that
/// one says and the other denies.
pub(crate) fn agree(inferred: Vec<InferredEvent>) -> Vec<InferredEvent> {
    let mut all: Vec<InferredEvent> = Vec::with_capacity(inferred.len());
    let mut sorted = inferred;
    sorted.sort_by_key(|event| (event.key.from, event.key.to));
    'next: for event in sorted {
        // Intervals that began long ago are few, but nothing bounds them.
        for known in all.iter_mut().rev().take(256) {
            if known.key.machine != event.key.machine && is_same(known, &event) {
                join(known, event);
                continue 'next;
            }
        }
        all.push(event);
    }
    all
}

fn is_same(one: &InferredEvent, other: &InferredEvent) -> bool {
    let (a, b) = (&one.key, &other.key);
    let agrees = |name: &str| match (one.value(name), other.value(name)) {
        (Some(one), Some(other)) => Some(one == other),
        _ => None,
    };
    let common: Vec<bool> = one.fields.iter().filter_map(|field| agrees(&field.name)).collect();
    let cpus = one.cpu.zip(other.cpu).is_none_or(|(one, other)| one == other);
    // What has no field in common may be two events.
    let is_reported =
        !common.is_empty() || one.fields.iter().chain(&other.fields).all(|field| field.value.is_some());
    a.name == b.name
        && a.from <= b.to
        && b.from <= a.to
        && cpus
        && is_reported
        && common.iter().all(|same| *same)
}

fn join(known: &mut InferredEvent, other: InferredEvent) {
    let key = &mut known.key;
    (key.from, key.to) = (key.from.max(other.key.from), key.to.min(other.key.to));
    known.time = Timestamp(key.from.0 + (key.to.0.saturating_sub(key.from.0)) / 2);
    let both = known.probability.zip(other.probability);
    let sure = both.map(|(a, b)| (1.0 - (1.0 - a) * (1.0 - b)).min(SUREST).max(a.max(b)));
    known.probability = sure.or(known.probability).or(other.probability);
    for field in other.fields {
        let sure = known.probability.unwrap_or_default();
        match known.fields.iter_mut().find(|own| own.name == field.name) {
            Some(own) if own.value.is_some() => {
                let value = own.value.clone();
                for known in own.alternatives.iter_mut().filter(|known| Some(&known.value) == value.as_ref())
                {
                    known.probability = known.probability.map(|_| sure);
                }
            }
            Some(own) => *own = field,
            None => known.fields.push(field),
        }
    }
    known.cpu = known.cpu.or(other.cpu);
    known.is_only_explanation &= other.is_only_explanation;
    known.inconsistency = known.inconsistency.or(other.inconsistency);
    known.reason = match (known.reason.take(), other.reason) {
        (Some(one), Some(other)) => Some(format!("{one}; {other}")),
        (one, other) => one.or(other),
    };
}
