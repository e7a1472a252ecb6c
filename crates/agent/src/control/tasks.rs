//! Following a task that a thread hands over inside a named call into the thread that runs it: what the code asks that is inserted for
//! it, see [`classfile::instrument::tasks`]. The natives themselves are in `entry.rs`.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};

use super::agent::{Agent, guard};
use super::recording::Recording;
use crate::jvm::handles::Handles;
use crate::jvm::{Jni, Jvmti, Ref};
use crate::locks::{Lock, Rank};

/// Tags of tasks are greater than this; other objects that have some have smaller ones.
const TAGS: i64 = 1 << 40;

static LAST_TAG: AtomicI64 = AtomicI64::new(TAGS);

/// The tasks of one recording that were handed over inside and have not begun, by their tags, and how often each was.
#[derive(Debug)]
pub(crate) struct Passed(Lock<HashMap<i64, u32>>);

impl Passed {
    pub(super) fn new() -> Passed {
        Passed(Lock::new(Rank::Leaf, HashMap::new()))
    }

    fn pass(&self, (jvmti, jni): (Jvmti, Jni), java: &Handles, task: Ref) {
        let mut passed = self.0.lock();
        let mut tag = jvmti.tag(task);
        if tag == 0 {
            tag = LAST_TAG.fetch_add(1, Ordering::Relaxed) + 1;
            jvmti.set_tag(task, tag);
        }
        // One that is a class loader as well keeps its number.
        if tag > TAGS {
            *passed.entry(tag).or_default() += 1;
            show(&passed, jni, java);
        }
    }

    fn take(&self, (jvmti, jni): (Jvmti, Jni), java: &Handles, task: Ref) -> bool {
        let mut passed = self.0.lock();
        let tag = jvmti.tag(task);
        let Some(times) = passed.get_mut(&tag) else { return false };
        *times -= 1;
        if *times == 0 {
            passed.remove(&tag);
            jvmti.set_tag(task, 0);
            show(&passed, jni, java);
        }
        true
    }

    /// The recording is over.
    pub(super) fn end(&self, jni: Jni, java: &Handles) {
        let mut passed = self.0.lock();
        passed.clear();
        show(&passed, jni, java);
    }
}

/// Has the program's code see whether there are any. Whoever takes a task from a queue sees what was written before it was put there.
fn show(passed: &HashMap<i64, u32>, jni: Jni, java: &Handles) {
    jni.set_static_int(java.buffer_class, java.passed, i32::try_from(passed.len()).unwrap_or(i32::MAX));
}

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
