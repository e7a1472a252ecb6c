//! What else a lost event may have been: who else left or came by it, or another event in its place.
//!
//! A stretch has several explanations: the ways that the search found, best first, and the best with one
//! rest of the CPU more or less. Each has a number, so that a value of a field can say in which of them it
//! holds. That is what choices are checked by: values that no explanation has together contradict each other.
//!
//! ```text
//! best      A ── B ── A      who came when A left first: B in 0, C in 1, nobody in 8
//! way 1     A ── C ── A      who left when A came back:  B in 0, C in 1, nobody in 9
//! rests 8   A ── . ── B ── A
//! rests 9   A ── B ── . ── A
//! ```

use super::instances::{Ix, REST};
use super::rests::Planned;
use super::stretch::What;
use super::way::Way;
use crate::model::Hypotheses;

/// The number of the first explanation with a rest more or less than the best one.
const RESTS: usize = super::search::WAYS;

/// Somebody who may have left or come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rival {
    pub(super) who: Ix,
    pub(super) probability: f64,
    pub(super) ways: Hypotheses,
}

/// Who and what a lost event may have been beside what it most probably was.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rivals {
    pub(super) leavers: Vec<Rival>,
    pub(super) comers: Vec<Rival>,
    /// Other events in its place.
    pub(super) events: Vec<(What, f64)>,
    /// By how much more it is probable that the same one left or came than that the event is right, and in
    /// which explanations it did.
    pub(super) left: (f64, Hypotheses),
    pub(super) came: (f64, Hypotheses),
}

impl Default for Rivals {
    fn default() -> Rivals {
        let alone = (0.0, Hypotheses::ALL);
        Rivals { leavers: Vec::new(), comers: Vec::new(), events: Vec::new(), left: alone, came: alone }
    }
}

impl Rivals {
    /// How probable it is that the same one left for somebody else, or came for somebody else, whichever is more.
    pub(super) fn some(&self) -> f64 {
        let all = |(own, _): (f64, Hypotheses), rivals: &[Rival]| {
            own + rivals.iter().map(|rival| rival.probability).sum::<f64>()
        };
        all(self.left, &self.leavers).max(all(self.came, &self.comers))
    }
}

/// One explanation of a stretch.
#[derive(Debug, Clone)]
pub(super) struct Explanation {
    pub(super) number: usize,
    /// The way that it is, by number.
    pub(super) way: usize,
    /// The move of it before which the CPU rests, other than in the best.
    pub(super) rests: Option<usize>,
    pub(super) probability: f64,
    /// Who leaves for whom, in their order.
    switches: Vec<(Ix, Ix)>,
}

/// The ways of a stretch, best first, with their weights.
pub(super) struct Weights<'w> {
    ways: &'w [Way],
    all: f64,
    unknown: f64,
}

