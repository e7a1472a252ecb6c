//! Summaries: a history as levels of runs, without loss.
//!
//! ```text
//! units   A B C D D D D E F G G G          Level 0: units are the symbols of the track
//! runs    [A B C] D D D D [E F] G G G      P  Q*4.0  R  S*3.0
//! level 1 units are the runs of level 0, by id (P Q R S), and so on upward
//! ```
//!
//! A run is a transition (its word once) or a loop (its word again and again, the last iteration
//! possibly cut). Runs of a level lie end to end; what follows the last one is pending.

use std::ops::Range;

/// Names a kind of run on its level: equal ids mean the same word and the same kind, however many
/// iterations were made. Numbered from 0; ids of different levels must not be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunId(pub u32);

/// One run: `len` units of its level from `start` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// What is run.
    pub id: RunId,
    /// Its first unit.
    pub start: u64,
    /// How many units it covers. A loop made `len / period` whole iterations and `len % period` units
    /// of one more: the `m.n` of the founding text.
    pub len: u64,
    /// Units an iteration; 0 for a transition.
    pub period: u32,
}

/// The units of a transition, or of one iteration of a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Units of the level: symbols on level 0, run ids of the level below elsewhere.
    pub units: Vec<u32>,
    /// Whether the word belongs to a loop.
    pub is_loop: bool,
}

/// One level of a summary.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Level {
    /// The runs, end to end from unit 0.
    pub runs: Vec<Run>,
    /// The word of each run id.
    pub words: Vec<Word>,
    /// The units behind the last run that are not classified yet. Outside a loop they form no
    /// square; inside one there are some only between the moment at which an over-arching loop was
    /// formed and the next run of the level below.
    pub pending: Vec<u32>,
    /// Whether the last run is a loop that has not been left.
    pub in_loop: bool,
    /// How often an over-arching loop replaced runs of this level.
    pub rewrites: u64,
}

/// The summary of one track: level 0 first. The top level has at least one loop, unless it is
/// level 0.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    /// The levels; never empty.
    pub levels: Vec<Level>,
    /// The steps (units of level 0) before which something was lost. No run crosses one of them.
    pub gaps: Vec<u64>,
}

impl Level {
    /// The units of this level that `run` covers.
    pub fn units_of(&self, run: &Run) -> impl Iterator<Item = u32> + '_ {
        let word = self.words.get(run.id.0 as usize).map_or(&[][..], |word| &word.units);
        word.iter().copied().cycle().take(usize::try_from(run.len).unwrap_or(usize::MAX))
    }

    /// All units of this level, in order: the runs expanded, then what is pending.
    pub fn units(&self) -> impl Iterator<Item = u32> + '_ {
        self.runs.iter().flat_map(|run| self.units_of(run)).chain(self.pending.iter().copied())
    }

    /// How many units this level has.
    pub fn len(&self) -> u64 {
        self.runs.last().map_or(0, |run| run.start + run.len) + self.pending.len() as u64
    }

    /// Whether it has no unit.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many symbols it takes to write it: its words, its runs, the counts of its loops, and what is pending.
    pub fn symbols(&self) -> u64 {
        let words: usize = self.words.iter().map(|word| word.units.len()).sum();
        let loops = self.runs.iter().filter(|run| run.is_loop()).count();
        (words + self.runs.len() + loops + self.pending.len()) as u64
    }
}

impl Summary {
    /// How many symbols it takes to write all levels.
    pub fn symbols(&self) -> u64 {
        self.levels.iter().map(Level::symbols).sum()
    }
}

impl Run {
    /// Whether it is a loop.
    pub fn is_loop(&self) -> bool {
        self.period != 0
    }

    /// Whole iterations and units of the last, cut one; `(0, len)` for a transition.
    pub fn iterations(&self) -> (u64, u64) {
        match self.period {
            0 => (0, self.len),
            period => (self.len / u64::from(period), self.len % u64::from(period)),
        }
    }

    /// The units it covers, by number.
    pub fn range(&self) -> Range<u64> {
        self.start..self.start + self.len
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_expands_to_its_units() {
        let level = Level {
            runs: vec![
                Run { id: RunId(0), start: 0, len: 3, period: 0 },
                Run { id: RunId(1), start: 3, len: 5, period: 2 },
            ],
            words: vec![
                Word { units: vec![0, 1, 2], is_loop: false },
                Word { units: vec![3, 4], is_loop: true },
            ],
            pending: vec![9],
            in_loop: false,
            rewrites: 0,
        };
        assert_eq!(level.units().collect::<Vec<_>>(), [0, 1, 2, 3, 4, 3, 4, 3, 9]);
        assert_eq!((level.len(), level.symbols()), (9, 5 + 2 + 1 + 1));
        assert_eq!(level.runs[1].iterations(), (2, 1));
    }
}
