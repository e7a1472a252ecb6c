//! `/api/loops/strip`: the runs of one level in a range of steps, or columns where they are too many.

use std::collections::BTreeSet;
use std::ops::Range;

use model::{Run, RunId};

use super::super::api::Handled;
use super::super::http::{Reply, Request};
use super::super::session::Session;
use super::find::TrackLoops;
use super::ready;
use crate::views::json::Json;

/// Columns that may be asked for.
const WIDEST: u64 = 4096;

pub(super) fn answer(session: &Session, request: &Request) -> Handled {
    let loops = ready(session)?;
    let index = |name| request.number(name).and_then(|number| usize::try_from(number).ok());
    let track = index("track").and_then(|track| loops.tracks.get(track));
    let (Some(track), Some(level)) = (track, index("level")) else {
        return Err(Reply::refusal(400, "Which track and which level?\n"));
    };
    let from = request.number("from").unwrap_or(0).min(track.steps);
    let to = request.number("to").unwrap_or(track.steps).clamp(from, track.steps);
    let width = request.number("width").unwrap_or(1000).clamp(1, WIDEST);
    Ok(Reply::json(render(track, level, from..to, width)))
}

fn render(track: &TrackLoops, level: usize, range: Range<u64>, width: u64) -> Vec<u8> {
    let runs = track.summary.levels.get(level).map_or(&[][..], |level| &level.runs);
    let steps = track.starts.of(level);
    let first = steps.partition_point(|start| *start <= range.start).saturating_sub(1);
    let last = steps.partition_point(|start| *start < range.end).min(runs.len());
    let shown = first.min(last)..last;
    let mut kinds = BTreeSet::new();
    let gaps = if level == 0 { gaps(&track.summary.gaps, &range, width) } else { vec![] };
    let mut json = Json::default();
    json.object(|json| {
        json.key("first").number(shown.start);
        json.key("count").number(shown.len());
        if shown.len() as u64 <= width {
            kinds.extend(runs[shown.clone()].iter().map(|run| run.id));
            json.key("runs").array(shown, |json, index| one(json, &runs[index], index, steps));
        } else {
            json.key("columns").array(columns(runs, steps, &range, width), |json, column| {
                kinds.insert(column.id);
                json.array([column.from, column.to, u64::from(column.id.0), column.runs], |json, part| {
                    json.number(part);
                });
            });
        }
        // What is behind the last run is not decided yet.
        let end = steps.last().copied().unwrap_or(0);
        json.key("decided").number(end);
        json.key("gaps").array(gaps, |json, step| json.number(step));
        json.key("words").array(kinds, |json, id| json.object(|json| track.word(json, level, id)));
    });
    json.out
}

/// Where something is missing: of each column the first place.
fn gaps(all: &[u64], range: &Range<u64>, width: u64) -> Vec<u64> {
    let span = u128::from((range.end - range.start).max(1));
    let column = |step: u64| u128::from(step - range.start) * u128::from(width) / span;
    let first = all.partition_point(|&step| step < range.start);
    let mut found: Vec<u64> = Vec::new();
    for &step in all[first..].iter().take_while(|&&step| step <= range.end) {
        if found.last().is_none_or(|&last| column(last) < column(step)) {
            found.push(step);
        }
    }
    found
}

/// `[index, first step, end step, id, whole iterations, rest, period]`
fn one(json: &mut Json, run: &Run, index: usize, steps: &[u64]) {
    let (iterations, rest) = if run.is_loop() { run.iterations() } else { (0, 0) };
    let step = |index: usize| steps.get(index).copied().unwrap_or(0);
    let parts = [
        index as u64,
        step(index),
        step(index + 1),
        u64::from(run.id.0),
        iterations,
        rest,
        u64::from(run.period),
    ];
    json.array(parts, |json, part| json.number(part));
}

/// Neighbouring runs that share a column of the picture.
struct Column {
    from: u64,
    to: u64,
    /// The kind that covers most of it.
    id: RunId,
    runs: u64,
}

/// Columns of equal width. Where a column holds hundreds of runs the first, the last and some between tell
/// what it looks like: an exact count of thousands could not be seen.
fn columns(runs: &[Run], steps: &[u64], range: &Range<u64>, width: u64) -> Vec<Column> {
    const LOOKED_AT: usize = 32;
    let span = range.end - range.start;
    let mut columns: Vec<Column> = Vec::new();
    let mut at = range.start;
    for number in 1..=width {
        let to = range.start + (u128::from(span) * u128::from(number) / u128::from(width)) as u64;
        let first = steps.partition_point(|start| *start <= at).saturating_sub(1);
        let last = steps.partition_point(|start| *start < to).min(runs.len());
        if to > at && first < last {
            let count = last - first;
            let mut weights: Vec<(RunId, u64)> = Vec::new();
            for index in (first..last).step_by(count.div_ceil(LOOKED_AT)) {
                let (start, end) = (steps[index].max(at), steps[index + 1].min(to));
                let weight = end.saturating_sub(start);
                match weights.iter_mut().find(|(id, _)| *id == runs[index].id) {
                    Some((_, sum)) => *sum += weight,
                    None => weights.push((runs[index].id, weight)),
                }
            }
            if let Some(&(id, _)) = weights.iter().max_by_key(|(_, weight)| *weight) {
                columns.push(Column { from: at, to, id, runs: count as u64 });
            }
        }
        at = to.max(at);
    }
    columns
}
