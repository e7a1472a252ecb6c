//! The tasks that were handed over inside named calls, until they begin. They are known by tags of the virtual machine's, so none is kept
//! alive.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};

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

    pub(super) fn pass(&self, (jvmti, jni): (Jvmti, Jni), java: &Handles, task: Ref) {
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

    pub(super) fn take(&self, (jvmti, jni): (Jvmti, Jni), java: &Handles, task: Ref) -> bool {
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
