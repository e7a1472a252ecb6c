//! Inferred events as they are told: name, fields, probability, reason.

use model::machine::Machine;
use model::{EventKey, Scalar, Timestamp};

use super::instances::{Ix, NOBODY, REST};
use super::plan::{Part, Role};
use super::rivals::{Rival, Rivals};
use super::runner::Runner;
use super::shared::Shared;
use super::stretch::What;
use crate::model::{Alternative, Hypotheses, InferredEvent, InferredField};
use crate::value::{Name, Value};

/// A lost event of who runs, leaves or comes.
pub(super) struct Lost {
    pub(super) what: What,
    /// Who ran before it.
    pub(super) mover: Ix,
    pub(super) cpu: u32,
    pub(super) from: i64,
    pub(super) to: i64,
    pub(super) probability: f64,
    pub(super) is_sure: bool,
    pub(super) incoherence: Option<usize>,
    pub(super) window: Option<usize>,
    pub(super) reason: String,
    /// What else it may have been.
    pub(super) rivals: Rivals,
    /// What is explained together with it.
    pub(super) together: Option<usize>,
}

/// Fields of resting CPUs that are kept.
const MOST_TOLD: usize = 1 << 10;

/// A value that a field had, and how often.
pub(super) type Counted = (i64, u32);

pub(super) fn middle(from: i64, to: i64) -> i64 {
    ((i128::from(from) + i128::from(to)) / 2) as i64
}

/// Takes the most frequent of the values that fit, and keeps the others; `event` is how probable the event is.
pub(super) fn choose(field: &mut InferredField, event: f64, values: &[Counted], fits: &dyn Fn(i64) -> bool) {
    let mut fitting: Vec<Counted> = values.iter().copied().filter(|(value, _)| fits(*value)).collect();
    fitting.sort_by_key(|&(value, times)| (std::cmp::Reverse(times), value));
    let all: u32 = fitting.iter().map(|(_, times)| times).sum();
    let share = |times: u32| event * f64::from(times) / f64::from(all.max(1));
    let shares = fitting.iter().map(|&(value, times)| Alternative {
        value: Scalar::Number(value),
        probability: Some(share(times)),
        hypotheses: Hypotheses::ALL,
    });
    if let Some(&(best, _)) = fitting.first() {
        field.value = Some(Scalar::Number(best));
        field.alternatives = shares.collect();
    }
}

/// Names with their probabilities, each once: the told one, then the others, the most probable first.
pub(super) fn ranked(name: &str, names: impl Iterator<Item = (String, f64)>) -> Vec<(String, f64)> {
    let mut others: Vec<(String, f64)> = Vec::new();
    for (other, probability) in names.filter(|(other, _)| other != name) {
        match others.iter_mut().find(|(known, _)| *known == other) {
            Some((_, known)) => *known += probability,
            None => others.push((other, probability)),
        }
    }
    others.sort_by(|one, other| other.1.total_cmp(&one.1));
    others
}

/// What the name of a field says without the part that it shares with the field that names an
/// instance (`tid` of `prev_tid` has the prefix `prev_`).
fn suffix<'f>(field: &'f str, key: &str) -> Option<&'f str> {
    let prefix = key.rfind('_').map_or("", |end| key.get(..=end).unwrap_or(""));
    let rest = field.strip_prefix(prefix)?;
    (!rest.is_empty() && field != key).then_some(rest)
}

