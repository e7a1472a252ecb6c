//! Looks at the frames that nothing tells of, while they run on: see [`crate::running`].
//!
//! Somebody whose program hangs wants to know which lines it goes round on, and the frame that does so is
//! the one that cannot be recorded. So its thread is looked at now and then: often at first, then at each
//! twentieth of the time that has passed, and once more at the end. A look makes those threads stand still
//! for as long as it takes to walk their stacks, so many threads are looked at less often.
//!
//! Only the control thread looks, and whoever ends the recording.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use model::running::RunningSamples;

use crate::ffi::{Jni, Method, Ref};
use crate::recorder::{Agent, lock};
use crate::recording::Recording;

/// How soon it is looked again at first.
const SOON: Duration = Duration::from_millis(50);
/// Which part of the time since the beginning passes between two looks later on.
const PART: u32 = 20;
/// How many times as long as a look takes the threads run on before the next one.
const SHARE: u32 = 200;
/// Frames of a stack that is looked at; a deeper one says nothing.
const DEPTH: u16 = 1000;

/// The threads of a recording that are looked at.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    threads: Vec<Watched>,
    count: u32,
    next: Option<Instant>,
}

#[derive(Debug)]
struct Watched {
    tid: u64,
    /// A global handle.
    thread: Ref,
    /// The methods of its frames, outermost first.
    methods: Vec<Method>,
    still: usize,
    /// For each frame, in how many looks it was at a line.
    lines: Vec<BTreeMap<u16, u32>>,
}

impl Watch {
    /// A thread, and the methods of its frames, innermost first.
    pub(crate) fn add(&mut self, tid: u64, thread: Ref, mut methods: Vec<Method>) {
        methods.reverse();
        let (still, lines) = (methods.len(), vec![BTreeMap::new(); methods.len()]);
        self.threads.push(Watched { tid, thread, methods, still, lines });
        self.next = Some(Instant::now() + SOON);
    }

    /// How long until the next look, if there is one.
    pub(crate) fn patience(&self) -> Option<Duration> {
        self.next.map(|next| next.saturating_duration_since(Instant::now()))
    }

    fn look(&mut self, agent: &Agent) {
        let threads: Vec<Ref> = self.threads.iter().map(|watched| watched.thread).collect();
        // What is called from those frames is new code; theirs lie below it.
        let stacks = agent.jvmti.stacks_of(&threads, DEPTH);
        for ((_, stack), watched) in stacks.into_iter().zip(&mut self.threads) {
            if stack.len() >= usize::from(DEPTH) {
                continue; // where it begins is not known
            }
            let old = stack.into_iter().rev().filter(|frame| agent.jvmti.is_obsolete(frame.method));
            let old = old.zip(&watched.methods).take(watched.still);
            let there = old.take_while(|(frame, method)| frame.method == **method);
            watched.still = 0;
            for ((frame, _), lines) in there.zip(&mut watched.lines) {
                watched.still += 1;
                if let Some(line) = agent.jvmti.line(frame) {
                    *lines.entry(line).or_default() += 1;
                }
            }
        }
        self.count += 1;
    }

    fn put(&self, recording: &Recording) {
        for watched in &self.threads {
            let lines = watched.lines.iter().map(|lines| lines.iter().map(|(line, times)| (*line, *times)));
            let samples = RunningSamples {
                count: self.count,
                still: u32::try_from(watched.still).unwrap_or(u32::MAX),
                lines: lines.map(Iterator::collect).collect(),
            };
            recording.running_samples(watched.tid, &samples);
        }
    }
}

/// Looks if it is time to. What was seen is written now and then, so that a kill leaves most of it.
pub(crate) fn look_if_due(agent: &Agent, jni: Jni) {
    let Some(recording) = agent.current() else { return };
    let mut watch = lock(&recording.watch);
    if watch.patience().is_none_or(|left| !left.is_zero()) || !jni.push_frame() {
        return;
    }
    let began = Instant::now();
    watch.look(agent);
    jni.pop_frame();
    let cost = began.elapsed();
    if watch.count.is_power_of_two() {
        watch.put(&recording);
    }
    // Who has returned is not looked for again.
    let is_awaited = watch.threads.iter().any(|watched| watched.still > 0);
    let pause = (recording.began.elapsed() / PART).max(SOON).max(cost.saturating_mul(SHARE));
    watch.next = is_awaited.then(|| Instant::now() + pause);
}

/// The last look at a recording that ends.
pub(crate) fn end(agent: &Agent, jni: Jni, recording: &Recording) {
    let mut watch = std::mem::take(&mut *lock(&recording.watch));
    if watch.threads.is_empty() {
        return;
    }
    if watch.next.is_some() && jni.push_frame() {
        watch.look(agent);
        jni.pop_frame();
    }
    watch.put(recording);
    watch.threads.iter().for_each(|watched| jni.delete_global(watched.thread));
}
