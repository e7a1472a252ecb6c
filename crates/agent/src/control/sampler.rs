//! Samples the stacks of all threads, so that a capture has what each is in the middle of.
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

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use capture::StacksRecord;
use model::Timestamp;
use model::stack::{
    CHILD, CHILD_THAT_WRITES, LONG, STANDARD_INPUT, SampledFrame, SampledMethod, SampledThread, StackSample,
    ThreadState, Wait,
};

use super::agent::Agent;
use super::joins;
use super::management;
use super::options::encode;
use super::recording::Recording;
use super::tasks;
use crate::jvm::handles::Handles;
use crate::jvm::{Field, Frame, Jni, Method, Ref, names, thread_state};
use crate::sys::{self, now};

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
const PAUSE: Duration = Duration::from_millis(20);
/// What the names of our own threads begin with.
const OURS: &[u8] = b"Tracewright ";

/// The class whose native methods read files, pipes and terminals.
const FILE_READER: &str = "java.io.FileInputStream";

/// The class of processes that were started, and how far from the innermost frame its methods are looked for.
const PROCESS: &str = "java.lang.ProcessImpl";
const NEAR: usize = 10;

/// The class that inserted code calls.
const RECORDER: &str = "java.lang.TracewrightRecorder";

/// How long until the next sample.
pub(crate) fn patience(recording: &Recording) -> Duration {
    let next = recording.standing.lock().next.unwrap_or(recording.began + SOON);
    next.saturating_duration_since(Instant::now())
}

/// Samples if it is time to: the frames of before the recording, and all others.
pub(crate) fn sample_if_due(agent: &Agent, jni: Jni) {
    let Some(recording) = agent.current() else { return };
    recording.old_frames.lock().sample_if_due((agent.jvmti, jni), recording.began, &recording.output);
    if patience(&recording).is_zero() {
        take(agent, jni, &recording, false);
    }
}

/// Somebody asks: a pair for the answer that names who stays where he is, if somebody does.
pub(crate) fn question(agent: &Agent, jni: Jni) -> String {
    let Some(recording) = agent.current() else { return String::new() };
    settle(agent, jni, &recording, false);
    let stay = recording.standing.lock().stay();
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
    std::thread::sleep(PAUSE);
    take(agent, jni, recording, at_end);
    if recording.standing.lock().is_uncertain(PAUSE) {
        std::thread::sleep(LONG);
        take(agent, jni, recording, at_end);
    }
}

fn take(agent: &Agent, jni: Jni, recording: &Recording, at_end: bool) {
    let Some(java) = agent.java.get().filter(|_| jni.push_frame()) else { return };
    let used = || agent.jvmti.cpu_time(Ref::NULL).map_or(Duration::ZERO, Duration::from_nanos);
    let before = used();
    let mut record = sample(agent, java, jni, at_end);
    let unknown = recording.standing.lock().joins.unknown(&record.sample.threads, &record.methods);
    // No lock is held: code of Java runs for it, and may come to the recorder.
    let found = (!unknown.is_empty()).then(|| joins::ask(agent.jvmti, java, jni, &unknown));
    recording.standing.lock().joins.mark(&mut record.sample.threads, &record.methods, found.as_ref());
    jni.pop_frame();
    recording.output.stacks(&record);
    tasks::report_pending(recording, at_end);
    let mut standing = recording.standing.lock();
    standing.add(&record);
    let pause = (recording.began.elapsed() / PART).clamp(SOON, LATE);
    standing.spent += used().saturating_sub(before);
    let affordable = recording.began + standing.spent.saturating_sub(FREE).saturating_mul(SHARE);
    standing.next = Some(affordable.max(Instant::now() + pause));
}

fn sample(agent: &Agent, java: &Handles, jni: Jni, at_end: bool) -> StacksRecord {
    // Never the same twice.
    let somewhere = (u32::MAX, now().cast_unsigned() as u32);
    let (positions, virtual_ones) = {
        let threads = agent.buffers.threads();
        (threads.positions_by_tid(&agent.buffers.pool, somewhere), threads.virtual_threads())
    };
    let mut seeing = Seeing {
        agent,
        java,
        jni,
        somewhere,
        numbers: HashMap::new(),
        ours: HashSet::new(),
        methods: Vec::new(),
        frames: 0,
    };
    let mut threads = Vec::new();
    let virtual_ones = virtual_ones.into_iter().map(|(_, thread)| (jni.local(thread), None));
    let all = running(agent, jni).into_iter().chain(virtual_ones);
    let mut numbers = HashSet::new();
    for (thread, cpu) in all {
        if !thread.is_null() && threads.len() < THREADS {
            let tid = jni.get_long(thread, java.thread_tid);
            let position = positions.get(&tid).copied().unwrap_or_default();
            if numbers.insert(tid) {
                threads.extend(seeing.thread((thread, cpu), tid.cast_unsigned(), position));
            }
        }
        jni.delete_local(thread);
    }
    let mut sample = StackSample { time: Timestamp(now()), at_end, threads };
    mark_readers(&mut sample, &seeing.methods);
    mark_parents(&mut sample, &seeing.methods);
    StacksRecord { methods: seeing.methods, sample }
}

