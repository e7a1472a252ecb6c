//! Following a task that a thread hands over inside a named call into the thread that runs it: what the code asks that is inserted for
//! it, see [`classfile::instrument::tasks`]. The natives themselves are in `entry.rs`.

use super::agent::{Agent, guard};
use super::inside;
use super::recording::Recording;
use crate::jvm::{Jni, Ref};

/// This thread, which is inside, hands over a task.
pub(crate) fn pass(jni: Jni, task: Ref) {
    if task.is_null() {
        return;
    }
    guard((), |agent| {
        if let (Some(java), Some(recording)) = (agent.java.get(), agent.current()) {
            recording.passed.pass((agent.jvmti, jni), java, task);
        }
    });
}

/// This thread, whose buffer it is, begins a task: whether it was handed over inside, and is recorded therefore.
pub(crate) fn take(jni: Jni, buffer: Ref, thread: Ref, task: Ref) -> bool {
    if task.is_null() {
        return false;
    }
    let take = |agent: &Agent, recording: &Recording| {
        let java = agent.java.get()?;
        // The buffer of no thread is that of many.
        let has_own = !buffer.is_null() && jni.get_long(buffer, java.tid) >= 0;
        (has_own && recording.passed.take((agent.jvmti, jni), java, task))
            .then(|| recording.inside.enter(jni, java, buffer, thread))
    };
    guard(false, |agent| agent.current().is_some_and(|recording| take(agent, &recording).is_some()))
}

/// What a buffer's `passing` is while its thread, of a pool, runs a task that is recorded and that no call around it ends.
const STARTED: i32 = 2;

/// This thread of a pool begins a task: it is recorded, where it was handed over inside, until the thread idles.
pub(crate) fn start(jni: Jni, buffer: Ref, thread: Ref, task: Ref) {
    if take(jni, buffer, thread, task) {
        guard((), |agent| {
            if let Some(java) = agent.java.get() {
                jni.set_int(buffer, java.passing, STARTED);
            }
        });
    }
}

/// This thread of a pool looks for a task.
pub(crate) fn idle(jni: Jni, buffer: Ref, thread: Ref) {
    let is_started = guard(false, |agent| {
        let java = agent.java.get().filter(|_| !buffer.is_null());
        java.is_some_and(|java| {
            let is_started = jni.get_int(buffer, java.passing) == STARTED;
            if is_started {
                jni.set_int(buffer, java.passing, 0);
            }
            is_started
        })
    });
    if is_started {
        inside::ends(jni, buffer, thread);
    }
}

/// A virtual thread begins, which is a task itself.
pub(crate) fn begin_virtual(agent: &'static Agent, jni: Jni, thread: Ref) {
    let (Some(java), Some(recording)) = (agent.java.get(), agent.current()) else { return };
    if recording.passed.take((agent.jvmti, jni), java, thread) {
        let buffer = agent.find(jni, jni.get_long(thread, java.thread_tid));
        if !buffer.is_null() && jni.get_long(buffer, java.tid) >= 0 {
            recording.inside.enter(jni, java, buffer, thread);
        }
        jni.delete_local(buffer);
    }
}
