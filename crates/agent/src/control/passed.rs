//! The tasks that were handed over inside named calls, until they begin. They are known by tags of the virtual machine's, so none is kept
//! alive.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicI64, Ordering};

use capture::records::RecordedTask;
use model::{Task, TaskMoment, Timestamp};

use crate::jvm::handles::Handles;
use crate::jvm::{Jni, Jvmti, Ref};
use crate::locks::{Lock, Rank};

/// Tags of tasks are greater than this; other objects that have some have smaller ones.
const TAGS: i64 = 1 << 40;

static LAST_TAG: AtomicI64 = AtomicI64::new(TAGS);

/// Where a task was handed over.
#[derive(Debug)]
pub(super) struct HandOver {
    pub(super) from: TaskMoment,
    /// The field `at` of the thread's buffer.
    pub(super) at: u32,
    /// Whether it is not to be recorded as pending: it has been, or it is to wait.
    pub(super) is_settled: bool,
}

/// How many pending tasks are recorded at a time: the lock is held meanwhile.
const PENDING: usize = 1000;

/// By their tags, where tasks were handed over, each as often as that happened; `None` where the thread's records were not kept.
type Waiting = HashMap<i64, VecDeque<Option<HandOver>>>;

/// The tasks of one recording that were handed over inside and have not begun.
#[derive(Debug)]
pub(crate) struct Passed(Lock<Waiting>);

impl Passed {
    pub(super) fn new() -> Passed {
        Passed(Lock::new(Rank::Leaf, HashMap::new()))
    }

    pub(super) fn pass(
        &self,
        (jvmti, jni): (Jvmti, Jni),
        java: &Handles,
        task: Ref,
        hand_over: Option<HandOver>,
    ) {
        let mut passed = self.0.lock();
        let mut tag = jvmti.tag(task);
        if tag == 0 {
            tag = LAST_TAG.fetch_add(1, Ordering::Relaxed) + 1;
            jvmti.set_tag(task, tag);
        }
        // One that is a class loader as well keeps its number.
        if tag > TAGS {
            passed.entry(tag).or_default().push_back(hand_over);
            show(&passed, jni, java);
        }
    }

    /// Whether the task waits.
    pub(super) fn has(&self, jvmti: Jvmti, task: Ref) -> bool {
        self.0.lock().contains_key(&jvmti.tag(task))
    }

    /// The task begins: where it was handed over first of all the times that wait; `None` if none does.
    pub(super) fn take(
        &self,
        (jvmti, jni): (Jvmti, Jni),
        java: &Handles,
        task: Ref,
    ) -> Option<Option<HandOver>> {
        let mut passed = self.0.lock();
        let tag = jvmti.tag(task);
        let waiting = passed.get_mut(&tag)?;
        let first = waiting.pop_front()?;
        if waiting.is_empty() {
            passed.remove(&tag);
            jvmti.set_tag(task, 0);
            show(&passed, jni, java);
        }
        Some(first)
    }

    /// The tasks that were handed over before this time and have not begun, each once.
    pub(super) fn pending(&self, before: Timestamp) -> Vec<RecordedTask> {
        let mut passed = self.0.lock();
        let all = passed.values_mut().flatten().flatten();
        let pending = all.filter(|one| !one.is_settled && one.from.time < before).take(PENDING);
        let settle = |one: &mut HandOver| {
            one.is_settled = true;
            RecordedTask { task: Task { handed_over: one.from, begun: None, is_thread: false }, at: one.at }
        };
        pending.map(settle).collect()
    }

    /// The recording is over.
    pub(super) fn end(&self, jni: Jni, java: &Handles) {
        let mut passed = self.0.lock();
        passed.clear();
        show(&passed, jni, java);
    }
}

/// Has the program's code see whether there are any. Whoever takes a task from a queue sees what was written before it was put there.
fn show(passed: &Waiting, jni: Jni, java: &Handles) {
    jni.set_static_int(java.buffer_class, java.passed, i32::try_from(passed.len()).unwrap_or(i32::MAX));
}
