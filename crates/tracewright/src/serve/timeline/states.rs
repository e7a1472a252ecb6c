//! `/api/timeline/states`: the states of some rows as columns of a picture. `/api/timeline/state`: one, exactly.

use analyses::timeline::{Cell, Index, Row, cells};

use viewer::Reply;
use viewer::api::timeline::{HeldState, RowStates, States};
use viewer::api::{Handled, Parameters};

use super::super::session::Session;
use super::{kind, moment, range};

/// Columns that may be asked for.
const WIDEST: u32 = 8192;
/// Rows of one answer.
const ROWS: usize = 200;
/// States of one column that are given; the rest is too thin to be seen.
const MIXED: usize = 3;

/// Asks the layer of the query: the original, or the repaired one; rows and states are numbered by each layer.
pub(super) fn with_layer<T>(
    session: &Session,
    asked: &Parameters<'_>,
    ask: impl FnOnce(&Index) -> Handled<T>,
) -> Handled<T> {
    if asked.text("layer").is_some_and(|layer| layer == "repaired") {
        return match session.inference.layer() {
            Some(layer) => ask(&layer.read().unwrap_or_else(std::sync::PoisonError::into_inner)),
            None => Err(Reply::refusal(409, "There is no repaired layer yet.\n")),
        };
    }
    ask(&session.timeline.original())
}

pub(super) fn answer(session: &Session, asked: &Parameters<'_>) -> Handled<States> {
    with_layer(session, asked, |index| states(index, asked))
}

fn states(index: &Index, asked: &Parameters<'_>) -> Handled<States> {
    let range = range(asked, index);
    let width = asked.number("width").unwrap_or(1000).clamp(1, WIDEST);
    let rows = asked_rows(asked).into_iter();
    let rows = rows.filter_map(|row| Some(columns(index, (row, index.rows.get(row)?), range, width)));
    Ok(States { events: index.times.len(), rows: rows.collect() })
}

/// The numbers of rows that a request asks for.
pub(super) fn asked_rows(asked: &Parameters<'_>) -> Vec<usize> {
    let rows = asked.text("rows").unwrap_or_default();
    rows.split(',').filter_map(|row| row.parse().ok()).take(ROWS).collect()
}

/// `solid`: first column, end column, state. `mixed`: column, then three times a state and its share in
/// hundredths; -1 for none.
fn columns(index: &Index, (number, row): (usize, &Row), (from, to): (i64, i64), width: u32) -> RowStates {
    let (mut solid, mut mixed): (Vec<i64>, Vec<i64>) = (vec![], vec![]);
    let end = index.end().saturating_add(1);
    cells(&row.lane, from, to, end, width, |column, cell| match cell {
        Cell::Nothing => {}
        Cell::One(state) => {
            let (column, state) = (i64::from(column), i64::from(state));
            match solid[..] {
                [.., _, ref end, last] if *end == column && last == state => {
                    let end = solid.len() - 2;
                    solid[end] = column + 1;
                }
                _ => solid.extend([column, column + 1, state]),
            }
        }
        Cell::Mixed(shares) => {
            let all: u64 = shares.iter().map(|(_, lasted)| lasted).sum();
            mixed.push(i64::from(column));
            for nth in 0..MIXED {
                match shares.get(nth) {
                    Some(&(state, lasted)) => {
                        let share = (lasted as f64 * 100.0 / all.max(1) as f64).round() as i64;
                        mixed.extend([i64::from(state), share]);
                    }
                    None => mixed.extend([-1, 0]),
                }
            }
        }
    });
    RowStates { row: number, solid, mixed }
}

pub(super) fn at(session: &Session, asked: &Parameters<'_>) -> Handled<HeldState> {
    with_layer(session, asked, |index| state(index, asked))
}

fn state(index: &Index, asked: &Parameters<'_>) -> Handled<HeldState> {
    let row = asked.number("row").and_then(|row: usize| index.rows.get(row));
    let (Some(row), Some(time)) = (row, moment(asked, "time", index)) else {
        return Err(Reply::refusal(400, "Which row, and when?\n"));
    };
    let held = row.lane.index_at(time).and_then(|change| row.lane.get(change));
    let start = index.start();
    Ok(HeldState {
        name: row.name.clone(),
        kind: kind(row.kind),
        state: held.map(|(_, state, _)| state),
        from: held.map(|(from, ..)| from.saturating_sub(start)),
        to: held.and_then(|(.., to)| to).map(|to| to.saturating_sub(start)),
    })
}
