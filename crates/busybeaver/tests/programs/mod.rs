//! Random programs.
#![allow(clippy::unwrap_used)] // a helper of tests is a test

use busybeaver::{Cell, Grid};
use fastrand::Rng;

/// A program of 4x4 to 8x8 with a way in, and turns at the edge, which keep it inside, so that more than
/// a few of them hang.
pub(crate) fn random_program(random: &mut Rng) -> Grid {
    let side = random.usize(4..=8);
    let mut grid = Grid::unset(side, side).unwrap();
    for column in 0..grid.width() {
        for row in 0..grid.height() {
            let edge = column.min(row) == 0 || column.max(row) as usize + 1 == side;
            let cell = match random.u8(..6) {
                0..=3 if edge => Cell::Turn,
                0 | 1 => Cell::Noop,
                2 | 3 => Cell::Data,
                _ => Cell::Turn,
            };
            grid.set(column, row, cell);
        }
    }
    for (row, cell) in [(0, Cell::Noop), (1, Cell::Data), (2, Cell::Turn)] {
        grid.set(0, row, cell);
    }
    grid
}
