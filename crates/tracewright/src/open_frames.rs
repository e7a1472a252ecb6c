//! What the threads of a recording were in the middle of when they were sampled last.

use std::collections::HashSet;

use analyses::hangs::{Standing, find, loop_around, standing};
use model::flow_source::FlowSource;
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
    /// The recording knows the method.
    pub(crate) is_recorded: bool,
    /// The frame began before recording did.
    pub(crate) is_old: bool,
}

/// The threads of the last sample that run code of the program, in its order.
pub(crate) fn of(recording: &dyn FlowSource) -> Vec<OpenFrames> {
    let Some(last) = recording.stacks().samples.last() else { return vec![] };
    let recorded: HashSet<u64> = recording.threads().iter().filter_map(|thread| thread.tid).collect();
    let position = |tid| {
        let thread = recording.threads().iter().find(|thread| thread.tid == Some(tid));
        thread.map_or((0, 0), |thread| thread.position)
    };
    let is_own = |frame: &SampledFrame| {
        recording
            .stacks()
            .method(frame)
            .is_some_and(|method| !is_of_jdk(&method.class) || find(recording.code(), method).is_some())
    };
    let wanted = last
        .threads
        .iter()
        .filter(|thread| recorded.contains(&thread.tid) || thread.frames.iter().any(is_own));
    let found = wanted.filter_map(|thread| standing(recording.stacks(), thread.tid, position(thread.tid)));
    found.map(|standing| one(recording, &standing)).collect()
}

fn is_of_jdk(class: &str) -> bool {
    ["java.", "javax.", "jdk.", "sun."].iter().any(|package| class.starts_with(package))
}

fn one(recording: &dyn FlowSource, standing: &Standing<'_>) -> OpenFrames {
    let stays = standing.stays();
    let frames = if stays { standing.frames() } else { &standing.thread.frames };
    let lines = match frames.first() {
        Some(_) if stays => standing.lines.clone(),
        first => first.and_then(|frame| frame.line).into_iter().collect(),
    };
    let method =
        frames.first().filter(|frame| !frame.is_old).and_then(|frame| recording.stacks().method(frame));
    let around = method.and_then(|method| loop_around(recording.code(), method, &lines));
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
        frames: frames.iter().filter_map(|sampled| frame(recording, sampled)).collect(),
        is_cut: standing.thread.is_cut,
    }
}

fn frame(recording: &dyn FlowSource, frame: &SampledFrame) -> Option<OpenFrame> {
    let method = recording.stacks().method(frame)?;
    let known: Option<MethodId> = find(recording.code(), method);
    let class = recording.code().classes.iter().find(|class| class.name == method.class);
    Some(OpenFrame {
        method: format!("{}.{}", method.class, method.name),
        descriptor: method.descriptor.clone(),
        file: class.and_then(|class| class.source_file.clone()),
        line: frame.line,
        is_recorded: known.is_some(),
        is_old: frame.is_old,
    })
}
