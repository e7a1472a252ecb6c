//! Inferred events as they are reported: name, fields, probability, reason.

use model::machine::Machine;
use model::{EventKey, Scalar, Timestamp};

use crate::estimate::cpus::monitor::CpuMonitor;
use crate::estimate::instances::instance::{IDLE, Ix, NO_INSTANCE};
use crate::estimate::instances::shared::Shared;
use crate::explain::lost_event::{Candidate, Candidates, Lost, What};
use crate::model::field_values::{choose, ranked};
use crate::model::{InferredEvent, InferredField};
use crate::state_machines::plan::{Part, Role};
use crate::value::Value;

/// Fields of resting CPUs that are kept.
const MOST_REPORTED: usize = 1 << 10;

pub(crate) fn middle(from: i64, to: i64) -> i64 {
    ((i128::from(from) + i128::from(to)) / 2) as i64
}

/// What the name of a field says without the part that it shares with the field that names an
/// instance (`tid` of `prev_tid` has the prefix `prev_`).
fn suffix<'f>(field: &'f str, key: &str) -> Option<&'f str> {
    let prefix = key.rfind('_').map_or("", |end| key.get(..=end).unwrap_or(""));
    let rest = field.strip_prefix(prefix)?;
    (!rest.is_empty() && field != key).then_some(rest)
}

impl CpuMonitor {
    /// Keeps what an event by which one leaves and another comes says of both.
    pub(crate) fn remember(&mut self, shared: &mut Shared, (symbol, cpu): (u32, u32), prev: Ix, next: Ix) {
        let Some(plan) = self.monitor.rules.plan(symbol) else { return };
        let Role::Switch { prev_field, next_field } = plan.role else { return };
        if self.properties.len() <= symbol as usize {
            self.properties.resize(symbol as usize + 1, None);
        }
        let Some(entry) = self.properties.get_mut(symbol as usize) else { return };
        if entry.is_none() {
            let (prev_field, next_field) =
                (shared.facts.name(prev_field).to_owned(), shared.facts.name(next_field).to_owned());
            let fields: Vec<(String, Option<usize>)> =
                shared.facts.order(symbol).map(|(name, slot)| (name.to_owned(), slot)).collect();
            let mut found = Vec::new();
            for (name, slot) in fields {
                let Some(slot) = slot else { continue };
                for (is_prev, key) in [(true, &prev_field), (false, &next_field)] {
                    if let Some(rest) = suffix(&name, key) {
                        found.push((slot, is_prev, shared.stems.intern(rest).0));
                    }
                }
            }
            *entry = Some(found);
        }
        let Some(Some(properties)) = self.properties.get(symbol as usize) else { return };
        for &(slot, is_prev, name) in properties {
            let who = if is_prev { prev } else { next };
            if who == IDLE && self.idle_reported.len() < MOST_REPORTED {
                let name = shared.facts.name(slot);
                if !self.idle_reported.iter().any(|(known, of, _)| *of == cpu && known == name) {
                    let value = match (shared.facts.text(slot), shared.facts.get(slot)) {
                        (Some(text), _) => Some(Scalar::Text(String::from_utf8_lossy(text).into_owned())),
                        (None, Some(Value::Long(number))) => Some(Scalar::Number(number)),
                        _ => None,
                    };
                    self.idle_reported.push((name.to_owned(), cpu, value));
                }
                continue;
            }
            let Some(one) = self.monitor.instances.get_mut(who) else { continue };
            let entry = one.reported.iter_mut().find(|(known, _)| *known == name);
            match (entry, shared.facts.text(slot), shared.facts.get(slot)) {
                (Some((_, Scalar::Text(known))), Some(text), _) if known.as_bytes() == text => {}
                (Some((_, known)), Some(text), _) => {
                    *known = Scalar::Text(String::from_utf8_lossy(text).into_owned())
                }
                (Some((_, known)), None, Some(Value::Long(number))) => *known = Scalar::Number(number),
                (None, Some(text), _) => {
                    one.reported.push((name, Scalar::Text(String::from_utf8_lossy(text).into_owned())))
                }
                (None, None, Some(Value::Long(number))) => one.reported.push((name, Scalar::Number(number))),
                _ => {}
            }
        }
    }

