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
    /// Who is inside, as global handles: the first one stands in the field `first`, and how many follow in `others`.
    threads: Vec<Ref>,
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

    /// One thread more is inside. Fields are set under the lock: of two threads the last one has to be right.
    fn enters(&self, jni: Jni, java: &Handles, thread: Ref) {
        let mut counts = self.counts.lock();
        counts.threads.push(jni.global(thread));
        show(jni, java, &counts.threads);
    }

    /// One less.
    fn leaves(&self, jni: Jni, java: &Handles, thread: Ref) {
        let mut counts = self.counts.lock();
        if let Some(index) = counts.threads.iter().position(|inside| jni.is_same(*inside, thread)) {
            jni.delete_global(counts.threads.remove(index));
        }
        show(jni, java, &counts.threads);
    }

    /// The recording is over: nobody is inside any more.
    pub(super) fn end(&self, jni: Jni, java: &Handles) {
        let mut counts = self.counts.lock();
        counts.threads.drain(..).for_each(|thread| jni.delete_global(thread));
        show(jni, java, &counts.threads);
    }
}

/// Has the program's code see who is inside.
fn show(jni: Jni, java: &Handles, threads: &[Ref]) {
    let others = i32::try_from(threads.len().saturating_sub(1)).unwrap_or(i32::MAX);
    jni.set_static_int(java.buffer_class, java.others, others);
    jni.set_static_object(
        java.buffer_class,
        java.first_inside,
        threads.first().copied().unwrap_or(Ref::NULL),
    );
}

/// Has the virtual machine find the natives, as for values; and nobody is inside yet.
pub(super) fn begin_recording(jni: Jni, java: &Handles, threads: &Threads) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let nobody = [Value::Object(Ref::NULL), Value::Object(Ref::NULL)];
        let begins = c"(Ljava/lang/TracewrightRecorder;Ljava/lang/Thread;)Z";
        jni.call_static_boolean(java.buffer_class, c"begins", begins, nobody);
        let ends = c"(Ljava/lang/TracewrightRecorder;Ljava/lang/Thread;)V";
        jni.call_static_nothing(java.buffer_class, c"ends", ends, nobody);
    });
    threads.by_tid.values().for_each(|thread| jni.set_int(thread.buffer, java.depth, 0));
}

/// A named method is called by this thread, whose buffer it is: whether the call is recorded.
pub(crate) fn begins(jni: Jni, buffer: Ref, thread: Ref) -> bool {
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
            recording.inside.enters(jni, java, thread);
        }
        Some(())
    };
    guard(false, |agent| agent.current().is_some_and(|recording| begin(agent, &recording).is_some()))
}

/// It is left. Calls that began in an earlier recording do not count in this one.
pub(crate) fn ends(jni: Jni, buffer: Ref, thread: Ref) {
    guard((), |agent| {
        let (Some(java), Some(recording)) = (agent.java.get(), agent.current()) else { return };
        let depth = if buffer.is_null() { 0 } else { jni.get_int(buffer, java.depth) };
        if depth > 0 {
            jni.set_int(buffer, java.depth, depth - 1);
        }
        if depth == 1 {
            recording.inside.leaves(jni, java, thread);
        }
    });
}
