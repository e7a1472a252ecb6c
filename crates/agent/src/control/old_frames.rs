//! The frames that ran before the recording began, while they run on: see `running.rs`.
//!
//! Somebody whose program hangs wants to know which lines it goes round on, and the frame that does so is
//! the one that cannot be recorded. So its thread is sampled now and then: often at first, then at each
//! twentieth of the time that has passed, and once more at the end. A sample makes those threads stand still
//! for as long as it takes to walk their stacks, so many threads are sampled less often.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use model::running::RunningSamples;

use crate::jvm::{Jni, Jvmti, Method, Ref};
use crate::writer::output::Output;

/// How soon they are sampled again at first.
const SOON: Duration = Duration::from_millis(50);
/// Which part of the time since the beginning passes between two samples later on.
const PART: u32 = 20;
/// How many times as long as a sample takes the threads run on before the next one.
const SHARE: u32 = 200;
/// Frames of a stack that is sampled; a deeper one shows nothing.
const DEPTH: u16 = 1000;

/// The threads of a recording that have such frames.
#[derive(Debug, Default)]
pub(super) struct OldFrames {
    threads: Vec<OldThread>,
    count: u32,
    next: Option<Instant>,
}

#[derive(Debug)]
struct OldThread {
    tid: u64,
    /// A global handle.
    thread: Ref,
    /// The methods of its frames, outermost first.
    methods: Vec<Method>,
    still: usize,
    /// For each frame, in how many samples it was at a line.
    lines: Vec<BTreeMap<u16, u32>>,
}

impl OldFrames {
    /// A thread, and the methods of its frames, innermost first.
    pub(super) fn add(&mut self, tid: u64, thread: Ref, mut methods: Vec<Method>) {
        methods.reverse();
        let (still, lines) = (methods.len(), vec![BTreeMap::new(); methods.len()]);
        self.threads.push(OldThread { tid, thread, methods, still, lines });
        self.next = Some(Instant::now() + SOON);
    }

    /// How long until the next sample, if there is one.
    pub(super) fn patience(&self) -> Option<Duration> {
        self.next.map(|next| next.saturating_duration_since(Instant::now()))
    }

    fn sample(&mut self, jvmti: Jvmti) {
        let threads: Vec<Ref> = self.threads.iter().map(|old| old.thread).collect();
        // What is called from those frames is new code; theirs lie below it.
        let stacks = jvmti.stacks_of(&threads, DEPTH);
        for ((_, stack), old) in stacks.into_iter().zip(&mut self.threads) {
            if stack.len() >= usize::from(DEPTH) {
                continue; // where it begins is not known
            }
            let frames = stack.into_iter().rev().filter(|frame| jvmti.is_obsolete(frame.method));
            let frames = frames.zip(&old.methods).take(old.still);
            let there = frames.take_while(|(frame, method)| frame.method == **method);
            old.still = 0;
            for ((frame, _), lines) in there.zip(&mut old.lines) {
                old.still += 1;
                if let Some(line) = jvmti.line(frame) {
                    *lines.entry(line).or_default() += 1;
                }
            }
        }
        self.count += 1;
    }

    fn put(&self, output: &Output) {
        for old in &self.threads {
            let lines = old.lines.iter().map(|lines| lines.iter().map(|(line, times)| (*line, *times)));
            let samples = RunningSamples {
                count: self.count,
                still: u32::try_from(old.still).unwrap_or(u32::MAX),
                lines: lines.map(Iterator::collect).collect(),
            };
            output.running_samples(old.tid, &samples);
        }
    }

    /// Samples if it is time to. What was seen is written now and then, so that a kill leaves most of it.
    pub(super) fn sample_if_due(&mut self, (jvmti, jni): (Jvmti, Jni), began: Instant, output: &Output) {
        if self.patience().is_none_or(|left| !left.is_zero()) || !jni.push_frame() {
            return;
        }
        let sampled = Instant::now();
        self.sample(jvmti);
        jni.pop_frame();
        let cost = sampled.elapsed();
        if self.count.is_power_of_two() {
            self.put(output);
        }
        // Who has returned is not looked for again.
        let is_awaited = self.threads.iter().any(|old| old.still > 0);
        let pause = (began.elapsed() / PART).max(SOON).max(cost.saturating_mul(SHARE));
        self.next = is_awaited.then(|| Instant::now() + pause);
    }

    /// The last sample of a recording that ends.
    pub(super) fn end(mut self, (jvmti, jni): (Jvmti, Jni), output: &Output) {
        if self.threads.is_empty() {
            return;
        }
        if self.next.is_some() && jni.push_frame() {
            self.sample(jvmti);
            jni.pop_frame();
        }
        self.put(output);
        self.threads.iter().for_each(|old| jni.delete_global(old.thread));
    }
}
