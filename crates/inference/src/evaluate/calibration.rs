//! How often what an engine states is true on the very trace, and the correction that follows from that.
//!
//! ```text
//! statements of trials: (stated, true or not, loss declared or not, what, how much is explained at once, name)
//!   ── all ──> curve ── those of a kind ──> curve ── those that explain as much ──> curve ── so called ──> curve
//! ```
//!
//! A curve is the monotone one that fits best (isotonic regression, pool adjacent violators). Each of its steps is
//! drawn towards the curve of the other statements that are less alike, as if that had been seen `TRUST` times, so that
//! few trials change little; the coarsest is drawn below what is stated: what was not tried is not trusted. The
//! correction is the same for the same statements, whatever their order.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::model::InferredEvent;

/// An event that an engine inferred in a trial, as far as its correction depends on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statement {
    /// The kind of statement.
    pub kind: Kind,
    /// The probability that the engine states.
    pub stated: f64,
    /// Whether what it says holds.
    pub holds: bool,
}

/// What the correction of a statement depends on, besides its probability.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// It is attributed to a declared loss.
    pub is_declared: bool,
    /// It says who had a part in the event.
    pub has_fields: bool,
    /// How many events are explained together: 1, 2, 3 to 4, 5 to 8, 9 or more.
    pub together: u8,
    /// What the event is called, by a number that is the same for the same name.
    pub name: u64,
}

/// A group of kinds: of all statements, of those alike in `is_declared` and `has_fields`, of those that also explain as
/// much, of those that also have the same name.
type Group = (usize, Option<Kind>);

/// Groups of a kind, from all statements to those that are just like it.
const GROUPS: usize = 4;

impl Kind {
    /// The group of that fineness that a kind belongs to.
    fn group(self, fineness: usize) -> Group {
        let kind = match fineness {
            0 => return (0, None),
            1 => Kind { together: 0, name: 0, ..self },
            2 => Kind { name: 0, ..self },
            _ => self,
        };
        (fineness, Some(kind))
    }
}

/// What was learned of an engine on a trace.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    curves: BTreeMap<Group, Curve>,
    /// How many events were left out in trials.
    pub deleted: u64,
    /// How many statements of the engine were compared with them.
    pub statements: u64,
    /// How far the corrected probability is from the truth, on average over bands of a tenth: what was learned from
    /// each half of the trials is held against the other half.
    pub error: f64,
}

/// A monotone step function: from this stated probability on, this is true.
#[derive(Debug, Clone, Default, PartialEq)]
struct Curve(Vec<(f64, f64)>);

/// What is coarser counts as much as so many trials.
const TRUST: f64 = 5.0;
/// What was not tried is true in this part of what is stated.
const UNTRIED: f64 = 0.8;
/// With fewer statements nothing can be learned.
pub const LEAST: usize = 20;

impl Kind {
    /// The kind of each of these, which were inferred in one run.
    pub fn of_all(events: &[InferredEvent]) -> Vec<Kind> {
        let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
        events.iter().filter_map(|event| event.group).for_each(|group| *sizes.entry(group).or_default() += 1);
        let kind = |event: &InferredEvent| {
            let size = event.group.and_then(|group| sizes.get(&group)).copied().unwrap_or(1);
            let together = match size {
                ..=2 => size as u8,
                3..=4 => 3,
                5..=8 => 5,
                _ => 9,
            };
            let mut hasher = FxHasher::default();
            event.key.name.hash(&mut hasher);
            let (is_declared, has_fields) = (event.window.is_some(), !event.fields.is_empty());
            Kind { is_declared, has_fields, together, name: hasher.finish() }
        };
        events.iter().map(kind).collect()
    }
}

impl Statement {
    /// What these say that were inferred in one run, and whether it holds; those that state no probability, and
    /// those that are certain, are left out.
    pub fn of_all<'e>(
        events: &'e [InferredEvent],
        holds: &'e [bool],
    ) -> impl Iterator<Item = Statement> + 'e {
        let kinds = Kind::of_all(events).into_iter();
        events.iter().zip(holds).zip(kinds).filter_map(|((event, &holds), kind)| {
            let stated = event.probability.filter(|_| !event.is_only_explanation)?;
            Some(Statement { kind, stated, holds })
        })
    }
}

