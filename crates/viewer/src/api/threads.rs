//! Threads in time: when the threads of a recording ran and waited, and their longer calls.
//!
//! ```text
//! /api/threads          the threads, marks, losses and the time that they take
//! /api/threads/calls    the calls of one thread in a part of the time, for so many pixels
//! /api/threads/moment   when a thread was at a position
//! ```
//!
//! Only recordings with a clock have them. A call is there if its length is known: most calls of less than a few
//! milliseconds begin and end between two looks of the clock.

use serde::Serialize;

use super::{Endpoint, JobStatus, Kind, Parameter, needed};

const THREAD: Parameter = needed("thread", Kind::Integer, "Serial number of the thread");

/// The threads.
pub const THREADS: Endpoint<Threads> = Endpoint::get(
    "/api/threads",
    "The threads of a recording over time, once it has been read for that",
    &[],
);
/// Some calls.
pub const CALLS: Endpoint<TimedCalls> = Endpoint::get(
    "/api/threads/calls",
    "The calls of a thread in a part of the time, each in the lane below the call around it, and when the thread ran",
    &[
        THREAD,
        needed("from", Kind::Integer, "Beginning of the part"),
        needed("to", Kind::Integer, "Its end"),
        needed("pixels", Kind::Integer, "Pixels that it is drawn on, at most 4000"),
    ],
);
/// When a position was reached.
pub const MOMENT: Endpoint<Moment> = Endpoint::get(
    "/api/threads/moment",
    "When a thread was at a position",
    &[THREAD, needed("at", Kind::Integer, "Position in the thread")],
);

/// The threads, once the recording has been read.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Threads {
    #[serde(flatten)]
    pub job: JobStatus,
    /// Null until it has been read.
    pub times: Option<ThreadTimes>,
}

/// All threads over time.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ThreadTimes {
    /// The beginning, nanoseconds since 1970; a text, because it may be more than a page counts exactly.
    pub start: String,
    /// How long all of it takes.
    pub length: i64,
    /// Calls that took at least so long are there, if their length is known.
    pub least: i64,
    /// In the order of their beginnings.
    pub threads: Vec<TimedThread>,
    pub marks: Vec<TimedMark>,
    /// The tasks that went from one thread to another, in the order of their beginnings, at most ten thousand.
    pub tasks: Vec<TimedTask>,
}

/// A thread.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TimedThread {
    pub serial: u32,
    pub name: String,
    /// When it was first and last seen to have run.
    pub from: i64,
    pub to: i64,
    /// Lanes of calls, at most 64.
    pub lanes: usize,
    /// Calls whose length is known.
    pub calls: u64,
    /// How many of these are too many to be held.
    pub left_out: u64,
    /// Records that were lost, the first ten thousand losses.
    pub losses: Vec<TimedLoss>,
}

/// Something that was lost.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TimedLoss {
    /// Between these.
    pub from: i64,
    pub to: i64,
    /// How many records or blocks; null: not known.
    pub lost: Option<u64>,
}

/// A mark.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TimedMark {
    pub at: i64,
    pub text: String,
}

/// A task that goes from one thread to another.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TimedTask {
    pub handed_over: TaskEnd,
    /// Null: it had not begun at the end.
    pub begun: Option<TaskEnd>,
    /// What began it: the class with its package, and the method; empty where nothing of it is recorded.
    pub class: String,
    pub name: String,
    /// Whether it is the thread itself that was started.
    pub is_thread: bool,
}

/// Where a task was handed over or begun.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TaskEnd {
    /// Serial number of the thread.
    pub thread: u32,
    pub at: i64,
    /// How many blocks the thread had run.
    pub position: u64,
}

/// What one thread did in a part of the time.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TimedCalls {
    pub calls: Vec<TimedCall>,
    /// For each four pixels: which share of the time the thread was on a processor; null where that is not known.
    pub running: Vec<Option<f64>>,
}

/// A call, or several that are too short to be drawn one by one.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TimedCall {
    pub lane: usize,
    pub from: i64,
    pub to: i64,
    /// How far the length may be off.
    pub within: i64,
    /// How long the thread was on no processor meanwhile; null where that is not known.
    pub waiting: Option<i64>,
    /// How many they are. The rest of this is about the longest.
    pub count: u64,
    pub class: String,
    pub name: String,
    pub method: u32,
    /// How many blocks the thread had run before it.
    pub position: u64,
    /// It ended with an exception.
    pub threw: bool,
    /// It had not ended when the recording did.
    pub open: bool,
}

/// When a thread was at a position.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Moment {
    /// It was there after this; null: before the clock first looked.
    pub at: Option<i64>,
}

#[cfg(test)]
pub(super) fn describe(document: &mut super::generate::Document) {
    document.add(&THREADS);
    document.add(&CALLS);
    document.add(&MOMENT);
}
