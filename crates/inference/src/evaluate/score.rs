//! Scores: what of the inferred events is right, and what that says of the engine.

use super::truth::Deleted;
use crate::model::InferredEvent;

/// What came of one case with one engine.
#[derive(Debug, Clone, Default)]
pub struct Scored {
    /// What was inferred and is not inferred from the whole trace too.
    pub inferred: Vec<InferredEvent>,
    /// For each of these: whether it is right.
    pub right: Vec<bool>,
    /// For each of these: whether all that is reported of it holds. An engine that leaves open who came, and
    /// knows who left, is not right, but it does not mislead.
    pub holds: Vec<bool>,
    /// For each deleted event: whether it was found.
    pub found: Vec<bool>,
    /// How many deleted events are found once other listed values of the key fields are allowed too.
    pub listed: usize,
    /// How many are found by name, CPU and time alone.
    pub placed: usize,
    /// Incoherences that the whole trace does not have.
    pub inconsistencies: usize,
}

impl Scored {
    pub fn new(inferred: Vec<InferredEvent>, deleted: &[&Deleted], inconsistencies: usize) -> Scored {
        let (right, found) = pair(&inferred, deleted, |event, deleted| {
            agree(event, deleted) && deleted.keys.iter().all(|(name, value)| event.value(name) == Some(value))
        });
        let (_, listed) = pair(&inferred, deleted, |event, deleted| {
            agree(event, deleted)
                && deleted.keys.iter().all(|(name, value)| {
                    event.field(name).is_some_and(|field| {
                        field.value.as_ref() == Some(value) || field.alternative(value).is_some()
                    })
                })
        });
        // Right events are paired; of the rest each may be another deleted event if it agrees in all fields that it states.
        let rest: Vec<usize> =
            (0..inferred.len()).filter(|index| right.get(*index) == Some(&false)).collect();
        let open: Vec<&Deleted> =
            deleted.iter().zip(&found).filter(|(_, found)| !**found).map(|(deleted, _)| *deleted).collect();
        let unmatched: Vec<InferredEvent> =
            rest.iter().filter_map(|&index| inferred.get(index).cloned()).collect();
        let (partly, _) = pair(&unmatched, &open, |event, deleted| {
            let agrees = |(name, value): &(String, _)| event.value(name).is_none_or(|own| own == value);
            agree(event, deleted) && deleted.keys.iter().all(agrees)
        });
        let mut holds = right.clone();
        for (&index, partly) in rest.iter().zip(partly) {
            if let Some(holds) = holds.get_mut(index) {
                *holds = partly;
            }
        }
        let (_, placed) = pair(&inferred, deleted, agree);
        let count = |found: &[bool]| found.iter().filter(|found| **found).count();
        let (listed, placed) = (count(&listed), count(&placed));
        Scored { inferred, right, holds, found, listed, placed, inconsistencies }
    }

    /// All that was deleted was found, and nothing else.
    pub fn is_exact(&self) -> bool {
        self.found.iter().all(|found| *found) && self.right.iter().all(|right| *right)
    }

    /// Whether nothing was reported missing.
    pub fn is_unnoticed(&self) -> bool {
        self.inferred.is_empty() && self.inconsistencies == 0
    }
}

/// Name, CPU and time.
fn agree(event: &InferredEvent, deleted: &Deleted) -> bool {
    event.key.name == deleted.name
        && event.cpu == deleted.cpu
        && deleted.time.is_some_and(|time| (event.key.from.0..=event.key.to.0).contains(&time))
}

/// Gives each deleted event at most one inferred one that fits, as many as can be: the earlier one of
/// equals takes the interval that ends first.
fn pair(
    inferred: &[InferredEvent],
    deleted: &[&Deleted],
    fits: impl Fn(&InferredEvent, &Deleted) -> bool,
) -> (Vec<bool>, Vec<bool>) {
    let (mut right, mut found) = (vec![false; inferred.len()], vec![false; deleted.len()]);
    let mut order: Vec<usize> = (0..deleted.len()).collect();
    order.sort_by_key(|&number| deleted.get(number).map(|deleted| deleted.time));
    for number in order {
        let Some(deleted) = deleted.get(number) else { continue };
        let free = inferred
            .iter()
            .zip(&right)
            .enumerate()
            .filter(|(_, (event, is_right))| !**is_right && fits(event, deleted));
        let first = free.min_by_key(|(_, (event, _))| event.key.to).map(|(index, _)| index);
        if let Some(first) = first
            && let (Some(right), Some(found)) = (right.get_mut(first), found.get_mut(number))
        {
            (*right, *found) = (true, true);
        }
    }
    (right, found)
}

