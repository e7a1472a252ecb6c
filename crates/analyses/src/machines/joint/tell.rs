//! Inferred events as they are told: name, fields, probability, reason.

use model::machine::Machine;
use model::{Certainty, Timestamp};

use super::inferred::{Field, Guess, Inferred};
use super::instances::{Ix, NOBODY, REST, Told};
use super::rules::{Part, Role};
use super::runner::Runner;
use super::shared::Shared;
use super::stretch::What;
use crate::machines::value::{Name, Value};

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
}

/// Fields of resting CPUs that are kept.
const MOST_TOLD: usize = 1 << 10;

/// A value that a field had, and how often.
pub(super) type Counted = (i64, u32);

pub(super) fn middle(from: i64, to: i64) -> i64 {
    ((i128::from(from) + i128::from(to)) / 2) as i64
}

/// Takes the most frequent of the values that fit, and keeps the others.
pub(super) fn choose(field: &mut Field, values: &[Counted], fits: &dyn Fn(i64) -> bool) {
    let mut fitting: Vec<Counted> = values.iter().copied().filter(|(value, _)| fits(*value)).collect();
    fitting.sort_by_key(|&(value, times)| (std::cmp::Reverse(times), value));
    let all: u32 = fitting.iter().map(|(_, times)| times).sum();
    let share = |times: u32| f64::from(times) / f64::from(all.max(1));
    let mut shares = fitting.iter().map(|&(value, times)| (Guess::Number(value), share(times)));
    if let Some((value, _)) = shares.next() {
        field.value = value;
        field.alternatives = shares.collect();
    }
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
                        (Some(text), _) => Guess::Text(String::from_utf8_lossy(text).into_owned()),
                        (None, Some(Value::Long(number))) => Guess::Number(number),
                        _ => Guess::Unknown,
                    };
                    self.rest_told.push((name.to_owned(), cpu, value));
                }
                continue;
            }
            let Some(one) = self.watched.instances.get_mut(who) else { continue };
            let place = one.told.iter_mut().find(|(known, _)| *known == name);
            match (place, shared.facts.text(slot), shared.facts.get(slot)) {
                (Some((_, Told::Text(known))), Some(text), _) if known == text => {}
                (Some((_, known)), Some(text), _) => *known = Told::Text(text.to_vec()),
                (Some((_, known)), None, Some(Value::Long(number))) => *known = Told::Number(number),
                (None, Some(text), _) => one.told.push((name, Told::Text(text.to_vec()))),
                (None, None, Some(Value::Long(number))) => one.told.push((name, Told::Number(number))),
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
        let Lost { what, mover, cpu, from, to, probability, is_sure, incoherence, window, reason } = lost;
        let mut names: Vec<(String, f64)> = Vec::new();
        let fields = match what {
            What::Switch(next) => {
                names.push((shared.name(model::Symbol(handover)).to_owned(), 1.0));
                self.fields(shared, handover, mover, next, cpu)
            }
            What::Own { arc, stem } => {
                names = self.watched.names(shared, machine, arc, stem);
                Vec::new()
            }
        };
        let key = match (what, mover) {
            (What::Switch(next), REST | NOBODY) => next,
            (_, mover) => mover,
        };
        let key = self
            .watched
            .instances
            .get(key)
            .map_or_else(String::new, |one| shared.world.texts.show_name(one.key));
        let mut names = names.into_iter();
        let (name, share) = names.next()?;
        let probability = probability * share;
        shared.windows.spend(window);
        shared.inferred.push(Inferred {
            from: Timestamp(from),
            to: Timestamp(to),
            at: Timestamp(middle(from, to)),
            name,
            names: names.collect(),
            cpu: Some(cpu),
            machine: self.watched.rules.index,
            key,
            fields,
            probability,
            certainty: if is_sure { Certainty::OnlyWay } else { Certainty::Likely { probability } },
            reason,
            incoherence,
            window,
        });
        Some(shared.inferred.len() - 1)
    }

    /// The fields of a lost event by which one leaves and another comes.
    fn fields(&self, shared: &Shared, symbol: u32, prev: Ix, next: Ix, cpu: u32) -> Vec<Field> {
        let Some(plan) = self.watched.rules.plan(symbol) else { return Vec::new() };
        let Role::Handover { leaver, comer } = plan.role else { return Vec::new() };
        let rest = plan.except.first().map(|key| match key {
            Name::Number(number) => Guess::Number(*number),
            Name::Text(text) => Guess::Text(shared.world.texts.get(*text).to_owned()),
        });
        let mut fields = Vec::new();
        for (name, slot) in shared.facts.order(symbol) {
            let mut field = Field { name: name.to_owned(), value: Guess::Unknown, alternatives: Vec::new() };
            let is_about = |key: usize| slot == Some(key) || suffix(name, shared.facts.name(key)).is_some();
            let who = match (is_about(leaver), is_about(comer)) {
                (true, _) => prev,
                (false, true) => next,
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
                    Some((_, _, value)) => field.value = value.clone(),
                    None => choose(&mut field, values, &fits),
                }
            } else if slot == Some(leaver) || slot == Some(comer) {
                field.value = match who {
                    NOBODY => Guess::Unknown,
                    REST => rest.clone().unwrap_or(Guess::Unknown),
                    who => self.key(shared, who),
                };
            } else if who == REST {
                let known = self.rest_told.iter().find(|(known, of, _)| known == name && *of == cpu);
                let known = known.or_else(|| self.rest_told.iter().find(|(known, ..)| known == name));
                field.value = known.map_or(Guess::Unknown, |(_, _, value)| value.clone());
            } else if let Some(one) = self.watched.instances.get(who) {
                let key = if who == prev { leaver } else { comer };
                let rest = suffix(name, shared.facts.name(key)).unwrap_or(name);
                let told =
                    one.told.iter().find(|(known, _)| shared.stems.name(model::Symbol(*known)) == rest);
                field.value = match told {
                    None => Guess::Unknown,
                    Some((_, Told::Number(number))) => Guess::Number(*number),
                    Some((_, Told::Text(text))) => Guess::Text(String::from_utf8_lossy(text).into_owned()),
                };
            }
            fields.push(field);
        }
        fields
    }

    pub(super) fn key(&self, shared: &Shared, who: Ix) -> Guess {
        match self.watched.instances.get(who).map(|one| one.key) {
            None => Guess::Unknown,
            Some(Name::Number(number)) => Guess::Number(number),
            Some(Name::Text(text)) => Guess::Text(shared.world.texts.get(text).to_owned()),
        }
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
        let mut field = Field { name: "x".into(), value: Guess::Unknown, alternatives: Vec::new() };
        choose(&mut field, &[(1, 5), (2, 9), (0, 1)], &|value| value != 2);
        assert_eq!(field.value, Guess::Number(1));
        assert_eq!(field.alternatives, [(Guess::Number(0), 1.0 / 6.0)]);
        choose(&mut field, &[(7, 1)], &|_| false);
        assert_eq!(field.value, Guess::Number(1));
    }
}
