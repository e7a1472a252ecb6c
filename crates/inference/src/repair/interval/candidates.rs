//! What else a lost event may have been: who else left or came by it, or another event in its place.
//!
//! An interval has several explanations: the ways that the search found, best first, and the best with one
//! rest of the CPU more or less. Each has a number, so that a value of a field can say in which of them it
//! holds. That is what choices are checked by: values that no explanation has together contradict each other.
//!
//! ```text
//! best      A ── B ── A      who came when A left first: B in 0, C in 1, nobody in 8
//! way 1     A ── C ── A      who left when A came back:  B in 0, C in 1, nobody in 9
//! rests 8   A ── . ── B ── A
//! rests 9   A ── B ── . ── A
//! ```

use crate::estimate::instances::instance::{IDLE, Ix};
use crate::explain::lost_event::{Candidate, Candidates, What};
use crate::model::Hypotheses;
use crate::repair::interval::hypothesis::Hypothesis;
use crate::repair::interval::idle::Planned;

/// The number of the first explanation with a rest more or less than the best one.
const MOST_IDLE: usize = crate::repair::interval::search::HYPOTHESES;

/// One explanation of an interval.
#[derive(Debug, Clone)]
pub(crate) struct Explanation {
    pub(crate) number: usize,
    /// The way that it is, by number.
    pub(crate) hypothesis: usize,
    /// The move of it before which the CPU rests, other than in the best.
    pub(crate) idle_share: Option<usize>,
    pub(crate) probability: f64,
    /// Who leaves for whom, in their order.
    switches: Vec<(Ix, Ix)>,
}

/// The ways of an interval, best first, with their weights.
pub(crate) struct Weights<'w> {
    hypotheses: &'w [Hypothesis],
    all: f64,
    unknown: f64,
}