impl Weights<'_> {
    /// `unknown` is the weight of what the search does not return, that of the best being 1.
    pub(super) fn new(ways: &[Way], unknown: f64) -> Weights<'_> {
        let mut weights = Weights { ways, all: 1.0, unknown };
        weights.all = ways.iter().map(|way| weights.of(way)).sum::<f64>() + unknown;
        weights
    }

    fn of(&self, way: &Way) -> f64 {
        let best = self.ways.first().map_or(0, |best| best.cost);
        (-f64::from(way.cost - best) / 1000.0).exp() / self.all
    }

    /// How probable a move of a way is: the share of the ways that have it, too, of those that are among these.
    pub(super) fn share(&self, way: &Way, index: usize, among: Hypotheses) -> f64 {
        let known = self.ways.iter().enumerate().filter(|(number, _)| among.has(*number));
        known.filter(|(_, other)| holds(other, way, index)).map(|(_, other)| self.of(other)).sum()
    }

    /// The same if it is certain that one of these explanations is right, of which `chosen` is the best.
    pub(super) fn among(&self, allowed: Hypotheses, chosen: &Explanation) -> Weights<'_> {
        let best = self.ways.get(chosen.way).map_or(0.0, |way| self.of(way));
        let allowed =
            self.ways.iter().enumerate().filter(|(number, _)| allowed.has(*number) || *number == chosen.way);
        let left = allowed.map(|(_, way)| self.of(way)).sum::<f64>() + self.unknown * best;
        Weights { ways: self.ways, all: self.all * left, unknown: self.unknown }
    }

    /// All explanations; `planned` is what the best way comes to.
    pub(super) fn explanations(&self, planned: &[Planned]) -> Vec<Explanation> {
        let mut found = Vec::new();
        for (way, known) in self.ways.iter().enumerate() {
            let own = || known.moves.iter().zip(&known.movers).map(|(step, mover)| (step.what, *mover));
            let switches = match way {
                0 => switches(planned.iter().map(|planned| (planned.what, planned.mover))),
                _ => switches(own()),
            };
            let probability = self.of(known);
            found.push(Explanation { number: way, way, rests: None, probability, switches });
        }
        let Some(best) = self.ways.first() else { return found };
        for (place, one) in planned.iter().enumerate().filter(|(_, one)| one.share < 1.0) {
            // Both halves of a move with a rest in it are the same case.
            if planned.get(place.wrapping_sub(1)).is_some_and(|before| before.index == one.index) {
                continue;
            }
            let toggled = toggled(planned.to_vec(), best, one.index);
            let switches = switches(toggled.iter().map(|one| (one.what, one.mover)));
            let number = RESTS + one.index;
            let probability = (1.0 - one.share) * self.share(best, one.index, Hypotheses::ALL);
            found.push(Explanation { number, way: 0, rests: Some(one.index), probability, switches });
        }
        found
    }

    /// What else the planned event at `place` may have been.
    pub(super) fn rivals(&self, planned: &[Planned], place: usize, explanations: &[Explanation]) -> Rivals {
        let mut rivals =
            Rivals { left: (0.0, Hypotheses::NONE), came: (0.0, Hypotheses::NONE), ..Rivals::default() };
        let (Some(own), Some(best)) = (planned.get(place), self.ways.first()) else { return rivals };
        for explanation in explanations {
            let Some(way) = self.ways.get(explanation.way) else { continue };
            let bit = Hypotheses::one(explanation.number);
            let probability = match explanation.rests {
                None if holds(way, best, own.index) => 0.0,
                Some(index) if index != own.index => 0.0,
                _ => explanation.probability,
            };
            let What::Switch(next) = own.what else {
                if let Some(step) = way.moves.get(own.index).filter(|step| step.what != own.what)
                    && probability > 0.0
                {
                    rivals.events.push((step.what, probability));
                }
                continue;
            };
            // The same of several times that one left or came.
            let before = switches(planned.iter().take(place).map(|other| (other.what, other.mover)));
            let times_left = before.iter().filter(|(leaver, _)| *leaver == own.mover).count();
            let times_came = before.iter().filter(|(_, comer)| *comer == next).count();
            let known = &explanation.switches;
            let came = known.iter().filter(|(leaver, _)| *leaver == own.mover).nth(times_left);
            let left = known.iter().filter(|(_, comer)| *comer == next).nth(times_came);
            match came {
                Some(&(_, comer)) => {
                    note(&mut rivals.comers, &mut rivals.came, next, comer, (probability, bit));
                }
                None if probability == 0.0 => rivals.came.1 = rivals.came.1.or(bit),
                None => {}
            }
            match left {
                Some(&(leaver, _)) => {
                    note(&mut rivals.leavers, &mut rivals.left, own.mover, leaver, (probability, bit));
                }
                None if probability == 0.0 => rivals.left.1 = rivals.left.1.or(bit),
                None => {}
            }
        }
        rivals
    }
}

/// Whether a way has the move of another one, wherever it is: the second of its kind if it is the second there.
fn holds(way: &Way, other: &Way, index: usize) -> bool {
    let (Some(step), Some(by)) = (other.moves.get(index), other.movers.get(index)) else { return false };
    let alike = |way: &Way, end: usize| {
        let moves = way.moves.iter().zip(&way.movers).take(end);
        moves.filter(|(known, mover)| known.what == step.what && *mover == by).count()
    };
    alike(way, way.moves.len()) > alike(other, index)
}

fn note(
    rivals: &mut Vec<Rival>,
    own: &mut (f64, Hypotheses),
    is: Ix,
    who: Ix,
    (probability, ways): (f64, Hypotheses),
) {
    if who == is {
        *own = (own.0 + probability, own.1.or(ways));
    } else if let Some(known) = rivals.iter_mut().find(|known| known.who == who) {
        known.probability += probability;
        known.ways = known.ways.or(ways);
    } else if probability > 0.0 {
        rivals.push(Rival { who, probability, ways });
    }
}

fn switches(events: impl Iterator<Item = (What, Ix)>) -> Vec<(Ix, Ix)> {
    let switch = |(what, mover)| match what {
        What::Switch(next) => Some((mover, next)),
        What::Own { .. } => None,
    };
    events.filter_map(switch).collect()
}

/// The most probable of the explanations that are allowed.
pub(super) fn most_probable(explanations: &[Explanation], allowed: Hypotheses) -> Option<&Explanation> {
    let allowed = explanations.iter().filter(|explanation| allowed.has(explanation.number));
    allowed.max_by(|one, other| {
        one.probability.total_cmp(&other.probability).then(other.number.cmp(&one.number))
    })
}