/// All threads but virtual ones, as local handles. For one that carries a virtual thread just now, that one stands, with
/// the processor time of its carrier, which does nothing else.
fn running(agent: &Agent, jni: Jni) -> Vec<(Ref, Option<u64>)> {
    let all = agent.jvmti.all_threads();
    let Some(function) = agent.jvmti.virtual_thread_of() else {
        return all.into_iter().map(|thread| (thread, None)).collect();
    };
    let carried = |thread: Ref| match agent.jvmti.carried(function, thread) {
        Some(carried) => {
            let cpu = agent.jvmti.cpu_time(thread);
            jni.delete_local(thread);
            (carried, cpu)
        }
        None => (thread, None),
    };
    all.into_iter().map(carried).collect()
}

/// Marks threads that read a file as reading standard input, if any thread reads that: which thread of the system
/// is which one of Java's is not known.
fn mark_readers(sample: &mut StackSample, methods: &[SampledMethod]) {
    let reads = |thread: &&mut SampledThread| {
        let top = thread.frames.first().filter(|top| top.pc.is_none());
        let method = top.and_then(|top| methods.get(top.method as usize));
        thread.state == ThreadState::Runnable && method.is_some_and(|method| method.class == FILE_READER)
    };
    let mut readers = sample.threads.iter_mut().filter(reads).peekable();
    if readers.peek().is_some() && sys::is_standard_input_read() {
        let wait = Wait { on: Some(STANDARD_INPUT.to_owned()), holder: None, is_timed: false };
        readers.for_each(|thread| thread.waits = Some(wait.clone()));
    }
}

/// Marks threads that wait until a process ends which this one has started. Which thread waits for which one is not known.
fn mark_parents(sample: &mut StackSample, methods: &[SampledMethod]) {
    let is_wait = |frame: &SampledFrame| {
        let method = methods.get(frame.method as usize);
        method.is_some_and(|method| method.class == PROCESS && method.name == "waitFor")
    };
    let waits = |thread: &&mut SampledThread| {
        let is_open = thread.waits.as_ref().is_some_and(|wait| !wait.is_timed);
        is_open && thread.state == ThreadState::Waiting && thread.frames.iter().take(NEAR).any(is_wait)
    };
    let mut parents = sample.threads.iter_mut().filter(waits).peekable();
    if parents.peek().is_some()
        && let Some(goes_on) = sys::child_goes_on()
    {
        let on = if goes_on { CHILD } else { CHILD_THAT_WRITES };
        let wait = Wait { on: Some(on.to_owned()), holder: None, is_timed: false };
        parents.for_each(|thread| thread.waits = Some(wait.clone()));
    }
}

/// What one sample has come across so far.
struct Seeing<'a> {
    agent: &'a Agent,
    java: &'a Handles,
    jni: Jni,
    /// The position of a thread of which it is not known how far it is.
    somewhere: (u32, u32),
    /// The places of methods among those below, and whether their code is that from before recording.
    numbers: HashMap<Method, Option<(u32, bool)>>,
    /// Methods of the recorder.
    ours: HashSet<Method>,
    methods: Vec<SampledMethod>,
    frames: usize,
}

