//! Samples the stacks of all threads, so that a capture says what each is in the middle of.
//!
//! A thread writes a record when something is over: a loop that is counted leaves one when it is left, and one
//! that never is leaves none. So stacks are sampled now and then, when somebody asks, and when recording
//! ends. Two samples without a record between them show where a thread stays.
//!
//! ```text
//! while recording   after a tenth of a second, then each eighth of the time that has passed, at most 30 s: a
//!                   kill finds a recent one. All of them take at most a thousandth of the time.
//! status, mark      as often as it takes to see who stays where he is
//! stop, time, size  the same
//! program ends      once: it does not wait for us
//! ```
//!
//! Threads are asked one after the other: only the one that is asked stands still, and only until it comes to
//! the next point where the virtual machine can stop it. Only the control thread samples, and whoever ends the
//! recording.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use capture::StacksRecord;
use model::Timestamp;
use model::stack::{SampledFrame, SampledMethod, SampledThread, StackSample, ThreadState};

use crate::ffi::{Frame, Jni, Method, Ref, thread_state};
use crate::hooks;
use crate::options::encode;
use crate::recorder::{Agent, Java, lock, now};
use crate::recording::Recording;

/// The shortest and the longest time between two samples.
const SOON: Duration = Duration::from_millis(100);
const LATE: Duration = Duration::from_secs(30);
/// Which part of the time since the beginning passes between two samples.
const PART: u32 = 8;
/// How much processor time samples may take at first, and later which part of the time.
const FREE: Duration = Duration::from_millis(20);
const SHARE: u32 = 1000;
/// Frames of a thread, innermost ones.
const DEPTH: u16 = 256;
/// Threads, and frames of all threads, of a sample.
const THREADS: usize = 4096;
const FRAMES: usize = 1 << 17;
/// After so long it is seen that a thread has written something, if it does.
const BRIEF: Duration = Duration::from_millis(20);
/// A thread that has written nothing for so long stays where it is.
const LONG: Duration = Duration::from_millis(250);
/// Threads that an answer names.
const NAMED: usize = 8;
/// What the names of our own threads begin with.
const OURS: &[u8] = b"Tracewright ";

/// The class that inserted code calls.
const RECORDER: &str = "java.lang.TracewrightRecorder";

/// When the next sample is due, and what the last one showed.
#[derive(Debug, Default)]
pub(crate) struct Sampler {
    next: Option<Instant>,
    /// Processor time that samples have taken.
    spent: Duration,
    /// By the number of the thread.
    last: HashMap<u64, Seen>,
}

/// What is known of a thread from the samples so far.
#[derive(Debug)]
struct Seen {
    position: (u32, u32),
    /// When it was first seen there, and the processor time that it had used then.
    since: Instant,
    cpu: Option<u64>,
    /// In all samples since then it was running.
    runs: bool,
    /// A sentence's middle: where it was in the last sample.
    place: String,
}

impl Sampler {
    fn note(&mut self, StacksRecord { methods, sample }: &StacksRecord) {
        let mut before = std::mem::take(&mut self.last);
        for thread in &sample.threads {
            let old = before.remove(&thread.tid).filter(|old| old.position == thread.position);
            let runs = thread.state == ThreadState::Runnable;
            let (since, cpu, runs_before) =
                old.map_or((Instant::now(), thread.cpu, true), |old| (old.since, old.cpu, old.runs));
            let used = thread.cpu.zip(cpu).map_or(0, |(now, then)| now.saturating_sub(then));
            // A native method that waits for its input counts as running.
            let is_idle = thread.is_native() && u128::from(used) * 20 < since.elapsed().as_nanos();
            let runs = runs && runs_before && !is_idle;
            let place = if runs { place(thread, methods) } else { String::new() };
            self.last.insert(thread.tid, Seen { position: thread.position, since, cpu, runs, place });
        }
    }

    /// Whether some thread may turn out to stay where it is.
    fn is_in_doubt(&self, after: Duration) -> bool {
        self.last
            .values()
            .any(|seen| seen.runs && seen.since.elapsed() < LONG && seen.since.elapsed() >= after)
    }

