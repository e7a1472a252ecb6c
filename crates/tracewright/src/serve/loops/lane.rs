//! `/api/loops/lane`: the runs of one level in a range of steps, or columns where they are too many.

use std::collections::BTreeSet;
use std::ops::Range;

use model::{Run, RunId};

use viewer::Reply;
use viewer::api::loops::Lane;
use viewer::api::{Handled, Parameters};

use super::super::session::Session;
use super::find::TrackLoops;
use super::ready;

/// Columns that may be asked for.
const WIDEST: u64 = 4096;

pub(super) fn answer(session: &Session, asked: &Parameters<'_>) -> Handled<Lane> {
    let loops = ready(session)?;
    let track = asked.number("track").and_then(|track: usize| loops.tracks.get(track));
    let (Some(track), Some(level)) = (track, asked.number("level")) else {
        return Err(Reply::refusal(400, "Which track and which level?\n"));
    };
    let from = asked.number("from").unwrap_or(0).min(track.steps);
    let to = asked.number("to").unwrap_or(track.steps).clamp(from, track.steps);
    let width = asked.number("width").unwrap_or(1000).clamp(1, WIDEST);
    Ok(lane(track, level, from..to, width))
}

pub(in crate::serve) fn lane(track: &TrackLoops, level: usize, range: Range<u64>, width: u64) -> Lane {
    let all = track.summary.levels.get(level).map_or(&[][..], |level| &level.runs);
    let steps = track.starts.of(level);
    let first = steps.partition_point(|start| *start <= range.start).saturating_sub(1);
    let last = steps.partition_point(|start| *start < range.end).min(all.len());
    let shown = first.min(last)..last;
    let gaps = if level == 0 { gaps(&track.summary.gaps, &range, width) } else { vec![] };
    let (first, count) = (shown.start, shown.len());
    let (mut kinds, mut runs, mut found) = (BTreeSet::new(), None, None);
    if count as u64 <= width {
        kinds.extend(all[shown.clone()].iter().map(|run| run.id));
        runs = Some(shown.map(|index| one(&all[index], index, steps)).collect());
    } else {
        let columns = columns(all, steps, &range, width);
        kinds.extend(columns.iter().map(|column| column.id));
        let parts = |column: Column| [column.from, column.to, u64::from(column.id.0), column.runs];
        found = Some(columns.into_iter().map(parts).collect());
    }
    Lane {
        first,
        count,
        runs,
        columns: found,
        // What comes after the last run is not decided yet.
        decided: steps.last().copied().unwrap_or(0),
        gaps,
        words: kinds.into_iter().map(|id| track.word(level, id)).collect(),
    }
}

/// Where something is missing: of each column the first step.
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
fn one(run: &Run, index: usize, steps: &[u64]) -> [u64; 7] {
    let (iterations, rest) = if run.is_loop() { run.iterations() } else { (0, 0) };
    let step = |index: usize| steps.get(index).copied().unwrap_or(0);
    [index as u64, step(index), step(index + 1), u64::from(run.id.0), iterations, rest, u64::from(run.period)]
}

/// Neighbouring runs that share a column of the picture.
struct Column {
    from: u64,
    to: u64,
    /// The kind that covers most of it.
    id: RunId,
    runs: u64,
}

/// Columns of equal width. Where a column holds hundreds of runs the first, the last and some between show
/// what it looks like: an exact count of thousands could not be seen.
fn columns(runs: &[Run], steps: &[u64], range: &Range<u64>, width: u64) -> Vec<Column> {
    const MOST_SCANNED: usize = 32;
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
            for index in (first..last).step_by(count.div_ceil(MOST_SCANNED)) {
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