impl Seeing<'_> {
    /// A thread, with its processor time where only its carrier knows that; `None` if it has no frames or is our own.
    fn thread(
        &mut self,
        (thread, cpu): (Ref, Option<u64>),
        tid: u64,
        position: (u32, u32),
    ) -> Option<SampledThread> {
        let jvmti = self.agent.jvmti;
        let bits = jvmti.thread_state(thread)?;
        let state = match bits {
            bits if bits & thread_state::BLOCKED != 0 => ThreadState::Blocked,
            bits if bits & thread_state::RUNNABLE != 0 => ThreadState::Runnable,
            bits if bits & thread_state::SLEEPING != 0 => ThreadState::Sleeping,
            _ => ThreadState::Waiting,
        };
        let name = jvmti.thread_name(self.jni, thread).filter(|name| !name.starts_with(OURS))?;
        let most = FRAMES.saturating_sub(self.frames).min(usize::from(DEPTH));
        let mut stack = jvmti.stack_of(thread, u16::try_from(most).unwrap_or(0));
        if stack.is_empty() {
            return None;
        }
        let is_cut = stack.len() >= most;
        self.frames += stack.len();
        // In the recorder itself it is about to write, or waits for a slot.
        let is_writing =
            stack.first().is_some_and(|top| top.location < 0 && self.number(top.method).is_none());
        let position = if is_writing { self.somewhere } else { position };
        // What the recorder calls, `Thread.currentThread` say, the program does not.
        if let Some(ours) = stack.iter().rposition(|frame| self.is_ours(frame.method)) {
            stack.drain(..=ours);
        }
        let mut frames: Vec<_> = stack.iter().filter_map(|frame| self.frame(*frame)).collect();
        // The interpreter has gone on behind the instruction before it waits for a monitor.
        if let (ThreadState::Blocked, Some(top), Some(first)) = (state, stack.first(), frames.first_mut())
            && top.location > 0
        {
            first.line = jvmti.line(Frame { location: top.location - 1, ..*top });
        }
        let name = classfile::modified_utf8::to_text(&name);
        let cpu = cpu.or_else(|| jvmti.cpu_time(thread));
        let waits = (state != ThreadState::Runnable).then(|| self.waits(thread, state, bits));
        Some(SampledThread { tid, name, state, cpu, position, frames, is_cut, waits })
    }

    /// What a thread waits for, and who holds it.
    fn waits(&self, thread: Ref, state: ThreadState, bits: i32) -> Wait {
        let (jni, jvmti, java) = (self.jni, self.agent.jvmti, self.java);
        let is_timed = bits & thread_state::WITH_TIMEOUT != 0;
        let parked = || java.park_blocker.map(|field| jni.get_object(thread, field));
        let object = jvmti.contended_monitor(thread).or_else(parked).filter(|object| !object.is_null());
        let Some(object) = object else {
            let (on, holder) = match state {
                ThreadState::Blocked => self.blocked(thread).unwrap_or_default(),
                _ => (None, None),
            };
            return Wait { on, holder, is_timed };
        };
        let holder = if state == ThreadState::Blocked {
            jvmti.monitor_owner(jni, object)
        } else if jni.is_instance(object, java.thread_class) {
            Some(jni.local(object))
        } else {
            let in_field = |lock: Option<(Ref, Field)>| {
                let (_, field) = lock.filter(|(class, _)| jni.is_instance(object, *class))?;
                Some(jni.get_object(object, field)).filter(|holder| !holder.is_null())
            };
            // Whoever waits for a lock that is held for reading waits for each of its readers.
            in_field(java.owned_lock).or_else(|| in_field(java.shared_lock))
        };
        let tid = |thread: &Ref| number_of(jni, java, *thread).cast_unsigned();
        let number = holder.filter(|holder| !holder.is_null()).as_ref().map(tid);
        holder.into_iter().for_each(|holder| jni.delete_local(holder));
        let class = jni.class_of(object);
        let on = jvmti.class_signature(class).and_then(|signature| names::of_signature(&signature));
        jni.delete_local(class);
        jni.delete_local(object);
        Wait { on, holder: number, is_timed }
    }

    /// For which monitor a thread waits, and who holds it.
    fn blocked(&self, thread: Ref) -> Option<(Option<String>, Option<u64>)> {
        let lock = management::lock_of(self.jni, number_of(self.jni, self.java, thread))?;
        Some((lock.name.and_then(|name| Some(name.split_once('@')?.0.to_owned())), lock.holder))
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
        let described = self.describe(method);
        let is_ours = described.as_ref().is_some_and(|described| described.class == RECORDER);
        if is_ours {
            self.ours.insert(method);
        }
        let known = described.filter(|_| !is_ours).map(|described| {
            self.methods.push(described);
            let number = u32::try_from(self.methods.len() - 1).unwrap_or(u32::MAX);
            (number, self.agent.jvmti.is_obsolete(method))
        });
        self.numbers.insert(method, known);
        known
    }

    fn is_ours(&mut self, method: Method) -> bool {
        self.number(method).is_none() && self.ours.contains(&method)
    }

    fn describe(&self, method: Method) -> Option<SampledMethod> {
        let class: Ref = self.agent.jvmti.declaring_class(method)?;
        let signature = self.agent.jvmti.class_signature(class);
        self.jni.delete_local(class);
        let signature = signature?;
        let class = names::of_signature(&signature)?;
        let (name, descriptor) = self.agent.jvmti.method_name(method)?;
        let text = |bytes: &[u8]| classfile::modified_utf8::to_text(bytes);
        Some(SampledMethod { class, name: text(&name), descriptor: text(&descriptor) })
    }
}

/// Java's number of a thread.
fn number_of(jni: Jni, java: &Handles, thread: Ref) -> i64 {
    jni.get_long(thread, java.thread_tid)
}
