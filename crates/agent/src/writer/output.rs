//! The files of one recording while they are written: what stands in them, and whether that can go on.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use capture::records::put_values;
use capture::{
    Encoding, Loss, Skipped, StacksRecord, ThreadRecord, ValuesRecord, put_mark, put_running,
    put_running_samples,
};
use model::flow_source::Mark;
use model::running::{Running, RunningSamples};

use super::files::{Folder, Log};
use super::steps::Steps;
use super::writing::Writing;
use crate::buffers::Buffers;
use crate::locks::{Lock, Rank};
use crate::sys::now;
use crate::wake::Wake;

/// Bytes of the values of calls in one recording before they are compressed: as the help of `--values` says.
const MOST_VALUE_BYTES: u64 = 256 << 20;
/// Values wait until there are so many bytes of them, and no longer than this: a program that is killed has lost that much.
const AT_ONCE: usize = 16 << 10;
const VALUES_WAIT: Duration = Duration::from_millis(100);

/// Values of calls that are not appended yet.
#[derive(Debug, Default)]
struct Waiting {
    records: Vec<u8>,
    /// When the first of them came.
    since: Option<Instant>,
    /// Of all that were taken.
    bytes: u64,
}

/// Where one recording goes.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) folder: Folder,
    /// `None` when nothing more may be written.
    code: Lock<Option<Log>>,
    pub(crate) steps: Steps<Writing>,
    /// Why it must end, if it must.
    failed: Lock<Option<String>>,
    /// Tells the writer that no more slots will come.
    pub(crate) is_over: AtomicBool,
    /// Bytes of `code` and `steps`, and how many there may be.
    pub(crate) bytes: AtomicU64,
    pub(super) most_bytes: Option<u64>,
    /// Values of calls that wait to be appended.
    values: Lock<Waiting>,
    /// Whoever has to end it is woken by this.
    wake: Arc<Wake>,
}

impl Output {
    pub(crate) fn new(
        folder: Folder,
        [code, steps]: [Log; 2],
        (encoding, most_bytes): (Encoding, Option<u64>),
        wake: Arc<Wake>,
    ) -> Output {
        Output {
            folder,
            bytes: AtomicU64::new(code.length()),
            most_bytes,
            values: Lock::new(Rank::Leaf, Waiting::default()),
            code: Lock::new(Rank::Code, Some(code)),
            steps: Steps::new(steps, encoding),
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
        let mut waiting = self.values.lock();
        if waiting.bytes > MOST_VALUE_BYTES {
            return false;
        }
        waiting.bytes += record.len() as u64;
        let is_stored = waiting.bytes <= MOST_VALUE_BYTES;
        match is_stored {
            true => waiting.records.extend_from_slice(record),
            false => ValuesRecord::Full.put(&mut waiting.records),
        }
        let since = *waiting.since.get_or_insert_with(Instant::now);
        let is_due = waiting.records.len() >= AT_ONCE || since.elapsed() >= VALUES_WAIT;
        drop(waiting);
        if is_due {
            self.append_values();
        }
        is_stored
    }

    /// Appends the values that wait if they have done so for long.
    pub(crate) fn append_due_values(&self) {
        if self.values.lock().since.is_some_and(|since| since.elapsed() >= VALUES_WAIT) {
            self.append_values();
        }
    }

    /// Appends all values that wait.
    pub(crate) fn append_values(&self) {
        let records = {
            let mut waiting = self.values.lock();
            waiting.since = None;
            std::mem::take(&mut waiting.records)
        };
        let mut out = Vec::new();
        put_values(&records, &mut out);
        if !out.is_empty() {
            self.append_much(&out);
        }
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
