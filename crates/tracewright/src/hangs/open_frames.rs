//! What the threads of a recording were in the middle of when they were sampled last.

use std::collections::{HashMap, HashSet};

use analyses::hangs::{
    Awaits, Doing, Standing, awaits, deadlocks, doing, enclosing_loop, find, is_of_the_machine, standing,
    stands_still,
};
use classfile::filters::Pattern;
use model::flow_source::FlowSource;
use model::stack::{CHILD_THAT_WRITES, SampledFrame, SampledThread, ThreadState};
use model::{MethodId, Timestamp};

use crate::libraries::is_of_jdk;

use crate::hangs::awaited::{leads_out, setter_for};
use crate::hangs::initialisers;
use crate::hangs::open_loops::OpenLoops;

/// One thread that had not ended.
#[derive(Debug, Clone)]
pub(crate) struct OpenFrames {
    /// Java's number of the thread, and its name.
    pub(crate) tid: u64,
    pub(crate) thread: String,
    pub(crate) state: ThreadState,
    pub(crate) doing: Doing,
    /// The class of the object that it waits for, or the class that is being initialised; and the thread that holds it, initialises it,
    /// or is waited for.
    pub(crate) waits_on: Option<String>,
    pub(crate) holder: Option<String>,
    /// The number of the deadlock that it is a part of, and its place in that.
    pub(crate) deadlock: Option<(usize, usize)>,
    /// It waits, and so does every other thread of the program.
    pub(crate) stands_still: bool,
    /// What it has long waited for another thread to do; and no thread is left that would, see
    /// [`wakers`](crate::hangs::wakers).
    pub(crate) awaits: Option<Awaits>,
    /// See there.
    pub(crate) has_no_waker: bool,
    /// It has recorded nothing for long.
    pub(crate) is_long: bool,
    /// When it was sampled last, and whether recording ended then.
    pub(crate) time: Timestamp,
    pub(crate) at_end: bool,
    /// It ran all the time, and never left the first of `frames`.
    pub(crate) stays: bool,
    /// Each loop that it is in counts to a bound, or reads or writes; or another thread is about to set what it looks at.
    pub(crate) moves_on: bool,
    /// Since when it has recorded nothing, and how many samples show it.
    pub(crate) since: Timestamp,
    pub(crate) samples: usize,
    /// The lines that the first of `frames` was seen at, ascending.
    pub(crate) lines: Vec<u16>,
    /// The lines of the loop around them, which is recorded when it is left.
    pub(crate) enclosing: Vec<u16>,
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

impl OpenFrames {
    /// Whether it stays where it is, in a loop that is not meant to end.
    pub(crate) fn is_stuck(&self) -> bool {
        self.stays && !self.moves_on
    }
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
    let all: Vec<Option<Standing<'_>>> = { last.threads.iter() }
        .map(|thread| standing(recording.stacks(), thread.tid, position(thread.tid)))
        .collect();
    let does: Vec<Doing> = { last.threads.iter().zip(&all) }
        .map(|(thread, standing)| {
            let moves = standing.as_ref().is_none_or(|standing| standing.moves);
            let wakes = standing.as_ref().is_some_and(|standing| standing.wakes);
            doing(recording.stacks(), thread, moves, wakes)
        })
        .collect();
    let is_long = |at: usize| all.get(at).and_then(Option::as_ref).is_some_and(Standing::is_long);
    let known = initialisers::with_waits(recording, last, &does);
    let mut circles = deadlocks(&known);
    circles.retain(|circle| circle.iter().all(|at| is_long(*at)));
    // The thread that ends the program because a signal came has just begun.
    let is_other = |at: usize| last.threads.get(at).is_some_and(|thread| is_of_the_machine(&thread.name));
    let still = stands_still(last, &does) && (0..all.len()).all(|at| is_other(at) || is_long(at));
    let in_circle = |at: usize| {
        let mut circles = (0..).zip(&circles);
        circles.find_map(|(number, circle)| Some((number, circle.iter().position(|one| *one == at)?)))
    };
    let name =
        |tid: u64| last.threads.iter().find(|thread| thread.tid == tid).map(|thread| thread.name.clone());
    let (mut found, mut loops) = (vec![], OpenLoops::of(recording));
    for (at, (standing, doing)) in all.iter().zip(does).enumerate() {
        let Some(standing) = standing else { continue };
        let (thread, deadlock) = (standing.thread, in_circle(at));
        if recorded.contains(&thread.tid) || deadlock.is_some() || thread.frames.iter().any(is_own) {
            let waits = known.threads.get(at).and_then(|thread| thread.waits.as_ref());
            let holder = waits.and_then(|waits| waits.holder).and_then(name);
            found.push(OpenFrames {
                doing,
                deadlock,
                holder,
                waits_on: waits.and_then(|waits| waits.on.clone()),
                stands_still: still && doing != Doing::Spare,
                awaits: awaits(methods(recording, thread)).filter(|what| {
                    let on = waits.and_then(|waits| waits.on.as_deref());
                    let is_known = *what != Awaits::Reading || on == Some(CHILD_THAT_WRITES);
                    is_known && is_long(at) && doing == Doing::Waits
                }),
                moves_on: standing.stays() && loops.move_on(standing.frames(), &standing.lines, false),
                ..one(recording, standing)
            });
        }
    }
    let stuck = all.iter().flatten().filter(|standing| standing.stays());
    let setters: HashMap<u64, Option<u64>> = stuck
        .map(|standing| {
            let tid = standing.thread.tid;
            (tid, setter_for(recording, (tid, standing.frames(), &standing.lines)))
        })
        .filter(|(_, setter)| setter.is_some())
        .collect();
    for one in &mut found {
        let first = setters.get(&one.tid).copied().flatten();
        one.moves_on |= first.is_some_and(|first| leads_out(&setters, first));
    }
    found
}

/// The methods that a thread was in, innermost first: the class, with dots, and the name.
fn methods<'r>(
    recording: &'r dyn FlowSource,
    thread: &'r SampledThread,
) -> impl Iterator<Item = (&'r str, &'r str)> {
    let methods = thread.frames.iter().filter_map(|frame| recording.stacks().method(frame));
    methods.map(|method| (method.class.as_str(), method.name.as_str()))
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
    let enclosing = method.and_then(|method| enclosing_loop(recording.code(), method, &lines));
    OpenFrames {
        tid: standing.thread.tid,
        thread: standing.thread.name.clone(),
        state: standing.thread.state,
        doing: Doing::Runs,
        waits_on: None,
        holder: None,
        deadlock: None,
        stands_still: false,
        awaits: None,
        has_no_waker: false,
        is_long: standing.is_long(),
        time: standing.time,
        at_end: standing.at_end,
        stays,
        moves_on: false,
        since: standing.since,
        samples: standing.samples,
        lines,
        enclosing: enclosing.map(|(_, lines)| lines).unwrap_or_default(),
        frames: known_frames(recording, frames),
        is_cut: standing.thread.is_cut,
    }
}

/// These frames, innermost first. Where only calls of some methods were recorded, frames outside of them are not recorded.
fn known_frames(recording: &dyn FlowSource, frames: &[SampledFrame]) -> Vec<OpenFrame> {
    let mut known: Vec<OpenFrame> = frames.iter().filter_map(|sampled| frame(recording, sampled)).collect();
    let environment = &recording.trace().environment;
    let inside = environment.iter().filter(|(key, _)| key == "inside");
    let inside: Vec<Pattern> = inside.map(|(_, pattern)| Pattern::new(pattern)).collect();
    if !inside.is_empty() {
        let begins = |frame: &OpenFrame| {
            let (class, method) = frame.method.rsplit_once('.').unwrap_or_default();
            inside.iter().any(|pattern| pattern.names_method(class, method))
        };
        // Of calls that were chosen it is not known which of them were.
        let is_each = !environment.iter().any(|(key, _)| key == "one-in");
        let end = known.iter().rposition(begins).filter(|_| is_each).map_or(0, |last| last + 1);
        known.iter_mut().skip(end).for_each(|frame| frame.is_recorded = false);
    }
    known
}

pub(crate) fn frame(recording: &dyn FlowSource, frame: &SampledFrame) -> Option<OpenFrame> {
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
