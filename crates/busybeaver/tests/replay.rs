//! The state of a run at any step, against an interpreter that is as plain as the rules of the language.
#![allow(clippy::unwrap_used)]

mod programs;

use std::collections::BTreeMap;

use busybeaver::run::{Outcome, Replay};
use busybeaver::{Cell, Direction, Grid};
use fastrand::Rng;
use programs::random_program;

/// The rules, with coordinates, a map for the tape and nothing shared but the cells.
struct Plain<'g> {
    grid: &'g Grid,
    at: (i64, i64),
    direction: usize,
    tape: BTreeMap<i64, i64>,
    pointer: i64,
    steps: u64,
    has_halted: bool,
}

/// Up, right, down, left.
const DIRECTIONS: [(i64, i64); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];

impl Plain<'_> {
    fn new(grid: &Grid) -> Plain<'_> {
        Plain {
            grid,
            at: (0, -1),
            direction: 0,
            tape: BTreeMap::new(),
            pointer: 0,
            steps: 0,
            has_halted: false,
        }
    }

    fn value(&self) -> i64 {
        self.tape.get(&self.pointer).copied().unwrap_or(0)
    }

    fn next(&self) -> ((i64, i64), Option<Cell>) {
        let (column, row) =
            (self.at.0 + DIRECTIONS[self.direction].0, self.at.1 + DIRECTIONS[self.direction].1);
        let cell = match (u8::try_from(column), u8::try_from(row)) {
            (Ok(column), Ok(row)) => self.grid.cell(column, row),
            _ => None,
        };
        ((column, row), cell)
    }

    /// Whether there was a step.
    fn step(&mut self) -> bool {
        if self.has_halted {
            return false;
        }
        let mut quarters = 0;
        while self.next().1 == Some(Cell::Turn) {
            self.direction = (self.direction + if self.value() == 0 { 3 } else { 1 }) % 4;
            quarters += 1;
            if quarters == 4 {
                return false;
            }
        }
        let (to, cell) = self.next();
        if cell == Some(Cell::Unset) {
            return false;
        }
        self.at = to;
        self.steps += 1;
        self.has_halted = cell.is_none();
        if cell == Some(Cell::Data) {
            match self.direction {
                0 => *self.tape.entry(self.pointer).or_insert(0) += 1,
                1 => self.pointer += 1,
                2 => *self.tape.entry(self.pointer).or_insert(0) -= 1,
                _ => self.pointer -= 1,
            }
        }
        true
    }
}

/// Compares a run of at most `most` steps with the plain one, at random steps and at its ends; the plain one is run along.
fn check(grid: &Grid, most: u64, moments: usize, random: &mut Rng) -> Replay {
    let replay = Replay::of(grid.clone(), most);
    let mut steps: Vec<u64> = (0..moments).map(|_| random.u64(..=replay.steps())).collect();
    steps.extend([0, 1.min(replay.steps()), replay.steps()]);
    steps.sort_unstable();
    let mut plain = Plain::new(grid);
    let mut advanced = replay.at(0);
    let (mut low, mut high) = (0, 0);
    for step in steps {
        let (mut least, mut greatest) = (plain.pointer, plain.pointer);
        while plain.steps < step {
            assert!(plain.step(), "{grid}: step {step} of {}", replay.steps());
            (least, greatest) = (least.min(plain.pointer), greatest.max(plain.pointer));
        }
        (low, high) = (low.min(least), high.max(greatest));
        assert_eq!(advanced.advance(step), least..=greatest, "{grid} on the way to {step}");
        for now in [&replay.at(step), &advanced] {
            let (stepper, what) = (now.stepper(), format!("{grid} at {step}"));
            assert_eq!(stepper.steps(), step, "{what}");
            let (column, row, direction) = stepper.position(now.has_halted());
            let facing = Direction::ALL.iter().position(|&one| one == direction);
            assert_eq!((i64::from(column), i64::from(row)), plain.at, "{what}");
            assert_eq!(facing, Some(plain.direction), "{what}");
            assert_eq!(now.has_halted(), plain.has_halted, "{what}");
            assert_eq!(stepper.tape().position(), plain.pointer, "{what}");
            let bounds = stepper.tape().bounds().unwrap_or((0, 0));
            for at in bounds.0.min(low) - 2..=bounds.1.max(high) + 2 {
                let cell = plain.tape.get(&at).copied().unwrap_or(0);
                assert_eq!(stepper.tape().at(at), cell, "{what}, cell {at}");
            }
        }
    }
    assert_eq!(replay.visited(), low..=high, "{grid}");
    assert_eq!(plain.step(), replay.end() == Outcome::Stopped, "{grid}: it ends where it ends");
    replay
}

#[test]
fn programs_of_the_founding_text_and_known_ones() {
    let random = &mut Rng::with_seed(1);
    let known = |text: &str| text.parse::<Grid>().unwrap();
    let halts = check(&known("ROuShls"), 1_000, 20, random);
    assert_eq!((halts.end(), halts.steps()), (Outcome::Halted, 15));
    let hangs = check(&known("ZgoCQhGBUIBlqA"), 300_000, 100, random);
    assert_eq!((hangs.end(), hangs.steps()), (Outcome::Stopped, 300_000));
    let long = check(&known("dwoAlShaIhJBYIGAKA"), 1_000_000, 100, random);
    assert_eq!((long.end(), long.steps()), (Outcome::Halted, 117_273));
}

#[test]
fn random_programs() {
    let random = &mut Rng::with_seed(7);
    let mut ends = BTreeMap::new();
    for _ in 0..1_500 {
        let mut grid = random_program(random);
        if random.u8(..4) == 0 {
            grid.set(random.u8(..grid.width()), random.u8(..grid.height()), Cell::Unset);
        }
        let replay = check(&grid, random.u64(10..3_010), 8, random);
        *ends.entry(format!("{:.4}", format!("{:?}", replay.end()))).or_insert(0) += 1;
    }
    // All ways to end occur, or less was compared than it seems.
    assert!(["Halt", "Open", "Stop"].iter().all(|end| ends.contains_key(*end)), "{ends:?}");
}

/// It moves on by a cell every few steps, so that the memory of the tapes and not their number bounds what is remembered.
#[test]
fn a_tape_that_grows_for_ever_stops_the_run_at_a_bound() {
    // Up through data, then round and round to the right.
    let grid: Grid = "IlU".parse().unwrap();
    assert_eq!(Replay::of(grid, 10).end(), Outcome::Halted);
    let random = &mut Rng::with_seed(3);
    let growing = std::iter::repeat_with(|| random_program(random))
        .find(|grid| {
            let visited = Replay::of(grid.clone(), 20_000).visited();
            visited.end() - visited.start() > 4_000
        })
        .unwrap();
    let replay = Replay::of(growing, u64::MAX);
    assert_eq!(replay.end(), Outcome::Stopped);
    let (first, last) = (*replay.visited().start(), *replay.visited().end());
    assert!(last - first <= 1 << 24, "{first} to {last}");
    let middle = replay.at(replay.steps() / 2);
    assert_eq!(middle.stepper().steps(), replay.steps() / 2);
}
