//! What a search counts.

use crate::proof::Kind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The results of a search, or of a part of one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Programs that halt.
    pub success: u64,
    /// Programs proved to hang, by kind.
    pub hangs: BTreeMap<Kind, u64>,
    /// The most steps a halting program takes.
    pub max_steps: u64,
    /// The first program found that takes so many.
    pub best_program: String,
    /// Halting programs by steps: element `n` counts those of `2^n ..= 2^(n+1) - 1` steps.
    pub run_lengths: Vec<u64>,
    /// Programs without an answer.
    pub undecided: Vec<String>,
}

impl Totals {
    /// All programs.
    pub fn total(&self) -> u64 {
        self.success + self.hanging() + self.undecided.len() as u64
    }

    /// All that hang.
    pub fn hanging(&self) -> u64 {
        self.hangs.values().sum()
    }

    /// Counts a program that halts. Its text is only asked for when it is the best so far.
    pub(super) fn halt(&mut self, steps: u64, program: impl FnOnce() -> String) {
        self.success += 1;
        let class = steps.checked_ilog2().unwrap_or(0) as usize;
        if self.run_lengths.len() <= class {
            self.run_lengths.resize(class + 1, 0);
        }
        if let Some(count) = self.run_lengths.get_mut(class) {
            *count += 1;
        }
        if steps > self.max_steps {
            self.max_steps = steps;
            self.best_program = program();
        }
    }

    /// Counts a program that hangs.
    pub(super) fn hang(&mut self, kind: Kind) {
        *self.hangs.entry(kind).or_default() += 1;
    }

    /// Adds the totals of the part that follows this one.
    pub fn add(&mut self, later: &Totals) {
        self.success += later.success;
        for (&kind, count) in &later.hangs {
            *self.hangs.entry(kind).or_default() += count;
        }
        if later.max_steps > self.max_steps {
            self.max_steps = later.max_steps;
            self.best_program.clone_from(&later.best_program);
        }
        if self.run_lengths.len() < later.run_lengths.len() {
            self.run_lengths.resize(later.run_lengths.len(), 0);
        }
        for (count, more) in self.run_lengths.iter_mut().zip(&later.run_lengths) {
            *count += more;
        }
        self.undecided.extend(later.undecided.iter().cloned());
    }
}
