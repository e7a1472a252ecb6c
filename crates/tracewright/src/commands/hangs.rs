//! `tracewright hangs`: which tracks end in a loop, since when, and how regularly.

use std::collections::HashMap;
use std::path::PathBuf;

use analyses::hangs::kernel::Doing;
use analyses::hangs::{EndLoop, Ending, ending};
use analyses::loops::Options;
use analyses::tracks::Tracker;
use model::{Timestamp, TrackId};

use super::found::{Found, FoundTrack, find};
use super::windows;
use crate::cli;
use crate::exit::{Outcome, Result};
use crate::models;
use crate::open::open;
use crate::open_frames::{self, OpenFrames};
use crate::output::Output;
use crate::paint::Paint;
use crate::recordings;
use crate::reports::{self, HangsReport};
use crate::thread_states::{self, ThreadStates};
use crate::unpacked;
use crate::views::{hangs_answer, hangs_text};

/// How a track ends.
#[derive(Debug)]
pub(crate) struct TrackEnd<'a> {
    pub(crate) track: &'a FoundTrack,
    pub(crate) ending: Ending,
    /// For each loop of the ending, when it began.
    pub(crate) since: Vec<Since>,
    /// When its steps were, where times are known.
    pub(crate) pace: Option<Pace>,
}

/// When something began, as far as that is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Since {
    /// Not before this.
    pub(crate) from: Option<Timestamp>,
    /// Not after this.
    pub(crate) to: Option<Timestamp>,
}

impl Since {
    /// At this moment.
    fn at(time: Option<Timestamp>) -> Since {
        Since { from: time, to: time }
    }
}

/// When the steps of a track were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pace {
    /// Its last step.
    pub(crate) last: Timestamp,
    /// The longest time between two of its steps, ns.
    pub(crate) longest: i64,
    /// The last event of the trace.
    pub(crate) end: Timestamp,
}

/// A track of fewer steps has no pace of its own.
const STEPS: u64 = 8;
/// Who pauses so many times as long as ever before has fallen silent, ...
const TIMES: i64 = 10;
/// ... and at least so long, ns.
const LEAST: i64 = 1_000_000_000;

impl<'a> TrackEnd<'a> {
    /// With the times that a clock gave its steps.
    pub(super) fn of(track: &'a FoundTrack) -> TrackEnd<'a> {
        let ending = ending(&track.summary);
        let bounds = |inner: &EndLoop| track.times.bounds(inner.since);
        let since = ending.loops.iter().map(bounds).map(|(from, to)| Since { from, to }).collect();
        TrackEnd { track, ending, since, pace: None }
    }

    /// Since when the track has no step, if it is longer than it ever paused before, by far.
    pub(crate) fn silent(&self) -> Option<Pace> {
        let quiet = |pace: &Pace| pace.end.0.saturating_sub(pace.last.0);
        let is_long = |pace: &Pace| quiet(pace) >= LEAST && quiet(pace) / TIMES >= pace.longest;
        self.pace.filter(|pace| self.track.steps >= STEPS && is_long(pace))
    }
}

/// How all tracks end.
#[derive(Debug)]
pub(crate) struct Ends<'a> {
    pub(crate) tracks: Vec<TrackEnd<'a>>,
    /// What threads were in the middle of, where a model tells.
    pub(crate) states: Option<ThreadStates>,
}

pub(crate) fn run(options: &cli::Hangs) -> Result<Outcome> {
    let history = &options.history;
    let diagnostic = Options { short_loops: history.short_loops, ..Options::default() };
    let mut output = Output::default();
    // Whoever waits for a long recording to be read has the answer meanwhile.
    let at_once = if options.json { None } else { accused_at_once(history) };
    if let Some(accused) = &at_once {
        output.buffer = accused.clone().into();
        output.flush()?;
        let what = if accused.is_empty() { "nobody is seen to hang at a glance; " } else { "" };
        eprintln!("tracewright: {what}all of the recording is read now, for the rest of the answer");
    }
    let (found, is_incomplete) = find(history, diagnostic)?;
    let ends = ends_by(&found, history, &options.model)?;
    if options.json {
        output.buffer = reports::json(&HangsReport::of(&found, &ends));
    } else {
        let most = if options.all { usize::MAX } else { options.tracks };
        let text = hangs_text::render(&found, &ends, most, Paint::for_stdout());
        output.buffer = text.strip_prefix(at_once.as_deref().unwrap_or_default()).unwrap_or(&text).into();
    }
    output.flush()?;
    Ok(Outcome::new(is_incomplete, history.allow_loss))
}

