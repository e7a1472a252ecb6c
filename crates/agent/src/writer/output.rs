//! The files of one recording while they are written: what stands in them, and whether that can go on.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use capture::records::{put_tasks, put_values};
use capture::{
    Encoding, Loss, Skipped, StacksRecord, TaskRecord, ThreadRecord, ThrottleRecord, ValuesRecord, put_mark,
    put_running, put_running_samples, put_throttled,
};
use model::flow_source::Mark;
use model::running::{Running, RunningSamples};

use super::batch::Batch;
use super::files::{Folder, Log};
use super::samples::Samples;
use super::steps::Steps;
use super::writing::Writing;
use crate::buffers::Buffers;
use crate::locks::{Lock, Rank};
use crate::sys::now;
use crate::wake::Wake;

/// Bytes of the values of calls in one recording before they are compressed: as the help of `--values` says.
const MOST_VALUE_BYTES: u64 = 256 << 20;
/// The same of tasks.
const MOST_TASK_BYTES: u64 = 64 << 20;

/// Where one recording goes.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) folder: Folder,
    /// `None` when nothing more may be written.
    code: Lock<Option<Log>>,
    pub(crate) steps: Steps<Writing>,
    /// Why it must end, if it must.
    failed: Lock<Option<String>>,
    /// Whether no more slots will come.
    pub(crate) is_over: AtomicBool,
    /// Bytes of `code` and `steps`, and how many there may be.
    pub(crate) bytes: AtomicU64,
    pub(super) most_bytes: Option<u64>,
    /// Values of calls, and tasks.
    values: Batch,
    tasks: Batch,
    /// Whoever has to end it is woken by this.
    wake: Arc<Wake>,
}

impl Output {
    pub(crate) fn new(
        folder: Folder,
        [code, steps]: [Log; 2],
        (encoding, most_bytes): (Encoding, Option<u64>),
        samples: Option<Samples>,
        wake: Arc<Wake>,
    ) -> Output {
        Output {
            folder,
            bytes: AtomicU64::new(code.length()),
            most_bytes,
            values: Batch::new(MOST_VALUE_BYTES, put_values, |out| ValuesRecord::Full.put(out)),
            tasks: Batch::new(MOST_TASK_BYTES, put_tasks, |out| TaskRecord::Full.put(out)),
            code: Lock::new(Rank::Code, Some(code)),
            steps: Steps::new(steps, encoding, samples),
            failed: Lock::new(Rank::Leaf, None),
            is_over: AtomicBool::new(false),
            wake,
        }
    }

    /// It cannot go on. The first reason counts.
    pub(crate) fn fail(&self, reason: String) {
        self.failed.lock().get_or_insert(reason);
        // The control thread ends it at once.
        self.wake.wake();
    }

    /// Why it cannot go on.
    pub(crate) fn failure(&self) -> Option<String> {
        self.failed.lock().clone()
    }

    /// Something went wrong that must end the recording.
    pub(crate) fn give_up(&self, buffers: &Buffers, reason: String) {
        self.fail(reason);
        self.take_no_more(buffers);
    }

    /// Hands out no more slots, and asks the control thread to end the recording. On a busy machine that
    /// thread may come late; what is written until then would be beyond what was asked for.
    pub(crate) fn take_no_more(&self, buffers: &Buffers) {
        buffers.close();
        self.wake.wake();
    }

    /// Appends to `code`; `false` if that is closed or cannot be done, which ends the recording.
    pub(crate) fn append(&self, bytes: &[u8]) -> bool {
        self.append_at(bytes).is_some()
    }

    /// The same; where in `code` it begins.
    pub(crate) fn append_at(&self, bytes: &[u8]) -> Option<u64> {
        let mut code = self.code.lock();
        let log = code.as_mut()?;
        let at = log.length();
        match log.append(bytes) {
            Ok(()) => {
                self.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                Some(at)
            }
            Err(error) => {
                drop(code);
                self.fail(cannot_write(&error));
                None
            }
        }
    }

