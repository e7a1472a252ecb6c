//! Whose end a thread waits for in `Thread.join`.
//!
//! A virtual machine that was started with the recorder reports what a thread waits for. One to which it was attached does
//! not; there the thread whose `join` runs is found in the local variables. The program pauses for that as for a sample of
//! all stacks, so it is asked once for each wait: who still waits has used no processor time since.

use std::collections::HashMap;

use model::stack::{SampledMethod, SampledThread, ThreadState};

use crate::jvm::handles::Handles;
use crate::jvm::{Jni, Jvmti, TaggedReceiver};

/// What threads are called by the classes of Java.
const THREAD: &str = "java.lang.Thread";
/// Frames from the innermost one in which `join` is looked for: that of `Object.wait` and what it calls come before.
const NEAR: usize = 4;

/// Who waited for whose end in the samples so far.
#[derive(Debug, Default)]
pub(super) struct Joins {
    /// By the number of the thread that waits: the processor time that it had used, and the number of the other.
    known: HashMap<u64, (Option<u64>, Option<u64>)>,
}

impl Joins {
    /// Notes in a sample who waits for whose end, where that is not known.
    pub(super) fn mark(
        &mut self,
        threads: &mut [SampledThread],
        methods: &[SampledMethod],
        ask: impl FnOnce() -> HashMap<u64, u64>,
    ) {
        let mut joining: Vec<_> = threads.iter_mut().filter(|thread| joins(thread, methods)).collect();
        let is_known = |thread: &&mut SampledThread| {
            self.known.get(&thread.tid).is_some_and(|(cpu, _)| *cpu == thread.cpu)
        };
        if !joining.iter().all(is_known) {
            let found = ask();
            let one =
                |thread: &&mut SampledThread| (thread.tid, (thread.cpu, found.get(&thread.tid).copied()));
            self.known = joining.iter().map(one).collect();
        }
        for thread in &mut joining {
            let holder = self.known.get(&thread.tid).and_then(|(_, holder)| *holder);
            if let (Some(wait), Some(holder)) = (&mut thread.waits, holder) {
                wait.on = Some(THREAD.to_owned());
                wait.holder = Some(holder);
            }
        }
    }
}

/// Whether a thread waits without a limit in `join`, and it is not known for whose end.
fn joins(thread: &SampledThread, methods: &[SampledMethod]) -> bool {
    let is_open = thread
        .waits
        .as_ref()
        .is_some_and(|wait| wait.on.is_none() && wait.holder.is_none() && !wait.is_timed);
    let is_join = |method: &SampledMethod| method.class == THREAD && method.name == "join";
    thread.state == ThreadState::Waiting
        && is_open
        && thread
            .frames
            .iter()
            .take(NEAR)
            .any(|frame| methods.get(frame.method as usize).is_some_and(is_join))
}

/// Asks the virtual machine who runs the `join` of which thread, by their numbers.
pub(super) fn ask(jvmti: Jvmti, java: &Handles, jni: Jni) -> HashMap<u64, u64> {
    let threads = jvmti.all_threads();
    // Tasks that are followed have tags as well, and may be threads.
    let before: Vec<i64> = threads.iter().map(|thread| jvmti.tag(*thread)).collect();
    for thread in &threads {
        jvmti.set_tag(*thread, jni.get_long(*thread, java.thread_tid));
    }
    let receivers = jvmti.tagged_receivers();
    for (thread, tag) in threads.iter().zip(before) {
        jvmti.set_tag(*thread, tag);
        jni.delete_local(*thread);
    }
    let is_join = |receiver: &TaggedReceiver| {
        let class = jvmti.declaring_class(receiver.method);
        let name = jvmti.method_name(receiver.method);
        let is_of_thread = class.is_some_and(|class| jni.is_same(class, java.thread_class));
        class.into_iter().for_each(|class| jni.delete_local(class));
        is_of_thread && name.is_some_and(|(name, _)| name == b"join")
    };
    let numbers = |receiver: TaggedReceiver| {
        Some((u64::try_from(receiver.tid).ok()?, u64::try_from(receiver.tag).ok()?))
    };
    receivers.into_iter().filter(is_join).filter_map(numbers).collect()
}
