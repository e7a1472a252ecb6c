//! `/api/timeline/marks`, `/step`, `/histogram`: losses and incoherences, the way from one to the next, and how
//! many events there were when.

use std::ops::Range;

use analyses::timeline::{Index, Loss};
use model::Lost;

use viewer::Reply;
use viewer::api::timeline::{Histogram, Incoherence, Loss as LossAnswer, LossUnit, Marks, NextMark};
use viewer::api::{Handled, Parameters};

use super::super::session::Session;
use super::{moment, range};

/// Marks of each kind in one answer; where there are more, the page can ask for less time.
const MARKS: usize = 500;
/// Columns of a histogram.
pub(super) const WIDEST: u32 = 4096;

pub(super) fn answer(session: &Session, asked: &Parameters<'_>) -> Handled<Marks> {
    let index = session.timeline.original();
    let (from, to) = range(asked, &index);
    let losses: Vec<(usize, &Loss)> =
        index.losses.iter().enumerate().filter(|(_, loss)| overlaps(loss, from, to)).collect();
    let first = index.incoherences.partition_point(|found| found.time < from);
    let last = index.incoherences.partition_point(|found| found.time <= to);
    let found = index.incoherences.get(first..last).unwrap_or_default();
    // Spread over the range: the first hundreds alone would leave the rest of the picture empty.
    let stride = found.len().div_ceil(MARKS).max(1);
    let incoherences = found.iter().zip(first..).step_by(stride).map(|(found, number)| Incoherence {
        number,
        time: found.time.saturating_sub(index.start()),
        row: found.row,
        cpu: found.cpu,
        event: found.event.clone(),
        sentence: found.sentence.clone(),
    });
    Ok(Marks {
        all_losses: losses.len(),
        losses: losses.iter().take(MARKS).map(|&(number, loss)| loss_of(&index, number, loss)).collect(),
        all_incoherences: found.len(),
        incoherences: incoherences.collect(),
    })
}

pub(super) fn overlaps(loss: &Loss, from: i64, to: i64) -> bool {
    loss.intervals
        .iter()
        .any(|(start, end)| start.is_none_or(|start| start <= to) && end.is_none_or(|end| end >= from))
}

pub(super) fn loss_of(index: &Index, number: usize, loss: &Loss) -> LossAnswer {
    let offset = |time: Option<i64>| time.map(|time| time.saturating_sub(index.start()));
    let (count, unit) = match loss.lost {
        Lost::Events(count) => (Some(count), LossUnit::Events),
        Lost::Packets(count) => (Some(count), LossUnit::Packets),
        Lost::Unknown => (None, LossUnit::Events),
    };
    LossAnswer {
        number,
        stream: loss.stream.clone(),
        cpu: loss.cpu,
        count,
        unit,
        intervals: loss.intervals.iter().map(|&(from, to)| (offset(from), offset(to))).collect(),
    }
}

/// The next of its kind after or before a moment: its time, row and name.
pub(super) fn step(session: &Session, asked: &Parameters<'_>) -> Handled<NextMark> {
    let index = session.timeline.original();
    let Some(time) = moment(asked, "time", &index) else {
        return Err(Reply::refusal(400, "From which moment on?\n"));
    };
    let back = asked.flag("back");
    let row = asked.number("row");
    let found = match asked.text("kind").as_deref() {
        Some("loss") => next(index.losses.iter().filter_map(|loss| loss.intervals.first()?.0), time, back)
            .map(|(time, number)| {
                let loss = &index.losses[number];
                (time, None, format!("{} lost on {}", crate::losses::amount(loss.lost), loss.stream))
            }),
        Some("incoherence") => {
            next(index.incoherences.iter().map(|found| found.time), time, back).map(|(time, number)| {
                let found = &index.incoherences[number];
                (time, found.row, found.sentence.clone())
            })
        }
        Some("inferred") => next(session.inference.moments().into_iter(), time, back)
            .map(|(time, number)| (time, None, format!("inferred event {number}"))),
        Some("doubt") => uncertainty(&index, row, time, back),
        _ => return Err(Reply::refusal(400, "To the next what?\n")),
    };
    Ok(match found {
        Some((time, row, sentence)) => {
            NextMark { time: Some(time.saturating_sub(index.start())), row, sentence: Some(sentence) }
        }
        None => NextMark::default(),
    })
}

fn next(times: impl Iterator<Item = i64>, from: i64, back: bool) -> Option<(i64, usize)> {
    let marks = times.enumerate().map(|(number, time)| (time, number));
    match back {
        true => marks.filter(|(time, _)| *time < from).max(),
        false => marks.filter(|(time, _)| *time > from).min(),
    }
}

/// The next time at which the state of a row is not certain.
fn uncertainty(
    index: &Index,
    row: Option<usize>,
    time: i64,
    back: bool,
) -> Option<(i64, Option<usize>, String)> {
    let is_uncertainty =
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
        let (found, ..) = row.lane.get(row.lane.next_to(at, back, is_uncertainty)?)?;
        Some((found, number))
    };
    let found = rows.filter_map(of_row);
    let (time, number) = if back { found.max() } else { found.min() }?;
    let name = index.rows.get(number).map_or("?", |row| &row.name);
    Some((time, Some(number), format!("the state of {name} is not certain from here on")))
}

/// Events in columns of equal width.
pub(super) fn histogram(session: &Session, asked: &Parameters<'_>) -> Handled<Histogram> {
    let index = session.timeline.original();
    let (from, to) = range(asked, &index);
    let width = asked.number("width").unwrap_or(500).clamp(1, WIDEST);
    let counts: Vec<usize> = columns(&index, (from, to), width).map(|events| events.len()).collect();
    Ok(Histogram { most: counts.iter().max().copied().unwrap_or(0), counts })
}

/// The numbers of the events in each of so many columns of equal width; the last one holds the last event.
pub(super) fn columns(
    index: &Index,
    (from, to): (i64, i64),
    width: u32,
) -> impl Iterator<Item = Range<usize>> {
    let edge = move |column: u32| {
        let span = i128::from(to) - i128::from(from);
        i64::try_from(i128::from(from) + span * i128::from(column) / i128::from(width)).unwrap_or(to)
    };
    let before = |time: i64| index.times.partition_point(|&known| known < time);
    let mut last = before(from);
    (1..=width).map(move |column| {
        let next = if column == width { before(to.saturating_add(1)) } else { before(edge(column)) };
        let events = last..next.max(last);
        last = events.end;
        events
    })
}
