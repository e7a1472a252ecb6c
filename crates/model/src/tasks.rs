//! Tasks: work that one thread hands over and another one does.
//!
//! ```text
//! exec-1   Enter(App.doGet) ... HandedOver(0) ... Leave
//! pool-1                               Begun(0)  Enter(Report.run) ... Leave
//! ```
//!
//! A task that has not begun is pending: it has the first line only.

use crate::Timestamp;

/// A task that was handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    /// Where it was handed over.
    pub handed_over: TaskMoment,
    /// Where it began; `None` if it had not when the recorder looked last.
    pub begun: Option<TaskMoment>,
    /// Whether it is the thread itself that was started.
    pub is_thread: bool,
}

/// A moment of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskMoment {
    /// The serial number of the thread.
    pub thread: u32,
    /// Directly before which record of that thread, as [`ThreadInfo::position`](crate::ThreadInfo::position) counts.
    pub position: (u32, u32),
    /// When.
    pub time: Timestamp,
}

/// What a thread has to do with a task, by its index in [`FlowSource::tasks`](crate::FlowSource::tasks).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskStep {
    /// It hands the task over.
    HandedOver(u32),
    /// It begins it: with the frame that begins next.
    Begun(u32),
}
