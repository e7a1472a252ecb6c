//! Where the lost events of one explanation can have been.

use crate::estimate::instances::costs::Cost;
use crate::estimate::instances::instance::Ix;
use crate::explain::lost_event::What;
use crate::repair::interval::{Interval, Move, Now};
use crate::state_machines::state_estimate::{ANY, StateEstimate};

/// Placements that are tried to find the times of one way.
const PLACEMENTS: usize = 4_000;

/// One explanation.
#[derive(Debug, Clone)]
pub(crate) struct Hypothesis {
    pub(crate) moves: Vec<Move>,
    pub(crate) cost: Cost,
    /// The first and the last position of each move.
    pub(crate) ranges: Vec<(usize, usize)>,
    /// What is believed of all that ran, at the end.
    pub(crate) estimates: Vec<(Ix, StateEstimate)>,
    /// Who runs before each move.
    pub(crate) subjects: Vec<Ix>,
}

impl Interval<'_> {
    /// Finds the positions where the moves can be.
    pub(crate) fn hypothesis(&self, moves: Vec<Move>, cost: Cost) -> Hypothesis {
        let mut subjects = Vec::new();
        let mut running = self.first;
        for step in &moves {
            subjects.push(running);
            if let What::Switch(next) = step.what {
                running = next;
            }
        }
        let mut tries = PLACEMENTS / (self.seen.len() + 1).max(1) + 64;
        let mut early = moves.clone();
        for index in 0..early.len() {
            let least = index.checked_sub(1).and_then(|before| early.get(before)).map_or(0, |step| step.slot);
            let was = early.get(index).map_or(0, |step| step.slot);
            self.shift(&mut early, index, least..was, &mut tries);
        }
        let mut late = moves.clone();
        for index in (0..late.len()).rev() {
            let most = late.get(index + 1).map_or(self.seen.len(), |step| step.slot);
            let was = late.get(index).map_or(0, |step| step.slot);
            self.shift(&mut late, index, (was + 1..=most).rev(), &mut tries);
        }
        let ends = [&early, &late].map(|moves| self.fits(moves).map_or(Vec::new(), estimates));
        let [mut estimates, others] = ends;
        for (who, estimate) in &mut estimates {
            match others.iter().find(|(other, _)| other == who) {
                Some((_, other)) if other == estimate => {}
                Some((_, other)) => {
                    let open = if other.open == estimate.open { other.open } else { ANY };
                    *estimate = StateEstimate { set: estimate.set.or(other.set), open };
                }
                None => estimate.open = ANY,
            }
        }
        let ranges = early.iter().zip(&late).map(|(early, late)| (early.slot, late.slot)).collect();
        Hypothesis { moves, cost, ranges, estimates, subjects }
    }

    /// From which place on the CPU may have rested before a move whose first place is `early`: behind the last
    /// event that whoever ran did, and behind the move before.
    pub(crate) fn idle_since(&self, best: &Hypothesis, index: usize, early: usize) -> usize {
        let least =
            index.checked_sub(1).and_then(|before| best.ranges.get(before)).map_or(0, |range| range.0);
        let mut slot = early;
        while slot > least
            && let Some(seen) = self.seen.get(slot - 1)
            && self.idle_accepts(seen)
        {
            slot -= 1;
        }
        slot
    }

    /// Moves one of them to the first of `slots` where all still fits.
    fn shift(
        &self,
        moves: &mut Vec<Move>,
        index: usize,
        slots: impl Iterator<Item = usize>,
        tries: &mut usize,
    ) {
        for slot in slots {
            if *tries == 0 {
                return;
            }
            *tries -= 1;
            let mut moved = moves.clone();
            if let Some(step) = moved.get_mut(index) {
                step.slot = slot;
            }
            if self.fits(&moved).is_some() {
                *moves = moved;
                return;
            }
        }
    }
}

fn estimates(mut now: Now) -> Vec<(Ix, StateEstimate)> {
    now.left.retain(|&(who, _)| who != now.running);
    now.left.push((now.running, now.estimate));
    now.left
}
