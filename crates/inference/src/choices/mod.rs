//! The user's choices while an engine runs: which were used, and which cannot be followed.

pub(crate) mod hypothesis_choices;

use std::collections::HashMap;

use model::{Choice, EventKey, Scalar};

/// Choices, each with the number by which the caller knows it, for instance its line in a file.
#[derive(Debug, Default)]
pub struct Choices {
    by_event: HashMap<EventKey, Vec<Numbered>>,
    /// What could not be followed, in the order of finding.
    pub problems: Vec<Problem>,
}

#[derive(Debug, Clone)]
struct Numbered {
    choice: Choice,
    number: usize,
    is_used: bool,
}

/// Why choices could not be followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// The value is not among those that are possible.
    Impossible {
        /// The number of the choice.
        number: usize,
        /// The choice.
        choice: Choice,
        /// How many values are possible.
        possible: usize,
    },
    /// Nothing explains what was recorded and has all of these.
    Contradictory(Vec<(usize, Choice)>),
}

impl Choices {
    /// These choices, each with its number.
    pub fn new(choices: impl IntoIterator<Item = (usize, Choice)>) -> Choices {
        let mut all = Choices::default();
        for (number, choice) in choices {
            let of_event = all.by_event.entry(EventKey::clone(&choice.event)).or_default();
            of_event.push(Numbered { choice, number, is_used: false });
        }
        all
    }

    /// All choices, in no order.
    pub fn all(&self) -> impl Iterator<Item = &Choice> {
        self.by_event.values().flatten().map(|known| &known.choice)
    }

    /// Choices for fields that no inferred event has, or that have but one value, with their numbers.
    pub fn unused(&self) -> impl Iterator<Item = (usize, &Choice)> {
        let unused = self.by_event.values().flatten().filter(|known| !known.is_used);
        unused.map(|known| (known.number, &known.choice))
    }

    /// The value that was chosen for a field, if it is among those that are possible.
    pub fn take<'v>(
        &mut self,
        event: &EventKey,
        field: &str,
        possible: impl Iterator<Item = &'v Scalar>,
    ) -> Option<Scalar> {
        if self.by_event.is_empty() {
            return None;
        }
        let known = self.by_event.get_mut(event)?.iter_mut().find(|known| known.choice.field == field)?;
        known.is_used = true;
        let mut count = 0;
        for value in possible {
            count += 1;
            if *value == known.choice.value {
                return Some(value.clone());
            }
        }
        let (number, choice) = (known.number, known.choice.clone());
        self.problems.push(Problem::Impossible { number, choice, possible: count });
        None
    }

    /// Notes that these contradict each other: nothing explains what was recorded and has all of them.
    pub fn contradict(&mut self, together: &[Choice]) {
        let mut found = Vec::new();
        for choice in together {
            let known = self.by_event.get_mut(&*choice.event).into_iter().flatten();
            for known in known.filter(|known| known.choice.field == choice.field) {
                known.is_used = true;
                found.push((known.number, choice.clone()));
            }
        }
        found.sort_by_key(|(number, _)| *number);
        self.problems.push(Problem::Contradictory(found));
    }

    /// The choices about instances whose name begins so, without that beginning: those of one of several hosts.
    pub fn below(&self, prefix: &str) -> Choices {
        let own = |known: &Numbered| {
            let event = &known.choice.event;
            let instance = event.instance.strip_prefix(prefix)?.to_owned();
            let event = EventKey { instance, ..EventKey::clone(event) }.into();
            Some((known.number, Choice { event, ..known.choice.clone() }))
        };
        Choices::new(self.by_event.values().flatten().filter_map(own))
    }

    /// Takes over what became of choices that were made by [`Choices::below`].
    pub fn absorb(&mut self, other: Choices) {
        let used = other.by_event.into_values().flatten().filter(|known| known.is_used);
        let used: Vec<usize> = used.map(|known| known.number).collect();
        for known in self.by_event.values_mut().flatten() {
            known.is_used |= used.contains(&known.number);
        }
        self.problems.extend(other.problems);
    }
}
