//! What the threads of a capture were in the middle of when they were sampled last.

use std::collections::HashSet;

use analyses::hangs::{Standing, find, loop_around, standing};
use capture::Capture;
use model::stack::{SampledFrame, ThreadState};
use model::{MethodId, Timestamp};

/// One thread that had not ended.
#[derive(Debug, Clone)]
pub(crate) struct OpenFrames {
    /// Java's number of the thread, and its name.
    pub(crate) tid: u64,
    pub(crate) thread: String,
    pub(crate) state: ThreadState,
    /// When it was sampled last, and whether recording ended then.
    pub(crate) time: Timestamp,
    pub(crate) at_end: bool,
    /// It ran all the time, and never left the first of `frames`.
    pub(crate) stays: bool,
    /// Since when it has recorded nothing, and how many samples show it.
    pub(crate) since: Timestamp,
    pub(crate) samples: usize,
    /// The lines that the first of `frames` was seen at, ascending.
    pub(crate) lines: Vec<u16>,
    /// The lines of the loop around them, which is recorded when it is left.
    pub(crate) around: Vec<u16>,
    /// Innermost first; of a thread that stays, from the innermost one that it did not leave.
    pub(crate) frames: Vec<OpenFrame>,
    /// Further ones are not known.
    pub(crate) is_cut: bool,
}

/// One frame.
#[derive(Debug, Clone)]
pub(crate) struct OpenFrame {
    /// `shop.Baker.bake`.
    pub(crate) method: String,
    pub(crate) descriptor: String,
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u16>,
    /// The capture knows the method.
    pub(crate) is_recorded: bool,
    /// The frame began before recording did.
    pub(crate) is_old: bool,
}

/// The threads of the last sample that run code of the program, in its order.
pub(crate) fn of(capture: &Capture) -> Vec<OpenFrames> {
    let Some(last) = capture.stacks.samples.last() else { return vec![] };
    let recorded: HashSet<u64> = capture.threads.iter().filter_map(|thread| thread.tid).collect();
    let position = |tid| {
        let thread = capture.threads.iter().find(|thread| thread.tid == Some(tid));
        thread.map_or((0, 0), capture::Thread::position)
    };
    let is_own = |frame: &SampledFrame| {
        capture
            .stacks
            .method(frame)
            .is_some_and(|method| !is_of_jdk(&method.class) || find(&capture.code, method).is_some())
    };
    let wanted = last
        .threads
        .iter()
        .filter(|thread| recorded.contains(&thread.tid) || thread.frames.iter().any(is_own));
    let found = wanted.filter_map(|thread| standing(&capture.stacks, thread.tid, position(thread.tid)));
    found.map(|standing| one(capture, &standing)).collect()
}

fn is_of_jdk(class: &str) -> bool {
    ["java.", "javax.", "jdk.", "sun."].iter().any(|package| class.starts_with(package))
}

fn one(capture: &Capture, standing: &Standing<'_>) -> OpenFrames {
    let stays = standing.stays();
    let frames = if stays { standing.frames() } else { &standing.thread.frames };
    let lines = match frames.first() {
        Some(_) if stays => standing.lines.clone(),
        first => first.and_then(|frame| frame.line).into_iter().collect(),
    };
    let method = frames.first().filter(|frame| !frame.is_old).and_then(|frame| capture.stacks.method(frame));
    let around = method.and_then(|method| loop_around(&capture.code, method, &lines));
    OpenFrames {
        tid: standing.thread.tid,
        thread: standing.thread.name.clone(),
        state: standing.thread.state,
        time: standing.time,
        at_end: standing.at_end,
        stays,
        since: standing.since,
        samples: standing.samples,
        lines,
        around: around.map(|(_, lines)| lines).unwrap_or_default(),
        frames: frames.iter().filter_map(|sampled| frame(capture, sampled)).collect(),
        is_cut: standing.thread.is_cut,
    }
}

fn frame(capture: &Capture, frame: &SampledFrame) -> Option<OpenFrame> {
    let method = capture.stacks.method(frame)?;
    let known: Option<MethodId> = find(&capture.code, method);
    let class = capture.code.classes.iter().find(|class| class.name == method.class);
    Some(OpenFrame {
        method: format!("{}.{}", method.class, method.name),
        descriptor: method.descriptor.clone(),
        file: class.and_then(|class| class.source_file.clone()),
        line: frame.line,
        is_recorded: known.is_some(),
        is_old: frame.is_old,
    })
}
