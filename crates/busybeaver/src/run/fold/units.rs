//! What a folded run did, and when it begins to repeat itself.
//!
//! A unit is a block that was run or a rule that was applied, whatever the number of iterations: the
//! program blocks and run blocks of the founding text. A segment of units that comes twice in a row
//! is an iteration of a loop, and of a loop of loops if there are rules in it.

use rustc_hash::FxHashMap;
use std::hash::BuildHasher;

/// Something that was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Unit {
    /// A block, by the key of the state before it.
    Block(u32),
    /// Iterations of a rule.
    Rule(usize),
}

/// Units that are remembered; of more, the memory begins anew.
const MOST: usize = 1 << 14;
/// The longest iteration with rules in it, and without.
const LONGEST: (usize, usize) = (1 << 10, 1 << 9);
/// How many earlier uses of a rule are looked at.
const USES: usize = 8;

#[derive(Debug, Clone, Default)]
pub(super) struct Units {
    units: Vec<Unit>,
    /// For each unit that is a rule, where the one before it is.
    before: Vec<Option<usize>>,
    last: FxHashMap<usize, usize>,
    /// Blocks since the last rule.
    blocks: usize,
    /// Iterations that could not be proved, how often, and when to try again.
    failed: FxHashMap<u64, (u32, usize)>,
    tried: usize,
}

impl Units {
    /// Takes note of a unit.
    #[inline]
    pub(super) fn push(&mut self, unit: Unit) {
        if self.units.len() >= MOST {
            self.units.clear();
            self.before.clear();
            self.last.clear();
        }
        let before = match unit {
            Unit::Block(_) => {
                self.blocks += 1;
                None
            }
            Unit::Rule(index) => {
                self.blocks = 0;
                self.last.insert(index, self.units.len())
            }
        };
        self.units.push(unit);
        self.before.push(before);
    }

    /// Whether the last unit is a block.
    #[inline]
    pub(super) fn end_in_block(&self) -> bool {
        self.blocks > 0
    }

    /// The iteration that has just come to its end for the second time, if it is time to look and worth
    /// a trial.
    #[inline]
    pub(super) fn iteration(&mut self) -> Option<Vec<Unit>> {
        let iteration = if self.blocks == 0 {
            self.with_rules()?
        } else if self.blocks.is_multiple_of(if self.blocks < 128 { 8 } else { 64 }) {
            self.of_blocks()?
        } else {
            return None;
        };
        self.tried += 1;
        let hash = rustc_hash::FxBuildHasher.hash_one(&iteration);
        let &(_, again) = self.failed.get(&hash).unwrap_or(&(0, 0));
        (again <= self.tried).then_some(iteration)
    }

    /// Takes note that an iteration was no rule: the next trial of it comes later, and ever later.
    pub(super) fn fail(&mut self, iteration: &[Unit]) {
        if self.failed.len() >= MOST {
            self.failed.clear();
        }
        let hash = rustc_hash::FxBuildHasher.hash_one(iteration);
        let failed = self.failed.entry(hash).or_insert((0, 0));
        failed.0 = (failed.0 + 1).min(20);
        failed.1 = self.tried + (1 << failed.0);
    }

    fn with_rules(&self) -> Option<Vec<Unit>> {
        let end = self.units.len();
        let mut use_of = self.before.last().copied().flatten();
        for _ in 0..USES {
            let period = end - 1 - use_of?;
            if period > LONGEST.0 {
                return None;
            }
            if self.is_square(period) {
                return self.units.get(end - period..).map(<[Unit]>::to_vec);
            }
            use_of = self.before.get(use_of?).copied().flatten();
        }
        None
    }

    fn of_blocks(&self) -> Option<Vec<Unit>> {
        let longest = (self.blocks / 2).min(LONGEST.1).min(self.units.len() / 2);
        let period = (1..=longest).find(|&period| self.is_square(period))?;
        self.units.get(self.units.len() - period..).map(<[Unit]>::to_vec)
    }

    fn is_square(&self, period: usize) -> bool {
        let Some(start) = self.units.len().checked_sub(2 * period) else { return false };
        let (before, after) = self.units[start..].split_at(period);
        // Iterations differ at their ends, if at all.
        before.iter().rev().eq(after.iter().rev())
    }
}
