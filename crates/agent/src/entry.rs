//! What the virtual machine finds by name in the library: where it begins, and the methods of the
//! recorder's class that are native.
#![allow(unsafe_code)] // names that the virtual machine looks for

use std::ffi::{c_char, c_int, c_void};
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use model::ProgramValue;

use crate::control::Choices;
use crate::control::agent::{Agent, agent, guard};
use crate::control::{inside, requests, tasks, values};
use crate::hooks;
use crate::jvm::{self, Event, Jni, Ref, Vm};

/// What `Agent_OnLoad` and `Agent_OnAttach` return when all is well.
const OK: c_int = 0;
const FAILED: c_int = 1;

/// Loaded with the virtual machine: `-agentpath`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn Agent_OnLoad(vm: *mut c_void, options: *const c_char, _: *mut c_void) -> c_int {
    let load = || {
        let agent = install(Vm::new(vm), options)?;
        agent.jvmti.enable(Event::VmInit, true).ok()?;
        agent.jvmti.enable(Event::VmDeath, true).ok()
    };
    // No failure of ours keeps the program from running.
    let _ = catch_unwind(load);
    OK
}

/// Loaded into a virtual machine that runs.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn Agent_OnAttach(vm: *mut c_void, options: *const c_char, _: *mut c_void) -> c_int {
    if agent().is_some() {
        return OK;
    }
    let load = || {
        let vm = Vm::new(vm);
        let agent = install(vm, options)?;
        let _ = agent.jvmti.enable(Event::VmDeath, true);
        hooks::begin(agent, vm.jni()?);
        agent.java.get().map(|_| ())
    };
    match catch_unwind(AssertUnwindSafe(load)) {
        Ok(Some(())) => OK,
        _ => FAILED,
    }
}

fn install(vm: Vm, options: *const c_char) -> Option<&'static Agent> {
    let options = jvm::options(options);
    let mut choices = Choices::default();
    choices.add(options.split(',')).ok()?;
    let jvmti = vm.jvmti()?;
    jvmti.add_capabilities().ok()?;
    jvmti.set_callbacks(&hooks::CALLBACKS).ok()?;
    // A panic's words belong into the capture, not onto the program's standard error.
    std::panic::set_hook(Box::new(|what| {
        if let Some(agent) = agent() {
            *agent.panic.lock() = Some(what.to_string().replace('\n', " "));
        }
    }));
    let agent = Agent::install(jvmti, choices).ok()?;
    if let Some(path) = &agent.choices.loaded {
        // Whoever waits for this may be gone.
        let pipe = OpenOptions::new().write(true).custom_flags(libc::O_NONBLOCK).open(path);
        let _ = pipe.and_then(|mut file| file.write_all(format!("{}\n", std::process::id()).as_bytes()));
    }
    Some(agent)
}

/// `TracewrightRecorder.find`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn Java_java_lang_TracewrightRecorder_find(jni: Jni, _: Ref, tid: i64) -> Ref {
    let found = guard(Ref::NULL, |agent| agent.find(jni, tid));
    if found.is_null() { agent().map_or(found, |agent| agent.sentinel(jni)) } else { found }
}

/// `TracewrightRecorder.full`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn Java_java_lang_TracewrightRecorder_full(jni: Jni, _: Ref, buffer: Ref) -> i64 {
    match guard(0, |agent| agent.space(jni, buffer)) {
        // The inserted code writes to whatever address this gives.
        0 => agent().map_or(0, |agent| agent.discard_only(jni, buffer)),
        space => space,
    }
}