/// The sum of some cases.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    pub cases: u64,
    pub deleted: u64,
    pub inferred: u64,
    pub right: u64,
    /// Right in all that is reported, but key fields are left open.
    pub partly: u64,
    pub listed: u64,
    pub placed: u64,
    /// Cases in which all was found, and nothing else.
    pub exact: u64,
    /// Cases in which nothing reported that anything is missing.
    pub unnoticed: u64,
    /// How long the intervals of the right ones are, in nanoseconds.
    widths: Vec<i64>,
    /// Stated probability, and whether what was reported holds, where one was stated.
    pub stated: Vec<(f64, bool)>,
}

impl Tally {
    pub fn add(&mut self, scored: &Scored) {
        self.cases += 1;
        self.deleted += scored.found.len() as u64;
        self.inferred += scored.inferred.len() as u64;
        self.listed += scored.listed as u64;
        self.placed += scored.placed as u64;
        self.exact += u64::from(scored.is_exact());
        self.unnoticed += u64::from(scored.is_unnoticed());
        for ((event, &is_right), &holds) in scored.inferred.iter().zip(&scored.right).zip(&scored.holds) {
            self.right += u64::from(is_right);
            self.partly += u64::from(holds && !is_right);
            if is_right {
                self.widths.push(event.key.to.0.saturating_sub(event.key.from.0));
            }
            let stated = event.probability.filter(|stated| (0.0..=1.0).contains(stated));
            self.stated.extend(stated.map(|stated| (stated, holds)));
        }
    }

    /// Right among what was inferred.
    pub fn precision(&self) -> Option<f64> {
        share(self.right, self.inferred)
    }

    /// Right among what was deleted.
    pub fn recall(&self) -> Option<f64> {
        share(self.right, self.deleted)
    }

    /// Inferred although what is reported of it does not hold.
    pub fn false_alarms(&self) -> u64 {
        self.inferred - self.right - self.partly
    }

    /// Half of the right intervals are no longer.
    pub fn width(&self) -> Option<i64> {
        let mut widths = self.widths.clone();
        widths.sort_unstable();
        widths.get(widths.len().saturating_sub(1) / 2).copied()
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// How well stated probabilities hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Reliability {
    pub bins: Vec<Bin>,
    /// The mean square of what was stated too much or too little: 0 is perfect, 0.25 is a coin.
    pub brier: f64,
    pub events: u64,
}

/// Events whose stated probability lies in a range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bin {
    /// From here on.
    pub from: f64,
    /// Below this; the last bin has 1 in it.
    pub to: f64,
    pub events: u64,
    pub right: u64,
    /// The mean of what was stated.
    pub stated: f64,
}

/// Where a user decides differently: finer where trust begins.
const BOUNDS: [f64; 8] = [0.0, 0.25, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99];

impl Reliability {
    /// Nothing if no probability was stated.
    pub fn new(stated: &[(f64, bool)]) -> Option<Reliability> {
        if stated.is_empty() {
            return None;
        }
        let events = stated.len() as u64;
        let miss = |&(stated, is_right): &(f64, bool)| (stated - f64::from(u8::from(is_right))).powi(2);
        let brier = stated.iter().map(miss).sum::<f64>() / events as f64;
        let bin = |(number, &from): (usize, &f64)| {
            let next = BOUNDS.get(number + 1);
            let inside = |&&(stated, _): &&(f64, bool)| stated >= from && next.is_none_or(|to| stated < *to);
            let of_bin: Vec<_> = stated.iter().filter(inside).collect();
            let sum: f64 = of_bin.iter().map(|(stated, _)| stated).sum();
            Bin {
                from,
                to: next.copied().unwrap_or(1.0),
                events: of_bin.len() as u64,
                right: of_bin.iter().filter(|(_, is_right)| *is_right).count() as u64,
                stated: sum / of_bin.len() as f64,
            }
        };
        let bins = BOUNDS.iter().enumerate().map(bin).filter(|bin| bin.events > 0).collect();
        Some(Reliability { bins, brier, events })
    }
}