    /// Appends what `put` puts.
    fn append_record(&self, put: impl FnOnce(&mut Vec<u8>)) -> bool {
        let mut out = Vec::new();
        put(&mut out);
        self.append(&out)
    }

    /// A class that is not recorded although the filters let it through.
    pub(crate) fn skipped(&self, class: String, reason: String) {
        self.append_record(|out| Skipped { class, reason }.put(out));
    }

    pub(crate) fn thread(&self, record: &ThreadRecord) {
        self.append_record(|out| record.put(out));
    }

    pub(crate) fn running(&self, running: &Running) {
        self.append_record(|out| put_running(running, out));
    }

    pub(crate) fn running_samples(&self, tid: u64, samples: &RunningSamples) {
        self.append_record(|out| put_running_samples(tid, samples, out));
    }

    pub(crate) fn stacks(&self, record: &StacksRecord) {
        self.append_record(|out| record.put(out));
    }

    /// Appends what the clock has seen.
    pub(crate) fn ticks(&self, ticks: &[u8]) -> bool {
        self.append_much(ticks)
    }

    /// Appends what may be much in all. Whoever ends a recording that has its size is woken.
    fn append_much(&self, bytes: &[u8]) -> bool {
        let is_there = self.append(bytes);
        if self.most_bytes.is_some_and(|most| self.bytes.load(Ordering::Relaxed) >= most) {
            self.wake.wake();
        }
        is_there
    }

    /// Takes a record of values of calls. `false`: there are too many bytes of them, and it is not kept.
    pub(crate) fn values(&self, record: &[u8]) -> bool {
        self.take(&self.values, record)
    }

    /// Takes a record of a task.
    pub(crate) fn task(&self, record: &TaskRecord) {
        let mut bytes = Vec::new();
        record.put(&mut bytes);
        self.take(&self.tasks, &bytes);
    }

    fn take(&self, batch: &Batch, record: &[u8]) -> bool {
        let is_stored = batch.take(record);
        if batch.is_due() {
            self.append_batch(batch);
        }
        is_stored
    }

    /// Appends the values and tasks that have waited for long.
    pub(crate) fn append_due(&self) {
        [&self.values, &self.tasks]
            .into_iter()
            .filter(|batch| batch.is_due())
            .for_each(|batch| self.append_batch(batch));
    }

    /// Appends all values and tasks that wait.
    pub(crate) fn append_waiting(&self) {
        [&self.values, &self.tasks].into_iter().for_each(|batch| self.append_batch(batch));
    }

    fn append_batch(&self, batch: &Batch) {
        let out = batch.frame();
        if !out.is_empty() {
            self.append_much(&out);
        }
    }

    /// Methods that are not recorded any more, or how often they were called since.
    pub(crate) fn throttled(&self, records: &[ThrottleRecord]) {
        self.append_record(|out| put_throttled(records, out));
    }

    pub(crate) fn loss(&self, thread: u32, before_chunk: u32, words: u64) {
        self.append_record(|out| loss(thread, before_chunk, words).put(out));
    }

    pub(crate) fn mark(&self, mark: &Mark) -> bool {
        self.append_record(|out| put_mark(mark, out))
    }

    /// Nothing more is written, but what is done with the file that this returns.
    pub(crate) fn close(&self) -> Option<Log> {
        self.code.lock().take()
    }
}

/// Why a recording ends that cannot be written.
pub(crate) fn cannot_write(error: &io::Error) -> String {
    format!("cannot write to the capture: {error}")
}

/// The words that a thread lost at last.
pub(crate) fn loss(thread: u32, before_chunk: u32, words: u64) -> Loss {
    Loss { thread, before_chunk, words, reason: "no chunk was free".to_owned() }
}

/// A thread as the capture has it; `name` is modified UTF-8.
pub(crate) fn thread_record(serial: u32, tid: i64, name: &[u8], is_virtual: bool) -> ThreadRecord {
    ThreadRecord {
        serial,
        tid: tid.cast_unsigned(),
        name: classfile::modified_utf8::to_text(name),
        is_virtual,
        time: now(),
    }
}
