//! `tracewright hangs`: which tracks end in a loop, since when, and how regularly.

use std::collections::HashMap;
use std::path::PathBuf;

use analyses::hangs::{Ending, ending};
use analyses::loops::Options;
use analyses::tracks::Tracker;
use model::{Timestamp, TrackId};

use super::found::{Found, FoundTrack, find};
use crate::cli;
use crate::exit::{Outcome, Result};
use crate::open::open;
use crate::open_frames::OpenFrames;
use crate::output::Output;
use crate::paint::Paint;
use crate::recordings;
use crate::reports::{self, HangsReport};
use crate::unpacked;
use crate::views::hangs_text;

/// How a track ends.
#[derive(Debug)]
pub(crate) struct TrackEnd<'a> {
    pub(crate) track: &'a FoundTrack,
    pub(crate) ending: Ending,
    /// For each loop of the ending, when it began; where times are known.
    pub(crate) since: Vec<Option<Timestamp>>,
}

pub(crate) fn run(options: &cli::Hangs) -> Result<Outcome> {
    let history = &options.history;
    let diagnostic = Options { short_loops: history.short_loops, ..Options::default() };
    let (found, is_incomplete) = find(history, diagnostic)?;
    let ends = ends(&found, history)?;
    let mut output = Output::default();
    if options.json {
        output.buffer = reports::json(&HangsReport::of(&found, &ends));
    } else {
        let most = if options.all { usize::MAX } else { options.tracks };
        output.buffer = hangs_text::render(&found, &ends, most, Paint::for_stdout()).into();
    }
    output.flush()?;
    Ok(Outcome::new(is_incomplete, history.allow_loss))
}

/// The endings, those of threads that stay where they are first, then those in a loop, else as the tracks are ordered: busiest first.
pub(crate) fn ends<'a>(found: &'a Found, history: &cli::History) -> Result<Vec<TrackEnd<'a>>> {
    let end = |track: &'a FoundTrack| {
        let ending = ending(&track.summary);
        let since = vec![None; ending.loops.len()];
        TrackEnd { track, ending, since }
    };
    let mut ends: Vec<TrackEnd<'_>> = found.tracks.iter().map(end).collect();
    let stays = |end: &TrackEnd<'_>| end.track.open.as_ref().is_some_and(OpenFrames::is_stuck);
    ends.sort_by_key(|end| (!stays(end), end.ending.loops.is_empty()));
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
        while let Some(placed) = tracker.next(source.as_mut(), |_| {}) {
            if let Some(time) = wanted.get_mut(&(placed.step.track, placed.step.seq)) {
                *time = placed.step.time;
            }
        }
        for end in &mut ends {
            let times =
                end.ending.loops.iter().map(|inner| {
                    end.track.id.and_then(|id| wanted.get(&(id, inner.since)).copied().flatten())
                });
            end.since = times.collect();
        }
    }
    Ok(ends)
}
