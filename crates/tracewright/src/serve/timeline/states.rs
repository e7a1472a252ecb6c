//! `/api/timeline/states`: the states of some rows as columns of a picture. `/api/timeline/state`: one, exactly.

use analyses::timeline::{Cell, Index, Row, cells};

use super::super::api::Handled;
use super::super::http::{Reply, Request};
use super::super::session::Session;
use super::{kind_name, moment, range};
use crate::views::json::Json;

/// Columns that may be asked for.
const WIDEST: u32 = 8192;
/// Rows of one answer.
const ROWS: usize = 200;
/// States of one column that are told; the rest is too thin to be seen.
const MIXED: usize = 3;

/// Asks the layer of the query: the original, or the repaired one; rows and states are numbered by each layer.
fn with_layer(session: &Session, request: &Request, ask: impl FnOnce(&Index) -> Handled) -> Handled {
    if request.query("layer").is_some_and(|layer| layer == "repaired") {
        return match session.inference.layer() {
            Some(layer) => ask(&layer.read().unwrap_or_else(std::sync::PoisonError::into_inner)),
            None => Err(Reply::refusal(409, "There is no repaired layer yet.\n")),
        };
    }
    ask(&session.timeline.original())
}

pub(super) fn answer(session: &Session, request: &Request) -> Handled {
    with_layer(session, request, |index| states(index, request))
}

fn states(index: &Index, request: &Request) -> Handled {
    let (from, to) = range(request, index);
    let width = request.query("width").and_then(|width| width.parse().ok()).unwrap_or(1000).clamp(1, WIDEST);
    let asked = request.query("rows").unwrap_or_default();
    let asked = asked.split(',').filter_map(|row| row.parse::<usize>().ok()).take(ROWS);
    let mut json = Json::default();
    json.object(|json| {
        json.key("events").number(index.times.len());
        json.key("rows").array(
            asked.filter_map(|row| Some((row, index.rows.get(row)?))),
            |json, (number, row)| {
                json.object(|json| {
                    json.key("row").number(number);
                    columns(json, index, row, (from, to), width);
                });
            },
        );
    });
    Ok(Reply::json(json.out))
}

/// `solid`: first column, end column, state. `mixed`: column, then three times a state and its share in
/// hundredths; -1 for none.
fn columns(json: &mut Json, index: &Index, row: &Row, (from, to): (i64, i64), width: u32) {
    let (mut solid, mut mixed): (Vec<i64>, Vec<i64>) = (vec![], vec![]);
    let end = index.end().saturating_add(1);
    cells(&row.lane, from, to, end, width, |column, cell| match cell {
        Cell::Nothing => {}
        Cell::One(state) => {
            let (column, state) = (i64::from(column), i64::from(state));
            match solid[..] {
                [.., _, ref end, last] if *end == column && last == state => {
                    let place = solid.len() - 2;
                    solid[place] = column + 1;
                }
                _ => solid.extend([column, column + 1, state]),
            }
        }
        Cell::Mixed(shares) => {
            let all: u64 = shares.iter().map(|(_, lasted)| lasted).sum();
            mixed.push(i64::from(column));
            for place in 0..MIXED {
                match shares.get(place) {
                    Some(&(state, lasted)) => {
                        let share = (lasted as f64 * 100.0 / all.max(1) as f64).round() as i64;
                        mixed.extend([i64::from(state), share]);
                    }
                    None => mixed.extend([-1, 0]),
                }
            }
        }
    });
    json.key("solid").array(solid, |json, number| json.number(number));
    json.key("mixed").array(mixed, |json, number| json.number(number));
}

pub(super) fn at(session: &Session, request: &Request) -> Handled {
    with_layer(session, request, |index| state(index, request))
}

fn state(index: &Index, request: &Request) -> Handled {
    let row = request.query("row").and_then(|row| row.parse::<usize>().ok());
    let (Some(row), Some(time)) = (row.and_then(|row| index.rows.get(row)), moment(request, "time", index))
    else {
        return Err(Reply::refusal(400, "Which row, and when?\n"));
    };
    let held = row.lane.index_at(time).and_then(|change| row.lane.get(change));
    let start = index.start();
    let mut json = Json::default();
    json.object(|json| {
        json.key("name").text(&row.name);
        json.key("kind").text(kind_name(row.kind));
        json.key("state").number_or_null(held.map(|(_, state, _)| state));
        json.key("from").number_or_null(held.map(|(from, ..)| from.saturating_sub(start)));
        json.key("to").number_or_null(held.and_then(|(.., to)| to).map(|to| to.saturating_sub(start)));
    });
    Ok(Reply::json(json.out))
}
