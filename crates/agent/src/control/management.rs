//! What Java's own management reports of a thread: a virtual machine that was started without the recorder cannot be asked directly.

use crate::jvm::{Jni, Value};

/// What a thread waits for.
#[derive(Debug)]
pub(super) struct Lock {
    /// Its class and its identity: `java.lang.Object@1b6d3586`.
    pub(super) name: Option<String>,
    /// The number of the thread that holds it.
    pub(super) holder: Option<u64>,
}

/// For which object the thread of this number waits, to enter its monitor or to be notified.
pub(super) fn lock_of(jni: Jni, tid: i64) -> Option<Lock> {
    if !jni.push_frame() {
        return None;
    }
    let lock = ask(jni, tid);
    jni.pop_frame();
    lock
}

fn ask(jni: Jni, tid: i64) -> Option<Lock> {
    let factory = jni.find_class(c"java/lang/management/ManagementFactory")?;
    let bean = jni.call_static(factory, c"getThreadMXBean", c"()Ljava/lang/management/ThreadMXBean;")?;
    let about = c"(J)Ljava/lang/management/ThreadInfo;";
    let info = jni.call(bean, c"getThreadInfo", about, Value::Long(tid))?;
    let holder = u64::try_from(jni.call_for_long(info, c"getLockOwnerId")?).ok();
    let name = jni.call(info, c"getLockName", c"()Ljava/lang/String;", Value::Long(0));
    Some(Lock { name: name.and_then(|name| jni.string(name)), holder })
}
