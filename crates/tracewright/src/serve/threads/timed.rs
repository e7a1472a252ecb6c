//! The threads of a recording with what is known of their times.

use std::path::Path;

use analyses::times::{Collected, Lanes, Times};
use model::code::CodeMap;
use model::{FlowSource, Lost};
use viewer::Progress;
use viewer::api::threads::{ThreadTimes, TimedLoss, TimedMark, TimedThread};

use crate::exit::Result;
use crate::recordings;

/// The shortest calls that are kept, ns.
const LEAST: i64 = 1_000_000;
/// Steps between two notes of the progress.
const STRIDE: u64 = 1 << 14;
/// Marks that are answered.
const MARKS: usize = 10_000;

/// All threads.
#[derive(Debug)]
pub(super) struct Timed {
    pub(super) code: CodeMap,
    /// In the order of their beginnings.
    pub(super) threads: Vec<Thread>,
    /// When each mark was set, ns since 1970.
    pub(super) marks: Vec<(i64, String)>,
    /// The beginning of all, ns since 1970.
    pub(super) start: i64,
    /// How long it takes, ns.
    pub(super) length: i64,
}

/// One thread.
#[derive(Debug)]
pub(super) struct Thread {
    pub(super) serial: u32,
    pub(super) name: String,
    /// When it was first and last seen, ns since 1970.
    pub(super) span: (i64, i64),
    pub(super) collected: Collected,
    pub(super) lanes: Lanes,
}

/// Reads a recording for its times.
pub(super) fn read(folder: &Path, progress: &Progress) -> Result<Timed> {
    let recording = recordings::open(folder)?;
    Ok(of(recording.as_ref(), progress))
}

/// What is known of the times of a recording.
pub(super) fn of(recording: &dyn FlowSource, progress: &Progress) -> Timed {
    let all: u64 = recording.threads().iter().map(|thread| thread.records).sum();
    let (mut threads, mut done) = (vec![], 0);
    for (at, thread) in recording.threads().iter().enumerate() {
        let (mut flow, mut times) = (recording.flow(at), Times::new(recording.code(), LEAST));
        let mut steps = 0u64;
        while let Some(step) = flow.next_step() {
            times.observe(&step);
            steps += 1;
            if steps.is_multiple_of(STRIDE) {
                progress.set((all.min(done + flow.taken()), all));
            }
        }
        done += thread.records;
        progress.set((done, all));
        let collected = times.finish();
        let chunks = thread.time.map(|(first, last)| (first.0, last.0));
        let read = collected.readings.span().map(|(first, last)| (first.0, last.0));
        let spans = [chunks, read].into_iter().flatten();
        let span = spans.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
        let Some(span) = span else { continue };
        let lanes = Lanes::of(&collected.calls);
        threads.push(Thread { serial: thread.serial, name: thread.name.clone(), span, collected, lanes });
    }
    threads.sort_by_key(|thread| (thread.span.0, thread.serial));
    let marks: Vec<(i64, String)> =
        recording.marks().iter().take(MARKS).map(|mark| (mark.time.0, mark.text.clone())).collect();
    let moments = threads.iter().flat_map(|thread| [thread.span.0, thread.span.1]);
    let moments = moments.chain(marks.iter().map(|(time, _)| *time));
    let (start, end) = moments.fold((i64::MAX, i64::MIN), |(from, to), time| (from.min(time), to.max(time)));
    let (start, length) = if start <= end { (start, end.saturating_sub(start).max(1)) } else { (0, 1) };
    Timed { code: recording.code().clone(), threads, marks, start, length }
}

impl Timed {
    /// The threads with at most so many lanes each.
    pub(super) fn answer(&self, most_lanes: usize) -> ThreadTimes {
        let at = |time: i64| time.saturating_sub(self.start).clamp(0, self.length);
        let thread = |thread: &Thread| TimedThread {
            serial: thread.serial,
            name: thread.name.clone(),
            from: at(thread.span.0),
            to: at(thread.span.1),
            lanes: thread.lanes.len().min(most_lanes),
            calls: thread.collected.calls.len() as u64,
            left_out: thread.collected.left_out,
            losses: thread
                .collected
                .losses
                .iter()
                .map(|loss| TimedLoss {
                    from: at(loss.from.unwrap_or(thread.span.0)),
                    to: at(loss.to.unwrap_or(thread.span.1)),
                    lost: match loss.lost {
                        Lost::Events(count) => Some(count),
                        _ => None,
                    },
                })
                .collect(),
        };
        ThreadTimes {
            start: self.start.to_string(),
            length: self.length,
            least: LEAST,
            threads: self.threads.iter().map(thread).collect(),
            marks: self
                .marks
                .iter()
                .map(|(time, text)| TimedMark { at: at(*time), text: text.clone() })
                .collect(),
        }
    }
}
