//! The loop that a thread goes round wherever its steps are looked at: known long before all of a long recording is read.
//!
//! ```text
//! records of a thread, second half   ----#------#------#---#--#------#------#------#------#------#
//!                                    windows, evenly, and where the records take unusually much or little room
//! ```
//!
//! A thread that did something else in between most likely did so where its records took another room than elsewhere. What is the
//! same in all windows is told as that, and as nothing more.

use std::collections::BTreeSet;

use analyses::hangs::{Counts, ending};
use analyses::loops::{LoopFinder, Options};
use model::flow_events::FlowItem;
use model::{FlowEvents, FlowSource, Readings, StreamId, Summary, TrackId};

use super::found::{Found, FoundTrack};
use crate::losses::Total;
use crate::open_frames;
use crate::spinning::{self, Spinning, symbols_in};

/// A thread of fewer records is read as soon as its windows.
const MANY: u64 = 1 << 20;

/// Windows at equal distances, and as many again where records are unusual.
const WINDOWS: u64 = 8;

/// Steps of a window, without those that a record only counts, ...
const STEPS: usize = 1 << 15;

/// ... and records, of loops that are counted.
const RECORDS: u64 = 1 << 12;

/// What goes on in a window.
#[derive(Debug, PartialEq, Eq)]
enum Course {
    /// A loop covers most of it: its symbols, and those of the loops in its iteration with what their lengths have in common.
    Loop(BTreeSet<u32>, BTreeSet<(BTreeSet<u32>, Lengths)>),
    /// No loop does; all symbols of its second half.
    Other(BTreeSet<u32>),
}

/// The lengths of a loop, as far as they are the same at any time: all, what each adds to the one before, or nothing.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Lengths {
    Constant(u64),
    Linear(i64),
    Other,
}

/// Whether a recording has threads that windows are worth while for.
pub(crate) fn is_long(recording: &dyn FlowSource) -> bool {
    recording.threads().iter().any(|thread| thread.records >= MANY)
}

/// The threads of many records that ran at the end, need not come to an end, and do the same in all windows, each with the loops of its
/// last window; `None` if there are none, or the recording can only be read from its beginning.
pub(crate) fn find_in_windows(recording: Box<dyn FlowSource>) -> Option<Found> {
    let spinning = spinning::of(recording.as_ref());
    let threads = recording.threads().iter().enumerate();
    let threads = threads.filter_map(|(thread, about)| {
        let spinning = spinning.get(&about.tid?).filter(|_| about.records >= MANY)?;
        Some((thread, about.tid, about.records, spinning.clone()))
    });
    let threads: Vec<(usize, Option<u64>, u64, Spinning)> = threads.collect();
    if threads.is_empty() {
        return None;
    }
    let mut open = open_frames::of(recording.as_ref());
    let unusual = |(thread, _, records, _): &(usize, _, u64, _)| {
        recording.unusual_records(*thread, records / 2, WINDOWS as usize)
    };
    let mut places: Vec<Vec<u64>> = threads.iter().map(unusual).collect();
    let mut source = FlowEvents::new(recording);
    let mut tracks = vec![];
    for ((thread, tid, records, mut spinning), places) in threads.into_iter().zip(&mut places) {
        places.extend((1..WINDOWS).map(|number| records / 2 + records / 2 / WINDOWS * number));
        places.push(records - RECORDS);
        let Some((summary, steps)) = same_in_all(&mut source, thread, places) else { continue };
        spinning.look_into(&summary, &source);
        let name = source.source().threads().get(thread).map(|about| about.name.clone());
        let open = open.iter().position(|open| Some(open.tid) == tid).map(|at| open.remove(at));
        tracks.push(FoundTrack {
            id: Some(TrackId(thread as u32)),
            name: name.unwrap_or_default(),
            steps,
            summary,
            layout: None,
            ran_before: None,
            open,
            times: Readings::default(),
            spinning: Some(spinning),
            sampled: Some(records),
        });
    }
    let mut contending: Vec<Option<Spinning>> =
        tracks.iter_mut().map(|track| track.spinning.take()).collect();
    spinning::pair(&mut contending);
    tracks.iter_mut().zip(contending).for_each(|(track, spinning)| track.spinning = spinning);
    let alphabet = model::EventSource::alphabet(&source).clone();
    let found = Found { tracks, alphabet, lost: Some(Total::default()), unrecorded: vec![], open };
    (!found.tracks.is_empty()).then_some(found)
}

/// What the last window holds, with its steps, if the same goes on in all of them.
fn same_in_all(source: &mut FlowEvents, thread: usize, places: &[u64]) -> Option<(Summary, u64)> {
    let (mut before, mut last) = (None, None);
    for &place in places {
        if !source.seek(thread, place) {
            return None;
        }
        let finder = window(source, thread);
        let summary = finder.summary();
        let course = course(&summary);
        if before.as_ref().is_some_and(|before| *before != course) {
            return None;
        }
        (before, last) = (Some(course), Some((summary, finder.steps())));
    }
    last
}

/// The loops of a window, from where the source is.
fn window(source: &mut FlowEvents, thread: usize) -> LoopFinder {
    let mut finder = LoopFinder::new(Options::default());
    let (mut steps, begin) = (0, model::EventSource::progress(source).0);
    while steps < STEPS || model::EventSource::progress(source).0 - begin < RECORDS {
        match source.next_flow_item() {
            Some(FlowItem::Blocks(stream, blocks, times)) if stream == StreamId(thread as u32) => {
                let units: Vec<u32> = blocks.iter().map(|symbol| symbol.0).collect();
                finder.repeat(&units, times);
                steps += units.len();
            }
            Some(FlowItem::Gap(gap)) if gap.stream == StreamId(thread as u32) => finder.gap(),
            _ => break,
        }
    }
    finder
}

fn course(summary: &Summary) -> Course {
    let ending = ending(summary);
    let around = ending.loops.iter().find(|around| around.steps >= ending.steps / 2);
    let Some(around) = around else { return Course::Other(spinning::late_symbols(summary)) };
    let symbols = |level, id| symbols_in(&summary.levels, level, id);
    let lengths = |counts| match counts {
        Counts::Constant(length) => Lengths::Constant(length),
        Counts::Linear { step, .. } => Lengths::Linear(step),
        Counts::Other { .. } => Lengths::Other,
    };
    let inner = around.inner.iter().map(|inner| (symbols(inner.level, inner.id), lengths(inner.counts)));
    Course::Loop(symbols(around.level, around.run.id), inner.collect())
}
