//! Handles of the classes and fields that the recorder reads and writes.

use super::overflow::OverflowRecords;
use super::{Field, Ref, StaticField};

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
    /// 1 while it serves a request that is not recorded, 2 while it runs a task of a pool that is.
    pub(crate) passing: Field,
    /// How many threads are in one, which is the first of them, and how many are besides.
    pub(crate) open: StaticField,
    pub(crate) first_inside: StaticField,
    pub(crate) others: StaticField,
    /// How many tasks were handed over in one, and have not begun.
    pub(crate) passed: StaticField,
    pub(crate) overflow: OverflowRecords,
    /// `Thread.tid`.
    pub(crate) thread_tid: Field,
    /// `java.lang.Thread`, and the object to which one is parked.
    pub(crate) thread_class: Ref,
    pub(crate) park_blocker: Option<Field>,
    /// The class of locks that know who holds them, and the field that says it.
    pub(crate) owned_lock: Option<(Ref, Field)>,
    /// The class of virtual threads, where there are some.
    pub(crate) virtual_class: Option<Ref>,
}
