//! The loop that a thread goes round wherever its steps are looked at: known long before all of a long recording is read.
//!
//! ```text
//! records of a thread, second half   ----#------#------#---#--#------#------#------#------#------#
//!                                    windows, evenly, and where the records take unusually much or little room
//! ```
//!
//! A thread that did something else in between most likely did so where its records took another room than elsewhere. What is the
//! same in all windows is reported as that, and as nothing more.

use std::collections::BTreeSet;

use analyses::hangs::{Counts, ending};
use analyses::loops::{LoopFinder, Options};
use model::flow_events::FlowItem;
use model::{EventSource, FlowEvents, FlowSource, Readings, StreamId, Summary, TrackId};

use crate::hangs::open_frames;
use crate::hangs::spinning::{self, symbols_in};
use crate::losses::Total;
use crate::results::{Found, FoundTrack};

/// A thread of fewer records is read as soon as its windows.
const MANY: u64 = 1 << 20;

/// Windows at equal distances, and as many again where records are unusual.
const WINDOWS: u64 = 8;

/// Steps of a window at least, ...
const STEPS: u64 = 1 << 15;

/// ... and records: one may count a loop with many iterations.
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

/// The threads that ran at the end and need not come to an end. One of many records has the loops of its last window if all of them are
/// alike, else those of all windows one after the other, which end in none. `None` of a recording that is read as soon as its windows,
/// or only from its beginning.
pub(crate) fn find_in_windows(recording: Box<dyn FlowSource>) -> Option<Found> {
    if !is_long(recording.as_ref()) {
        return None;
    }
    let spinning = spinning::of(recording.as_ref());
    let threads = recording.threads().iter().enumerate().filter_map(|(thread, about)| {
        let spinning = spinning.get(&about.tid?)?.clone();
        let positions = positions(recording.as_ref(), thread, about.records);
        Some((thread, about.clone(), spinning, positions))
    });
    let threads: Vec<_> = threads.collect();
    let mut open = open_frames::of(recording.as_ref());
    let mut source = FlowEvents::new(recording);
    let (mut tracks, mut all_spinning) = (vec![], vec![]);
    for (thread, about, mut spinning, positions) in threads {
        let finder = match positions.as_slice() {
            [] => whole(&mut source, thread)?,
            positions => alike_or_all(&mut source, thread, positions)?,
        };
        let summary = finder.summary();
        let may_go_on = spinning.inspect(&summary, &source, positions.is_empty());
        all_spinning.push(may_go_on.then_some(spinning));
        let open = open.iter().position(|open| Some(open.tid) == about.tid).map(|at| open.remove(at));
        tracks.push(FoundTrack {
            id: Some(TrackId(thread as u32)),
            name: about.name,
            steps: finder.steps(),
            summary,
            layout: None,
            ran_before: None,
            open,
            times: Readings::default(),
            spinning: None,
            sampled: (!positions.is_empty()).then_some(about.records),
        });
    }
    spinning::pair(&mut all_spinning);
    tracks.iter_mut().zip(all_spinning).for_each(|(track, spinning)| track.spinning = spinning);
    let alphabet = source.alphabet().clone();
    Some(Found { tracks, alphabet, lost: Some(Total::default()), unrecorded: vec![], open, pending: vec![] })
}

/// The records that windows of a thread begin with, ascending; none of a thread of few.
fn positions(recording: &dyn FlowSource, thread: usize, records: u64) -> Vec<u64> {
    if records < MANY {
        return vec![];
    }
    let mut positions = recording.unusual_records(thread, records / 2, WINDOWS as usize);
    // What begins later is too short to show a loop, and its records are unusual for that alone.
    let last = records - RECORDS;
    positions.retain(|position| *position < last);
    positions.extend((1..WINDOWS).map(|number| records / 2 + records / 2 / WINDOWS * number));
    positions.push(last);
    positions.sort_unstable();
    positions
}

/// The loops of all that a thread did; `None` where it cannot be read by itself.
fn whole(source: &mut FlowEvents, thread: usize) -> Option<LoopFinder> {
    let mut finder = LoopFinder::new(Options::default());
    source.seek(thread, 0).then(|| {
        feed(source, thread, &mut finder, |_, _| true);
        finder
    })
}

/// The loops of the last window if the same goes on in all of them, else those of all windows one after the other.
fn alike_or_all(source: &mut FlowEvents, thread: usize, positions: &[u64]) -> Option<LoopFinder> {
    let (mut all, mut last) = (LoopFinder::new(Options::default()), LoopFinder::new(Options::default()));
    let (mut before, mut are_alike) = (None, true);
    for &position in positions {
        last = LoopFinder::new(Options::default());
        for finder in [&mut all, &mut last] {
            if !source.seek(thread, position) {
                return None;
            }
            let begin = finder.steps();
            feed(source, thread, finder, |steps, records| steps - begin < STEPS || records < RECORDS);
        }
        all.gap();
        let course = course(&last.summary());
        are_alike &= before.is_none_or(|before| before == course);
        before = Some(course);
    }
    Some(if are_alike { last } else { all })
}

/// Feeds the steps of a thread from where the source is, as long as they are wanted after so many steps of the finder and so many
/// records.
fn feed(
    source: &mut FlowEvents,
    thread: usize,
    finder: &mut LoopFinder,
    is_wanted: impl Fn(u64, u64) -> bool,
) {
    let (stream, begin) = (StreamId(thread as u32), source.progress().0);
    let mut units = vec![];
    while is_wanted(finder.steps(), source.progress().0.saturating_sub(begin)) {
        match source.next_flow_item() {
            Some(FlowItem::Blocks(of, blocks, times)) if of == stream => {
                units.clear();
                units.extend(blocks.iter().map(|symbol| symbol.0));
                finder.repeat(&units, times);
            }
            Some(FlowItem::Gap(gap)) if gap.stream == stream => finder.gap(),
            _ => return,
        }
    }
}

fn course(summary: &Summary) -> Course {
    let ending = ending(summary);
    let enclosing = ending.loops.iter().find(|enclosing| enclosing.steps >= ending.steps / 2);
    let Some(enclosing) = enclosing else { return Course::Other(spinning::late_symbols(summary)) };
    let symbols = |level, id| symbols_in(&summary.levels, level, id);
    let lengths = |counts| match counts {
        Counts::Constant(length) => Lengths::Constant(length),
        Counts::Linear { step, .. } => Lengths::Linear(step),
        Counts::Other { .. } => Lengths::Other,
    };
    let inner = enclosing.inner.iter().map(|inner| (symbols(inner.level, inner.id), lengths(inner.counts)));
    Course::Loop(symbols(enclosing.level, enclosing.run.id), inner.collect())
}

#[cfg(test)]
mod tests;