/// `TracewrightRecorder.begins`: see [`classfile::instrument::inside`].
#[unsafe(no_mangle)]
pub(crate) extern "C" fn Java_java_lang_TracewrightRecorder_begins(
    jni: Jni,
    _: Ref,
    buffer: Ref,
    thread: Ref,
) -> u8 {
    u8::from(inside::begins(jni, buffer, thread))
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn Java_java_lang_TracewrightRecorder_ends(jni: Jni, _: Ref, buffer: Ref, thread: Ref) {
    inside::ends(jni, buffer, thread);
}

/// `TracewrightRecorder.pass`: see [`classfile::instrument::tasks`].
#[unsafe(no_mangle)]
pub(crate) extern "C" fn Java_java_lang_TracewrightRecorder_pass(jni: Jni, _: Ref, buffer: Ref, task: Ref) {
    tasks::pass(jni, buffer, task);
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn Java_java_lang_TracewrightRecorder_take(
    jni: Jni,
    _: Ref,
    buffer: Ref,
    thread: Ref,
    task: Ref,
) -> u8 {
    u8::from(tasks::take(jni, buffer, thread, task))
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn Java_java_lang_TracewrightRecorder_drop(jni: Jni, _: Ref, task: Ref) {
    tasks::drop(jni, task);
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn Java_java_lang_TracewrightRecorder_start(
    jni: Jni,
    _: Ref,
    buffer: Ref,
    thread: Ref,
    task: Ref,
) {
    tasks::start(jni, buffer, thread, task);
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn Java_java_lang_TracewrightRecorder_idle(jni: Jni, _: Ref, buffer: Ref, thread: Ref) {
    tasks::idle(jni, buffer, thread);
}

/// `TracewrightRecorder.ask`: see [`classfile::instrument::requests`].
#[unsafe(no_mangle)]
pub(crate) extern "C" fn Java_java_lang_TracewrightRecorder_ask(
    jni: Jni,
    _: Ref,
    buffer: Ref,
    thread: Ref,
    request: Ref,
) -> i32 {
    requests::ask(jni, buffer, thread, request)
}

/// `TracewrightRecorder.leave`: `begun` is what `ask` or `take` gave.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn Java_java_lang_TracewrightRecorder_leave(
    jni: Jni,
    _: Ref,
    buffer: Ref,
    thread: Ref,
    begun: i32,
) {
    if begun == requests::PASSED_OVER {
        requests::end_passed_over(jni, buffer);
    } else {
        inside::ends(jni, buffer, thread);
    }
}

/// `TracewrightRecorder.values`, and what follows it: see [`classfile::instrument::values`].
#[unsafe(no_mangle)]
pub(crate) extern "C" fn Java_java_lang_TracewrightRecorder_values(_: Jni, _: Ref, first: i32) {
    values::begin(first);
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn Java_java_lang_TracewrightRecorder_valueBoolean(_: Jni, _: Ref, value: u8) {
    values::take(&ProgramValue::Boolean(value != 0));
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn Java_java_lang_TracewrightRecorder_valueChar(_: Jni, _: Ref, value: u16) {
    values::take(&ProgramValue::Char(value));
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn Java_java_lang_TracewrightRecorder_valueInt(_: Jni, _: Ref, value: i32) {
    values::take(&ProgramValue::Integer(value.into()));
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn Java_java_lang_TracewrightRecorder_valueLong(_: Jni, _: Ref, value: i64) {
    values::take(&ProgramValue::Integer(value));
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn Java_java_lang_TracewrightRecorder_valueFloat(_: Jni, _: Ref, value: f32) {
    values::take(&ProgramValue::Float(value));
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn Java_java_lang_TracewrightRecorder_valueDouble(_: Jni, _: Ref, value: f64) {
    values::take(&ProgramValue::Double(value));
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn Java_java_lang_TracewrightRecorder_valueWithheld(_: Jni, _: Ref) {
    values::take(&ProgramValue::Withheld);
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn Java_java_lang_TracewrightRecorder_valueObject(jni: Jni, _: Ref, value: Ref) {
    values::take_object(jni, value, false);
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn Java_java_lang_TracewrightRecorder_valueThis(jni: Jni, _: Ref, value: Ref) {
    values::take_object(jni, value, true);
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn Java_java_lang_TracewrightRecorder_entered(jni: Jni, _: Ref, buffer: Ref) -> i64 {
    values::entered(jni, buffer)
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn Java_java_lang_TracewrightRecorder_returned(_: Jni, _: Ref, call: i64) {
    values::ended(call, false);
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn Java_java_lang_TracewrightRecorder_threw(_: Jni, _: Ref, call: i64) {
    values::ended(call, true);
}