impl Calibration {
    /// What these statements teach; `None`: there are too few. `deleted` events were left out to get them.
    pub fn learn(statements: &[Statement], deleted: u64) -> Option<Calibration> {
        if statements.len() < LEAST {
            return None;
        }
        let mut learned = Calibration::curves(statements.iter());
        learned.deleted = deleted;
        learned.statements = statements.len() as u64;
        learned.error = crossed_error(statements);
        Some(learned)
    }

    fn curves<'s>(statements: impl Iterator<Item = &'s Statement> + Clone) -> Calibration {
        let groups: BTreeSet<Group> =
            statements.clone().flat_map(|one| (0..GROUPS).map(|fineness| one.kind.group(fineness))).collect();
        let mut curves = BTreeMap::new();
        for &(fineness, kind) in &groups {
            // Each curve is drawn towards that of the others in the next coarser group, never towards its own points.
            let group = |at: usize| kind.map_or((0, None), |kind| kind.group(at));
            let mut coarser: Option<Curve> = None;
            for at in 0..=fineness {
                let points = statements.clone().filter(|one| {
                    let is_finer = at < fineness && one.kind.group(at + 1) == group(at + 1);
                    one.kind.group(at) == group(at) && !is_finer
                });
                let points: Vec<(f64, bool)> = points.map(|one| (one.stated, one.holds)).collect();
                let drawn_to = |stated: f64| match &coarser {
                    Some(coarser) => coarser.at(stated),
                    None => UNTRIED * stated,
                };
                if !points.is_empty() {
                    coarser = Some(Curve::fit(points, &drawn_to));
                }
            }
            curves.extend(coarser.map(|curve| ((fineness, kind), curve)));
        }
        Calibration { curves, deleted: 0, statements: 0, error: 0.0 }
    }

    /// What is true of statements of this kind that are stated with this probability.
    pub fn corrected(&self, kind: Kind, stated: f64) -> f64 {
        let curve = (0..GROUPS).rev().find_map(|fineness| self.curves.get(&kind.group(fineness)));
        curve.map_or(UNTRIED * stated, |curve| curve.at(stated))
    }

    /// Corrects what is stated of these, which were inferred in one run. What is certain stays so: that was proved.
    pub fn apply(&self, events: &mut [InferredEvent]) {
        let kinds = Kind::of_all(events);
        for (event, kind) in events.iter_mut().zip(kinds) {
            if let Some(stated) = event.probability.filter(|_| !event.is_only_explanation) {
                scale(event, stated, self.corrected(kind, stated));
            }
        }
    }
}

/// Lowers what is stated of events of which nothing could be learned.
pub fn distrust(events: &mut [InferredEvent]) {
    for event in events {
        if let Some(stated) = event.probability.filter(|_| !event.is_only_explanation) {
            scale(event, stated, UNTRIED * stated);
        }
    }
}

/// Gives the event another probability, and its parts what they had of it.
fn scale(event: &mut InferredEvent, from: f64, to: f64) {
    event.probability = Some(to);
    let (share, rest) = (to / from.max(1e-9), (1.0 - to) / (1.0 - from).max(1e-9));
    for (_, other) in &mut event.names {
        *other = (*other * rest.min(1.0)).min(1.0 - to);
    }
    for known in event.fields.iter_mut().flat_map(|field| &mut field.alternatives) {
        known.probability = known.probability.map(|part| (part * share).clamp(0.0, 1.0));
    }
}

/// The mean distance from the truth by bands of a tenth, each half corrected by what the other half teaches.
fn crossed_error(statements: &[Statement]) -> f64 {
    let half = |odd: bool| {
        statements
            .iter()
            .enumerate()
            .filter(move |(index, _)| (index / 8 % 2 == 1) == odd)
            .map(|(_, one)| one)
    };
    let mut bands: [(f64, f64); 10] = [(0.0, 0.0); 10];
    for odd in [false, true] {
        let learned = Calibration::curves(half(!odd));
        for one in half(odd) {
            let corrected = learned.corrected(one.kind, one.stated);
            let band = ((corrected * 10.0) as usize).min(9);
            if let Some(band) = bands.get_mut(band) {
                band.0 += corrected;
                band.1 += f64::from(u8::from(one.holds));
            }
        }
    }
    bands.iter().map(|(stated, holds)| (stated - holds).abs()).sum::<f64>() / statements.len().max(1) as f64
}

