//! Chance without a crate, which always does the same.
#![allow(dead_code, clippy::unwrap_used)] // each test file uses a part; a helper of tests is a test

use busybeaver::{Cell, Grid};

/// The next number, of 31 bits.
pub(crate) fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// A program of 4x4 to 8x8 with a way in, and turns at the edge, which keep it inside, so that more than
/// a few of them hang.
pub(crate) fn random_program(state: &mut u64) -> Grid {
    let side = 4 + random(state) as usize % 5;
    let mut grid = Grid::unset(side, side).unwrap();
    for column in 0..grid.width() {
        for row in 0..grid.height() {
            let edge = column.min(row) == 0 || column.max(row) as usize + 1 == side;
            let cell = match random(state) % 6 {
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
