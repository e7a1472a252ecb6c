//! Following a task that a thread hands over inside a named call into the thread that runs it: what the code asks that is inserted for
//! it, see [`classfile::instrument::tasks`]. The natives themselves are in `entry.rs`.

use capture::records::{RecordedTask, TaskRecord};
use model::{Task, TaskMoment, Timestamp};

use super::agent::{Agent, guard};
use super::inside;
use super::passed::HandOver;
use super::recording::Recording;
use crate::jvm::handles::{Activity, Handles};
use crate::jvm::{Jni, Ref};
use crate::sys::now;

/// How long a task waits before it is recorded as pending, ns.
const LONG: i64 = 1_000_000_000;

/// This thread, which is inside and whose buffer it is, hands over a task.
pub(crate) fn pass(jni: Jni, buffer: Ref, task: Ref) {
    if task.is_null() {
        return;
    }
    guard((), |agent| {
        if let (Some(java), Some(recording)) = (agent.java.get(), agent.current()) {
            let from = moment(agent, jni, java, buffer);
            let at = || jni.get_int(buffer, java.at).cast_unsigned();
            // It waits for its time, and not for a thread.
            let is_delayed = java.delayed_class.is_some_and(|class| jni.is_instance(task, class));
            let hand_over = from.map(|from| HandOver { from, at: at(), is_settled: is_delayed });
            recording.passed.pass((agent.jvmti, jni), java, task, hand_over);
        }
    });
}

/// This thread, whose buffer it is, begins a task: whether it was handed over inside, and is recorded therefore.
pub(crate) fn take(jni: Jni, buffer: Ref, thread: Ref, task: Ref) -> bool {
    if task.is_null() {
        return false;
    }
    guard(false, |agent| {
        agent.current().is_some_and(|recording| begin(agent, jni, &recording, (buffer, thread, task)))
    })
}

/// A thread with its buffer begins a task: whether that was handed over inside.
fn begin(agent: &Agent, jni: Jni, recording: &Recording, (buffer, thread, task): (Ref, Ref, Ref)) -> bool {
    let Some(java) = agent.java.get().filter(|java| java.is_of_one_thread(jni, buffer)) else { return false };
    let is_passed = note(agent, jni, java, recording, (buffer, thread, task));
    if is_passed {
        recording.inside.enter(jni, java, buffer, thread);
    }
    is_passed
}

/// Records that the thread with this buffer begins a task; `false` if that was not handed over where tasks are followed.
fn note(
    agent: &Agent,
    jni: Jni,
    java: &Handles,
    recording: &Recording,
    (buffer, thread, task): (Ref, Ref, Ref),
) -> bool {
    let Some(hand_over) = recording.passed.take((agent.jvmti, jni), java, task) else { return false };
    if let (Some(HandOver { from, at, .. }), Some(begun)) = (hand_over, moment(agent, jni, java, buffer)) {
        let task = Task { handed_over: from, begun: Some(begun), is_thread: jni.is_same(task, thread) };
        recording.output.task(&TaskRecord::Task(RecordedTask { task, at }));
    }
    true
}

/// A task will not begin: its pool refused it, or it was taken out of the queue.
pub(crate) fn drop(jni: Jni, task: Ref) {
    if task.is_null() {
        return;
    }
    guard((), |agent| {
        if let (Some(java), Some(recording)) = (agent.java.get(), agent.current()) {
            let _ = recording.passed.take((agent.jvmti, jni), java, task);
        }
    });
}

/// Records the tasks that have waited for long, or at all if this is the end.
pub(super) fn report_pending(recording: &Recording, at_end: bool) {
    let since = if at_end { i64::MAX } else { now() - LONG };
    for task in recording.passed.pending(Timestamp(since)) {
        recording.output.task(&TaskRecord::Task(task));
    }
}

/// Where a thread is now, whose buffer it is; `None` if what it writes is not kept.
fn moment(agent: &Agent, jni: Jni, java: &Handles, buffer: Ref) -> Option<TaskMoment> {
    if !java.is_of_one_thread(jni, buffer) {
        return None;
    }
    let (tid, cursor) = (jni.get_long(buffer, java.tid), jni.get_long(buffer, java.cursor));
    let (thread, position) = agent.buffers.threads().position_of(tid, cursor, &agent.buffers.pool)?;
    Some(TaskMoment { thread, position, time: Timestamp(now()) })
}

/// This thread of a pool begins a task: it is recorded, where it was handed over inside, until the thread idles.
pub(crate) fn start(jni: Jni, buffer: Ref, thread: Ref, task: Ref) {
    if take(jni, buffer, thread, task) {
        guard((), |agent| {
            if let Some(java) = agent.java.get() {
                java.set_activity(jni, buffer, Activity::PoolTask);
            }
        });
    }
}

/// This thread of a pool looks for a task.
pub(crate) fn idle(jni: Jni, buffer: Ref, thread: Ref) {
    let was_started = guard(false, |agent| {
        let java = agent.java.get().filter(|java| java.activity(jni, buffer) == Activity::PoolTask);
        java.is_some_and(|java| {
            java.set_activity(jni, buffer, Activity::Nothing);
            true
        })
    });
    if was_started {
        inside::ends(jni, buffer, thread);
    }
}

/// A thread begins that may be a task itself. A platform thread is only noted: it may be that of a pool, which goes on when the
/// call that needed it has long ended.
pub(crate) fn begin_thread(agent: &'static Agent, jni: Jni, thread: Ref) {
    let (Some(java), Some(recording)) = (agent.java.get(), agent.current()) else { return };
    if !recording.passed.has(agent.jvmti, thread) {
        return;
    }
    let buffer = agent.find(jni, jni.get_long(thread, java.thread_tid));
    if java.virtual_class.is_some_and(|class| jni.is_instance(thread, class)) {
        begin(agent, jni, &recording, (buffer, thread, thread));
    } else {
        note(agent, jni, java, &recording, (buffer, thread, thread));
    }
    jni.delete_local(buffer);
}