impl Weights<'_> {
    /// `unknown` is the weight of what the search does not return, that of the best being 1.
    pub(crate) fn new(hypotheses: &[Hypothesis], unknown: f64) -> Weights<'_> {
        let mut weights = Weights { hypotheses, all: 1.0, unknown };
        weights.all = hypotheses.iter().map(|hypothesis| weights.of(hypothesis)).sum::<f64>() + unknown;
        weights
    }

    fn of(&self, hypothesis: &Hypothesis) -> f64 {
        let best = self.hypotheses.first().map_or(0, |best| best.cost);
        (-f64::from(hypothesis.cost - best) / 1000.0).exp() / self.all
    }

    /// How probable a move of a way is: the share of the ways that have it, too, of those that are among these.
    pub(crate) fn share(&self, hypothesis: &Hypothesis, index: usize, among: Hypotheses) -> f64 {
        let known = self.hypotheses.iter().enumerate().filter(|(number, _)| among.has(*number));
        known.filter(|(_, other)| holds(other, hypothesis, index)).map(|(_, other)| self.of(other)).sum()
    }

    /// The same if it is certain that one of these explanations is right, of which `chosen` is the best.
    pub(crate) fn among(&self, allowed: Hypotheses, chosen: &Explanation) -> Weights<'_> {
        let best = self.hypotheses.get(chosen.hypothesis).map_or(0.0, |hypothesis| self.of(hypothesis));
        let allowed = self
            .hypotheses
            .iter()
            .enumerate()
            .filter(|(number, _)| allowed.has(*number) || *number == chosen.hypothesis);
        let left = allowed.map(|(_, hypothesis)| self.of(hypothesis)).sum::<f64>() + self.unknown * best;
        Weights { hypotheses: self.hypotheses, all: self.all * left, unknown: self.unknown }
    }

    /// All explanations; `planned` is what the best way comes to.
    pub(crate) fn explanations(&self, planned: &[Planned]) -> Vec<Explanation> {
        let mut found = Vec::new();
        for (hypothesis, known) in self.hypotheses.iter().enumerate() {
            let own = || known.moves.iter().zip(&known.subjects).map(|(step, subject)| (step.what, *subject));
            let switches = match hypothesis {
                0 => switches(planned.iter().map(|planned| (planned.what, planned.subject))),
                _ => switches(own()),
            };
            let probability = self.of(known);
            found.push(Explanation {
                number: hypothesis,
                hypothesis,
                idle_share: None,
                probability,
                switches,
            });
        }
        let Some(best) = self.hypotheses.first() else { return found };
        for (position, one) in planned.iter().enumerate().filter(|(_, one)| one.share < 1.0) {
            // Both halves of a move with a rest in it are the same case.
            if planned.get(position.wrapping_sub(1)).is_some_and(|before| before.index == one.index) {
                continue;
            }
            let toggled = toggled(planned.to_vec(), best, one.index);
            let switches = switches(toggled.iter().map(|one| (one.what, one.subject)));
            let number = MOST_IDLE + one.index;
            let probability = (1.0 - one.share) * self.share(best, one.index, Hypotheses::ALL);
            found.push(Explanation {
                number,
                hypothesis: 0,
                idle_share: Some(one.index),
                probability,
                switches,
            });
        }
        found
    }

    /// What else the planned event at `position` may have been.
    pub(crate) fn candidates(
        &self,
        planned: &[Planned],
        position: usize,
        explanations: &[Explanation],
    ) -> Candidates {
        let mut candidates = Candidates {
            left: (0.0, Hypotheses::NONE),
            came: (0.0, Hypotheses::NONE),
            ..Candidates::default()
        };
        let (Some(own), Some(best)) = (planned.get(position), self.hypotheses.first()) else {
            return candidates;
        };
        for explanation in explanations {
            let Some(hypothesis) = self.hypotheses.get(explanation.hypothesis) else { continue };
            let bit = Hypotheses::one(explanation.number);
            let probability = match explanation.idle_share {
                None if holds(hypothesis, best, own.index) => 0.0,
                Some(index) if index != own.index => 0.0,
                _ => explanation.probability,
            };
            let What::Switch(next) = own.what else {
                if let Some(step) = hypothesis.moves.get(own.index).filter(|step| step.what != own.what)
                    && probability > 0.0
                {
                    candidates.events.push((step.what, probability));
                }
                continue;
            };
            // The same of several times that one left or came.
            let before = switches(planned.iter().take(position).map(|other| (other.what, other.subject)));
            let times_left = before.iter().filter(|(predecessor, _)| *predecessor == own.subject).count();
            let times_came = before.iter().filter(|(_, successor)| *successor == next).count();
            let known = &explanation.switches;
            let came = known.iter().filter(|(predecessor, _)| *predecessor == own.subject).nth(times_left);
            let left = known.iter().filter(|(_, successor)| *successor == next).nth(times_came);
            match came {
                Some(&(_, successor)) => {
                    record(&mut candidates.next, &mut candidates.came, next, successor, (probability, bit));
                }
                None if probability == 0.0 => candidates.came.1 = candidates.came.1.or(bit),
                None => {}
            }
            match left {
                Some(&(predecessor, _)) => {
                    record(
                        &mut candidates.prev,
                        &mut candidates.left,
                        own.subject,
                        predecessor,
                        (probability, bit),
                    );
                }
                None if probability == 0.0 => candidates.left.1 = candidates.left.1.or(bit),
                None => {}
            }
        }
        candidates
    }
}

/// Whether a way has the move of another one, wherever it is: the second of its kind if it is the second there.
fn holds(hypothesis: &Hypothesis, other: &Hypothesis, index: usize) -> bool {
    let (Some(step), Some(by)) = (other.moves.get(index), other.subjects.get(index)) else { return false };
    let alike = |hypothesis: &Hypothesis, end: usize| {
        let moves = hypothesis.moves.iter().zip(&hypothesis.subjects).take(end);
        moves.filter(|(known, subject)| known.what == step.what && *subject == by).count()
    };
    alike(hypothesis, hypothesis.moves.len()) > alike(other, index)
}

fn record(
    candidates: &mut Vec<Candidate>,
    own: &mut (f64, Hypotheses),
    is: Ix,
    who: Ix,
    (probability, hypotheses): (f64, Hypotheses),
) {
    if who == is {
        *own = (own.0 + probability, own.1.or(hypotheses));
    } else if let Some(known) = candidates.iter_mut().find(|known| known.who == who) {
        known.probability += probability;
        known.hypotheses = known.hypotheses.or(hypotheses);
    } else if probability > 0.0 {
        candidates.push(Candidate { who, probability, hypotheses });
    }
}

fn switches(events: impl Iterator<Item = (What, Ix)>) -> Vec<(Ix, Ix)> {
    let switch = |(what, subject)| match what {
        What::Switch(next) => Some((subject, next)),
        What::Own { .. } => None,
    };
    events.filter_map(switch).collect()
}

