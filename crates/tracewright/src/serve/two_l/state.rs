//! `/api/two_l/state`: one moment of a run.

use busybeaver::run::replay::Now;
use busybeaver::{Cell, Direction};

use viewer::api::two_l::{Facing, TwoLState, Within};
use viewer::api::{Handled, Parameters};

use super::ready;
use super::run::Run;
use crate::serve::play::bad;
use crate::serve::session::Session;

/// Cells around the data pointer.
const MOST_CELLS: i64 = 255;

pub(super) fn answer(session: &Session, asked: &Parameters<'_>) -> Handled<TwoLState> {
    let run = ready(session)?;
    let Some(step) = asked.number::<u64>("step") else { return Err(bad()) };
    let step = step.min(run.replay.steps());
    let now = run.replay.at(step);
    let (column, row, direction) = now.stepper().position(now.has_halted());
    let tape = now.stepper().tape();
    let pointer = tape.position();
    let cells = asked.number::<i64>("cells").unwrap_or(21).clamp(1, MOST_CELLS);
    let first = pointer - cells / 2;
    Ok(TwoLState {
        step,
        column,
        row,
        facing: match direction {
            Direction::Up => Facing::Up,
            Direction::Right => Facing::Right,
            Direction::Down => Facing::Down,
            Direction::Left => Facing::Left,
        },
        sentence: sentence(&run, &now),
        pointer,
        value: tape.value(),
        first,
        cells: (first..first + cells).map(|at| tape.at(at)).collect(),
        within: (0..run.loops.summary.levels.len()).filter_map(|level| within(&run, level, step)).collect(),
    })
}

/// Where it is, and what the last step did.
fn sentence(run: &Run, now: &Now<'_>) -> String {
    let (column, row, direction) = now.stepper().position(now.has_halted());
    if now.stepper().steps() == 0 {
        return "It stands below the bottom left cell and faces up; the tape is all zero.".into();
    }
    if now.has_halted() {
        return "It has left the grid: the program halts.".into();
    }
    let cell = u8::try_from(column).ok().zip(u8::try_from(row).ok());
    let cell = cell.and_then(|(column, row)| run.replay.grid().cell(column, row));
    let pointer = now.stepper().tape().position();
    let done = match (cell, direction) {
        (Some(Cell::Data), Direction::Up) => format!("upward, which adds 1 to cell {pointer}"),
        (Some(Cell::Data), Direction::Down) => format!("downward, which takes 1 from cell {pointer}"),
        (Some(Cell::Data), Direction::Right) => {
            format!("to the right, which moves the data pointer to cell {pointer}")
        }
        (Some(Cell::Data), Direction::Left) => {
            format!("to the left, which moves the data pointer to cell {pointer}")
        }
        (_, Direction::Up) => "upward, which does nothing".into(),
        (_, Direction::Down) => "downward, which does nothing".into(),
        (_, Direction::Right) => "to the right, which does nothing".into(),
        (_, Direction::Left) => "to the left, which does nothing".into(),
    };
    format!("It has entered column {column} of row {row} {done}.")
}

/// The run of a level that a step belongs to.
fn within(run: &Run, level: usize, step: u64) -> Option<Within> {
    let starts = run.loops.starts.of(level);
    let index = starts.partition_point(|&start| start <= step).checked_sub(1)?;
    let found = run.loops.summary.levels.get(level)?.runs.get(index)?;
    let (iterations, rest) = if found.is_loop() { found.iterations() } else { (0, 0) };
    Some(Within {
        level,
        run: index,
        from: *starts.get(index)?,
        to: *starts.get(index + 1)?,
        says: run.loops.text_of(level, found.id),
        iterations,
        rest,
    })
}
