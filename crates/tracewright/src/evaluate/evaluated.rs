//! What an evaluation found: every case, and what each engine made of it.

use std::collections::HashMap;

use inference::evaluate::{Calibration, LongTally};

use super::run::Intact;
use super::score::{Scored, Tally};
use super::truth::Deleted;
use super::{Case, Index};
use crate::losses::Losses;

/// What an evaluation found.
#[derive(Debug)]
pub(crate) struct Evaluated<'a> {
    pub(crate) index: &'a Index,
    pub(crate) losses: &'a Losses,
    /// By engine.
    pub(crate) calibrations: &'a [Option<Calibration>],
    /// By engine, what became of losses whose events are not listed.
    pub(crate) long: &'a [LongTally],
    pub(crate) intact: &'a [Intact],
    pub(crate) cases: &'a [Case],
    pub(crate) truth: &'a HashMap<usize, Deleted>,
    /// By case and engine.
    pub(crate) scored: &'a [Vec<Scored>],
    /// `None`: the cases were given.
    pub(crate) seed: Option<u64>,
    pub(crate) is_declared: bool,
}

impl Evaluated<'_> {
    /// Kinds in their order, with what each engine reached.
    pub(crate) fn kinds(&self) -> Vec<(&str, Vec<Tally>)> {
        let mut kinds: Vec<(&str, Vec<Tally>)> = Vec::new();
        for (case, scored) in self.cases.iter().zip(self.scored) {
            if kinds.last().is_none_or(|(kind, _)| *kind != case.kind) {
                kinds.push((&case.kind, vec![Tally::default(); self.intact.len()]));
            }
            let tallies = kinds.last_mut().into_iter().flat_map(|(_, tallies)| tallies);
            tallies.zip(scored).for_each(|(tally, scored)| tally.add(scored));
        }
        kinds
    }

    /// What an engine reached in all cases together.
    pub(crate) fn total(&self, engine: usize) -> Tally {
        let mut total = Tally::default();
        self.scored.iter().filter_map(|scored| scored.get(engine)).for_each(|scored| total.add(scored));
        total
    }

    pub(crate) fn deleted(&self, case: &Case) -> impl Iterator<Item = &Deleted> {
        case.gone.iter().filter_map(|number| self.truth.get(number))
    }
}
