//! Handles of the classes and fields that the recorder reads and writes.

use super::overflow::OverflowRecords;
use super::{Field, Jni, Ref, StaticField};

/// What is known of the classes that were defined, all global handles.
#[derive(Debug)]
pub(crate) struct Handles {
    pub(crate) buffer_class: Ref,
    /// `TracewrightRecorder.TABLE`.
    pub(crate) table: Ref,
    /// The buffer of no thread, which fills the table.
    pub(crate) sentinel: Ref,
    /// Fields of the buffer.
    pub(crate) tid: Field,
    pub(crate) thread: Field,
    pub(crate) cursor: Field,
    pub(crate) end: Field,
    pub(crate) at: Field,
    /// In how many calls of named methods that are recorded its thread is.
    pub(crate) depth: Field,
    /// Its [`Activity`].
    pub(crate) activity: Field,
    /// How many threads are in one, which is the first of them, and how many are besides.
    pub(crate) open: StaticField,
    pub(crate) first_inside: StaticField,
    pub(crate) others: StaticField,
    /// 1 while the whole program is recorded and its tasks are followed.
    pub(crate) everywhere: StaticField,
    /// How many tasks were handed over in one, or anywhere, and have not begun.
    pub(crate) passed: StaticField,
    /// How often throttled methods were called, a `long[]`.
    pub(crate) counts: Ref,
    pub(crate) overflow: OverflowRecords,
    /// `Thread.tid`.
    pub(crate) thread_tid: Field,
    /// `java.lang.Thread`, and the object to which one is parked.
    pub(crate) thread_class: Ref,
    pub(crate) park_blocker: Option<Field>,
    /// The class of locks that know who holds them, and the field with the holder.
    pub(crate) owned_lock: Option<(Ref, Field)>,
    /// The class of locks that several readers may hold, and the field with the first of them that holds it still.
    pub(crate) shared_lock: Option<(Ref, Field)>,
    /// The interface of tasks that are to begin at some time.
    pub(crate) delayed_class: Option<Ref>,
    /// The class of virtual threads, where there are some.
    pub(crate) virtual_class: Option<Ref>,
}

/// What a thread is in the middle of without a call around it whose end is noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Activity {
    Nothing = 0,
    /// A request with a path that is named, which is not recorded.
    UnrecordedRequest = 1,
    /// A task of a pool, which is.
    PoolTask = 2,
}

impl Handles {
    /// Whether this is the buffer of a thread: the one of no thread is that of many.
    pub(crate) fn is_of_one_thread(&self, jni: Jni, buffer: Ref) -> bool {
        !buffer.is_null() && jni.get_long(buffer, self.tid) >= 0
    }

    /// Whether all tasks are followed, and not only those that are handed over inside named calls.
    pub(crate) fn follow_everywhere(&self, jni: Jni, everywhere: bool) {
        jni.set_static_int(self.buffer_class, self.everywhere, everywhere.into());
    }

    pub(crate) fn activity(&self, jni: Jni, buffer: Ref) -> Activity {
        if buffer.is_null() {
            return Activity::Nothing;
        }
        let known = [Activity::UnrecordedRequest, Activity::PoolTask];
        let now = jni.get_int(buffer, self.activity);
        known.into_iter().find(|known| *known as i32 == now).unwrap_or(Activity::Nothing)
    }

    pub(crate) fn set_activity(&self, jni: Jni, buffer: Ref, activity: Activity) {
        if !buffer.is_null() {
            jni.set_int(buffer, self.activity, activity as i32);
        }
    }
}