/// The most probable of the explanations that are allowed.
pub(crate) fn most_probable(explanations: &[Explanation], allowed: Hypotheses) -> Option<&Explanation> {
    let allowed = explanations.iter().filter(|explanation| allowed.has(explanation.number));
    allowed.max_by(|one, other| {
        one.probability.total_cmp(&other.probability).then(other.number.cmp(&one.number))
    })
}

/// What is planned, but for one move: with a rest before it if there was none, and the other way round.
pub(crate) fn toggled(planned: Vec<Planned>, best: &Hypothesis, index: usize) -> Vec<Planned> {
    let is_split = planned.iter().filter(|one| one.index == index).count() > 1;
    let mut found: Vec<Planned> = Vec::new();
    for one in planned {
        if one.index != index {
            found.push(one);
        } else if !is_split {
            let range = one.range;
            found.push(Planned { index, what: What::Switch(IDLE), subject: one.subject, range, share: 1.0 });
            found.push(Planned { subject: IDLE, share: 1.0, ..one });
        } else if found.last().is_none_or(|before| before.index != index) {
            let what = best.moves.get(index).map_or(one.what, |step| step.what);
            let range = best.ranges.get(index).copied().unwrap_or(one.range);
            found.push(Planned { index, what, subject: one.subject, range, share: 1.0 });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::repair::interval::Move;

    /// `A` is 0, `B` is 1; a dot rests.
    fn ix(name: char) -> Ix {
        if name == '.' { IDLE } else { name as Ix - 'A' as Ix }
    }

    fn name(ix: Ix) -> char {
        if ix == IDLE { '.' } else { char::from(b'A' + ix as u8) }
    }

    /// The way through those that run, with a cost.
    fn hypothesis(runs: &str, cost: u32) -> Hypothesis {
        let runs: Vec<Ix> = runs.chars().map(ix).collect();
        let moves =
            runs.iter().skip(1).map(|next| Move { slot: 0, what: What::Switch(*next) }).collect::<Vec<_>>();
        let ranges = vec![(0, 0); moves.len()];
        Hypothesis { moves, cost, ranges, estimates: vec![], subjects: runs[..runs.len() - 1].to_vec() }
    }

    /// Hypotheses as `runs cost`, best first; `idle_share` is how probable the best is without a rest before each move.
    fn check(hypotheses: &[(&str, u32)], idle_share: &[f64], expected: Expect) {
        let hypotheses: Vec<Hypothesis> =
            hypotheses.iter().map(|(runs, cost)| hypothesis(runs, *cost)).collect();
        let weights = Weights::new(&hypotheses, 0.0);
        let best = &hypotheses[0];
        let planned: Vec<Planned> = (0..best.moves.len())
            .map(|index| Planned {
                index,
                what: best.moves[index].what,
                subject: best.subjects[index],
                range: (0, 0),
                share: idle_share.get(index).copied().unwrap_or(1.0),
            })
            .collect();
        let explanations = weights.explanations(&planned);
        let mut reported = String::new();
        for (position, one) in planned.iter().enumerate() {
            let What::Switch(next) = one.what else { continue };
            let probability = one.share * weights.share(best, one.index, Hypotheses::ALL);
            let candidates = weights.candidates(&planned, position, &explanations);
            reported += &format!("{} to {} {probability:.2};", name(one.subject), name(next));
            for (word, own, list) in
                [("left", candidates.left, &candidates.prev), ("came", candidates.came, &candidates.next)]
            {
                let numbers = |hypotheses: Hypotheses| {
                    (0..32).filter(|number| hypotheses.has(*number)).collect::<Vec<_>>()
                };
                reported += &format!(" {word} +{:.2} {:?}", own.0, numbers(own.1));
                for candidate in list {
                    reported += &format!(
                        ", {} {:.2} {:?}",
                        name(candidate.who),
                        candidate.probability,
                        numbers(candidate.hypotheses)
                    );
                }
                reported += ";";
            }
            reported += "\n";
            let all = |list: &[Candidate]| list.iter().map(|candidate| candidate.probability).sum::<f64>();
            assert!(probability + candidates.came.0 + all(&candidates.next) <= 1.0 + 1e-9, "{reported}");
            assert!(probability + candidates.left.0 + all(&candidates.prev) <= 1.0 + 1e-9, "{reported}");
        }
        expected.assert_eq(&reported);
    }

    #[test]
    fn who_else_left_or_came_by_other_hypotheses() {
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