impl Runner {
    /// Keeps what an event by which one leaves and another comes says of both.
    pub(super) fn remember(&mut self, shared: &mut Shared, (symbol, cpu): (u32, u32), prev: Ix, next: Ix) {
        let Some(plan) = self.watched.rules.plan(symbol) else { return };
        let Role::Handover { leaver, comer } = plan.role else { return };
        if self.properties.len() <= symbol as usize {
            self.properties.resize(symbol as usize + 1, None);
        }
        let Some(place) = self.properties.get_mut(symbol as usize) else { return };
        if place.is_none() {
            let (leaver, comer) = (shared.facts.name(leaver).to_owned(), shared.facts.name(comer).to_owned());
            let fields: Vec<(String, Option<usize>)> =
                shared.facts.order(symbol).map(|(name, slot)| (name.to_owned(), slot)).collect();
            let mut found = Vec::new();
            for (name, slot) in fields {
                let Some(slot) = slot else { continue };
                for (is_leaver, key) in [(true, &leaver), (false, &comer)] {
                    if let Some(rest) = suffix(&name, key) {
                        found.push((slot, is_leaver, shared.stems.intern(rest).0));
                    }
                }
            }
            *place = Some(found);
        }
        let Some(Some(properties)) = self.properties.get(symbol as usize) else { return };
        for &(slot, is_leaver, name) in properties {
            let who = if is_leaver { prev } else { next };
            if who == REST && self.rest_told.len() < MOST_TOLD {
                let name = shared.facts.name(slot);
                if !self.rest_told.iter().any(|(known, of, _)| *of == cpu && known == name) {
                    let value = match (shared.facts.text(slot), shared.facts.get(slot)) {
                        (Some(text), _) => Some(Scalar::Text(String::from_utf8_lossy(text).into_owned())),
                        (None, Some(Value::Long(number))) => Some(Scalar::Number(number)),
                        _ => None,
                    };
                    self.rest_told.push((name.to_owned(), cpu, value));
                }
                continue;
            }
            let Some(one) = self.watched.instances.get_mut(who) else { continue };
            let place = one.told.iter_mut().find(|(known, _)| *known == name);
            match (place, shared.facts.text(slot), shared.facts.get(slot)) {
                (Some((_, Scalar::Text(known))), Some(text), _) if known.as_bytes() == text => {}
                (Some((_, known)), Some(text), _) => {
                    *known = Scalar::Text(String::from_utf8_lossy(text).into_owned())
                }
                (Some((_, known)), None, Some(Value::Long(number))) => *known = Scalar::Number(number),
                (None, Some(text), _) => {
                    one.told.push((name, Scalar::Text(String::from_utf8_lossy(text).into_owned())))
                }
                (None, None, Some(Value::Long(number))) => one.told.push((name, Scalar::Number(number))),
                _ => {}
            }
        }
    }