    /// The threads that stay where they are: `main in Hang.spin, line 4, no record for 3.1 s; ...`.
    fn stay(&self) -> String {
        let mut stay: Vec<&Seen> =
            self.last.values().filter(|seen| seen.runs && seen.since.elapsed() >= LONG).collect();
        stay.sort_by(|one, other| (one.since, &one.place).cmp(&(other.since, &other.place)));
        let more = stay.len().saturating_sub(NAMED);
        let one = |seen: &&Seen| {
            format!("{}, no record for {:.1} s", seen.place, seen.since.elapsed().as_secs_f64())
        };
        let mut all: Vec<String> = stay.iter().take(NAMED).map(one).collect();
        all.extend((more > 0).then(|| format!("{more} more")));
        all.join("; ")
    }
}

/// `main in java.util.regex.Pattern$Loop.match, called by Hang.find, line 12`.
fn place(thread: &SampledThread, methods: &[SampledMethod]) -> String {
    let is_own = |frame: &&SampledFrame| {
        methods.get(frame.method as usize).is_some_and(|method| !is_of_jdk(&method.class))
    };
    let name = |frame: &SampledFrame| {
        let method = methods.get(frame.method as usize);
        let name = method.map(|method| format!("{}.{}", method.class, method.name)).unwrap_or_default();
        name + &frame.line.map(|line| format!(", line {line}")).unwrap_or_default()
    };
    let inner = thread.frames.first();
    let own = thread.frames.iter().find(is_own).filter(|own| Some(*own) != inner);
    let inner = inner.map(name).unwrap_or_default();
    let own = own.map(|own| format!(", called by {}", name(own))).unwrap_or_default();
    format!("{} in {inner}{own}", thread.name)
}

fn is_of_jdk(class: &str) -> bool {
    ["java.", "javax.", "jdk.", "sun."].iter().any(|package| class.starts_with(package))
}

/// How long until the next sample.
pub(crate) fn patience(recording: &Recording) -> Duration {
    let next = lock(&recording.sampler).next.unwrap_or(recording.began + SOON);
    next.saturating_duration_since(Instant::now())
}

/// Samples if it is time to.
pub(crate) fn sample_if_due(agent: &Agent, jni: Jni) {
    let Some(recording) = agent.current() else { return };
    if patience(&recording).is_zero() {
        take(agent, jni, &recording, false);
    }
}

/// Somebody asks: a pair for the answer that names who stays where he is, if somebody does.
pub(crate) fn question(agent: &Agent, jni: Jni) -> String {
    let Some(recording) = agent.current() else { return String::new() };
    settle(agent, jni, &recording, false);
    let stay = lock(&recording.sampler).stay();
    if stay.is_empty() { stay } else { format!(" stay={}", encode(&stay)) }
}

/// The last samples of a recording that ends. `waits`: the program goes on.
pub(crate) fn end(agent: &Agent, jni: Jni, recording: &Recording, waits: bool) {
    if waits {
        settle(agent, jni, recording, true);
    } else {
        take(agent, jni, recording, true);
    }
}

/// Samples until it is known of every thread whether it stays where it is.
fn settle(agent: &Agent, jni: Jni, recording: &Recording, at_end: bool) {
    take(agent, jni, recording, at_end);
    std::thread::sleep(BRIEF);
    take(agent, jni, recording, at_end);
    if lock(&recording.sampler).is_in_doubt(BRIEF) {
        std::thread::sleep(LONG);
        take(agent, jni, recording, at_end);
    }
}

fn take(agent: &Agent, jni: Jni, recording: &Recording, at_end: bool) {
    let Some(java) = agent.java.get().filter(|_| jni.push_frame()) else { return };
    let used = || agent.jvmti.cpu_time(Ref::NULL).map_or(Duration::ZERO, Duration::from_nanos);
    let before = used();
    let record = sample(agent, java, jni, at_end);
    jni.pop_frame();
    recording.stacks(&record);
    let mut sampler = lock(&recording.sampler);
    sampler.note(&record);
    let pause = (recording.began.elapsed() / PART).clamp(SOON, LATE);
    sampler.spent += used().saturating_sub(before);
    let affordable = recording.began + sampler.spent.saturating_sub(FREE).saturating_mul(SHARE);
    sampler.next = Some(affordable.max(Instant::now() + pause));
}