    /// Reports a lost event; its number among all. Not if it could have no name.
    pub(crate) fn report(
        &self,
        shared: &mut Shared,
        machine: &Machine,
        switch: u32,
        lost: Lost,
    ) -> Option<usize> {
        let Lost { what, subject, cpu, from, to, probability, is_sure, incoherence, window, reason, .. } =
            lost;
        let mut names = self.names(shared, machine, switch, what).into_iter();
        let (name, share) = names.next()?;
        let of_candidates = lost.candidates.events.iter().flat_map(|&(what, probability)| {
            let names = self.names(shared, machine, switch, what).into_iter();
            names.map(move |(name, share)| (name, probability * share))
        });
        let names =
            ranked(&name, names.map(|(name, share)| (name, probability * share)).chain(of_candidates));
        let probability = probability * share;
        // What it was called is part of what is certain.
        let is_sure = is_sure && share >= 1.0;
        let (key, fields) = match what {
            What::Switch(next) => {
                let key = if subject == IDLE || subject == NO_INSTANCE { next } else { subject };
                (key, self.fields(shared, switch, (subject, next, &lost.candidates), probability, cpu))
            }
            What::Own { .. } => (subject, Vec::new()),
        };
        let instance = self
            .monitor
            .instances
            .get(key)
            .map_or_else(String::new, |one| shared.world.texts.show_name(one.key));
        shared.windows.spend(window);
        let machine = shared.called.machine(self.monitor.rules.index);
        let (from, to, time) = (Timestamp(from), Timestamp(to), Timestamp(middle(from, to)));
        shared.inferred.push(InferredEvent {
            key: EventKey { name, machine, instance, from, to, rank: 0 },
            original_key: None,
            time,
            names,
            cpu: Some(cpu),
            fields,
            probability: Some(probability),
            is_only_explanation: is_sure,
            reason: Some(reason),
            inconsistency: incoherence,
            window,
            group: lost.together,
        });
        Some(shared.inferred.len() - 1)
    }

    /// The names that a lost event can have, with their shares.
    fn names(&self, shared: &Shared, machine: &Machine, switch: u32, what: What) -> Vec<(String, f64)> {
        match what {
            What::Switch(_) => vec![(shared.name(model::Symbol(switch)).to_owned(), 1.0)],
            What::Own { arc, stem } => self.monitor.names(shared, machine, arc, stem),
        }
    }

    /// The fields of a lost event by which one leaves and another comes.
    fn fields(
        &self,
        shared: &Shared,
        symbol: u32,
        (prev, next, candidates): (Ix, Ix, &Candidates),
        probability: f64,
        cpu: u32,
    ) -> Vec<InferredField> {
        let Some(plan) = self.monitor.rules.plan(symbol) else { return Vec::new() };
        let Role::Switch { prev_field, next_field } = plan.role else { return Vec::new() };
        let mut fields = Vec::new();
        for (name, slot) in shared.facts.order(symbol) {
            let mut field = InferredField::new(name, None, probability);
            let is_about = |key: usize| slot == Some(key) || suffix(name, shared.facts.name(key)).is_some();
            let (who, key, own, others) = match (is_about(prev_field), is_about(next_field)) {
                (true, _) => (prev, prev_field, candidates.left, &candidates.prev),
                (false, true) => (next, next_field, candidates.came, &candidates.next),
                _ => continue,
            };
            if let Some((slot, values)) = plan.values.iter().find(|(known, _)| slot == Some(*known)) {
                if prev == NO_INSTANCE {
                    fields.push(field);
                    continue;
                }
                let estimate = self.monitor.instances.get(prev).map(|one| one.estimate.set);
                let fits = |value: i64| {
                    let known = |asked: usize| (asked == *slot).then_some(Some(Value::Long(value)));
                    let set = estimate.unwrap_or(self.on()).and(self.on());
                    let set = if set.is_empty() { self.on() } else { set };
                    !plan.after(set, Part::Field(prev_field), &shared.world.texts, &known).is_empty()
                };
                match self.idle_reported.iter().find(|(known, ..)| prev == IDLE && known == name) {
                    Some((_, _, value)) => field = InferredField::new(name, value.clone(), probability),
                    None => choose(&mut field, probability, values, &fits),
                }
            } else {
                let value = |who: Ix| self.value(shared, symbol, (name, slot == Some(key), key), who, cpu);
                field = InferredField::new(name, value(who), probability + own.0);
                if let Some(taken) = field.alternatives.first_mut() {
                    taken.hypotheses = own.1;
                }
                rank(&mut field, others, &value);
            }
            fields.push(field);
        }
        fields
    }

