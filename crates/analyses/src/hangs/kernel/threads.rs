//! What the threads of a kernel trace were in the middle of at its end, and how they waited before.

use std::collections::{BTreeMap, HashMap};

use model::{Event, Timestamp};

use super::processes::Processes;
use super::stuck::{Waiter, stuck};
use super::system_call::{Awaits, SystemCall, pipe_ends, word};

/// Kinds of waits that are remembered of a thread.
const MOST_KINDS: usize = 1 << 8;
/// So often a thread has to have waited for the same until that counts as its habit.
const OFTEN: u64 = 3;
/// Who waits no longer than so many times the longest time before waits as usual.
const AS_USUAL: i64 = 3;

/// What the model says of the state of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It runs on a CPU.
    Runs,
    /// It could run, and waits for a CPU.
    Ready,
    /// It waits until something makes it go on.
    Waits,
    /// It ends, or has ended.
    Over,
    /// Several of these.
    Unknown,
}

/// What a thread was doing at the end of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// It ran.
    Runs,
    /// It waited for a CPU.
    Ready,
    /// It slept, or waited with a time limit.
    Pauses,
    /// It waited for work, or no longer than it usually does for the same.
    Idle,
    /// It waited for something else.
    Waits,
    /// Those that could wake it wait for it, or for one another.
    Stuck,
    /// It is not known which of these.
    Unknown,
}

/// Waits of one kind that have ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Earlier {
    /// How many.
    pub count: u64,
    /// How long the longest took, ns.
    pub longest: i64,
}

/// A thread that had not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadEnd {
    /// Its number.
    pub tid: i64,
    /// What it did.
    pub doing: Doing,
    /// Since when.
    pub since: Timestamp,
    /// The end of the trace.
    pub end: Timestamp,
    /// The system call that it was in.
    pub call: Option<SystemCall>,
    /// Whether it reads from, or writes to, a pipe.
    pub is_pipe: bool,
    /// How it waited in the same call for the same before.
    pub earlier: Earlier,
    /// When it was woken last, and by which thread; `None` by an interrupt, or where that is not known.
    pub woken: Option<(Timestamp, Option<i64>)>,
    /// Of one that is stuck: who could wake it, and is stuck as well.
    pub waits_for: Vec<i64>,
    /// The number of the deadlock that it is a part of.
    pub deadlock: Option<usize>,
    /// Events were lost since, so it may have gone on.
    pub may_have_gone_on: bool,
}

#[derive(Debug, Default)]
struct Thread {
    call: Option<SystemCall>,
    /// System calls of it were seen, so where it is in none it is in none.
    has_calls: bool,
    kinds: HashMap<(String, Option<i64>), Earlier>,
    woken: Option<(Timestamp, Option<i64>)>,
    /// Who was seen to wake it from the call that it is in.
    wakers: BTreeMap<(String, Option<i64>), Vec<i64>>,
    /// Who has begun to wake it, and when.
    waking: Option<(i64, Option<i64>)>,
}

/// Threads that were seen, see [`super`].
#[derive(Debug, Default)]
pub struct Threads {
    threads: HashMap<i64, Thread>,
    processes: Processes,
}

/// Names and fields of the scheduler's events.
const FORK: [&str; 3] = ["parent_tid", "child_tid", "child_pid"];
const WAKING: &str = "sched_waking";
const STATE_DUMP: &str = "lttng_statedump_process_state";
/// Threads that may have woken a thread, of each kind of wait.
const MOST_WAKERS: usize = 16;

/// Whether an event of this name reports that waking the thread that [`WOKEN`] names begins, before that is ready.
pub fn begins_to_wake(name: &str) -> bool {
    name == WAKING
}

/// The field of the thread that is woken.
pub const WOKEN: &str = "tid";