/// What is planned, but for one move: with a rest before it if there was none, and the other way round.
pub(super) fn toggled(planned: Vec<Planned>, best: &Way, index: usize) -> Vec<Planned> {
    let is_split = planned.iter().filter(|one| one.index == index).count() > 1;
    let mut found: Vec<Planned> = Vec::new();
    for one in planned {
        if one.index != index {
            found.push(one);
        } else if !is_split {
            let range = one.range;
            found.push(Planned { index, what: What::Switch(REST), mover: one.mover, range, share: 1.0 });
            found.push(Planned { mover: REST, share: 1.0, ..one });
        } else if found.last().is_none_or(|before| before.index != index) {
            let what = best.moves.get(index).map_or(one.what, |step| step.what);
            let range = best.ranges.get(index).copied().unwrap_or(one.range);
            found.push(Planned { index, what, mover: one.mover, range, share: 1.0 });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::stretch::Move;
    use super::*;

    /// `A` is 0, `B` is 1; a dot rests.
    fn ix(name: char) -> Ix {
        if name == '.' { REST } else { name as Ix - 'A' as Ix }
    }

    fn name(ix: Ix) -> char {
        if ix == REST { '.' } else { char::from(b'A' + ix as u8) }
    }

    /// The way through those that run, with a cost.
    fn way(runs: &str, cost: u32) -> Way {
        let runs: Vec<Ix> = runs.chars().map(ix).collect();
        let moves =
            runs.iter().skip(1).map(|next| Move { slot: 0, what: What::Switch(*next) }).collect::<Vec<_>>();
        let ranges = vec![(0, 0); moves.len()];
        Way { moves, cost, ranges, beliefs: vec![], movers: runs[..runs.len() - 1].to_vec() }
    }

    /// Hypotheses as `runs cost`, best first; `rests` is how probable the best is without a rest before each move.
    fn check(ways: &[(&str, u32)], rests: &[f64], expected: Expect) {
        let ways: Vec<Way> = ways.iter().map(|(runs, cost)| way(runs, *cost)).collect();
        let weights = Weights::new(&ways, 0.0);
        let best = &ways[0];
        let planned: Vec<Planned> = (0..best.moves.len())
            .map(|index| Planned {
                index,
                what: best.moves[index].what,
                mover: best.movers[index],
                range: (0, 0),
                share: rests.get(index).copied().unwrap_or(1.0),
            })
            .collect();
        let explanations = weights.explanations(&planned);
        let mut told = String::new();
        for (place, one) in planned.iter().enumerate() {
            let What::Switch(next) = one.what else { continue };
            let probability = one.share * weights.share(best, one.index, Hypotheses::ALL);
            let rivals = weights.rivals(&planned, place, &explanations);
            told += &format!("{} to {} {probability:.2};", name(one.mover), name(next));
            for (word, own, list) in
                [("left", rivals.left, &rivals.leavers), ("came", rivals.came, &rivals.comers)]
            {
                let numbers =
                    |ways: Hypotheses| (0..32).filter(|number| ways.has(*number)).collect::<Vec<_>>();
                told += &format!(" {word} +{:.2} {:?}", own.0, numbers(own.1));
                for rival in list {
                    told +=
                        &format!(", {} {:.2} {:?}", name(rival.who), rival.probability, numbers(rival.ways));
                }
                told += ";";
            }
            told += "\n";
            let all = |list: &[Rival]| list.iter().map(|rival| rival.probability).sum::<f64>();
            assert!(probability + rivals.came.0 + all(&rivals.comers) <= 1.0 + 1e-9, "{told}");
            assert!(probability + rivals.left.0 + all(&rivals.leavers) <= 1.0 + 1e-9, "{told}");
        }
        expected.assert_eq(&told);
    }

    #[test]
    fn who_else_left_or_came_by_other_ways() {
        check(
            &[("ABA", 0), ("ACA", 1000)],
            &[],
            expect![[r#"
            A to B 0.73; left +0.00 [0]; came +0.00 [0], C 0.27 [1];
            B to A 0.73; left +0.00 [0], C 0.27 [1]; came +0.00 [0];
        "#]],
        );
        // A longer way: A left for C, and B came from it.
        check(
            &[("AB", 0), ("ACB", 2000)],
            &[],
            expect![[r#"
            A to B 0.88; left +0.00 [0], C 0.12 [1]; came +0.00 [0], C 0.12 [1];
        "#]],
        );
        // The same one left twice: the second time is compared with the second.
        check(
            &[("ABAB", 0), ("ABAC", 700)],
            &[],
            expect![[r#"
                A to B 1.00; left +0.00 [0, 1]; came +0.00 [0, 1];
                B to A 1.00; left +0.00 [0, 1]; came +0.00 [0, 1];
                A to B 0.67; left +0.00 [0]; came +0.00 [0], C 0.33 [1];
            "#]],
        );
    }

    #[test]
    fn a_rest_more_is_an_explanation_of_its_own() {
        check(
            &[("ABA", 0)],
            &[0.9, 0.6],
            expect![[r#"
            A to B 0.90; left +0.00 [0, 9], . 0.10 [8]; came +0.00 [0, 9], . 0.10 [8];
            B to A 0.60; left +0.00 [0, 8], . 0.40 [9]; came +0.00 [0, 8], . 0.40 [9];
        "#]],
        );
    }
}