fn sample(agent: &Agent, java: &Java, jni: Jni, at_end: bool) -> StacksRecord {
    // Never the same twice.
    let somewhere = (u32::MAX, now().cast_unsigned() as u32);
    let (positions, virtual_ones) = {
        let threads = agent.threads();
        (threads.positions_by_tid(&agent.pool, somewhere), threads.virtual_threads())
    };
    let mut seeing =
        Seeing { agent, jni, somewhere, numbers: HashMap::new(), methods: Vec::new(), frames: 0 };
    let mut threads = Vec::new();
    let virtual_ones = virtual_ones.into_iter().map(|(_, thread)| jni.local(thread));
    let all = agent.jvmti.all_threads().into_iter().chain(virtual_ones);
    for thread in all {
        if !thread.is_null() && threads.len() < THREADS {
            let tid = jni.get_long(thread, java.thread_tid);
            let position = positions.get(&tid).copied().unwrap_or_default();
            threads.extend(seeing.thread(thread, tid.cast_unsigned(), position));
        }
        jni.delete_local(thread);
    }
    let sample = StackSample { time: Timestamp(now()), at_end, threads };
    StacksRecord { methods: seeing.methods, sample }
}

/// What one sample has come across so far.
struct Seeing<'a> {
    agent: &'a Agent,
    jni: Jni,
    /// The position of a thread of which it is not known how far it is.
    somewhere: (u32, u32),
    /// The places of methods among those below, and whether their code is that from before recording.
    numbers: HashMap<Method, Option<(u32, bool)>>,
    methods: Vec<SampledMethod>,
    frames: usize,
}

impl Seeing<'_> {
    /// A thread; `None` if it has no frames or is our own.
    fn thread(&mut self, thread: Ref, tid: u64, position: (u32, u32)) -> Option<SampledThread> {
        let jvmti = self.agent.jvmti;
        let state = match jvmti.thread_state(thread)? {
            bits if bits & thread_state::BLOCKED != 0 => ThreadState::Blocked,
            bits if bits & thread_state::RUNNABLE != 0 => ThreadState::Runnable,
            bits if bits & thread_state::SLEEPING != 0 => ThreadState::Sleeping,
            _ => ThreadState::Waiting,
        };
        let name = jvmti.thread_name(self.jni, thread).filter(|name| !name.starts_with(OURS))?;
        let most = FRAMES.saturating_sub(self.frames).min(usize::from(DEPTH));
        let stack = jvmti.stack_of(thread, u16::try_from(most).unwrap_or(0));
        if stack.is_empty() {
            return None;
        }
        let is_cut = stack.len() >= most;
        self.frames += stack.len();
        // In the recorder itself it is about to write, or waits for room.
        let is_writing =
            stack.first().is_some_and(|top| top.location < 0 && self.number(top.method).is_none());
        let position = if is_writing { self.somewhere } else { position };
        let frames = stack.into_iter().filter_map(|frame| self.frame(frame)).collect();
        let name = classfile::modified_utf8::to_text(&name);
        Some(SampledThread { tid, name, state, cpu: jvmti.cpu_time(thread), position, frames, is_cut })
    }

    fn frame(&mut self, frame: Frame) -> Option<SampledFrame> {
        let (method, is_old) = self.number(frame.method)?;
        let line = self.agent.jvmti.line(frame);
        Some(SampledFrame { method, pc: u32::try_from(frame.location).ok(), line, is_old })
    }

    /// `None` for a method of the recorder, and for one that is gone.
    fn number(&mut self, method: Method) -> Option<(u32, bool)> {
        if let Some(known) = self.numbers.get(&method) {
            return *known;
        }
        let described = self.describe(method).filter(|described| described.class != RECORDER);
        let known = described.map(|described| {
            self.methods.push(described);
            let number = u32::try_from(self.methods.len() - 1).unwrap_or(u32::MAX);
            (number, self.agent.jvmti.is_obsolete(method))
        });
        self.numbers.insert(method, known);
        known
    }

    fn describe(&self, method: Method) -> Option<SampledMethod> {
        let class: Ref = self.agent.jvmti.declaring_class(method)?;
        let signature = self.agent.jvmti.class_signature(class);
        self.jni.delete_local(class);
        let signature = signature?;
        let class = hooks::dotted(signature.strip_prefix(b"L")?.strip_suffix(b";")?);
        let (name, descriptor) = self.agent.jvmti.method_name(method)?;
        let text = |bytes: &[u8]| classfile::modified_utf8::to_text(bytes);
        Some(SampledMethod { class, name: text(&name), descriptor: text(&descriptor) })
    }
}
