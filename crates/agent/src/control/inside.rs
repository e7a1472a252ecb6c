//! Recording only inside calls of named methods: what the code asks that is inserted for it, see
//! [`classfile::instrument::inside`]. The natives themselves are in `entry.rs`.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use super::agent::{Agent, guard};
use super::recording::Recording;
use crate::buffers::threads::Threads;
use crate::jvm::handles::{Activity, Handles};
use crate::jvm::{Jni, Ref, Value};
use crate::locks::{Lock, Rank};

/// The calls of named methods in one recording.
#[derive(Debug)]
pub(crate) struct Inside {
    /// Of so many outermost calls one is recorded.
    one_in: u64,
    /// All classes that were loaded are instrumented: a call that began before would be recorded with holes.
    is_ready: AtomicBool,
    counts: Lock<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    /// Outermost calls so far.
    calls: u64,
    /// Who stands in the field `inside`, a global handle: whoever came when nobody stood there, until it leaves.
    first: Option<Ref>,
    /// How many threads are inside besides.
    others: i32,
}

impl Inside {
    pub(crate) fn new(one_in: u64) -> Inside {
        let counts = Lock::new(Rank::Leaf, Counts::default());
        Inside { one_in: one_in.max(1), is_ready: AtomicBool::new(false), counts }
    }

    /// From now on calls are recorded.
    pub(super) fn ready(&self) {
        self.is_ready.store(true, Ordering::Release);
    }

    /// Whether the next outermost call is recorded.
    pub(super) fn chooses(&self) -> bool {
        if !self.is_ready.load(Ordering::Acquire) {
            return false;
        }
        let mut counts = self.counts.lock();
        let is_chosen = counts.calls.is_multiple_of(self.one_in);
        counts.calls += 1;
        is_chosen
    }

    /// This thread, whose buffer it is, is in one call more that is recorded.
    pub(super) fn enter(&self, jni: Jni, java: &Handles, buffer: Ref, thread: Ref) {
        let depth = jni.get_int(buffer, java.depth);
        jni.set_int(buffer, java.depth, depth + 1);
        if depth == 0 {
            self.enters(jni, java, thread);
        }
    }

    /// One thread more is inside.
    fn enters(&self, jni: Jni, java: &Handles, thread: Ref) {
        let mut counts = self.counts.lock();
        match counts.first {
            Some(_) => counts.others += 1,
            None => counts.first = Some(jni.global(thread)),
        }
        counts.show(jni, java);
    }

    /// One less.
    fn leaves(&self, jni: Jni, java: &Handles, thread: Ref) {
        let mut counts = self.counts.lock();
        match counts.first.take_if(|first| jni.is_same(*first, thread)) {
            Some(first) => {
                counts.show(jni, java);
                jni.delete_global(first);
            }
            None => {
                counts.others = (counts.others - 1).max(0);
                counts.show(jni, java);
            }
        }
    }

    /// The recording is over: nobody is inside any more.
    pub(super) fn end(&self, jni: Jni, java: &Handles) {
        let mut counts = self.counts.lock();
        let first = counts.first.take();
        counts.others = 0;
        counts.show(jni, java);
        first.into_iter().for_each(|first| jni.delete_global(first));
    }
}

impl Counts {
    /// Has the program's code see it. A thread reads these fields one after the other while others change them, and what it
    /// finds of itself must hold in between: as long as it is inside it is the first, or counts among the others.
    fn show(&self, jni: Jni, java: &Handles) {
        let open = self.others.saturating_add(i32::from(self.first.is_some()));
        jni.set_static_int(java.buffer_class, java.open, open);
        jni.set_static_int(java.buffer_class, java.others, self.others);
        jni.set_static_object(java.buffer_class, java.first_inside, self.first.unwrap_or(Ref::NULL));
    }
}

/// Has the virtual machine find the natives, as for values; and nobody is inside yet.
pub(super) fn begin_recording(jni: Jni, java: &Handles, threads: &Threads) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let none = [Value::Object(Ref::NULL); 2];
        let begins = c"(Ljava/lang/TracewrightRecorder;Ljava/lang/Thread;)Z";
        jni.call_static_boolean(java.buffer_class, c"begins", begins, &none);
        let ends = c"(Ljava/lang/TracewrightRecorder;Ljava/lang/Thread;)V";
        jni.call_static_void(java.buffer_class, c"ends", ends, &none);
        let none = [Value::Object(Ref::NULL); 3];
        let take = c"(Ljava/lang/TracewrightRecorder;Ljava/lang/Thread;Ljava/lang/Object;)Z";
        jni.call_static_boolean(java.buffer_class, c"take", take, &none);
        let start = c"(Ljava/lang/TracewrightRecorder;Ljava/lang/Thread;Ljava/lang/Object;)V";
        jni.call_static_void(java.buffer_class, c"start", start, &none);
        let idle = c"(Ljava/lang/TracewrightRecorder;Ljava/lang/Thread;)V";
        jni.call_static_void(java.buffer_class, c"idle", idle, &none);
        let ask = c"(Ljava/lang/TracewrightRecorder;Ljava/lang/Thread;Ljava/lang/Object;)I";
        jni.call_static_int(java.buffer_class, c"ask", ask, &none);
        let none = [Value::Object(Ref::NULL), Value::Object(Ref::NULL), Value::Int(0)];
        let leave = c"(Ljava/lang/TracewrightRecorder;Ljava/lang/Thread;I)V";
        jni.call_static_void(java.buffer_class, c"leave", leave, &none);
        let pass = c"(Ljava/lang/TracewrightRecorder;Ljava/lang/Object;)V";
        jni.call_static_void(java.buffer_class, c"pass", pass, &none);
    });
    for thread in threads.by_tid.values() {
        jni.set_int(thread.buffer, java.depth, 0);
        java.set_activity(jni, thread.buffer, Activity::Nothing);
    }
}

/// A named method is called by this thread, whose buffer it is: whether the call is recorded.
pub(crate) fn begins(jni: Jni, buffer: Ref, thread: Ref) -> bool {
    let begin = |agent: &Agent, recording: &Recording| {
        let java = agent.java.get()?;
        if !java.is_of_one_thread(jni, buffer) {
            return None;
        }
        if jni.get_int(buffer, java.depth) == 0 && !recording.inside.chooses() {
            return None;
        }
        recording.inside.enter(jni, java, buffer, thread);
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

/// A thread ends, whose buffer this is. It may end inside: a worker of a pool does when its task has thrown, and a virtual thread that is
/// a task is inside as a whole.
pub(super) fn thread_ends(agent: &Agent, jni: Jni, buffer: Ref, thread: Ref) {
    let (Some(java), Some(recording)) = (agent.java.get(), agent.current()) else { return };
    if jni.get_int(buffer, java.depth) > 0 {
        jni.set_int(buffer, java.depth, 0);
        recording.inside.leaves(jni, java, thread);
    }
}
