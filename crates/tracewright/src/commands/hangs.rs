//! `tracewright hangs`: which tracks end in a loop, since when, and how regularly.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use analyses::hangs::kernel::Doing;
use analyses::loops::Options;
use analyses::tracks::Tracker;
use model::{Timestamp, TrackId};

use super::found::find;
use super::reading::Reading;
use super::windows;
use crate::cli;
use crate::exit::{Outcome, Result};
use crate::models;
use crate::open::open;
use crate::open_frames::{self, OpenFrames};
use crate::output::Output;
use crate::paint::Paint;
use crate::process::note;
use crate::recordings;
use crate::reports::{self, HangsReport};
use crate::results::{Ends, Found, Pace, Since, TrackEnd};
use crate::thread_states;
use crate::unpacked;
use crate::views::{hangs_answer, hangs_text};

/// Who asks waits so long for all to be read before there is an answer at a glance.
const PATIENCE: Duration = Duration::from_millis(700);

pub(crate) fn run(options: &cli::Hangs) -> Result<Outcome> {
    let history = &options.history;
    let diagnostic = Options { short_loops: history.short_loops, ..Options::default() };
    let mut output = Output::default();
    let is_recording = history.input.as_ref().is_some_and(|input| recordings::is_recording(input));
    let (found, is_incomplete, at_once) = match is_recording && !options.json {
        true => patiently(history, diagnostic, &mut output)?,
        false => {
            let (found, is_incomplete) = find(history, diagnostic)?;
            (found, is_incomplete, String::new())
        }
    };
    let ends = ends_by(&found, history, &options.model)?;
    if options.json {
        output.buffer = reports::json(&HangsReport::of(&found, &ends));
    } else {
        let most = if options.all { usize::MAX } else { options.tracks };
        let text = hangs_text::render(&found, &ends, most, Paint::for_stdout());
        output.buffer = hangs_answer::after(&at_once, &text).into();
    }
    output.flush()?;
    Ok(Outcome::new(is_incomplete, history.allow_loss))
}

/// Reads a recording. Where that takes long, who is accused at a glance is printed meanwhile, and given as well.
fn patiently(history: &cli::History, options: Options, output: &mut Output) -> Result<(Found, bool, String)> {
    let start = Instant::now();
    let reading = Reading::begin(history, options);
    let at_once = accused_at_once(history);
    if let Some(found) = reading.within(PATIENCE.saturating_sub(start.elapsed())) {
        let (found, is_incomplete) = found?;
        return Ok((found, is_incomplete, String::new()));
    }
    if let Some(accused) = &at_once {
        output.buffer = accused.clone().into();
        output.flush()?;
        let what = if accused.is_empty() { "nobody is seen to hang at a glance; " } else { "" };
        note(format_args!("{what}all of the recording is read now, for the rest of the answer"));
    }
    let (found, is_incomplete) = reading.finish()?;
    Ok((found, is_incomplete, at_once.unwrap_or_default()))
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
    let can_reread = |input: &&PathBuf| {
        let is_unpacked = unpacked::directory(input) != **input;
        is_unpacked || input.as_os_str() != "-" && !recordings::is_recording(input)
    };
    if let Some(input) = history.input.as_ref().filter(can_reread) {
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
        while let Some(assigned) = tracker.next(source.as_mut(), |_| {}) {
            if let Some(time) = assigned.step.time {
                last = last.max(Some(time));
                let (before, longest) = paces.entry(assigned.step.track).or_insert((time, 0));
                let pause = i64::try_from(time.since(*before)).unwrap_or(i64::MAX);
                (*before, *longest) = (time, pause.max(*longest));
            }
            if let Some(time) = wanted.get_mut(&(assigned.step.track, assigned.step.seq)) {
                *time = assigned.step.time;
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
