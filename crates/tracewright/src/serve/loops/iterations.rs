//! `/api/loops/iterations`: what lies in one run. `/api/loops/growth`: how many iterations a kind of loop made, each time.

use model::{Level, Run, RunId};

use viewer::Reply;
use viewer::api::loops::{Growth, RunIteration, RunIterations, Unit};
use viewer::api::{Handled, Parameters};

use super::super::session::Session;
use super::find::TrackLoops;
use super::ready;

/// Iterations of one answer.
const ITERATIONS: u64 = 200;
/// Units of an iteration that are listed one by one.
const UNITS: u64 = 100;
/// Points of one answer.
const POINTS: usize = 2000;

pub(super) fn answer(session: &Session, asked: &Parameters<'_>) -> Handled<RunIterations> {
    let loops = ready(session)?;
    let track = asked.number("track").and_then(|track: usize| loops.tracks.get(track));
    let Some((track, level)) = track.zip(asked.number::<usize>("level")) else {
        return Err(Reply::refusal(400, "Which track and which level?\n"));
    };
    let run = track.summary.levels.get(level).zip(asked.number::<usize>("run"));
    let Some(run) = run.and_then(|(level, run)| level.runs.get(run)) else {
        return Err(Reply::refusal(404, "There is no such run.\n"));
    };
    let skip = asked.number("skip").unwrap_or(0);
    let count = asked.number("count").unwrap_or(50).clamp(1, ITERATIONS);
    Ok(iterations(track, level, run, skip, count))
}

fn iterations(track: &TrackLoops, level: usize, run: &Run, skip: u64, count: u64) -> RunIterations {
    let period = if run.is_loop() { u64::from(run.period) } else { run.len.max(1) };
    let all = run.len.div_ceil(period);
    let (iterations, rest) = if run.is_loop() { run.iterations() } else { (1, 0) };
    let end = run.start + run.len;
    let one = |iteration: u64| {
        let from = run.start + iteration * period;
        let to = (from + period).min(end);
        RunIteration {
            iteration: iteration + 1,
            from: track.starts.step(level, from),
            to: track.starts.step(level, to),
            is_whole: to - from == period,
            units: (from..to.min(from + UNITS)).map(|unit| inside(track, level, unit)).collect(),
            length: to - from,
        }
    };
    RunIterations {
        word: track.word(level, run.id),
        iterations,
        rest,
        from: track.starts.step(level, run.start),
        to: track.starts.step(level, end),
        skip,
        list: (skip.min(all)..skip.saturating_add(count).min(all)).map(one).collect(),
    }
}

/// One unit of a level: a step, or a run of the level below.
fn inside(track: &TrackLoops, level: usize, unit: u64) -> Unit {
    let levels = &track.summary.levels;
    let runs = |level: &Level| usize::try_from(unit).ok().and_then(|unit| level.runs.get(unit).copied());
    let Some(below) = level.checked_sub(1) else {
        let symbol = levels.first().and_then(|level| symbol_at(level, unit));
        let name = symbol.map_or_else(|| "?".into(), |symbol| track.unit(0, symbol));
        return Unit { name, ..Unit::default() };
    };
    let Some(run) = levels.get(below).and_then(runs) else {
        return Unit { name: "?".into(), ..Unit::default() };
    };
    let iterations = run.is_loop().then(|| run.iterations());
    Unit {
        name: track.unit(level, run.id.0),
        says: Some(track.text_of(below, run.id)),
        run: Some(unit),
        iterations: iterations.map(|(iterations, _)| iterations),
        rest: iterations.map(|(_, rest)| rest),
    }
}

/// The symbol of a step, looked up in the run that covers it.
fn symbol_at(level: &Level, step: u64) -> Option<u32> {
    let index = level.runs.partition_point(|run| run.start <= step).checked_sub(1)?;
    let run = level.runs.get(index)?;
    let word = &level.words.get(run.id.0 as usize)?.units;
    let offset = usize::try_from(step - run.start).ok()?;
    word.get(offset % word.len().max(1)).copied()
}

pub(super) fn growth(session: &Session, asked: &Parameters<'_>) -> Handled<Growth> {
    let loops = ready(session)?;
    let track = asked.number("track").and_then(|track: usize| loops.tracks.get(track));
    let found = track.zip(asked.number::<usize>("level")).zip(asked.number("id"));
    let Some(((track, level), id)) = found else {
        return Err(Reply::refusal(400, "Which track, which level and which kind of run?\n"));
    };
    let runs = track.summary.levels.get(level).map_or(&[][..], |level| &level.runs);
    let same: Vec<(usize, &Run)> = runs.iter().enumerate().filter(|(_, run)| run.id == RunId(id)).collect();
    // One in so many is listed where they are very many.
    let stride = same.len().div_ceil(POINTS).max(1);
    let point = |&(index, run): &(usize, &Run)| {
        let (iterations, rest) = if run.is_loop() { run.iterations() } else { (1, 0) };
        [index as u64, track.starts.step(level, run.start), iterations, rest]
    };
    Ok(Growth {
        word: track.word(level, RunId(id)),
        all: same.len(),
        stride,
        points: same.iter().step_by(stride).map(point).collect(),
    })
}
