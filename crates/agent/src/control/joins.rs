//! Whose end a thread waits for in `Thread.join`.
//!
//! A virtual machine that was started with the recorder reports what a thread waits for. One to which it was attached does
//! not; there Java's own management names the thread by its identity. It is asked once for each wait: who still waits has used
//! no processor time since.

use std::collections::HashMap;

use model::stack::{SampledMethod, SampledThread, ThreadState};

use super::management;
use crate::jvm::handles::Handles;
use crate::jvm::{Jni, Jvmti};

/// What threads are called by the classes of Java.
const THREAD: &str = "java.lang.Thread";
/// Frames from the innermost one in which `join` is looked for: that of `Object.wait` and what it calls come before.
const NEAR: usize = 4;
/// Threads that are asked for at once.
const MOST: usize = 64;

/// Who waited for whose end in the samples so far.
#[derive(Debug, Default)]
pub(super) struct Joins {
    /// By the number of the thread that waits: the processor time that it had used, and the number of the other.
    known: HashMap<u64, (Option<u64>, Option<u64>)>,
}

impl Joins {
    /// The threads of a sample that wait for the end of one that has to be asked for; if there is one, all that wait so.
    pub(super) fn unknown(&self, threads: &[SampledThread], methods: &[SampledMethod]) -> Vec<u64> {
        let joining = || threads.iter().filter(|thread| joins(thread, methods));
        let is_known =
            |thread: &SampledThread| self.known.get(&thread.tid).is_some_and(|(cpu, _)| *cpu == thread.cpu);
        if joining().all(is_known) { Vec::new() } else { joining().map(|thread| thread.tid).collect() }
    }

    /// Notes in a sample who waits for whose end, where that was not known. `found`: what was asked for, if anything was.
    pub(super) fn mark(
        &mut self,
        threads: &mut [SampledThread],
        methods: &[SampledMethod],
        found: Option<&HashMap<u64, u64>>,
    ) {
        let joining = threads.iter_mut().filter(|thread| joins(thread, methods));
        let before = std::mem::take(&mut self.known);
        for thread in joining {
            let holder = match found {
                Some(found) => found.get(&thread.tid).copied(),
                None => before.get(&thread.tid).and_then(|(_, holder)| *holder),
            };
            self.known.insert(thread.tid, (thread.cpu, holder));
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

/// Asks for whose end each of these threads waits, by their numbers.
pub(super) fn ask(jvmti: Jvmti, java: &Handles, jni: Jni, joining: &[u64]) -> HashMap<u64, u64> {
    let threads = jvmti.all_threads();
    jni.expect_locals(threads.len());
    let by_identity: HashMap<u32, u64> = threads
        .into_iter()
        .map(|thread| {
            let known = (jvmti.identity(thread), jni.get_long(thread, java.thread_tid).cast_unsigned());
            jni.delete_local(thread);
            known
        })
        .collect();
    let target = |tid: &u64| {
        let lock = management::lock_of(jni, tid.cast_signed())?;
        let identity = u32::from_str_radix(lock.name?.rsplit_once('@')?.1, 16).ok()?;
        Some((*tid, *by_identity.get(&identity)?))
    };
    joining.iter().take(MOST).filter_map(target).collect()
}
