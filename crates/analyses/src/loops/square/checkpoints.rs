//! Earlier states of a finder, so that a tail can be truncated without reading it anew.
//!
//! One state is kept at every [`STEP`] units, and they thin out backwards: the further back, the
//! fewer. Going back by `d` units finds one at most a few `d` (and a step) before that place.

use super::anchors::{Scale, State};
use super::candidates::Candidates;
use super::near::Near;

/// Units between two states.
const STEP: usize = 64;

/// The state of a finder when its tail had `length` units. What only grows is not in it.
#[derive(Debug, Clone)]
pub(super) struct Checkpoint {
    pub(super) length: usize,
    pub(super) near: Near,
    pub(super) candidates: Candidates,
    pub(super) scales: Vec<State>,
}

/// The states that are kept, by length.
#[derive(Debug, Clone, Default)]
pub(super) struct Checkpoints(Vec<Checkpoint>);

impl Checkpoints {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Keeps the state at `length` units, if it is one to keep.
    #[inline]
    pub(super) fn keep(&mut self, length: usize, near: Near, candidates: &Candidates, scales: &[Scale]) {
        if length.is_multiple_of(STEP) {
            let now = length / STEP;
            // Of the multiples of each power of two, the last three.
            self.0.retain(|old| {
                let old = old.length / STEP;
                now - old < 4 << old.trailing_zeros()
            });
            let scales = scales.iter().map(Scale::state).collect();
            self.0.push(Checkpoint { length, near, candidates: candidates.clone(), scales });
        }
    }

    /// The last state at no more than `length` units; those after it are forgotten.
    pub(super) fn back_to(&mut self, length: usize) -> Option<&Checkpoint> {
        while self.0.last()?.length > length {
            self.0.pop();
        }
        self.0.last()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The states of a tail of `length` units.
    fn states(length: usize) -> Checkpoints {
        let mut states = Checkpoints::default();
        for length in 1..=length {
            states.keep(length, Near::NEW, &Candidates::default(), &[]);
        }
        states
    }

    #[test]
    fn a_state_at_the_very_place_is_found() {
        for wanted in [640, 640 - STEP] {
            assert_eq!(states(640).back_to(wanted).map(|state| state.length), Some(wanted));
        }
        assert!(states(640).back_to(0).is_none());
    }

    #[test]
    fn going_back_finds_a_state_not_far_before() {
        for length in [64, 1_000, 4_096, 10_000] {
            assert!(states(length).0.len() < 40, "few are kept");
            for back in [0, 1, 63, 64, 65, 200, 500, 1_000, 3_000, 5_000] {
                let Some(wanted) = length.checked_sub(back) else { continue };
                let mut states = states(length);
                let found = states.back_to(wanted).map_or(0, |state| state.length);
                let least = wanted.saturating_sub(4 * back + STEP);
                assert!((least..=wanted).contains(&found), "{back} back from {length}: {found}");
                assert!(states.0.iter().all(|state| state.length <= wanted), "later ones are forgotten");
            }
        }
    }
}
