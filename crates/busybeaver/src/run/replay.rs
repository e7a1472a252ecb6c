//! A run whose state is known at any step: it is run once, and what it was at some steps is remembered.
//!
//! ```text
//! steps        0        s        2s       3s       4s
//! remembered   o--------o--------o--------o--------o      with the cells that the DP was at in between
//! asked for                          ^ from 2s on, move by move
//! ```
//!
//! The longer the run the rarer the moments that are remembered, so that they take no more than a fixed number and a fixed
//! memory; and the farther apart they are the longer is the way to a step between them.

use std::ops::RangeInclusive;

use super::step::Moment;
use super::{Outcome, Stepper};
use crate::Grid;

/// Cells of tape that a run may have before it is stopped: 64 MiB.
pub const MOST_CELLS: usize = 1 << 23;
/// Moments that are remembered, and cells of all their tapes together.
const MOST_MOMENTS: usize = 1024;
const MOST_REMEMBERED: usize = 2 * MOST_CELLS;
/// Steps between two moments of a short run.
const STRIDE: u64 = 64;

/// A run, from its start to its end or to where it was stopped.
#[derive(Debug)]
pub struct Replay {
    grid: Grid,
    remembered: Vec<Remembered>,
    end: Outcome,
    steps: u64,
    /// Positions that the DP was at.
    visited: RangeInclusive<i64>,
}

/// A moment, and the positions that the DP was at from there to the next one.
#[derive(Debug)]
struct Remembered {
    moment: Moment,
    visited: RangeInclusive<i64>,
}

/// The state of a run after some of its steps.
#[derive(Debug, Clone)]
pub struct Now<'r> {
    replay: &'r Replay,
    stepper: Stepper<'r>,
}

impl Replay {
    /// Runs a program for at most `steps` steps, and at most [`MOST_CELLS`] cells of tape.
    pub fn of(grid: Grid, steps: u64) -> Self {
        let mut stepper = Stepper::new(&grid);
        let mut remembered: Vec<Remembered> = Vec::new();
        let (mut stride, mut cells, mut due) = (STRIDE, 0, 0);
        let mut end = Outcome::Stopped;
        loop {
            let position = stepper.tape().position();
            if let Some(last) = remembered.last_mut() {
                last.visited = with(&last.visited, position);
            }
            if stepper.steps() == due {
                cells += stepper.tape().cells();
                remembered.push(Remembered { moment: stepper.moment(), visited: position..=position });
                while remembered.len() > 1 && (remembered.len() > MOST_MOMENTS || cells > MOST_REMEMBERED) {
                    stride *= 2;
                    remembered = sparser(remembered, stride);
                    cells = remembered.iter().map(|one| one.moment.cells()).sum();
                }
                due = stepper.steps() / stride * stride + stride;
            }
            if stepper.steps() >= steps || stepper.tape().cells() > MOST_CELLS {
                break;
            }
            if let Some(outcome) = stepper.step() {
                end = outcome;
                break;
            }
        }
        let steps = stepper.steps();
        let all = remembered.iter().map(|one| &one.visited);
        let visited = all.fold(0..=0, |sum, one| with(&with(&sum, *one.start()), *one.end()));
        Replay { grid, remembered, end, steps, visited }
    }

    /// The program.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// How the run ended.
    pub fn end(&self) -> Outcome {
        self.end
    }

    /// Its steps; at a halt with the exit move.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The first and the last position that the DP was at.
    pub fn visited(&self) -> RangeInclusive<i64> {
        self.visited.clone()
    }

    /// The state after `step` steps, or at the end where the run has fewer.
    pub fn at(&self, step: u64) -> Now<'_> {
        let moment = self.remembered.partition_point(|one| one.moment.steps <= step).saturating_sub(1);
        let stepper = match self.remembered.get(moment) {
            Some(one) => Stepper::at(&self.grid, &one.moment),
            // The start is always remembered.
            None => Stepper::new(&self.grid),
        };
        let mut now = Now { replay: self, stepper };
        now.walk_to(step);
        now
    }
}

impl<'r> Now<'r> {
    /// The state itself.
    pub fn stepper(&self) -> &Stepper<'r> {
        &self.stepper
    }

    /// Whether the PP has left the grid.
    pub fn has_halted(&self) -> bool {
        self.replay.end == Outcome::Halted && self.stepper.steps() == self.replay.steps
    }

    /// Goes on to `step`; the positions that the DP was at on the way, with both ends.
    pub fn advance(&mut self, step: u64) -> RangeInclusive<i64> {
        let all = &self.replay.remembered;
        let next = all.partition_point(|one| one.moment.steps < self.stepper.steps());
        let last = all.partition_point(|one| one.moment.steps <= step).saturating_sub(1);
        let (Some(between), true) = (all.get(next..last), next < last) else { return self.walk_to(step) };
        // Over what is remembered of the way, not along it.
        let mut visited = between.first().map_or(0..=0, |first| self.walk_to(first.moment.steps));
        for one in between {
            visited = with(&with(&visited, *one.visited.start()), *one.visited.end());
        }
        if let Some(last) = all.get(last) {
            self.stepper = Stepper::at(&self.replay.grid, &last.moment);
        }
        let rest = self.walk_to(step);
        with(&with(&visited, *rest.start()), *rest.end())
    }

    fn walk_to(&mut self, step: u64) -> RangeInclusive<i64> {
        let position = self.stepper.tape().position();
        let mut visited = position..=position;
        while self.stepper.steps() < step.min(self.replay.steps) && self.stepper.step().is_none() {
            visited = with(&visited, self.stepper.tape().position());
        }
        visited
    }
}

/// Every other moment, with what was visited on the way to the next one that stays.
fn sparser(all: Vec<Remembered>, stride: u64) -> Vec<Remembered> {
    let mut stay: Vec<Remembered> = Vec::with_capacity(all.len());
    for one in all {
        match stay.last_mut().filter(|_| !one.moment.steps.is_multiple_of(stride)) {
            Some(last) => last.visited = with(&with(&last.visited, *one.visited.start()), *one.visited.end()),
            None => stay.push(one),
        }
    }
    stay
}

#[inline]
fn with(visited: &RangeInclusive<i64>, position: i64) -> RangeInclusive<i64> {
    *visited.start().min(&position)..=*visited.end().max(&position)
}