impl Threads {
    /// Nothing is known. `sees_all`: the recorder follows all threads of one command, from its first one on.
    pub fn new(sees_all: bool) -> Threads {
        Threads { processes: Processes::new(sees_all), ..Threads::default() }
    }

    /// A thread has done something. `process`: its process, where that is known.
    pub fn seen(&mut self, tid: i64, process: Option<i64>) {
        if tid != 0 {
            self.processes.seen(tid, process);
            self.threads.entry(tid).or_default();
        }
    }

    /// Takes an event of the scheduler that concerns other threads: `by` is the one that ran.
    pub fn observe(&mut self, name: &str, event: &Event<'_>, by: Option<i64>) {
        let field = |name: &str| event.fields.get(name).as_ref().and_then(word);
        if name == WAKING {
            let Some(tid) = field(WOKEN) else { return };
            let by = self.as_waker(by, tid);
            let time = event.time.map_or(i64::MIN, |time| time.0);
            self.threads.entry(tid).or_default().waking = Some((time, by));
        } else if name == STATE_DUMP {
            if let Some(tid) = field("tid") {
                self.seen(tid, field("pid"));
            }
        } else if let [Some(parent), Some(child), process] = FORK.map(field) {
            let call = self.threads.get(&parent).and_then(|thread| thread.call.as_ref());
            self.processes.forked(parent, child, process, call);
            self.threads.entry(child).or_default();
        }
    }

    /// A thread enters a system call.
    pub fn enters(&mut self, tid: i64, call: SystemCall) {
        let thread = self.threads.entry(tid).or_default();
        (thread.call, thread.has_calls) = (Some(call), true);
    }

    /// The event ends the system call that a thread is in. [`Threads::left`] follows when its state is known.
    pub fn returns(&mut self, tid: i64, event: &Event<'_>) {
        let call = self.threads.get(&tid).and_then(|thread| thread.call.as_ref());
        let result = event.fields.get("ret").as_ref().and_then(word);
        if let (Some(call), Some(result)) = (call, result) {
            self.processes.returned(tid, call, result, pipe_ends(event));
        }
    }

    /// A thread is in no system call.
    pub fn left(&mut self, tid: i64) {
        let thread = self.threads.entry(tid).or_default();
        (thread.call, thread.has_calls) = (None, true);
    }

    /// A thread has waited from a moment to another; the event at the latter was of the thread `by`.
    pub fn waited(&mut self, tid: i64, from: i64, to: i64, by: Option<i64>) {
        let known = self.threads.get(&tid).and_then(|thread| thread.waking);
        let by = match known {
            Some((time, by)) if time >= from => by,
            _ => self.as_waker(by, tid),
        };
        let thread = self.threads.entry(tid).or_default();
        thread.woken = Some((Timestamp(to), by));
        let kind = kind(thread.call.as_ref());
        if thread.kinds.len() < MOST_KINDS || thread.kinds.contains_key(&kind) {
            let earlier = thread.kinds.entry(kind.clone()).or_default();
            earlier.count += 1;
            earlier.longest = earlier.longest.max(to.saturating_sub(from));
            if let Some(by) = by {
                let wakers = thread.wakers.entry(kind).or_default();
                if wakers.len() < MOST_WAKERS && !wakers.contains(&by) {
                    wakers.push(by);
                }
            }
        }
    }

    /// Who was in no system call while others are seen in some was interrupted, and has woken nobody.
    fn as_waker(&self, by: Option<i64>, woken: i64) -> Option<i64> {
        let by = by.filter(|by| *by != woken && *by != 0)?;
        let thread = self.threads.get(&by)?;
        (thread.call.is_some() || !thread.has_calls).then_some(by)
    }