/// What is known of a long recording before all of it is read: see [`hangs_answer::accused_at_once`] and [`windows`]. `None` of what
/// is read as soon.
fn accused_at_once(history: &cli::History) -> Option<String> {
    let input = history.input.as_ref().filter(|input| input.is_dir() && history.track.is_empty())?;
    if !recordings::is_recording(input) {
        return None;
    }
    // What cannot be opened is told when all of it is to be read.
    let recording = recordings::open(input).ok()?;
    let staying = hangs_answer::accused_at_once(open_frames::of(recording.as_ref()));
    if !staying.is_empty() {
        return Some(staying);
    }
    let found = windows::find_in_windows(recording)?;
    let ends: Vec<TrackEnd<'_>> = found.tracks.iter().map(TrackEnd::of).collect();
    Some(hangs_answer::spinning(&found, &ends, |_| true))
}

/// The endings, those of threads that stay where they are first, then those in a loop, else as the tracks are ordered: busiest first.
pub(crate) fn ends<'a>(found: &'a Found, history: &cli::History) -> Result<Ends<'a>> {
    ends_by(found, history, cli::KERNEL)
}

/// The same, with the states of threads by this model.
fn ends_by<'a>(found: &'a Found, history: &cli::History, model: &str) -> Result<Ends<'a>> {
    let mut ends: Vec<TrackEnd<'_>> = found.tracks.iter().map(TrackEnd::of).collect();
    let mut states = None;
    // Which steps matter is known only now; standard input cannot be read again unless it was unpacked, and the blocks of
    // a capture have no times.
    let can_tell = |input: &&PathBuf| {
        let is_unpacked = unpacked::place(input) != **input;
        is_unpacked || input.as_os_str() != "-" && !recordings::is_recording(input)
    };
    if let Some(input) = history.input.as_ref().filter(can_tell) {
        let mut wanted: HashMap<(TrackId, u64), Option<Timestamp>> = HashMap::new();
        for end in &ends {
            let steps = end.ending.loops.iter().map(|end| end.since);
            wanted.extend(
                end.track.id.iter().flat_map(|&id| steps.clone().map(move |step| ((id, step), None))),
            );
        }
        let mut source = open(input)?;
        let mut tracker = Tracker::new(history.track_by.into());
        // By track: the last step, and the longest time between two.
        let mut paces: HashMap<TrackId, (Timestamp, i64)> = HashMap::new();
        let mut last: Option<Timestamp> = None;
        while let Some(placed) = tracker.next(source.as_mut(), |_| {}) {
            if let Some(time) = placed.step.time {
                last = last.max(Some(time));
                let (before, longest) = paces.entry(placed.step.track).or_insert((time, 0));
                let pause = i64::try_from(time.since(*before)).unwrap_or(i64::MAX);
                (*before, *longest) = (time, pause.max(*longest));
            }
            if let Some(time) = wanted.get_mut(&(placed.step.track, placed.step.seq)) {
                *time = placed.step.time;
            }
        }
        for end in &mut ends {
            let times = end.ending.loops.iter().map(|inner| {
                Since::at(end.track.id.and_then(|id| wanted.get(&(id, inner.since)).copied().flatten()))
            });
            end.since = times.collect();
            let pace = end.track.id.and_then(|id| paces.get(&id)).zip(last);
            end.pace = pace.map(|(&(last, longest), end)| Pace { last, longest, end });
        }
        if matches!(history.track_by, cli::TrackBy::Thread) {
            states = thread_states::read(input, &models::load(model)?, found.alphabet.names())?;
        }
    }
    let state = |end: &TrackEnd<'_>| states.as_ref().and_then(|states| states.of(end.track.id?));
    let is_stuck = |end: &TrackEnd<'_>| state(end).is_some_and(|state| state.doing == Doing::Stuck);
    let stays = |end: &TrackEnd<'_>| end.track.open.as_ref().is_some_and(OpenFrames::is_stuck);
    ends.sort_by_key(|end| (!stays(end) && !is_stuck(end), end.ending.loops.is_empty()));
    Ok(Ends { tracks: ends, states })
}
