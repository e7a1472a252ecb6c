//! The loop finder of one track: all levels, fed with one unit at a time.

use super::level::Level;
use super::runs::{Change, Runs};
use super::snapshot::{self, Segment};
use model::Summary;

/// What to look for.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Recognise loops that were cut before their second iteration, by what preceded them before
    /// (on the lowest level only).
    pub short_loops: bool,
    /// Build at most this many levels (at least 1).
    pub max_levels: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { short_loops: false, max_levels: usize::MAX }
    }
}

/// Finds the loops of one track, unit by unit, and answers at any moment.
///
/// A unit is any number: a symbol of an alphabet, a program block. Averaged over a history, the
/// time for a unit does not depend on how many came before (one unit may make the levels above
/// take back much, but no more than what was done before it). Memory follows the pending units,
/// the different words and the runs, those of the levels above that were taken back included.
/// One segment (between gaps) has fewer than 2^32 pending units.
///
/// ```
/// use analyses::loops::{LoopFinder, Options};
/// let mut finder = LoopFinder::new(Options::default());
/// finder.extend(&[1, 2, 1, 3, 4, 5, 3, 4, 5]);
/// let summary = finder.summary();
/// let periods: Vec<_> = summary.levels[0].runs.iter().map(|run| run.period).collect();
/// assert_eq!(periods, [0, 3]);
/// assert!(summary.levels[0].in_loop);
/// ```
#[derive(Debug, Clone)]
pub struct LoopFinder {
    max_levels: usize,
    lowest: Runs,
    /// The levels above, lowest first. The last one may be without runs yet.
    levels: Vec<Level>,
    /// What lies before the last gap.
    closed: Vec<Segment>,
    /// Steps in the closed segments.
    closed_steps: u64,
}

impl LoopFinder {
    /// An empty history.
    pub fn new(options: Options) -> Self {
        LoopFinder {
            max_levels: options.max_levels.max(1),
            lowest: Runs::new(options.short_loops),
            levels: Vec::new(),
            closed: Vec::new(),
            closed_steps: 0,
        }
    }

    /// The next unit.
    #[inline]
    pub fn push(&mut self, unit: u32) {
        if self.lowest.push(unit, &[]) == Change::Found {
            self.climb(false);
        }
    }

    /// The next units; the same as pushing each, but faster inside a loop.
    pub fn extend(&mut self, units: &[u32]) {
        let mut rest = units;
        loop {
            rest = self.lowest.run_on(rest);
            let Some((&unit, later)) = rest.split_first() else { return };
            self.push(unit);
            rest = later;
        }
    }

    /// The next units, all of them so many times; the same as pushing each, but inside a loop it takes no longer than
    /// pushing them once.
    pub fn repeat(&mut self, units: &[u32], times: u64) {
        for left in (1..=times).rev() {
            if self.lowest.skip(units, left) {
                return;
            }
            self.extend(units);
        }
    }

    /// Something was lost here: no run crosses this place, on no level.
    pub fn gap(&mut self) {
        if self.lowest.processed() == 0 {
            return;
        }
        self.lowest.close(&[]);
        self.climb(true);
        self.closed_steps += self.lowest.processed();
        self.closed.push(Segment::of(&self.lowest, &self.levels));
        self.lowest.restart();
        self.levels.iter_mut().for_each(Level::restart);
    }

    /// How many units were fed.
    pub fn steps(&self) -> u64 {
        self.closed_steps + self.lowest.processed()
    }

    /// The summary up to now. Expanding it gives the history back.
    pub fn summary(&self) -> Summary {
        snapshot::summary(&self.lowest, &self.levels, &self.closed)
    }

    /// Carries new runs upward, as far as they make new runs there; all the way if `close`, and
    /// then every level that has runs ends them here.
    fn climb(&mut self, close: bool) {
        // Units of the level in work from this one on were replaced below.
        let mut stale = None;
        for index in 0..self.max_levels - 1 {
            let (lower, upper) = self.levels.split_at_mut(index);
            let below = lower.last().map_or(&self.lowest, |level| &level.runs);
            if below.list().is_empty() {
                return;
            }
            let Some(level) = upper.first_mut() else {
                let mut level = Level::default();
                level.process(below.list());
                self.levels.push(level);
                return;
            };
            let rewound = stale.map(|from| level.rewind(from, below.list()));
            let done = level.process(below.list());
            if level.runs.list().is_empty() {
                upper[1..].iter_mut().for_each(Level::restart);
                return;
            }
            stale = match (rewound, done.replaced_from) {
                (Some(earlier), Some(from)) => Some(earlier.min(from)),
                (earlier, from) => earlier.or(from),
            };
            if close {
                level.close(below.list());
            } else if !done.found && stale.is_none() {
                return;
            }
        }
    }
}
