//! Tasks that go from one thread to another: handed over, inside a call that the user named or anywhere, and begun.
//!
//! ```text
//! body     records, each a length and that many bytes; what is of a kind that is not known is passed over
//! record   0 u8, moment of the hand-over, how far the frame was that handed over, moment of the beginning
//!          1 u8                                             no more tasks are kept: there were too many of them
//!          2 u8, as 0                                       the task is the thread itself
//!          3 u8, as 0 without the beginning                 the task had not begun some time after; 0 may follow
//! moment   thread, chunk number, words, time signed
//! ```

use model::{Task, TaskMoment, Timestamp};
use source::bytes::{Cursor, put_bytes, put_number, put_signed};

use super::each_record;
use crate::frame::{self, kind};

/// One record of a frame of tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskRecord {
    /// A task was handed over.
    Task(RecordedTask),
    /// No more follow.
    Full,
}

/// A task that was handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordedTask {
    /// The task.
    pub task: Task,
    /// How far the innermost frame of the thread was that handed it over, as a record of a callee would state it. Only
    /// where paths are recorded.
    pub at: u32,
}

/// Appends a frame with these records, as [`TaskRecord::put`] puts them; nothing if there are none.
pub fn put_tasks(records: &[u8], out: &mut Vec<u8>) {
    if !records.is_empty() {
        frame::put_small(out, kind::TASKS, &[], records);
    }
}

/// Reads a body: each record is given to `take`. `None` where it makes no sense.
pub fn read_tasks(body: &[u8], mut take: impl FnMut(TaskRecord)) -> Option<()> {
    each_record(body, LAST_TAG, |record| TaskRecord::read(record).map(&mut take))
}

/// The highest tag of a record.
const LAST_TAG: u8 = PENDING;

const PENDING: u8 = 3;

impl TaskRecord {
    /// Appends one record of a frame.
    pub fn put(&self, out: &mut Vec<u8>) {
        let mut body = vec![];
        match self {
            TaskRecord::Task(RecordedTask { task, at }) => {
                body.push(match task {
                    Task { begun: None, .. } => PENDING,
                    Task { is_thread, .. } => 2 * u8::from(*is_thread),
                });
                put_moment(&mut body, &task.handed_over);
                put_number(&mut body, u64::from(*at));
                task.begun.iter().for_each(|begun| put_moment(&mut body, begun));
            }
            TaskRecord::Full => body.push(1),
        }
        put_bytes(out, &body);
    }

    /// Reads the bytes of one record.
    fn read(body: &[u8]) -> Option<TaskRecord> {
        let mut cursor = Cursor::new(body);
        let tag = cursor.byte()?;
        if tag == 1 {
            return Some(TaskRecord::Full);
        }
        let handed_over = read_moment(&mut cursor)?;
        let at = cursor.number32()?;
        let begun = if tag == PENDING { None } else { Some(read_moment(&mut cursor)?) };
        let task = Task { handed_over, begun, is_thread: tag == 2 };
        Some(TaskRecord::Task(RecordedTask { task, at }))
    }
}

fn put_moment(out: &mut Vec<u8>, moment: &TaskMoment) {
    let (chunk, words) = moment.position;
    [moment.thread, chunk, words].into_iter().for_each(|part| put_number(out, u64::from(part)));
    put_signed(out, moment.time.0);
}

fn read_moment(cursor: &mut Cursor<'_>) -> Option<TaskMoment> {
    let thread = cursor.number32()?;
    let position = (cursor.number32()?, cursor.number32()?);
    Some(TaskMoment { thread, position, time: Timestamp(cursor.signed()?) })
}