    /// Tells a lost event; its number among all. Not if it could have no name.
    pub(super) fn tell(
        &self,
        shared: &mut Shared,
        machine: &Machine,
        handover: u32,
        lost: Lost,
    ) -> Option<usize> {
        let Lost { what, mover, cpu, from, to, probability, is_sure, incoherence, window, reason, .. } = lost;
        let mut names = self.names(shared, machine, handover, what).into_iter();
        let (name, share) = names.next()?;
        let of_rivals = lost.rivals.events.iter().flat_map(|&(what, probability)| {
            let names = self.names(shared, machine, handover, what).into_iter();
            names.map(move |(name, share)| (name, probability * share))
        });
        let names = ranked(&name, names.map(|(name, share)| (name, probability * share)).chain(of_rivals));
        let probability = probability * share;
        // What it was called is part of what is certain.
        let is_sure = is_sure && share >= 1.0;
        let (key, fields) = match what {
            What::Switch(next) => {
                let key = if mover == REST || mover == NOBODY { next } else { mover };
                (key, self.fields(shared, handover, (mover, next, &lost.rivals), probability, cpu))
            }
            What::Own { .. } => (mover, Vec::new()),
        };
        let instance = self
            .watched
            .instances
            .get(key)
            .map_or_else(String::new, |one| shared.world.texts.show_name(one.key));
        shared.windows.spend(window);
        let machine = shared.called.machine(self.watched.rules.index);
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
    fn names(&self, shared: &Shared, machine: &Machine, handover: u32, what: What) -> Vec<(String, f64)> {
        match what {
            What::Switch(_) => vec![(shared.name(model::Symbol(handover)).to_owned(), 1.0)],
            What::Own { arc, stem } => self.watched.names(shared, machine, arc, stem),
        }
    }

    /// The fields of a lost event by which one leaves and another comes.
    fn fields(
        &self,
        shared: &Shared,
        symbol: u32,
        (prev, next, rivals): (Ix, Ix, &Rivals),
        probability: f64,
        cpu: u32,
    ) -> Vec<InferredField> {
        let Some(plan) = self.watched.rules.plan(symbol) else { return Vec::new() };
        let Role::Handover { leaver, comer } = plan.role else { return Vec::new() };
        let mut fields = Vec::new();
        for (name, slot) in shared.facts.order(symbol) {
            let mut field = InferredField::new(name, None, probability);
            let is_about = |key: usize| slot == Some(key) || suffix(name, shared.facts.name(key)).is_some();
            let (who, key, own, others) = match (is_about(leaver), is_about(comer)) {
                (true, _) => (prev, leaver, rivals.left, &rivals.leavers),
                (false, true) => (next, comer, rivals.came, &rivals.comers),
                _ => continue,
            };
            if let Some((slot, values)) = plan.values.iter().find(|(known, _)| slot == Some(*known)) {
                if prev == NOBODY {
                    fields.push(field);
                    continue;
                }
                let belief = self.watched.instances.get(prev).map(|one| one.belief.set);
                let fits = |value: i64| {
                    let known = |asked: usize| (asked == *slot).then_some(Some(Value::Long(value)));
                    let set = belief.unwrap_or(self.on()).and(self.on());
                    let set = if set.is_empty() { self.on() } else { set };
                    !plan.behind(set, Part::Field(leaver), &shared.world.texts, &known).is_empty()
                };
                match self.rest_told.iter().find(|(known, ..)| prev == REST && known == name) {
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
                NOBODY => None,
                REST => {
                    let except = self.watched.rules.plan(symbol).and_then(|plan| plan.except.first());
                    except.map(|key| scalar(shared, *key))
                }
                who => self.key(shared, who),
            };
        }
        if who == REST {
            let known = self.rest_told.iter().find(|(known, of, _)| known == name && *of == cpu);
            let known = known.or_else(|| self.rest_told.iter().find(|(known, ..)| known == name));
            return known.and_then(|(_, _, value)| value.clone());
        }
        let rest = suffix(name, shared.facts.name(key)).unwrap_or(name);
        let one = self.watched.instances.get(who);
        let mut told = one.into_iter().flat_map(|one| &one.told);
        let found = told.find(|(known, _)| shared.stems.name(model::Symbol(*known)) == rest);
        found.map(|(_, value)| value.clone())
    }

    pub(super) fn key(&self, shared: &Shared, who: Ix) -> Option<Scalar> {
        self.watched.instances.get(who).map(|one| scalar(shared, one.key))
    }

    /// Why an event is concluded to be missing.
    pub(super) fn reason(&self, shared: &Shared, what: What, mover: Ix, last: Ix, cpu: u32) -> String {
        let show = |who: Ix| match who {
            REST => "nobody".to_owned(),
            who => self.show(shared, who),
        };
        match what {
            What::Switch(next) if next == last => format!(
                "CPU {cpu} was given to {}, and the next switch there takes it from {}",
                show(mover),
                show(next)
            ),
            What::Switch(next) => {
                format!("what was seen on CPU {cpu} fits {} and no longer {}", show(next), show(mover))
            }
            What::Own { arc, stem } => {
                let arc = self.watched.rules.lost.get(arc);
                let open =
                    if stem < super::belief::NOTHING { shared.stems.name(model::Symbol(stem)) } else { "" };
                match arc {
                    Some(arc) if arc.opens => format!("{} ends {open}, which it had not begun", show(mover)),
                    Some(arc) if arc.closes => {
                        format!("{} goes on outside {open}, in which it was", show(mover))
                    }
                    _ => format!("{} goes on from another state than the one it was in", show(mover)),
                }
            }
        }
    }
}

pub(super) fn scalar(shared: &Shared, key: Name) -> Scalar {
    match key {
        Name::Number(number) => Scalar::Number(number),
        Name::Text(text) => Scalar::Text(shared.world.texts.get(text).to_owned()),
    }
}

/// Adds what a field says if it was somebody else, the most probable first. What is not known is no value.
fn rank(field: &mut InferredField, others: &[Rival], value: &dyn Fn(Ix) -> Option<Scalar>) {
    for other in others {
        if let Some(said) = value(other.who) {
            field.weigh(said, other.probability, other.ways);
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

    #[test]
    fn the_most_frequent_value_that_fits_is_taken() {
        let mut field = InferredField::new("x", None, 1.0);
        choose(&mut field, 0.6, &[(1, 5), (2, 9), (0, 1)], &|value| value != 2);
        assert_eq!(field.value, Some(Scalar::Number(1)));
        let all: Vec<_> = field.alternatives.iter().map(|one| (&one.value, one.probability)).collect();
        assert_eq!(all, [(&Scalar::Number(1), Some(0.5)), (&Scalar::Number(0), Some(0.6 / 6.0))]);
        choose(&mut field, 1.0, &[(7, 1)], &|_| false);
        assert_eq!(field.value, Some(Scalar::Number(1)));
    }
}