/// Of the events stated at `least` or more: how many, and how many of them are right.
pub fn at_least(stated: &[(f64, bool)], least: f64) -> (u64, u64) {
    let selected = || stated.iter().filter(|(stated, _)| *stated >= least);
    (selected().count() as u64, selected().filter(|(_, is_right)| *is_right).count() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{EventKey, Hypotheses, InferredField, Scalar};
    use model::Timestamp;

    fn event(from: i64, to: i64, next: i64, others: &[i64]) -> InferredEvent {
        let mut field = InferredField::new("next", Some(Scalar::Number(next)), 1.0);
        others.iter().for_each(|other| field.weigh(Scalar::Number(*other), 0.0, Hypotheses::ALL));
        let (from, to) = (Timestamp(from), Timestamp(to));
        InferredEvent {
            key: EventKey {
                name: "switch".into(),
                machine: "".into(),
                instance: String::new(),
                from,
                to,
                rank: 1,
            },
            original_key: None,
            time: from,
            names: vec![],
            cpu: Some(0),
            fields: vec![field],
            probability: None,
            is_only_explanation: false,
            reason: None,
            inconsistency: None,
            window: None,
            group: None,
        }
    }

    fn deleted(time: i64, next: i64) -> Deleted {
        let keys = vec![("next".to_owned(), Scalar::Number(next))];
        Deleted { time: Some(time), cpu: Some(0), name: "switch".into(), keys }
    }

    #[test]
    fn name_cpu_keys_and_time_must_agree() {
        let truth = deleted(15, 7);
        let score = |event: InferredEvent| Scored::new(vec![event], &[&truth], 0).right == [true];
        assert!(score(event(10, 20, 7, &[])) && score(event(15, 15, 7, &[])));
        assert!(!score(event(16, 20, 7, &[])) && !score(event(10, 14, 7, &[])));
        assert!(!score(event(10, 20, 8, &[7])));
        assert!(!score(InferredEvent { cpu: Some(1), ..event(10, 20, 7, &[]) }));
        let mut renamed = event(10, 20, 7, &[]);
        renamed.key.name = "x".into();
        assert!(!score(renamed));
        let open = InferredEvent { fields: vec![], ..event(10, 20, 7, &[]) };
        assert!(!score(open.clone()));
        assert_eq!(Scored::new(vec![open.clone(), event(10, 20, 8, &[])], &[&truth], 0).holds, [true, false]);
        assert_eq!(Scored::new(vec![open, event(10, 20, 7, &[])], &[&truth], 0).holds, [false, true]);
        let listed = Scored::new(vec![event(10, 20, 8, &[7])], &[&truth], 0);
        assert_eq!((listed.listed, listed.placed), (1, 1));
        assert!(!listed.is_exact() && !listed.is_unnoticed());
    }

    #[test]
    fn each_deleted_event_makes_one_right_and_as_many_as_can_be() {
        let (first, second) = (deleted(12, 7), deleted(18, 7));
        // Whoever takes the long interval for the first leaves none for the second.
        let scored = Scored::new(vec![event(10, 20, 7, &[]), event(10, 13, 7, &[])], &[&second, &first], 0);
        assert!(scored.is_exact());
        let twice = Scored::new(vec![event(10, 20, 7, &[]), event(10, 20, 7, &[])], &[&first], 0);
        assert_eq!((twice.right, twice.found), (vec![true, false], vec![true]));
    }

    #[test]
    fn probabilities_are_held_against_what_was_right() {
        let reliability = Reliability::new(&[(0.9, true), (0.9, false), (1.0, true), (0.5, true)]).unwrap();
        let bins: Vec<_> = reliability.bins.iter().map(|bin| (bin.from, bin.events, bin.right)).collect();
        assert_eq!(bins, [(0.5, 1, 1), (0.9, 2, 1), (0.99, 1, 1)]);
        assert!((reliability.brier - (0.01 + 0.81 + 0.0 + 0.25) / 4.0).abs() < 1e-12);
        assert_eq!(Reliability::new(&[]), None);
        assert_eq!(at_least(&[(0.9, true), (0.8, false), (1.0, false)], 0.9), (2, 1));
    }
}