    /// What a field that is about somebody who leaves or comes says, if it is this one; `key` is the field
    /// that names it.
    fn value(
        &self,
        shared: &Shared,
        symbol: u32,
        (name, is_key, key): (&str, bool, usize),
        who: Ix,
        cpu: u32,
    ) -> Option<Scalar> {
        if is_key {
            return match who {
                NO_INSTANCE => None,
                IDLE => {
                    let except = self.monitor.rules.plan(symbol).and_then(|plan| plan.except.first());
                    except.map(|key| shared.scalar(*key))
                }
                who => self.key(shared, who),
            };
        }
        if who == IDLE {
            let known = self.idle_reported.iter().find(|(known, of, _)| known == name && *of == cpu);
            let known = known.or_else(|| self.idle_reported.iter().find(|(known, ..)| known == name));
            return known.and_then(|(_, _, value)| value.clone());
        }
        let rest = suffix(name, shared.facts.name(key)).unwrap_or(name);
        let one = self.monitor.instances.get(who);
        let mut reported = one.into_iter().flat_map(|one| &one.reported);
        let found = reported.find(|(known, _)| shared.stems.name(model::Symbol(*known)) == rest);
        found.map(|(_, value)| value.clone())
    }

    pub(crate) fn key(&self, shared: &Shared, who: Ix) -> Option<Scalar> {
        self.monitor.instances.get(who).map(|one| shared.scalar(one.key))
    }

    /// Why an event is concluded to be missing.
    pub(crate) fn reason(&self, shared: &Shared, what: What, subject: Ix, last: Ix, cpu: u32) -> String {
        let show = |who: Ix| match who {
            IDLE => "nobody".to_owned(),
            who => self.show(shared, who),
        };
        match what {
            What::Switch(next) if next == last => format!(
                "CPU {cpu} was given to {}, and the next switch there takes it from {}",
                show(subject),
                show(next)
            ),
            What::Switch(next) => {
                format!("what was seen on CPU {cpu} fits {} and no longer {}", show(next), show(subject))
            }
            What::Own { arc, stem } => {
                let arc = self.monitor.rules.lost.get(arc);
                let open = if stem < crate::state_machines::state_estimate::NOTHING {
                    shared.stems.name(model::Symbol(stem))
                } else {
                    ""
                };
                match arc {
                    Some(arc) if arc.opens => {
                        format!("{} ends {open}, which it had not begun", show(subject))
                    }
                    Some(arc) if arc.closes => {
                        format!("{} goes on outside {open}, in which it was", show(subject))
                    }
                    _ => format!("{} goes on from another state than the one it was in", show(subject)),
                }
            }
        }
    }
}

/// Adds what a field says if it was somebody else, the most probable first. What is not known is no value.
fn rank(field: &mut InferredField, others: &[Candidate], value: &dyn Fn(Ix) -> Option<Scalar>) {
    for other in others {
        if let Some(value) = value(other.who) {
            field.weigh(value, other.probability, other.hypotheses);
        }
    }
    field.rank();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_belong_to_the_key_with_their_prefix() {
        let cases = [
            ("prev_comm", "prev_tid", Some("comm")),
            ("next_comm", "prev_tid", None),
            ("prev_tid", "prev_tid", None),
            ("comm", "tid", Some("comm")),
            ("prev_", "prev_tid", None),
        ];
        for (field, key, expected) in cases {
            assert_eq!(suffix(field, key), expected, "{field} of {key}");
        }
    }
}
