//! A summary seen from the top: which loop lies in which, each with the iterations it made.
//!
//! ```text
//! ABCB
//! [Q R]*2.1
//!   [AC]*3.0..4.0      in every iteration: between 3.0 and 4.0 iterations of [AC]
//!   BCB
//! ```

use model::{Run, RunId, Summary};

/// Runs looked at for one range of iterations; of more, a newcomer learns nothing.
const SAMPLE: usize = 10_000;

/// A summary and the step at which each of its units begins.
#[derive(Debug)]
pub(crate) struct Shape<'a> {
    pub(crate) summary: &'a Summary,
    starts: Starts,
}

/// At which step each run of each level begins.
#[derive(Debug)]
pub(crate) struct Starts {
    /// By level: the first step of each run, which is a unit of the level above, and the end of the last.
    starts: Vec<Vec<u64>>,
}

/// One line of the nest.
#[derive(Debug, PartialEq)]
pub(crate) struct NestLine {
    /// How deep it lies.
    pub(crate) depth: usize,
    pub(crate) level: usize,
    /// The run that stands for all that the line is about.
    pub(crate) run: Run,
    /// Fewest and most iterations, where it is a loop.
    pub(crate) iterations: Option<((u64, u64), (u64, u64))>,
    /// Something was lost before it.
    pub(crate) after_gap: bool,
}

impl Starts {
    pub(crate) fn new(summary: &Summary) -> Starts {
        let mut starts = Starts { starts: vec![] };
        for level in &summary.levels {
            let index = starts.starts.len();
            let end = level.runs.last().map(|run| run.start + run.len);
            let units = level.runs.iter().map(|run| run.start).chain(end);
            let steps = units.map(|unit| starts.step(index, unit)).collect();
            starts.starts.push(steps);
        }
        starts
    }

    /// The step at which a unit of a level begins; the end of the level for the unit behind its last.
    pub(crate) fn step(&self, level: usize, unit: u64) -> u64 {
        let Some(below) = level.checked_sub(1) else { return unit };
        let starts = self.of(below);
        let unit = usize::try_from(unit).unwrap_or(usize::MAX);
        starts.get(unit).or(starts.last()).copied().unwrap_or(0)
    }

    /// The same by another clock.
    pub(crate) fn by(self, clock: impl Fn(u64) -> u64) -> Starts {
        let level = |steps: Vec<u64>| steps.into_iter().map(&clock).collect();
        Starts { starts: self.starts.into_iter().map(level).collect() }
    }

    /// The first step of each run of a level, and the end of the last.
    pub(crate) fn of(&self, level: usize) -> &[u64] {
        self.starts.get(level).map_or(&[], Vec::as_slice)
    }
}

impl<'a> Shape<'a> {
    pub(crate) fn new(summary: &'a Summary) -> Shape<'a> {
        Shape { summary, starts: Starts::new(summary) }
    }

    /// The step at which a unit of a level begins; the end of the level for the unit behind its last.
    pub(crate) fn step(&self, level: usize, unit: u64) -> u64 {
        self.starts.step(level, unit)
    }

    /// See [`Starts::of`].
    pub(crate) fn starts_of(&self, level: usize) -> &[u64] {
        self.starts.of(level)
    }

    /// How many steps a run covers.
    pub(crate) fn steps(&self, level: usize, run: &Run) -> u64 {
        self.step(level, run.start + run.len).saturating_sub(self.step(level, run.start))
    }

    /// Whether something was lost right before a unit.
    pub(crate) fn is_after_gap(&self, level: usize, unit: u64) -> bool {
        self.summary.gaps.binary_search(&self.step(level, unit)).is_ok()
    }

    /// The nest, at most `most` lines of it; whether that is all.
    pub(crate) fn nest(&self, most: usize) -> (Vec<NestLine>, bool) {
        let mut lines = vec![];
        let Some(top) = self.summary.levels.len().checked_sub(1) else { return (lines, true) };
        let level = &self.summary.levels[top];
        let pending = level.runs.last().map_or(0, |run| run.start + run.len)..level.len();
        let mut is_all = level.runs.iter().all(|run| self.add(&mut lines, most, 0, top, &[run]));
        if let Some(below) = top.checked_sub(1) {
            let runs = &self.summary.levels[below].runs;
            let pending = pending.filter_map(|unit| runs.get(usize::try_from(unit).ok()?));
            for run in pending {
                is_all = is_all && self.add(&mut lines, most, 0, below, &[run]);
            }
        }
        (lines, is_all)
    }

    /// The nest of one kind of run, over all the places where it stands.
    pub(crate) fn nest_of(&self, level: usize, id: RunId, most: usize) -> (Vec<NestLine>, bool) {
        let runs = self.summary.levels[level].runs.iter().filter(|run| run.id == id);
        let runs: Vec<&Run> = runs.take(SAMPLE).collect();
        let mut lines = vec![];
        let is_all = self.add(&mut lines, most, 0, level, &runs);
        (lines, is_all)
    }

    /// Adds the lines of runs that are all of one kind; `false` once there is no room left.
    fn add(&self, lines: &mut Vec<NestLine>, most: usize, depth: usize, level: usize, runs: &[&Run]) -> bool {
        if lines.len() >= most {
            return false;
        }
        let Some(&&run) = runs.first() else { return true };
        let below = level.checked_sub(1);
        if run.is_loop() || level == 0 {
            let iterations = || runs.iter().map(|run| run.iterations());
            let iterations = iterations().min().zip(iterations().max()).filter(|_| run.is_loop());
            let after_gap = runs.len() == 1 && self.is_after_gap(level, run.start);
            lines.push(NestLine { depth, level, run, iterations, after_gap });
        }
        let Some(below) = below else { return true };
        let (depth, iteration) =
            if run.is_loop() { (depth + 1, u64::from(run.period)) } else { (depth, run.len) };
        (0..iteration).all(|position| {
            let inside = self.inside(below, runs, position, iteration);
            self.add(lines, most, depth, below, &inside)
        })
    }

    /// The runs of level `below` that stand at `position` of an iteration of any of `runs`.
    fn inside(&self, below: usize, runs: &[&Run], position: u64, iteration: u64) -> Vec<&'a Run> {
        let units = &self.summary.levels[below].runs;
        let locations = runs.iter().flat_map(|run| {
            (run.start + position..run.start + run.len)
                .step_by(usize::try_from(iteration.max(1)).unwrap_or(usize::MAX))
        });
        locations.filter_map(|unit| units.get(usize::try_from(unit).ok()?)).take(SAMPLE).collect()
    }
}
