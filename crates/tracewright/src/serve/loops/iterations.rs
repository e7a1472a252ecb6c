//! `/api/loops/iterations`: what lies in one run. `/api/loops/growth`: how often a kind of loop turned, each time.

use model::{Level, Run, RunId};

use super::super::api::Handled;
use super::super::http::{Reply, Request};
use super::super::session::Session;
use super::find::TrackLoops;
use super::ready;
use crate::views::json::Json;

/// Iterations of one answer.
const ITERATIONS: u64 = 200;
/// Units of an iteration that are told one by one.
const UNITS: u64 = 100;
/// Points of one answer.
const POINTS: usize = 2000;

pub(super) fn answer(session: &Session, request: &Request) -> Handled {
    let loops = ready(session)?;
    let index = |name| request.number(name).and_then(|number| usize::try_from(number).ok());
    let track = index("track").and_then(|track| loops.tracks.get(track));
    let Some((track, level)) = track.zip(index("level")) else {
        return Err(Reply::refusal(400, "Which track and which level?\n"));
    };
    let run = track.summary.levels.get(level).zip(index("run"));
    let Some(run) = run.and_then(|(level, run)| level.runs.get(run)) else {
        return Err(Reply::refusal(404, "There is no such run.\n"));
    };
    let skip = request.number("skip").unwrap_or(0);
    let count = request.number("count").unwrap_or(50).clamp(1, ITERATIONS);
    Ok(Reply::json(render(track, level, run, skip, count)))
}

fn render(track: &TrackLoops, level: usize, run: &Run, skip: u64, count: u64) -> Vec<u8> {
    let period = if run.is_loop() { u64::from(run.period) } else { run.len.max(1) };
    let all = run.len.div_ceil(period);
    let (iterations, rest) = if run.is_loop() { run.iterations() } else { (1, 0) };
    let end = run.start + run.len;
    let mut json = Json::default();
    json.object(|json| {
        json.key("word").object(|json| track.word(json, level, run.id));
        json.key("iterations").number(iterations);
        json.key("rest").number(rest);
        json.key("from").number(track.starts.step(level, run.start));
        json.key("to").number(track.starts.step(level, end));
        json.key("skip").number(skip);
        json.key("list").array(skip.min(all)..skip.saturating_add(count).min(all), |json, iteration| {
            let from = run.start + iteration * period;
            let to = (from + period).min(end);
            json.object(|json| {
                json.key("iteration").number(iteration + 1);
                json.key("from").number(track.starts.step(level, from));
                json.key("to").number(track.starts.step(level, to));
                json.key("is_whole").bool(to - from == period);
                json.key("units")
                    .array(from..to.min(from + UNITS), |json, unit| inside(json, track, level, unit));
                json.key("length").number(to - from);
            });
        });
    });
    json.out
}

/// One unit of a level: a step, or a run of the level below.
fn inside(json: &mut Json, track: &TrackLoops, level: usize, unit: u64) {
    let levels = &track.summary.levels;
    let runs = |level: &Level| usize::try_from(unit).ok().and_then(|unit| level.runs.get(unit).copied());
    json.object(|json| match level.checked_sub(1) {
        None => {
            let symbol = levels.first().and_then(|level| symbol_at(level, unit));
            json.key("name").text(&symbol.map_or_else(|| "?".into(), |symbol| track.unit(0, symbol)));
        }
        Some(below) => match levels.get(below).and_then(runs) {
            Some(run) => {
                json.key("name").text(&track.unit(level, run.id.0));
                json.key("says").text(&track.says(below, run.id));
                json.key("run").number(unit);
                if run.is_loop() {
                    let (iterations, rest) = run.iterations();
                    json.key("iterations").number(iterations);
                    json.key("rest").number(rest);
                }
            }
            None => json.key("name").text("?"),
        },
    });
}

/// The symbol of a step, looked up in the run that covers it.
fn symbol_at(level: &Level, step: u64) -> Option<u32> {
    let index = level.runs.partition_point(|run| run.start <= step).checked_sub(1)?;
    let run = level.runs.get(index)?;
    let word = &level.words.get(run.id.0 as usize)?.units;
    let place = usize::try_from(step - run.start).ok()?;
    word.get(place % word.len().max(1)).copied()
}

pub(super) fn growth(session: &Session, request: &Request) -> Handled {
    let loops = ready(session)?;
    let index = |name| request.number(name).and_then(|number| usize::try_from(number).ok());
    let track = index("track").and_then(|track| loops.tracks.get(track));
    let found = track.zip(index("level")).zip(request.number("id").and_then(|id| u32::try_from(id).ok()));
    let Some(((track, level), id)) = found else {
        return Err(Reply::refusal(400, "Which track, which level and which kind of run?\n"));
    };
    let runs = track.summary.levels.get(level).map_or(&[][..], |level| &level.runs);
    let same: Vec<(usize, &Run)> = runs.iter().enumerate().filter(|(_, run)| run.id == RunId(id)).collect();
    let stride = same.len().div_ceil(POINTS).max(1);
    let mut json = Json::default();
    json.object(|json| {
        json.key("word").object(|json| track.word(json, level, RunId(id)));
        json.key("all").number(same.len());
        // Only every so-manyth is told where they are very many.
        json.key("stride").number(stride);
        json.key("points").array(same.iter().step_by(stride), |json, (index, run)| {
            let (iterations, rest) = if run.is_loop() { run.iterations() } else { (1, 0) };
            let parts = [*index as u64, track.starts.step(level, run.start), iterations, rest];
            json.array(parts, |json, part| json.number(part));
        });
    });
    Ok(Reply::json(json.out))
}
