//! `/api/timeline/marks`, `/step`, `/histogram`: losses and incoherences, the way from one to the next, and how
//! many events there were when.

use analyses::timeline::{Incoherence, Index, Loss};
use model::Lost;

use super::super::api::Handled;
use super::super::http::{Reply, Request};
use super::super::session::Session;
use super::{moment, range};
use crate::views::json::Json;

/// Marks of each kind in one answer; where there are more, the page can ask for less time.
const MARKS: usize = 500;
/// Columns of a histogram.
const WIDEST: u32 = 4096;

pub(super) fn answer(session: &Session, request: &Request) -> Handled {
    let index = session.timeline.original();
    let (from, to) = range(request, &index);
    let losses: Vec<(usize, &Loss)> =
        index.losses.iter().enumerate().filter(|(_, loss)| overlaps(loss, from, to)).collect();
    let first = index.incoherences.partition_point(|found| found.time < from);
    let last = index.incoherences.partition_point(|found| found.time <= to);
    let found = index.incoherences.get(first..last).unwrap_or_default();
    let mut json = Json::default();
    json.object(|json| {
        json.key("all_losses").number(losses.len());
        json.key("losses").array(losses.iter().take(MARKS), |json, (number, loss)| {
            write_loss(json, &index, *number, loss);
        });
        json.key("all_incoherences").number(found.len());
        // Spread over the range: the first hundreds alone would leave the rest of the picture empty.
        let stride = found.len().div_ceil(MARKS).max(1);
        json.key("incoherences").array(found.iter().enumerate().step_by(stride), |json, (place, found)| {
            write_incoherence(json, &index, first + place, found);
        });
    });
    Ok(Reply::json(json.out))
}

fn overlaps(loss: &Loss, from: i64, to: i64) -> bool {
    loss.places
        .iter()
        .any(|(start, end)| start.is_none_or(|start| start <= to) && end.is_none_or(|end| end >= from))
}

fn write_loss(json: &mut Json, index: &Index, number: usize, loss: &Loss) {
    let offset = |time: Option<i64>| time.map(|time| time.saturating_sub(index.start()));
    let (count, unit) = match loss.lost {
        Lost::Events(count) => (Some(count), "events"),
        Lost::Packets(count) => (Some(count), "packets"),
        Lost::Unknown => (None, "events"),
    };
    json.object(|json| {
        json.key("number").number(number);
        json.key("stream").text(&loss.stream);
        json.key("cpu").number_or_null(loss.cpu);
        json.key("count").number_or_null(count);
        json.key("unit").text(unit);
        json.key("places").array(&loss.places, |json, &(from, to)| {
            json.array([offset(from), offset(to)], |json, end| match end {
                Some(end) => json.number(end),
                None => json.null(),
            });
        });
    });
}

fn write_incoherence(json: &mut Json, index: &Index, number: usize, found: &Incoherence) {
    json.object(|json| {
        json.key("number").number(number);
        json.key("time").number(found.time.saturating_sub(index.start()));
        json.key("row").number_or_null(found.row);
        json.key("cpu").number_or_null(found.cpu);
        json.key("event").text(&found.event);
        json.key("sentence").text(&found.sentence);
    });
}

/// The next of its kind behind or before a moment: where it is, which row, and what it is called.
pub(super) fn step(session: &Session, request: &Request) -> Handled {
    let index = session.timeline.original();
    let Some(time) = moment(request, "time", &index) else {
        return Err(Reply::refusal(400, "From which moment on?\n"));
    };
    let back = request.query("back").is_some_and(|back| back == "1");
    let row = request.query("row").and_then(|row| row.parse::<usize>().ok());
    let found = match request.query("kind").as_deref() {
        Some("loss") => next(index.losses.iter().filter_map(|loss| loss.places.first()?.0), time, back).map(
            |(time, number)| {
                let loss = &index.losses[number];
                (time, None, format!("{} lost on {}", crate::losses::amount(loss.lost), loss.stream))
            },
        ),
        Some("incoherence") => {
            next(index.incoherences.iter().map(|found| found.time), time, back).map(|(time, number)| {
                let found = &index.incoherences[number];
                (time, found.row, found.sentence.clone())
            })
        }
        Some("inferred") => next(session.inference.moments().into_iter(), time, back)
            .map(|(time, number)| (time, None, format!("inferred event {number}"))),
        Some("doubt") => doubt(&index, row, time, back),
        _ => return Err(Reply::refusal(400, "To the next what?\n")),
    };
    let mut json = Json::default();
    json.object(|json| {
        json.key("time").number_or_null(found.as_ref().map(|(time, ..)| time.saturating_sub(index.start())));
        json.key("row").number_or_null(found.as_ref().and_then(|(_, row, _)| *row));
        json.key("sentence").text_or_null(found.as_ref().map(|(.., sentence)| sentence.as_str()));
    });
    Ok(Reply::json(json.out))
}

fn next(times: impl Iterator<Item = i64>, from: i64, back: bool) -> Option<(i64, usize)> {
    let places = times.enumerate().map(|(number, time)| (time, number));
    match back {
        true => places.filter(|(time, _)| *time < from).max(),
        false => places.filter(|(time, _)| *time > from).min(),
    }
}

/// The next time at which the state of a row is not certain.
fn doubt(index: &Index, row: Option<usize>, time: i64, back: bool) -> Option<(i64, Option<usize>, String)> {
    let is_doubt =
        |state: u16| index.states.all.get(usize::from(state)).is_some_and(|state| state.names.len() != 1);
    let rows = match row {
        Some(row) => row..row + 1,
        None => 0..index.rows.len(),
    };
    let of_row = |number: usize| {
        let row = index.rows.get(number)?;
        let at = row.lane.index_at(time);
        // Going back, a state that began right here is where we are.
        let at =
            at.map(|at| at + usize::from(back && row.lane.get(at).is_some_and(|(from, ..)| from < time)));
        let (found, ..) = row.lane.get(row.lane.next_to(at, back, is_doubt)?)?;
        Some((found, number))
    };
    let found = rows.filter_map(of_row);
    let (time, number) = if back { found.max() } else { found.min() }?;
    let name = index.rows.get(number).map_or("?", |row| &row.name);
    Some((time, Some(number), format!("the state of {name} is not certain from here on")))
}

/// `[events, ...]` in columns of equal width, and the largest.
pub(super) fn histogram(session: &Session, request: &Request) -> Handled {
    let index = session.timeline.original();
    let (from, to) = range(request, &index);
    let width = request.query("width").and_then(|width| width.parse().ok()).unwrap_or(500).clamp(1, WIDEST);
    let edge = |column: u32| {
        let span = i128::from(to) - i128::from(from);
        i64::try_from(i128::from(from) + span * i128::from(column) / i128::from(width)).unwrap_or(to)
    };
    let before = |time: i64| index.times.partition_point(|&known| known < time);
    let mut last = before(from);
    let counts: Vec<usize> = (1..=width)
        .map(|column| {
            // The last column holds the last event.
            let next = if column == width { before(to.saturating_add(1)) } else { before(edge(column)) };
            let count = next.saturating_sub(last);
            last = next.max(last);
            count
        })
        .collect();
    let mut json = Json::default();
    json.object(|json| {
        json.key("most").number(counts.iter().max().copied().unwrap_or(0));
        json.key("counts").array(counts, |json, count| json.number(count));
    });
    Ok(Reply::json(json.out))
}
