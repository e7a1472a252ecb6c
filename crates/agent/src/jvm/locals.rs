//! Objects in local variables of methods that run: which thread has called a method of which object.

use std::ffi::{c_int, c_void};
use std::ptr::null;

use super::jvmti_tables::{HeapCallbacks, LocalReference, Method};
use super::{Jvmti, Ref};

/// References that local variables hold.
const STACK_LOCAL: c_int = 24;
/// What an object itself refers to is not followed.
const NO_FURTHER: c_int = 0;

/// A method that runs, of an object with a tag.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TaggedReceiver {
    /// The number of the thread that runs it.
    pub(crate) tid: i64,
    pub(crate) method: Method,
    /// The tag of its `this`, or of its first argument if it is static.
    pub(crate) tag: i64,
}

impl Jvmti {
    /// All methods that run, of objects that have a tag. The program pauses for it; only stacks are looked through.
    pub(crate) fn tagged_receivers(self) -> Vec<TaggedReceiver> {
        let callbacks = HeapCallbacks { object: null(), reference, others: [null(); 14] };
        let mut found: Vec<TaggedReceiver> = Vec::new();
        // The callback is called before this returns, with the address of `found`.
        unsafe {
            ((**self.0).follow_references)(
                self.0,
                0,
                Ref::NULL,
                Ref::NULL,
                &raw const callbacks,
                (&raw mut found).cast(),
            );
        }
        found
    }
}

/// Called for each reference from outside the heap.
extern "C" fn reference(
    kind: c_int,
    about: *const LocalReference,
    _: i64,
    _: i64,
    _: i64,
    tag: *const i64,
    _: *const i64,
    _: c_int,
    found: *mut c_void,
) -> c_int {
    if kind != STACK_LOCAL || about.is_null() || tag.is_null() {
        return NO_FURTHER;
    }
    // Of this kind the machine has a `LocalReference`; `found` is what `tagged_receivers` passes, and nobody else has.
    let (about, tag, found) = unsafe { (&*about, *tag, &mut *found.cast::<Vec<TaggedReceiver>>()) };
    if tag != 0 && about.slot == 0 {
        found.push(TaggedReceiver { tid: about.tid, method: about.method, tag });
    }
    NO_FURTHER
}
