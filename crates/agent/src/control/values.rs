//! Values of calls: what the code calls that is inserted for them, and what becomes of a value.
//!
//! ```text
//! values   valueX ...   entered    the values wait in memory of the thread; their record, and the number of the call
//! values   valueX       returned   or threw: a record with that number
//! ```
//!
//! Only objects' own fields are read, of classes of the JDK whose fields are known: no code of the program runs. What is not
//! known is described by its class and identity. No lock is held while a value is read. The natives themselves are in
//! `entry.rs`.

mod objects;

use std::cell::RefCell;
use std::sync::Once;

use capture::records::{put_entry, put_outcome, put_value};
use model::ProgramValue;

use super::agent::{Agent, guard};
use super::call_numbers;
use crate::jvm::{Jni, Ref, Value};
use crate::sys::now;

/// What a thread has taken of a call so far. The thread of the system is meant: between the calls of one place in the
/// program a virtual thread stays on the same one.
#[derive(Default)]
struct Taken {
    /// The number of the method's first record.
    first: u32,
    count: usize,
    values: Vec<u8>,
    /// Whether the first of them is the object.
    has_object: bool,
}

thread_local! {
    static TAKEN: RefCell<Taken> = const {
        RefCell::new(Taken { first: 0, count: 0, values: Vec::new(), has_object: false })
    };
}

/// Has the virtual machine find the natives below: when it looks for one that code calls, it runs Java code of the JDK, and
/// once that is recorded it would need the native that it looks for. Nothing is kept of these calls.
pub(super) fn bind(jni: Jni, recorder: Ref) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let nothing = |name, descriptor| jni.call_static_void(recorder, name, descriptor, &[Value::Long(0)]);
        nothing(c"values", c"(I)V");
        nothing(c"valueBoolean", c"(Z)V");
        nothing(c"valueChar", c"(C)V");
        nothing(c"valueInt", c"(I)V");
        nothing(c"valueLong", c"(J)V");
        nothing(c"valueFloat", c"(F)V");
        nothing(c"valueDouble", c"(D)V");
        nothing(c"valueObject", c"(Ljava/lang/Object;)V");
        nothing(c"valueThis", c"(Ljava/lang/Object;)V");
        nothing(c"valueWithheld", c"()V");
        nothing(c"returned", c"(J)V");
        nothing(c"threw", c"(J)V");
        let entered = c"(Ljava/lang/TracewrightRecorder;)J";
        jni.call_static_long(recorder, c"entered", entered, Value::Object(Ref::NULL));
        objects::know(jni);
    });
}

fn with_taken<T>(otherwise: T, body: impl FnOnce(&mut Taken) -> T) -> T {
    TAKEN.with(|taken| taken.try_borrow_mut().map_or(otherwise, |mut taken| body(&mut taken)))
}

/// The values that follow are of the method with this first record.
pub(crate) fn begin(first: i32) {
    with_taken((), |taken| {
        taken.values.clear();
        (taken.first, taken.count, taken.has_object) = (first.cast_unsigned(), 0, false);
    });
}

/// The next value.
pub(crate) fn take(value: &ProgramValue) {
    guard((), |_| {
        with_taken((), |taken| {
            put_value(&mut taken.values, value);
            taken.count += 1;
        });
    });
}

/// The next value, an object; `is_this`: whose method it is.
pub(crate) fn take_object(jni: Jni, value: Ref, is_this: bool) {
    let value = guard(ProgramValue::Null, |agent| objects::value(agent.jvmti, jni, value));
    take(&value);
    if is_this {
        with_taken((), |taken| taken.has_object = true);
    }
}

/// What was taken are the arguments of a call: its number; 0 if its values are not kept.
pub(crate) fn entered(jni: Jni, buffer: Ref) -> i64 {
    guard(0, |agent| entry(agent, jni, buffer).unwrap_or(0))
}

/// What was taken is what came of the call with this number.
pub(crate) fn ended(call: i64, threw: bool) {
    guard((), |agent| outcome(agent, call, threw));
}

fn entry(agent: &Agent, jni: Jni, buffer: Ref) -> Option<i64> {
    let recording = agent.current().filter(|_| !buffer.is_null())?;
    let java = agent.java.get()?;
    let (tid, cursor) = (jni.get_long(buffer, java.tid), jni.get_long(buffer, java.cursor));
    let (serial, position) = agent.buffers.threads().position_of(tid, cursor, &agent.buffers.pool)?;
    let number = call_numbers::take();
    let mut record = Vec::new();
    with_taken((), |taken| {
        let values = (taken.count, &taken.values[..]);
        put_entry(&mut record, (number, serial, position, taken.first), now(), taken.has_object, values);
    });
    let is_stored = !record.is_empty() && recording.output.values(&record);
    is_stored.then_some(number.cast_signed())
}

fn outcome(agent: &Agent, call: i64, threw: bool) {
    let call = call.cast_unsigned();
    let Some(recording) = agent.current().filter(|recording| call >= recording.first_call) else { return };
    let mut record = Vec::new();
    with_taken((), |taken| put_outcome(&mut record, call, now(), threw, (taken.count, &taken.values)));
    recording.output.values(&record);
}
