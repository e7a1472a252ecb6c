//! How the tracks of an input end, with times and states where these are known.

use std::collections::HashMap;
use std::path::PathBuf;

use analyses::hangs::kernel::Doing;
use analyses::tracks::Tracker;
use model::{Timestamp, TrackId};

use super::open_frames::OpenFrames;
use super::thread_states;
use crate::cli;
use crate::exit::Result;
use crate::models;
use crate::open::open;
use crate::recordings;
use crate::results::{Ends, Found, Pace, Since, TrackEnd};
use crate::unpacked;

/// The endings, those of threads that stay where they are first, then those in a loop, else as the tracks are ordered: busiest first.
pub(crate) fn ends<'a>(found: &'a Found, history: &cli::History) -> Result<Ends<'a>> {
    ends_by(found, history, cli::KERNEL)
}

/// The same, with the states of threads by this model.
pub(crate) fn ends_by<'a>(found: &'a Found, history: &cli::History, model: &str) -> Result<Ends<'a>> {
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