    /// What the threads did at the end: of each its state, since when, and whether events were lost since then. Those that are over are left
    /// out.
    pub fn finish(mut self, states: &[(i64, State, i64, bool)], end: i64) -> Vec<ThreadEnd> {
        for (tid, ..) in states.iter().filter(|(_, state, ..)| *state == State::Over) {
            self.processes.ended(*tid);
        }
        let alive = states.iter().filter(|(tid, state, ..)| *state != State::Over && *tid != 0);
        let mut ends: Vec<ThreadEnd> =
            alive.map(|&(tid, state, since, is_lost)| self.end(tid, state, (since, end), is_lost)).collect();
        let waiters: Vec<Waiter> = ends.iter().filter_map(|end| self.waiter(end)).collect();
        for found in stuck(&waiters) {
            if let Some(end) = ends.iter_mut().find(|end| end.tid == found.tid) {
                (end.doing, end.deadlock, end.waits_for) = (Doing::Stuck, found.deadlock, found.waits_for);
            }
        }
        ends
    }

    fn end(&self, tid: i64, state: State, (since, end): (i64, i64), may_have_gone_on: bool) -> ThreadEnd {
        let thread = self.threads.get(&tid);
        let call = thread.and_then(|thread| thread.call.clone());
        let earlier = thread.and_then(|thread| thread.kinds.get(&kind(call.as_ref())).copied());
        let earlier = earlier.unwrap_or_default();
        let length = end.saturating_sub(since);
        let awaits = call.as_ref().map(SystemCall::awaits);
        let is_pipe = match awaits {
            Some(Awaits::Input(it) | Awaits::Output(it)) => self.processes.is_pipe(tid, it),
            _ => false,
        };
        let is_timed = call.as_ref().is_some_and(|call| call.is_timed() == Some(true));
        let is_usual = earlier.count >= OFTEN && length <= earlier.longest.saturating_mul(AS_USUAL);
        let doing = match state {
            State::Runs => Doing::Runs,
            State::Ready => Doing::Ready,
            State::Over | State::Unknown => Doing::Unknown,
            State::Waits if is_timed => Doing::Pauses,
            State::Waits if matches!(awaits, Some(Awaits::Events | Awaits::Connection)) => Doing::Idle,
            State::Waits if is_usual => Doing::Idle,
            State::Waits => Doing::Waits,
        };
        ThreadEnd {
            tid,
            doing,
            since: Timestamp(since),
            end: Timestamp(end),
            call,
            is_pipe,
            earlier,
            woken: thread.and_then(|thread| thread.woken),
            waits_for: vec![],
            deadlock: None,
            may_have_gone_on,
        }
    }

    /// Who could wake a thread that waits; `None` where that is not known, or it goes on by itself.
    fn waiter(&self, end: &ThreadEnd) -> Option<Waiter> {
        let is_candidate = matches!(end.doing, Doing::Waits | Doing::Idle) && !end.may_have_gone_on;
        let call = end.call.as_ref().filter(|call| is_candidate && call.is_timed() == Some(false))?;
        let mut wakers = match call.awaits() {
            Awaits::Input(descriptor) => self.processes.at_other_end(end.tid, descriptor, true)?,
            Awaits::Output(descriptor) => self.processes.at_other_end(end.tid, descriptor, false)?,
            // The kernel wakes who joins a thread by a futex that is not private and holds the number of that thread.
            Awaits::Futex { is_private: false, value: Some(other) }
                if other != end.tid && self.processes.is_beside(end.tid, other) =>
            {
                [other].into()
            }
            Awaits::Futex { is_private: true, .. } => self.processes.beside(end.tid)?,
            Awaits::Child(child) => self.processes.children(end.tid, child)?,
            _ => return None,
        };
        let seen = self.threads.get(&end.tid).and_then(|thread| thread.wakers.get(&kind(Some(call))));
        wakers.extend(seen.into_iter().flatten());
        wakers.remove(&end.tid);
        Some(Waiter { tid: end.tid, wakers })
    }
}

fn kind(call: Option<&SystemCall>) -> (String, Option<i64>) {
    call.map_or((String::new(), None), |call| (call.name.clone(), call.object()))
}
