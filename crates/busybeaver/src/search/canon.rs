//! The canonical first cells of an orchestrated search.
//!
//! Every run begins upward in the first column: no-ops, then data, then a turn. Programs that
//! differ only in where the no-ops stand do the same, so the no-ops come first. If the first turn
//! comes after a single data cell at the very bottom, the PP goes on along the bottom row, and
//! the same is done there.

use super::{Mode, Plan};
use crate::{Cell, Error, Grid};

/// The grids that a search starts from, in order. Together they hold each program once.
pub fn starts(plan: &Plan) -> Result<Vec<Grid>, Error> {
    let empty = Grid::unset(plan.width.into(), plan.height.into())?;
    if plan.mode == Mode::Plain {
        return Ok(vec![empty]);
    }
    let mut starts = Vec::new();
    for (noops, data) in runs(plan.height) {
        let mut grid = empty.clone();
        (0..noops).for_each(|row| grid.set(0, row, Cell::Noop));
        (noops..noops + data).for_each(|row| grid.set(0, row, Cell::Data));
        grid.set(0, noops + data, Cell::Turn);
        if (noops, data) != (0, 1) {
            starts.push(grid);
            continue;
        }
        for (noops, data) in runs(plan.width.saturating_sub(1)) {
            let mut grid = grid.clone();
            (0..noops).for_each(|n| grid.set(1 + n, 0, Cell::Noop));
            (noops..noops + data).for_each(|n| grid.set(1 + n, 0, Cell::Data));
            grid.set(1 + noops + data, 0, Cell::Turn);
            starts.push(grid);
        }
    }
    Ok(starts)
}

/// No-ops, then at least one data cell, then a turn, in a line of this length; most no-ops first,
/// then most data cells first.
fn runs(length: u8) -> impl Iterator<Item = (u8, u8)> {
    let longest = length.saturating_sub(1);
    (0..longest).rev().flat_map(move |noops| (1..=longest - noops).rev().map(move |data| (noops, data)))
}
