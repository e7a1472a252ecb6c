//! Threads that ran, and recorded, when they were looked at last, and need not come to an end.

use std::collections::{BTreeSet, HashMap};

use analyses::hangs::{find, shared};
use model::flow_source::FlowSource;
use model::stack::{SampledThread, ThreadState};

use crate::open_frames::{OpenFrame, frame, is_of_jdk};
use crate::open_loops::OpenLoops;

/// Samples in which a thread has to be seen running.
const LOOKS: usize = 3;

/// Who uses less than this part of the time waits, though it counts as running.
const BUSY: i128 = 20;

/// Where a thread turns.
#[derive(Debug, Clone)]
pub(crate) struct Turning {
    /// The innermost frame of the program that it was always in, where there is one.
    pub(crate) frame: Option<OpenFrame>,
    /// The lines of it, ascending.
    pub(crate) lines: Vec<u16>,
}

/// Each of them by its number. Who is in loops only that count to a bound is not among them.
pub(crate) fn of(recording: &dyn FlowSource) -> HashMap<u64, Turning> {
    let stacks = recording.stacks();
    let Some(last) = stacks.samples.last() else { return HashMap::new() };
    let mut loops = OpenLoops::of(recording);
    let mut found = HashMap::new();
    for thread in &last.threads {
        let samples = stacks.samples.iter().rev().map_while(|sample| {
            let same = sample.threads.iter().find(|other| other.tid == thread.tid)?;
            Some((sample.time, same))
        });
        let seen: Vec<_> = samples.take(LOOKS).collect();
        let used = seen.last().and_then(|(time, first)| {
            let used = i128::from(thread.cpu?.saturating_sub(first.cpu?));
            Some(used * BUSY >= last.time.since(*time))
        });
        let runs = seen.iter().all(|(_, thread)| thread.state == ThreadState::Runnable)
            && used.unwrap_or(!thread.is_native());
        let line = thread.frames.first().and_then(|frame| frame.line);
        if runs && !loops.end_by_themselves(&thread.frames, line.as_slice()) {
            found.insert(
                thread.tid,
                place(recording, thread, &seen.iter().map(|(_, seen)| *seen).collect::<Vec<_>>()),
            );
        }
    }
    found
}

fn place(recording: &dyn FlowSource, thread: &SampledThread, seen: &[&SampledThread]) -> Turning {
    let count = seen.iter().map(|other| shared(thread, other)).min().unwrap_or(0);
    let outward = |thread: &SampledThread, at: usize| thread.frames.iter().rev().nth(at).copied();
    let is_own = |at: &usize| {
        let method = outward(thread, *at).and_then(|frame| recording.stacks().method(&frame));
        method.is_some_and(|method| !is_of_jdk(&method.class) || find(recording.code(), method).is_some())
    };
    let Some(at) = (0..count).rev().find(is_own) else { return Turning { frame: None, lines: vec![] } };
    let lines: BTreeSet<u16> = seen.iter().filter_map(|thread| outward(thread, at)?.line).collect();
    let frame = outward(thread, at).and_then(|sampled| frame(recording, &sampled));
    Turning { frame, lines: lines.into_iter().collect() }
}