impl Curve {
    /// The monotone curve that fits best, drawn towards a coarser one.
    fn fit(mut points: Vec<(f64, bool)>, coarser: &dyn Fn(f64) -> f64) -> Curve {
        points.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        // Blocks: first stated, sum of what was stated, how many, how many hold.
        let mut blocks: Vec<(f64, f64, f64, f64)> = Vec::new();
        for equal in points.chunk_by(|one, other| one.0 == other.0) {
            let Some(&(stated, _)) = equal.first() else { continue };
            let (count, holds) = (equal.len() as f64, equal.iter().filter(|point| point.1).count() as f64);
            blocks.push((stated, stated * count, count, holds));
            while let [.., before, last] = blocks.as_mut_slice()
                && before.3 * last.2 >= last.3 * before.2
            {
                *before = (before.0, before.1 + last.1, before.2 + last.2, before.3 + last.3);
                blocks.pop();
            }
        }
        let mut least = 0.0f64;
        let step = |(first, sum, count, holds): (f64, f64, f64, f64)| {
            let value = (holds + TRUST * coarser(sum / count)) / (count + TRUST);
            least = least.max(value);
            (first, least)
        };
        Curve(blocks.into_iter().map(step).collect())
    }

    fn at(&self, stated: f64) -> f64 {
        let upper = self.0.partition_point(|(from, _)| *from <= stated);
        let step = self.0.get(upper.saturating_sub(1));
        step.map_or(UNTRIED * stated, |(_, value)| *value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: Kind = Kind { is_declared: true, has_fields: true, together: 1, name: 7 };

    fn statements(of: &[(f64, usize, usize)]) -> Vec<Statement> {
        let one = |stated, holds| Statement { kind: KIND, stated, holds };
        let all = of.iter().flat_map(|&(stated, holds, fails)| {
            std::iter::repeat_n(one(stated, true), holds)
                .chain(std::iter::repeat_n(one(stated, false), fails))
        });
        all.collect()
    }

    #[test]
    fn what_is_stated_too_high_is_lowered_and_what_is_stated_too_low_is_raised() {
        let learned = Calibration::learn(&statements(&[(0.6, 180, 20), (0.95, 100, 100)]), 400).unwrap();
        // The two are not in order, so they are one step: 280 of 400 hold.
        let corrected = |stated| learned.corrected(KIND, stated);
        assert!((corrected(0.6) - 0.7).abs() < 0.03 && corrected(0.6) == corrected(0.95), "{learned:?}");
        let learned = Calibration::learn(&statements(&[(0.6, 90, 10), (0.7, 990, 10)]), 1).unwrap();
        assert!((learned.corrected(KIND, 0.6) - 0.9).abs() < 0.05);
        assert!((learned.corrected(KIND, 0.7) - 0.985).abs() < 0.01);
        assert_eq!((learned.statements, learned.deleted), (1100, 1));
    }

    #[test]
    fn few_trials_leave_it_low_and_too_few_teach_nothing() {
        assert_eq!(Calibration::learn(&statements(&[(0.99, LEAST - 1, 0)]), 0), None);
        let learned = Calibration::learn(&statements(&[(0.99, LEAST, 0)]), 0).unwrap();
        let corrected = learned.corrected(KIND, 0.99);
        assert!((0.9..0.999).contains(&corrected), "{corrected}");
        // A kind that was never tried takes the coarser curve.
        let other = Kind { has_fields: false, ..KIND };
        assert!(learned.corrected(other, 0.99) <= corrected);
    }

    #[test]
    fn kinds_are_told_apart_and_the_order_does_not_matter() {
        let mut all = statements(&[(0.9, 100, 0)]);
        let long = Kind { together: 9, ..KIND };
        all.extend(statements(&[(0.9, 10, 90)]).into_iter().map(|one| Statement { kind: long, ..one }));
        let learned = Calibration::learn(&all, 0).unwrap();
        assert!(learned.corrected(KIND, 0.9) > 0.95 && learned.corrected(long, 0.9) < 0.15);
        all.reverse();
        let again = Calibration::learn(&all, 0).unwrap();
        assert_eq!(again.curves, learned.curves);
    }
}
