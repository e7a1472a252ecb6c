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
use crate::warn::warn_of;

/// Who asks waits so long for all to be read before there is an answer at a glance, and so long before that is the answer.
const PATIENCE: Duration = Duration::from_millis(700);
const LONGEST: Duration = Duration::from_secs(5);

pub(crate) fn run(options: &cli::Hangs) -> Result<Outcome> {
    let history = &options.history;
    let diagnostic = Options { short_loops: history.short_loops, ..Options::default() };
    let mut output = Output::default();
    let is_recording = history.input.as_ref().is_some_and(|input| recordings::is_recording(input));
    let (found, is_incomplete, at_once) = match is_recording && !options.json {
        true => patiently(options, diagnostic, &mut output)?,
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

/// Reads a recording. Where that takes long, who is accused at a glance is printed meanwhile, and given as well; where it takes very
/// long, what parts of it show is all there is.
fn patiently(asked: &cli::Hangs, options: Options, output: &mut Output) -> Result<(Found, bool, String)> {
    let (start, history) = (Instant::now(), &asked.history);
    let reading = Reading::begin(history, options);
    let glance = glance(history);
    if let Some(found) = reading.within(PATIENCE.saturating_sub(start.elapsed())) {
        let (found, is_incomplete) = found?;
        return Ok((found, is_incomplete, String::new()));
    }
    let Some(Glance { accused, in_windows }) = glance else {
        let (found, is_incomplete) = reading.finish()?;
        return Ok((found, is_incomplete, String::new()));
    };
    output.buffer = accused.clone().into();
    output.flush()?;
    let what = if accused.is_empty() { "no thread is seen to hang at a glance; " } else { "" };
    note(format_args!("{what}all of the recording is read now, for the rest of the answer"));
    if let Some(in_windows) = in_windows.filter(|_| !asked.all) {
        return match reading.within(LONGEST.saturating_sub(start.elapsed())) {
            Some(found) => found.map(|(found, is_incomplete)| (found, is_incomplete, accused)),
            None => {
                note(format_args!(
                    "that takes long, so this is what parts of it show; --all reads all of it"
                ));
                let input = history.input.clone().unwrap_or_default();
                let is_incomplete = warn_of(&input, recordings::open(&input)?.as_ref());
                Ok((in_windows, is_incomplete, accused))
            }
        };
    }
    let (found, is_incomplete) = reading.finish()?;
    Ok((found, is_incomplete, accused))
}

/// What is known of a long recording before all of it is read.
struct Glance {
    /// See [`hangs_answer::accused_at_once`].
    accused: String,
    /// See [`windows`].
    in_windows: Option<Found>,
}

/// `None` of what is read as soon.
fn glance(history: &cli::History) -> Option<Glance> {
    let input = history.input.as_ref().filter(|input| input.is_dir() && history.track.is_empty())?;
    if !recordings::is_recording(input) {
        return None;
    }
    // What cannot be opened is reported when all of it is read.
    let recording = recordings::open(input).ok()?;
    let staying = hangs_answer::accused_at_once(open_frames::of(recording.as_ref()));
    let in_windows = windows::find_in_windows(recording);
    if !staying.is_empty() {
        return Some(Glance { accused: staying, in_windows });
    }
    let in_windows = in_windows?;
    let ends: Vec<TrackEnd<'_>> = in_windows.tracks.iter().map(TrackEnd::of).collect();
    let accused = hangs_answer::spinning(&in_windows, &ends, |_| true);
    Some(Glance { accused, in_windows: Some(in_windows) })
}
