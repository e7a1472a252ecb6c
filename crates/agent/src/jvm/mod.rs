//! The virtual machine's C interfaces, JVMTI and JNI: as much of them as the recorder uses.
//!
//! Both are tables of functions. That of JNI is declared by `jni-sys`, that of JVMTI in `jvmti_tables.rs`: both have
//! not moved since JDK 9. Everything outside this module calls the safe functions below and never sees a table.
//!
//! What makes them safe: [`Jvmti`] and [`Jni`] are only made from what the virtual machine gave us,
//! a `Jni` stays on the thread and within the call that it was given to, and a [`Ref`] is an opaque
//! handle that comes from a call here. Handles are not counted; who makes global ones deletes them.
//! No function here may be called with a Java exception pending; each clears what it raised.
#![allow(unsafe_code)] // calls through the tables of the virtual machine

use std::ffi::{CStr, c_char, c_int, c_uchar, c_void};
use std::ptr::null_mut;

use jni_sys::{JNI_OK, JNI_VERSION_1_8, JNIEnv, JavaVM, jfieldID, jobject};

/// A handle of an object; null is a value like any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Ref(jobject);

// A global handle may be used on any attached thread; local ones never leave their `Jni`'s call.
unsafe impl Send for Ref {}
unsafe impl Sync for Ref {}

impl Ref {
    pub(crate) const NULL: Ref = Ref(null_mut());

    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }
}

/// A field's handle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field(jfieldID);
/// A static field's handle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StaticField(jfieldID);
// Field handles are process-wide.
unsafe impl Send for Field {}
unsafe impl Sync for Field {}
unsafe impl Send for StaticField {}
unsafe impl Sync for StaticField {}

const JVMTI_VERSION_1_2: c_int = 0x3001_0200;

/// The virtual machine.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Vm(*mut JavaVM);

/// Our JVMTI environment. Any thread may use it.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Jvmti(*mut *const jvmti_tables::Functions);
unsafe impl Send for Jvmti {}
unsafe impl Sync for Jvmti {}

/// The JNI environment of the current thread.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Jni(*mut JNIEnv);

mod children;
mod jni;
mod jvmti;
mod jvmti_tables;

pub(crate) mod handles;
pub(crate) mod names;
pub(crate) mod overflow;
mod preload;

pub(crate) use jni::Value;
pub(crate) use jvmti::{Callbacks, Event, Refused, thread_state};
pub(crate) use jvmti_tables::{Frame, Method};

impl Vm {
    pub(crate) fn new(vm: *mut c_void) -> Vm {
        Vm(vm.cast())
    }

    /// An environment of our own; `None` if this machine has no JVMTI.
    pub(crate) fn jvmti(self) -> Option<Jvmti> {
        self.environment(JVMTI_VERSION_1_2).map(|env| Jvmti(env.cast()))
    }

    /// The environment of the current thread, which must be one of Java's.
    pub(crate) fn jni(self) -> Option<Jni> {
        self.environment(JNI_VERSION_1_8).map(|env| Jni(env.cast()))
    }

    fn environment(self, version: c_int) -> Option<*mut c_void> {
        let mut env: *mut c_void = null_mut();
        let result = unsafe { (**self.0).GetEnv?(self.0, &raw mut env, version) };
        (result == JNI_OK && !env.is_null()).then_some(env)
    }
}

/// The class name and bytes that the hook was given, copied out of nothing.
pub(crate) fn hook_input<'a>(
    name: *const c_char,
    length: c_int,
    bytes: *const c_uchar,
) -> (Option<&'a [u8]>, &'a [u8]) {
    let name = (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_bytes());
    let length = usize::try_from(length).unwrap_or(0);
    let bytes = if bytes.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(bytes, length) } };
    (name, bytes)
}

/// Gives the hook's caller other bytes: these, when `change` has changed them.
pub(crate) fn hook_output(
    jvmti: Jvmti,
    bytes: &[u8],
    change: impl FnOnce(&mut [u8]),
    length_out: *mut c_int,
    bytes_out: *mut *mut c_uchar,
) -> Result<(), Refused> {
    let memory = jvmti.allocate(bytes)?;
    if !memory.is_null() {
        // As many were copied there, and nobody else knows of them yet.
        change(unsafe { std::slice::from_raw_parts_mut(memory, bytes.len()) });
    }
    unsafe {
        *length_out = c_int::try_from(bytes.len()).unwrap_or(0);
        *bytes_out = memory;
    }
    Ok(())
}

/// The options that an agent is started with.
pub(crate) fn options(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
