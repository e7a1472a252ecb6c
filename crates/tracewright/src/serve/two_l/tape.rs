//! `/api/two_l/tape`: the tape over a part of the run, in as many rows and columns as there is room for.
//!
//! A row that stands for many steps shows the tape before the first of them, and between which cells the data pointer went
//! during all of them, so that no sweep falls between two rows. A column of many cells shows the value that is farthest from
//! zero, so that nothing that is there disappears.

use std::ops::Range;

use busybeaver::run::Tape as Cells;

use viewer::api::two_l::{Tape, TapeRow};
use viewer::api::{Handled, Parameters};

use super::run::Run;
use super::{part_of, ready};
use crate::serve::play::bad;
use crate::serve::session::Session;

const MOST_ROWS: u64 = 1024;
const MOST_CELLS: u64 = 16_384;
const MOST_COLUMNS: u64 = 1024;

pub(super) fn answer(session: &Session, asked: &Parameters<'_>) -> Handled<Tape> {
    let run = ready(session)?;
    let positive = |name| asked.number::<u64>(name).filter(|&number| number > 0);
    let (Some(steps), Some(rows), Some(cells), Some(columns)) =
        (part_of(&run, asked), positive("rows"), positive("cells"), positive("columns"))
    else {
        return Err(bad());
    };
    // Far outside of any tape there is nothing to see, and nothing to overflow.
    let far = i64::from(i32::MAX);
    let Some(first) = asked.number::<i64>("first").filter(|first| (-far..far).contains(first)) else {
        return Err(bad());
    };
    let cells = cells.min(MOST_CELLS);
    let cells_a_column = cells.div_ceil(columns.min(MOST_COLUMNS));
    let part = first..first + cells as i64;
    let rows = rows_of(&run, steps, rows.min(MOST_ROWS), &part, cells_a_column);
    Ok(Tape { first, cells_a_column, rows })
}

/// The first column of some cells that is not zero, and the values from there to the last one that is not.
fn columns(tape: &Cells, part: Range<i64>, cells_a_column: u64) -> (usize, Vec<i64>) {
    let farthest = |start: i64| {
        let cells = (start..part.end.min(start + cells_a_column as i64)).map(|at| tape.at(at));
        cells.max_by_key(|value| value.unsigned_abs()).unwrap_or(0)
    };
    let mut values: Vec<i64> = part.clone().step_by(cells_a_column as usize).map(farthest).collect();
    let used = values.iter().rposition(|&value| value != 0).map_or(0, |last| last + 1);
    values.truncate(used);
    let column = values.iter().position(|&value| value != 0).unwrap_or(0);
    (column, values.split_off(column))
}

/// So many rows, or one for each step where these are fewer.
fn rows_of(run: &Run, steps: Range<u64>, rows: u64, cells: &Range<i64>, cells_a_column: u64) -> Vec<TapeRow> {
    let span = steps.end - steps.start;
    let rows = rows.min(span);
    let step_of = |row: u64| steps.start + (u128::from(span) * u128::from(row) / u128::from(rows)) as u64;
    let mut now = run.replay.at(steps.start);
    let mut row = |number: u64| {
        let tape = now.stepper().tape();
        let (step, pointer) = (now.stepper().steps(), tape.position());
        let (column, values) = columns(tape, cells.clone(), cells_a_column);
        // Up to the moment before the next row.
        let visited = now.advance(step_of(number + 1) - 1);
        now.advance(step_of(number + 1));
        let (least, greatest) = visited.into_inner();
        TapeRow { step, pointer, least, greatest, column, values }
    };
    (0..rows).map(&mut row).collect()
}
