//! Where values of calls and tasks are among the words of a thread.

use model::{CallValues, TaskStep};

use crate::records::RecordedTask;

/// Those of a capture that are still to come in one thread.
pub(super) struct Coming {
    /// The next one last: chunk and words in it, and what it is.
    coming: Vec<((u32, u32), One)>,
}

/// What comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum One {
    /// Of a call, by index.
    Values(u32),
    /// A task is handed over by the innermost frame, which is so far, or begun.
    Task(TaskStep, Option<u32>),
}

impl Coming {
    /// Of the thread with this serial number. A task begins before the values of its first call.
    pub(super) fn of(values: &[CallValues], tasks: &[RecordedTask], serial: u32) -> Coming {
        let mut coming = vec![];
        for (index, RecordedTask { task, at }) in (0..).zip(tasks) {
            let handed_over = (task.handed_over, One::Task(TaskStep::HandedOver(index), Some(*at)));
            let begun = task.begun.map(|begun| (begun, One::Task(TaskStep::Begun(index), None)));
            let ends = [Some(handed_over), begun].into_iter().flatten();
            let here = ends.filter(|(moment, _)| moment.thread == serial);
            coming.extend(here.map(|(moment, one)| (moment.position, one)));
        }
        let of_thread = (0..).zip(values).filter(|(_, one)| one.thread == serial);
        coming.extend(of_thread.map(|(index, one)| (one.position, One::Values(index))));
        coming.sort_by_key(|(position, _)| *position);
        coming.reverse();
        Coming { coming }
    }

    /// The next one, if it is not behind this position.
    pub(super) fn next_at(&mut self, (chunk, words): (u32, usize)) -> Option<One> {
        let is_here = |(at, _): &mut ((u32, u32), One)| (at.0, at.1 as usize) <= (chunk, words);
        self.coming.pop_if(is_here).map(|(_, one)| one)
    }

    /// How many words of this chunk lie before the next one, if that is in it.
    pub(super) fn words_before(&self, chunk: u32) -> Option<usize> {
        self.coming.last().filter(|((number, _), _)| *number == chunk).map(|((_, words), _)| *words as usize)
    }
}

#[cfg(test)]
mod tests {
    use model::{MethodId, Task, TaskMoment, Timestamp};

    use super::*;

    fn values(thread: u32, position: (u32, u32)) -> CallValues {
        let (method, began) = (MethodId(0), Timestamp(0));
        CallValues { thread, position, method, began, object: None, arguments: vec![], outcome: None }
    }

    fn task(from: (u32, (u32, u32)), to: (u32, (u32, u32))) -> RecordedTask {
        let moment = |(thread, position)| TaskMoment { thread, position, time: Timestamp(0) };
        let task = Task { handed_over: moment(from), begun: Some(moment(to)), is_thread: false };
        RecordedTask { task, at: 7 }
    }

    #[test]
    fn they_come_in_the_order_of_their_positions_and_tasks_before_values() {
        let values = [values(1, (0, 9)), values(1, (1, 0)), values(1, (1, 0)), values(2, (0, 7))];
        let tasks = [task((1, (1, 0)), (2, (0, 7))), task((2, (0, 3)), (1, (0, 8)))];
        let mut coming = Coming::of(&values, &tasks, 1);
        assert_eq!((coming.words_before(0), coming.words_before(1)), (Some(8), None));
        assert_eq!(coming.next_at((0, 7)), None);
        assert_eq!(coming.next_at((0, 8)), Some(One::Task(TaskStep::Begun(1), None)));
        assert_eq!((coming.next_at((0, 8)), coming.next_at((0, 9))), (None, Some(One::Values(0))));
        let rest: Vec<One> = std::iter::from_fn(|| coming.next_at((1, 0))).collect();
        let handed_over = One::Task(TaskStep::HandedOver(0), Some(7));
        assert_eq!(rest, [handed_over, One::Values(1), One::Values(2)]);
        let mut of_2 = Coming::of(&values, &tasks, 2);
        let all: Vec<_> = std::iter::from_fn(|| of_2.next_at((0, 99))).collect();
        let handed_over = One::Task(TaskStep::HandedOver(1), Some(7));
        assert_eq!(all, [handed_over, One::Task(TaskStep::Begun(0), None), One::Values(3)]);
    }
}
