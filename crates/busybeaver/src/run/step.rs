//! The interpreter: the rules of the language, move by move.
//!
//! One step is one move. Before a move, as long as the next cell is a turn cell, the PP turns:
//! left if the value at the DP is zero, right if not; turning costs nothing. Entering a data cell
//! upward adds 1, downward takes 1, to the right or left moves the DP. The move off the grid ends
//! the program and counts.
//!
//! It shares nothing with the block graph but the grid, and is the judge in every dispute.

use super::{Outcome, Tape};
use crate::grid::{Direction, Grid, Location, Square};

/// A program in the middle of its run.
#[derive(Debug, Clone)]
pub struct Stepper<'g> {
    grid: &'g Grid,
    location: Location,
    direction: Direction,
    tape: Tape,
    steps: u64,
}

/// All that the rest of a run depends on, without the program.
#[derive(Debug, Clone)]
pub(super) struct Moment {
    location: Location,
    direction: Direction,
    tape: Tape,
    pub(super) steps: u64,
}

impl Moment {
    /// Cells of tape that it takes.
    pub(super) fn cells(&self) -> usize {
        self.tape.cells()
    }
}

impl<'g> Stepper<'g> {
    /// At the start: below the bottom left cell, facing up.
    pub fn new(grid: &'g Grid) -> Self {
        Stepper { grid, location: Location::ENTRY, direction: Direction::Up, tape: Tape::new(), steps: 0 }
    }

    /// As it is now, to go on from later.
    pub(super) fn moment(&self) -> Moment {
        Moment {
            location: self.location,
            direction: self.direction,
            tape: self.tape.clone(),
            steps: self.steps,
        }
    }

    /// At a moment of an earlier run of the same program.
    pub(super) fn at(grid: &'g Grid, moment: &Moment) -> Self {
        let Moment { location, direction, ref tape, steps } = *moment;
        Stepper { grid, location, direction, tape: tape.clone(), steps }
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The tape now.
    pub fn tape(&self) -> &Tape {
        &self.tape
    }

    /// Column, row and direction of the PP; none before it entered the grid.
    pub fn pointer(&self) -> Option<(u8, u8, Direction)> {
        (self.location != Location::ENTRY)
            .then(|| (self.location.column(), self.location.row(), self.direction))
    }

    /// Column and row of the PP, from 0 at the bottom left, and where it faces; outside the grid before the first step and
    /// after the last of a run that halts.
    pub fn position(&self, has_halted: bool) -> (i8, i8, Direction) {
        let location = if has_halted { self.location.next(self.direction) } else { self.location };
        let from_frame = |number: u8| number.cast_signed() - 1;
        (from_frame(location.0 & 15), from_frame(location.0 >> 4), self.direction)
    }

    /// One step; `Some` if there is no next one.
    pub fn step(&mut self) -> Option<Outcome> {
        // Four iterations lead back to where it faced: the PP cannot be walled in, for it came from
        // somewhere, but a bound costs nothing.
        for _ in 0..4 {
            let next = self.location.next(self.direction);
            match self.grid.at(next) {
                Square::Turn if self.tape.value() == 0 => {
                    self.direction = self.direction.counter_clockwise();
                }
                Square::Turn => self.direction = self.direction.clockwise(),
                Square::Unset => return Some(Outcome::Open { column: next.column(), row: next.row() }),
                Square::Outside => {
                    self.steps += 1;
                    return Some(Outcome::Halted);
                }
                Square::Noop => {
                    self.location = next;
                    self.steps += 1;
                    return None;
                }
                Square::Data => {
                    self.location = next;
                    self.steps += 1;
                    let _value = match self.direction {
                        Direction::Up => self.tape.add(1),
                        Direction::Down => self.tape.add(-1),
                        Direction::Right => self.tape.shift(1),
                        Direction::Left => self.tape.shift(-1),
                    };
                    return None;
                }
            }
        }
        Some(Outcome::NoData)
    }

    /// Runs until the program ends or `steps` steps were taken in all.
    pub fn run(&mut self, steps: u64) -> Outcome {
        while self.steps < steps {
            if let Some(outcome) = self.step() {
                return outcome;
            }
        }
        Outcome::Stopped
    }
}
