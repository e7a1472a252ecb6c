//! What `hangs --json` prints.
//!
//! ```text
//! {"tracks":[{"name":"RAAB...","steps":15,"ends_in_loop":true,"end_is_lost":false,"ran_before":"...","loops":[
//!    {"level":1,"iteration":["Q","R"],"since_step":1,"steps":14,"iterations":3,"rest":1,"most_before":null,
//!     "inner":[{"level":0,"iteration":["A"],"counts":"linear","first":[2,0],"last":[4,0],"step":1}],"since":null},
//!    ...]}],
//!  "proved":[]}
//! ```
//!
//! `ran_before` is there for a thread of a capture that was in the middle of methods when recording began;
//! `unrecorded`, with names and the same sentence, lists such threads of which there is no step at all.
//! `open`, of a thread of a capture, says what it was in the middle of at the end, and the list of that name at the end
//! the same of threads without a step: `crates/tracewright/src/reports/open_frames.rs` has its fields.
//! Loops are told outermost first. `iteration` names the symbols of a loop of level 0 and the run ids of
//! the level below (as `loops --json` numbers them) elsewhere. Counts are whole iterations and the units
//! of one more: `constant` with `iterations`, `linear` with `first`, `last` and `step` (units an iteration),
//! `other` with `least` and `most`. `proved` is empty: a trace proves nothing about what comes.

use analyses::hangs::{Counts, EndLoop, InnerLoop};
use model::{RunId, Symbol};
use serde::Serialize;

use super::{LostTotal, NamedOpen, Open};
use crate::commands::found::{Found, FoundTrack};
use crate::commands::hangs::TrackEnd;

/// The answer of `hangs`.
#[derive(Debug, Serialize)]
pub(crate) struct HangsReport<'a> {
    tracks: Vec<Track<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unrecorded: Vec<Unrecorded<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    open: Vec<NamedOpen<'a>>,
    proved: [(); 0],
    #[serde(skip_serializing_if = "Option::is_none")]
    lost: Option<LostTotal>,
}

#[derive(Debug, Serialize)]
struct Track<'a> {
    name: &'a str,
    steps: u64,
    ends_in_loop: bool,
    end_is_lost: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    ran_before: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    open: Option<Open<'a>>,
    /// Outermost first.
    loops: Vec<OneLoop<'a>>,
}

#[derive(Debug, Serialize)]
struct Unrecorded<'a> {
    name: &'a str,
    ran_before: &'a str,
}

#[derive(Debug, Serialize)]
struct OneLoop<'a> {
    level: usize,
    iteration: Iteration<'a>,
    since_step: u64,
    steps: u64,
    iterations: u64,
    rest: u64,
    most_before: Option<u64>,
    inner: Vec<Inner<'a>>,
    /// Null where no times are known.
    since: Option<i64>,
}

#[derive(Debug, Serialize)]
struct Inner<'a> {
    level: usize,
    iteration: Iteration<'a>,
    #[serde(flatten)]
    counts: InnerCounts,
}

/// Symbols on level 0, ids of runs elsewhere.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Iteration<'a> {
    Symbols(Vec<&'a str>),
    Runs(&'a [u32]),
}

/// Whole iterations, and units of one more.
type Length = [u64; 2];

#[derive(Debug, Serialize)]
#[serde(tag = "counts", rename_all = "lowercase")]
enum InnerCounts {
    Constant { iterations: Length },
    Linear { first: Length, last: Length, step: i64 },
    Other { least: Length, most: Length },
}

impl<'a> HangsReport<'a> {
    pub(crate) fn of(found: &'a Found, ends: &'a [TrackEnd<'a>]) -> Self {
        let track = |end: &'a TrackEnd<'a>| Track {
            name: &end.track.name,
            steps: end.track.steps,
            ends_in_loop: !end.ending.loops.is_empty(),
            end_is_lost: end.ending.end_is_lost,
            ran_before: end.track.ran_before.as_deref(),
            open: end.track.open.as_ref().map(Open::of),
            loops: end
                .ending
                .loops
                .iter()
                .zip(&end.since)
                .map(|(one, since)| OneLoop::of(found, end.track, one, since.map(|time| time.0)))
                .collect(),
        };
        let unrecorded = |(name, ran_before): &'a (String, String)| Unrecorded { name, ran_before };
        Self {
            tracks: ends.iter().map(track).collect(),
            unrecorded: found.unrecorded.iter().map(unrecorded).collect(),
            open: found.open.iter().map(NamedOpen::of).collect(),
            proved: [],
            lost: found.lost.map(Into::into),
        }
    }
}

impl<'a> OneLoop<'a> {
    fn of(found: &'a Found, track: &'a FoundTrack, end: &EndLoop, since: Option<i64>) -> Self {
        let (iterations, rest) = end.run.iterations();
        let inner = |inner: &InnerLoop| Inner {
            level: inner.level,
            iteration: Iteration::of(found, track, inner.level, inner.id),
            counts: InnerCounts::of(inner),
        };
        Self {
            level: end.level,
            iteration: Iteration::of(found, track, end.level, end.run.id),
            since_step: end.since,
            steps: end.steps,
            iterations,
            rest,
            most_before: end.most_before,
            inner: end.inner.iter().map(inner).collect(),
            since,
        }
    }
}

impl<'a> Iteration<'a> {
    fn of(found: &'a Found, track: &'a FoundTrack, level: usize, id: RunId) -> Self {
        let words = track.summary.levels.get(level).map(|level| &level.words);
        let units = words.and_then(|words| words.get(id.0 as usize)).map_or(&[][..], |word| &word.units);
        match level {
            0 => Iteration::Symbols(units.iter().map(|unit| found.alphabet.name(Symbol(*unit))).collect()),
            _ => Iteration::Runs(units),
        }
    }
}

impl InnerCounts {
    fn of(inner: &InnerLoop) -> Self {
        let period = u64::from(inner.period.max(1));
        let length = |units: u64| [units / period, units % period];
        match inner.counts {
            Counts::Constant(units) => InnerCounts::Constant { iterations: length(units) },
            Counts::Linear { first, last, step } => {
                InnerCounts::Linear { first: length(first), last: length(last), step }
            }
            Counts::Other { least, most } => InnerCounts::Other { least: length(least), most: length(most) },
        }
    }
}
