//! A full slot on its way to `steps`: packed by whoever has it, then appended. Until then it keeps its words, so a
//! kill loses nothing that was packed and no more.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use capture::pool::FREE;

use super::files::Log;
use super::output::{Output, cannot_write};
use super::steps::{Packed, Written};
use crate::buffers::thread::Job;
use crate::buffers::{Buffers, pool};

/// One slot in the hands of the writer, or of a thread that writes by itself. Whatever happens to that, the end of
/// the recording does not wait for it in vain.
#[derive(Debug)]
pub(crate) struct Writing {
    buffers: &'static Buffers,
    job: Job,
    /// By a thread, perhaps another one than has filled it.
    is_own: bool,
    packed: Option<Packed>,
    /// What came of appending it.
    appended: Option<io::Result<Written>>,
    /// It is appended, and its slot is as it has to be.
    written: Option<Written>,
}

/// The writer writes what a slot holds; `false` if that, or what others have left to it, cannot be: this ends the
/// recording.
pub(crate) fn write(buffers: &'static Buffers, output: &Output, job: Job, is_hurried: bool) -> bool {
    Writing::of(buffers, job, false).put(output, is_hurried, true)
}

/// A thread of the program writes what it has filled, since the writer is behind. `waits`: until that is written
/// and its slot is free.
pub(crate) fn write_own(buffers: &'static Buffers, output: Option<Arc<Output>>, job: Job, waits: bool) {
    let writing = Writing::of(buffers, job, true);
    if let Some(output) = output {
        writing.put(&output, true, waits);
    }
}

impl Writing {
    fn of(buffers: &'static Buffers, job: Job, is_own: bool) -> Writing {
        Writing { buffers, job, is_own, packed: None, appended: None, written: None }
    }

    /// Whether all could be written that was.
    fn put(mut self, output: &Output, is_hurried: bool, waits: bool) -> bool {
        self.packed = Some(output.steps.pack(&self.buffers.pool, &self.job, is_hurried));
        if self.buffers.pool.is_lost() {
            // Perhaps zeros were packed for words.
            self.appended = Some(Err(pool::lost()));
        }
        let mut is_written = true;
        let append = |log: &mut Log, writing: &mut Writing| {
            if writing.appended.is_some() {
                return;
            }
            writing.appended = writing.packed.as_ref().map(|packed| output.steps.append(log, packed));
        };
        output.steps.log.put(self, waits, append, |writing| is_written &= writing.finish(output));
        is_written
    }

    /// Counts what was written and clears the slot, if its thread has left it; `false` if it could not be written.
    fn finish(mut self, output: &Output) -> bool {
        output.steps.reuse(self.packed.take());
        match self.appended.take() {
            Some(Ok(written)) => {
                let bytes = output.bytes.fetch_add(written.bytes, Ordering::Relaxed) + written.bytes;
                if output.most_bytes.is_some_and(|most| bytes >= most) {
                    output.take_no_more(self.buffers);
                }
                if self.job.is_left {
                    // Nobody else touches it, so no thread has to wait for a lock meanwhile.
                    self.buffers.pool.set_state(self.job.slot, FREE);
                    self.buffers.pool.clear(self.job.slot);
                }
                self.written = Some(written);
                true
            }
            Some(Err(error)) => {
                output.fail(cannot_write(&error));
                output.take_no_more(self.buffers);
                false
            }
            None => true,
        }
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        let Writing { buffers, job, is_own, written, .. } = self;
        let mut threads = buffers.threads();
        if *is_own {
            threads.wrote(job.slot, written.is_some());
            threads.disk_is_slow = written.map_or(threads.disk_is_slow, |written| written.is_slow);
        } else if let Some(written) = written {
            threads.done(job.slot, &buffers.pool, job.is_left);
            threads.disk_is_slow = written.is_slow;
        }
        let is_awaited = threads.waiting > 0 || threads.writing == 0 && !threads.is_on;
        drop(threads);
        if is_awaited {
            buffers.slot_free.notify_all();
        }
    }
}
