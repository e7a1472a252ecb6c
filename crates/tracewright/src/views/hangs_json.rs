//! Endings as JSON, for programs.
//!
//! ```text
//! {"tracks":[{"name":"RAAB...","steps":15,"ends_in_loop":true,"end_is_lost":false,"ran_before":"...","loops":[
//!    {"level":1,"iteration":["Q","R"],"since_step":1,"since":null,"steps":14,"iterations":3,"rest":1,
//!     "most_before":null,"inner":[{"level":0,"iteration":["A"],"counts":"linear","first":[2,0],"last":[4,0],"step":1}]},
//!    ...]}],
//!  "proved":[]}
//! ```
//!
//! `ran_before` is there for a thread of a capture that was in the middle of methods when recording began;
//! `unrecorded`, with names and the same sentence, lists such threads of which there is no step at all.
//! `open`, of a thread of a capture, says what it was in the middle of at the end, and the list of that name at the end
//! the same of threads without a step: `crates/tracewright/src/views/open_frames.rs` has its fields.
//! Loops are told outermost first. `iteration` names the symbols of a loop of level 0 and the run ids of
//! the level below (as `loops --json` numbers them) elsewhere. Counts are whole iterations and the units
//! of one more: `constant` with `iterations`, `linear` with `first`, `last` and `step` (units an iteration),
//! `other` with `least` and `most`. `proved` is empty: a trace proves nothing about what comes.

use analyses::hangs::{Counts, EndLoop, InnerLoop};
use model::{Level, RunId, Symbol};

use super::json::Json;
use super::open_frames;
use crate::commands::found::{Found, FoundTrack};
use crate::commands::hangs::TrackEnd;

pub(crate) fn render(found: &Found, ends: &[TrackEnd<'_>]) -> Vec<u8> {
    let mut json = Json::default();
    json.object(|json| {
        json.key("tracks").array(ends, |json, end| {
            json.object(|json| {
                json.key("name").text(&end.track.name);
                json.key("steps").number(end.track.steps);
                json.key("ends_in_loop").bool(!end.ending.loops.is_empty());
                json.key("end_is_lost").bool(end.ending.end_is_lost);
                if let Some(sentence) = &end.track.ran_before {
                    json.key("ran_before").text(sentence);
                }
                if let Some(open) = &end.track.open {
                    json.key("open");
                    open_frames::json(json, open);
                }
                json.key("loops").array(end.ending.loops.iter().zip(&end.since), |json, (inner, since)| {
                    json.object(|json| {
                        one(json, found, end.track, inner);
                        match since {
                            Some(time) => json.key("since").number(time.0),
                            None => json.key("since").null(),
                        }
                    });
                });
            });
        });
        if !found.unrecorded.is_empty() {
            json.key("unrecorded").array(&found.unrecorded, |json, (name, sentence)| {
                json.object(|json| {
                    json.key("name").text(name);
                    json.key("ran_before").text(sentence);
                });
            });
        }
        if !found.open.is_empty() {
            json.key("open").array(&found.open, |json, open| {
                json.object(|json| {
                    json.key("name").text(&open.thread);
                    json.key("open");
                    open_frames::json(json, open);
                });
            });
        }
        json.key("proved").array(std::iter::empty::<()>(), |_, ()| {});
        if let Some(lost) = found.lost {
            json.key("lost").object(|json| {
                json.key("events").number(lost.events);
                json.key("packets").number(lost.packets);
                json.key("gaps").number(lost.gaps);
            });
        }
    });
    json.out.push(b'\n');
    json.out
}

fn one(json: &mut Json, found: &Found, track: &FoundTrack, end: &EndLoop) {
    json.key("level").number(end.level);
    json.key("iteration");
    iteration(json, found, track, end.level, end.run.id);
    json.key("since_step").number(end.since);
    json.key("steps").number(end.steps);
    let (iterations, rest) = end.run.iterations();
    json.key("iterations").number(iterations);
    json.key("rest").number(rest);
    match end.most_before {
        Some(most) => json.key("most_before").number(most),
        None => json.key("most_before").null(),
    }
    json.key("inner").array(&end.inner, |json, inner| {
        json.object(|json| {
            json.key("level").number(inner.level);
            json.key("iteration");
            iteration(json, found, track, inner.level, inner.id);
            counts(json, inner);
        });
    });
}

fn counts(json: &mut Json, inner: &InnerLoop) {
    let period = u64::from(inner.period.max(1));
    let iterations = |json: &mut Json, key: &str, length: u64| {
        json.key(key).array([length / period, length % period], |json, part| json.number(part));
    };
    match inner.counts {
        Counts::Constant(length) => {
            json.key("counts").text("constant");
            iterations(json, "iterations", length);
        }
        Counts::Linear { first, last, step } => {
            json.key("counts").text("linear");
            iterations(json, "first", first);
            iterations(json, "last", last);
            json.key("step").number(step);
        }
        Counts::Other { least, most } => {
            json.key("counts").text("other");
            iterations(json, "least", least);
            iterations(json, "most", most);
        }
    }
}

fn iteration(json: &mut Json, found: &Found, track: &FoundTrack, level: usize, id: RunId) {
    let level_of = |index: usize| -> Option<&Level> { track.summary.levels.get(index) };
    let word = level_of(level).and_then(|level| level.words.get(id.0 as usize));
    let units = word.map_or(&[][..], |word| &word.units);
    match level {
        0 => json.array(units, |json, &unit| json.text(found.alphabet.name(Symbol(unit)))),
        _ => json.array(units, |json, unit| json.number(unit)),
    }
}
