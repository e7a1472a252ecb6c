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
//! `pending` is there for a recording with tasks that had not begun at the end, by the thread that handed them over.
//! `pace`, of a track of a trace with times, has `last`, its last step, `longest_pause` before it, `end`, that of the trace, and
//! `is_silent`: it has paused since for far longer. `thread`, of a thread of a kernel trace, says what it was in the middle of.
//! Loops are listed outermost first. `iteration` names the symbols of a loop of level 0 and the run ids of
//! the level below (as `loops --json` numbers them) elsewhere. Counts are whole iterations and the units
//! of one more: `constant` with `iterations`, `linear` with `first`, `last` and `step` (units an iteration),
//! `other` with `least` and `most`. `proved` is empty: a trace proves nothing about what comes.

use analyses::hangs::kernel::{Awaits, Doing, SystemCall, ThreadEnd};
use analyses::hangs::{Counts, EndLoop, InnerLoop};
use model::{RunId, Symbol};
use serde::Serialize;

use super::{LostTotal, NamedOpen, Open};
use crate::hangs::pending::Pending;
use crate::hangs::thread_states::ThreadStates;
use crate::results::{Ends, Since, TrackEnd};
use crate::results::{Found, FoundTrack};

/// The answer of `hangs`.
#[derive(Debug, Serialize)]
pub(crate) struct HangsReport<'a> {
    tracks: Vec<Track<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unrecorded: Vec<Unrecorded<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    open: Vec<NamedOpen<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pending: Vec<PendingTasks<'a>>,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    thread: Option<Thread<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pace: Option<PaceOf>,
    /// Outermost first.
    loops: Vec<OneLoop<'a>>,
}

/// What a thread of a kernel trace was in the middle of.
#[derive(Debug, Serialize)]
struct Thread<'a> {
    doing: &'static str,
    since: i64,
    /// The end of the trace.
    end: i64,
    call: Option<&'a str>,
    descriptor: Option<i64>,
    is_pipe: bool,
    /// How often it had waited so before, and the longest of that, ns.
    waited_before: u64,
    longest_before: i64,
    woken: Option<i64>,
    woken_by: Option<String>,
    waits_for: Vec<String>,
    /// The number of the deadlock that it is a part of.
    deadlock: Option<usize>,
    may_have_gone_on: bool,
}

/// When a track had its last step, and how long it never paused before, ns.
#[derive(Debug, Serialize)]
struct PaceOf {
    last: i64,
    longest_pause: i64,
    /// The end of the trace.
    end: i64,
    /// It has paused since for far longer than ever before.
    is_silent: bool,
}

/// The value of `doing` for a thread of a kernel trace.
pub(crate) fn doing(end: &ThreadEnd) -> &'static str {
    match end.doing {
        Doing::Runs => "runs",
        Doing::Ready => "ready",
        Doing::Pauses => "pauses",
        Doing::Idle => "idle",
        Doing::Waits => "waits",
        Doing::Stuck => "stuck",
        Doing::Unknown => "unknown",
    }
}

impl<'a> Thread<'a> {
    fn of(states: &'a ThreadStates, end: &'a ThreadEnd) -> Self {
        let descriptor = match end.call.as_ref().map(SystemCall::awaits) {
            Some(Awaits::Input(descriptor) | Awaits::Output(descriptor)) => Some(descriptor),
            _ => None,
        };
        Self {
            doing: doing(end),
            since: end.since.0,
            end: end.end.0,
            call: end.call.as_ref().map(|call| &*call.name),
            descriptor,
            is_pipe: end.is_pipe,
            waited_before: end.earlier.count,
            longest_before: end.earlier.longest,
            woken: end.woken.map(|(time, _)| time.0),
            woken_by: end.woken.and_then(|(_, by)| by).map(|by| states.name(by)),
            waits_for: end.waits_for.iter().map(|tid| states.name(*tid)).collect(),
            deadlock: end.deadlock,
            may_have_gone_on: end.may_have_gone_on,
        }
    }
}

#[derive(Debug, Serialize)]
struct Unrecorded<'a> {
    name: &'a str,
    ran_before: &'a str,
}

/// Tasks that had not begun at the end.
#[derive(Debug, Serialize)]
struct PendingTasks<'a> {
    /// The thread that handed them over.
    thread: &'a str,
    tasks: u64,
    /// When it handed over the first of them.
    since: i64,
}

impl<'a> PendingTasks<'a> {
    fn of(pending: &'a Pending) -> Self {
        Self { thread: &pending.thread, tasks: pending.tasks, since: pending.since.0 }
    }
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
    /// Null where no times are known; else not before this.
    since: Option<i64>,
    /// Not after this, where that is another moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    since_latest: Option<i64>,
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
    pub(crate) fn of(found: &'a Found, all: &'a Ends<'a>) -> Self {
        let ends = &all.tracks;
        let thread = |end: &TrackEnd<'_>| {
            let states = all.states.as_ref()?;
            Some(Thread::of(states, states.of(end.track.id?)?))
        };
        let pace = |end: &TrackEnd<'_>| {
            end.pace.map(|pace| PaceOf {
                last: pace.last.0,
                longest_pause: pace.longest,
                end: pace.end.0,
                is_silent: end.silent().is_some(),
            })
        };
        let track = |end: &'a TrackEnd<'a>| Track {
            name: &end.track.name,
            steps: end.track.steps,
            ends_in_loop: !end.ending.loops.is_empty(),
            end_is_lost: end.ending.end_is_lost,
            ran_before: end.track.ran_before.as_deref(),
            open: end.track.open.as_ref().map(Open::of),
            thread: thread(end),
            pace: pace(end),
            loops: end
                .ending
                .loops
                .iter()
                .zip(&end.since)
                .map(|(one, since)| OneLoop::of(found, end.track, one, *since))
                .collect(),
        };
        let unrecorded = |(name, ran_before): &'a (String, String)| Unrecorded { name, ran_before };
        Self {
            tracks: ends.iter().map(track).collect(),
            unrecorded: found.unrecorded.iter().map(unrecorded).collect(),
            open: found.open.iter().map(NamedOpen::of).collect(),
            pending: found.pending.iter().map(PendingTasks::of).collect(),
            proved: [],
            lost: found.lost.map(Into::into),
        }
    }
}

impl<'a> OneLoop<'a> {
    fn of(found: &'a Found, track: &'a FoundTrack, end: &EndLoop, since: Since) -> Self {
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
            since: since.from.map(|time| time.0),
            since_latest: since.to.filter(|to| since.from != Some(*to)).map(|time| time.0),
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
