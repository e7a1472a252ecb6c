//! The tasks of a capture.

use std::collections::HashSet;

use model::Task;

use crate::limits;
use crate::records::{RecordedTask, TaskRecord};

/// What was read up to now.
#[derive(Default)]
pub(super) struct Tasks {
    /// In the order of their beginnings, once all were read; and the same without what the recorder says beyond the model.
    pub(super) recorded: Vec<RecordedTask>,
    pub(super) all: Vec<Task>,
    /// There were more than these.
    is_bounded: bool,
}

impl Tasks {
    pub(super) fn add(&mut self, record: TaskRecord) {
        match record {
            TaskRecord::Task(task) if self.recorded.len() < limits::TASKS => self.recorded.push(task),
            TaskRecord::Task(_) | TaskRecord::Full => self.is_bounded = true,
        }
    }

    /// All were read. Whether there were more than are kept. Left out are those of threads of which nothing was recorded, and
    /// pending ones that began after all.
    pub(super) fn finish(&mut self, is_recorded: impl Fn(u32) -> bool) -> bool {
        let hand_over =
            |task: &Task| (task.handed_over.thread, task.handed_over.position, task.handed_over.time);
        let tasks = self.recorded.iter().map(|one| &one.task);
        let begun: HashSet<_> = tasks.filter(|task| task.begun.is_some()).map(hand_over).collect();
        self.recorded.retain(|RecordedTask { task, .. }| match task.begun {
            Some(begun) => is_recorded(begun.thread),
            None => is_recorded(task.handed_over.thread) && !begun.contains(&hand_over(task)),
        });
        self.recorded.sort_by_key(|one| {
            let moment = one.task.begun.unwrap_or(one.task.handed_over);
            (moment.time, moment.thread)
        });
        self.all = self.recorded.iter().map(|one| one.task).collect();
        self.is_bounded
    }
}

#[cfg(test)]
mod tests {
    use model::{TaskMoment, Timestamp};

    use super::*;

    #[test]
    fn a_pending_task_that_began_is_there_once_and_one_that_did_not_stays() {
        let moment = |thread, time| TaskMoment { thread, position: (0, 1), time: Timestamp(time) };
        let mut tasks = Tasks::default();
        for (handed_over, begun) in [
            (moment(1, 10), None),
            (moment(1, 20), None),
            (moment(1, 10), Some(moment(2, 30))),
            (moment(1, 25), Some(moment(9, 40))),
            (moment(9, 26), None),
        ] {
            tasks.add(TaskRecord::Task(RecordedTask {
                task: Task { handed_over, begun, is_thread: false },
                at: 0,
            }));
        }
        assert!(!tasks.finish(|serial| serial != 9));
        let found: Vec<_> = tasks
            .all
            .iter()
            .map(|task| (task.handed_over.time.0, task.begun.map(|begun| begun.time.0)))
            .collect();
        assert_eq!(found, [(20, None), (10, Some(30))]);
    }
}
