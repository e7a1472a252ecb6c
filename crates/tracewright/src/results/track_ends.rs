//! How the tracks of an input end.

use analyses::hangs::{EndLoop, Ending, ending};
use model::Timestamp;

use super::FoundTrack;
use crate::hangs::thread_states::ThreadStates;

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
    pub(crate) fn at(time: Option<Timestamp>) -> Since {
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
    pub(crate) fn of(track: &'a FoundTrack) -> TrackEnd<'a> {
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
    /// What threads were in the middle of, where the model has states of threads.
    pub(crate) states: Option<ThreadStates>,
}
