//! Recording only inside calls of named methods: what the code asks that is inserted for it, see
//! [`classfile::instrument::inside`]. The natives themselves are in `entry.rs`.

use std::sync::Once;

use super::agent::{Agent, guard};
use super::recording::Recording;
use crate::buffers::threads::Threads;
use crate::jvm::handles::Handles;
use crate::jvm::{Jni, Ref, Value};
use crate::locks::{Lock, Rank};

/// The calls of named methods in one recording.
#[derive(Debug)]
pub(crate) struct Inside {
    /// Of so many outermost calls one is recorded.
    one_in: u64,
    counts: Lock<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    /// Outermost calls so far.
    calls: u64,
    /// Threads that are in one that is recorded.
    open: i32,
}

impl Inside {
    pub(crate) fn new(one_in: u64) -> Inside {
        Inside { one_in: one_in.max(1), counts: Lock::new(Rank::Leaf, Counts::default()) }
    }

    /// Whether the next outermost call is recorded.
    fn chooses(&self) -> bool {
        let mut counts = self.counts.lock();
        let is_chosen = counts.calls.is_multiple_of(self.one_in);
        counts.calls += 1;
        is_chosen
    }

    /// One thread more or less is inside. The field is set under the lock: of two threads the last one has to be right.
    fn change(&self, by: i32, jni: Jni, java: &Handles) {
        let mut counts = self.counts.lock();
        counts.open = (counts.open + by).max(0);
        jni.set_static_int(java.buffer_class, java.open, counts.open);
    }
}

/// Has the virtual machine find the natives, as for values; and nobody is inside yet.
pub(super) fn begin_recording(jni: Jni, java: &Handles, threads: &Threads) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let nobody = Value::Object(Ref::NULL);
        jni.call_static_boolean(java.buffer_class, c"begins", c"(Ljava/lang/TracewrightRecorder;)Z", nobody);
        jni.call_static_void(java.buffer_class, c"ends", c"(Ljava/lang/TracewrightRecorder;)V", nobody);
    });
    threads.by_tid.values().for_each(|thread| jni.set_int(thread.buffer, java.depth, 0));
    jni.set_static_int(java.buffer_class, java.open, 0);
}

/// A named method is called by the thread of this buffer: whether the call is recorded.
pub(crate) fn begins(jni: Jni, buffer: Ref) -> bool {
    let begin = |agent: &Agent, recording: &Recording| {
        let java = agent.java.get()?;
        // The buffer of no thread is that of many.
        if buffer.is_null() || jni.get_long(buffer, java.tid) < 0 {
            return None;
        }
        let depth = jni.get_int(buffer, java.depth);
        if depth == 0 && !recording.inside.chooses() {
            return None;
        }
        jni.set_int(buffer, java.depth, depth + 1);
        if depth == 0 {
            recording.inside.change(1, jni, java);
        }
        Some(())
    };
    guard(false, |agent| agent.current().is_some_and(|recording| begin(agent, &recording).is_some()))
}

/// It is left. Calls that began in an earlier recording do not count in this one.
pub(crate) fn ends(jni: Jni, buffer: Ref) {
    guard((), |agent| {
        let (Some(java), Some(recording)) = (agent.java.get(), agent.current()) else { return };
        let depth = if buffer.is_null() { 0 } else { jni.get_int(buffer, java.depth) };
        if depth > 0 {
            jni.set_int(buffer, java.depth, depth - 1);
        }
        if depth == 1 {
            recording.inside.change(-1, jni, java);
        }
    });
}
