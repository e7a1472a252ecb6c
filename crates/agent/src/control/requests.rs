//! Recording only requests with a given path: what the code asks that is inserted for it, see
//! [`classfile::instrument::requests`]. The native itself is in `entry.rs`.

use super::agent::{Agent, guard};
use super::recording::Recording;
use crate::jvm::handles::Activity;
use crate::jvm::{Jni, Ref, Value};

/// What `ask` gives for a request that is not recorded, if its path is one of those that are.
pub(crate) const PASSED_OVER: i32 = 2;
const RECORDED: i32 = 1;
const OTHER: i32 = 0;

/// This thread, whose buffer it is, is about to serve a request: whether that is recorded. A request goes through many
/// filters and servlets, and is asked at the first of them only.
pub(crate) fn ask(jni: Jni, buffer: Ref, thread: Ref, request: Ref) -> i32 {
    if request.is_null() {
        return OTHER;
    }
    let ask = |agent: &Agent, recording: &Recording| {
        let java = agent.java.get()?;
        let is_free = java.is_of_one_thread(jni, buffer) && java.activity(jni, buffer) == Activity::Nothing;
        if !is_free || !is_named(jni, recording, request) {
            return None;
        }
        if recording.inside.chooses() {
            recording.inside.enter(jni, java, buffer, thread);
            return Some(RECORDED);
        }
        java.set_activity(jni, buffer, Activity::UnrecordedRequest);
        Some(PASSED_OVER)
    };
    guard(OTHER, |agent| agent.current().and_then(|recording| ask(agent, &recording)).unwrap_or(OTHER))
}

/// A request was served that was not recorded.
pub(crate) fn end_passed_over(jni: Jni, buffer: Ref) {
    guard((), |agent| {
        if let Some(java) = agent.java.get() {
            java.set_activity(jni, buffer, Activity::Nothing);
        }
    });
}

/// Whether the request comes for the first time and has a path that is named.
fn is_named(jni: Jni, recording: &Recording, request: Ref) -> bool {
    if !jni.push_frame() {
        return false;
    }
    let path = path(jni, request);
    let mut patterns = recording.choices.wanted.inside.iter();
    let is_named = path.is_some_and(|path| patterns.any(|pattern| pattern.names_path(&path)));
    let is_named = is_named && comes(jni, request);
    jni.pop_frame();
    is_named
}

/// Whether a servlet's request comes from a client, and not once more after it was put off, or for an error.
fn comes(jni: Jni, request: Ref) -> bool {
    let nothing = Value::Object(Ref::NULL);
    let descriptors = [c"()Ljakarta/servlet/DispatcherType;", c"()Ljavax/servlet/DispatcherType;"];
    let mut kinds = descriptors
        .into_iter()
        .filter_map(|descriptor| jni.call(request, c"getDispatcherType", descriptor, nothing));
    let kind = kinds.next().and_then(|kind| jni.call(kind, c"name", c"()Ljava/lang/String;", nothing));
    kind.and_then(|kind| jni.string(kind)).is_none_or(|kind| kind == "REQUEST")
}

/// The path of a request, as a client has sent it: of a servlet's, and of one of the JDK's own server.
fn path(jni: Jni, request: Ref) -> Option<String> {
    let nothing = Value::Object(Ref::NULL);
    let text = jni.call(request, c"getRequestURI", c"()Ljava/lang/String;", nothing).or_else(|| {
        let uri = jni.call(request, c"getRequestURI", c"()Ljava/net/URI;", nothing)?;
        jni.call(uri, c"getRawPath", c"()Ljava/lang/String;", nothing)
    });
    text.and_then(|text| jni.string(text))
}
