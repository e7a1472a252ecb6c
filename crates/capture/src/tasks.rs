//! The tasks of a capture.

use model::Task;

use crate::limits;
use crate::records::{BegunTask, TaskRecord};

/// What was read up to now.
#[derive(Default)]
pub(super) struct Tasks {
    /// In the order of their beginnings, once all were read; and the same without what the recorder adds to the model.
    pub(super) begun: Vec<BegunTask>,
    pub(super) all: Vec<Task>,
    /// There were more than these.
    is_bounded: bool,
}

impl Tasks {
    pub(super) fn add(&mut self, record: TaskRecord) {
        match record {
            TaskRecord::Begun(task) if self.begun.len() < limits::TASKS => self.begun.push(task),
            TaskRecord::Begun(_) | TaskRecord::Full => self.is_bounded = true,
        }
    }

    /// All were read. Whether there were more than are kept. Those that a thread began of which nothing was recorded are left out.
    pub(super) fn finish(&mut self, is_recorded: impl Fn(u32) -> bool) -> bool {
        self.begun.retain(|one| is_recorded(one.task.begun.thread));
        self.begun.sort_by_key(|one| (one.task.begun.time, one.task.begun.thread));
        self.all = self.begun.iter().map(|one| one.task).collect();
        self.is_bounded
    }
}
