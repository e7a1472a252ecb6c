//! `tracewright hangs`: which tracks end in a loop, since when, and how regularly.

use std::time::{Duration, Instant};

use analyses::loops::Options;

use crate::cli;
use crate::exit::{Outcome, Result};
use crate::hangs::ends::ends_by;
use crate::hangs::{open_frames, windows};
use crate::histories::found::find;
use crate::histories::reading::Reading;
use crate::output::Output;
use crate::paint::Paint;
use crate::process::note;
use crate::recordings;
use crate::reports::{self, HangsReport};
use crate::results::{Found, TrackEnd};
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
        let what = if accused.is_empty() { "no thread is seen to hang at a glance; " } else { "" };
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
    // What cannot be opened is reported when all of it is read.
    let recording = recordings::open(input).ok()?;
    let staying = hangs_answer::accused_at_once(open_frames::of(recording.as_ref()));
    if !staying.is_empty() {
        return Some(staying);
    }
    let found = windows::find_in_windows(recording)?;
    let ends: Vec<TrackEnd<'_>> = found.tracks.iter().map(TrackEnd::of).collect();
    Some(hangs_answer::spinning(&found, &ends, |_| true))
}
