//! `steps` while it is written: full slots become chunks at its end.
//!
//! Mostly one thread writes, the recording's writer. Where it is behind, the program's threads write what they
//! have filled by themselves, several at once: each packs on its own and only appending is one at a time. So
//! chunks of a thread may stand in any order, which their numbers give. Who appends when: see `combining.rs`.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use capture::paths::{FOLLOWING, NO_STATE};
use capture::{ChunkHead, ChunkWriter, Encoding};

use super::combining::Combining;
use super::files::Log;
use super::samples::Samples;
use crate::buffers::pool::Pool;
use crate::buffers::thread::{Awaited, Job};
use crate::locks::{Lock, Rank};
use crate::sys;

/// Appending takes some millionths of a second, unless the system makes whoever writes wait for the disk, or for
/// a processor.
const SLOW: Duration = Duration::from_millis(20);

/// The file and what writing to it takes. `J`: a slot on its way to it.
#[derive(Debug)]
pub(crate) struct Steps<J> {
    pub(crate) log: Combining<Log, J>,
    encoding: Encoding,
    /// What is written, where the cost is kept within a budget.
    samples: Option<Samples>,
    /// What nobody uses now.
    spaces: Lock<Vec<Space>>,
    words: AtomicU64,
    bytes: AtomicU64,
    /// The thread that appends just now, 0 for none.
    appends: AtomicU32,
}

/// Memory that is kept from chunk to chunk.
#[derive(Debug, Default)]
struct Space {
    writer: ChunkWriter,
    copy: Vec<u8>,
    out: Vec<u8>,
}

/// The words of a slot as they are to be appended.
#[derive(Debug)]
pub(crate) struct Packed {
    space: Space,
    words: u64,
}

/// What came of writing a slot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Written {
    /// Bytes that were appended.
    pub(crate) bytes: u64,
    /// Whether the disk keeps whoever writes waiting.
    pub(crate) is_slow: bool,
}

impl<J> Steps<J> {
    pub(crate) fn new(log: Log, encoding: Encoding, samples: Option<Samples>) -> Steps<J> {
        let log = Combining::new(log);
        let (words, bytes) = (AtomicU64::new(0), AtomicU64::new(0));
        Steps {
            log,
            encoding,
            samples,
            spaces: Lock::new(Rank::Leaf, Vec::new()),
            words,
            bytes,
            appends: AtomicU32::new(0),
        }
    }

    /// How many words stand in it.
    pub(crate) fn words(&self) -> u64 {
        self.words.load(Ordering::Relaxed)
    }

    /// Which records were written since this was asked last: words of a part of all, by record number.
    pub(crate) fn take_samples(&self) -> HashMap<u32, u64> {
        self.samples.as_ref().map(Samples::take).unwrap_or_default()
    }

    /// How many bytes were appended.
    pub(crate) fn length(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// See [`Log::twin`].
    pub(crate) fn twin(&self) -> io::Result<File> {
        self.log.lock().twin()
    }

    /// Packs what a slot holds. `is_hurried`: others wait for being written.
    pub(crate) fn pack(&self, pool: &Pool, job: &Job, is_hurried: bool) -> Packed {
        let mut space = self.spaces.lock().pop().unwrap_or_default();
        let Space { writer, copy, out } = &mut space;
        let words = words_of(pool, job, copy);
        self.samples.iter().for_each(|samples| samples.add(words));
        out.clear();
        if !words.is_empty() || job.lost_before > 0 {
            writer.is_hurried = is_hurried;
            writer.put(out, self.head(job), words);
        }
        let words = words.len() as u64 / 4;
        Packed { space, words }
    }

    /// Appends what was packed, or nothing.
    pub(crate) fn append(&self, log: &mut Log, packed: &Packed) -> io::Result<Written> {
        let out = &packed.space.out;
        let (began, blocked) = (Instant::now(), sys::times_blocked());
        self.appends.store(sys::task(), Ordering::Relaxed);
        let appended = log.append(out);
        self.appends.store(0, Ordering::Relaxed);
        appended?;
        // Where it never gave up the processor by itself, others had that meanwhile.
        let is_slow = began.elapsed() > SLOW && sys::times_blocked() > blocked;
        self.words.fetch_add(packed.words, Ordering::Relaxed);
        self.bytes.fetch_add(out.len() as u64, Ordering::Relaxed);
        Ok(Written { bytes: out.len() as u64, is_slow })
    }

    /// What somebody waits for who has waited long for a slot to be written.
    pub(crate) fn awaited(&self) -> Awaited {
        match self.appends.load(Ordering::Relaxed) {
            0 => Awaited::Processor,
            task if sys::wants_processor(task) => Awaited::Processor,
            _ => Awaited::Disk,
        }
    }

    /// Keeps the memory of something that was packed.
    pub(crate) fn reuse(&self, packed: Option<Packed>) {
        self.spaces.lock().extend(packed.map(|packed| packed.space));
    }

    /// All slots were written: what was kept back is, too.
    pub(crate) fn finish(&self) -> io::Result<()> {
        self.log.lock().finish()
    }

    fn head(&self, job: &Job) -> ChunkHead {
        ChunkHead {
            thread: job.thread,
            number: job.number,
            words: 0,
            encoding: self.encoding,
            last: job.last,
            lost_before: job.lost_before,
            time_first: job.time_first,
            time_last: job.time_last,
        }
    }
}

/// What is to be written of a slot. `copy` holds it where it cannot be read in its place.
fn words_of<'w>(pool: &'w Pool, job: &Job, copy: &'w mut Vec<u8>) -> &'w [u8] {
    if job.is_left && job.position.is_none() {
        return pool.left_words(job.slot, job.end);
    }
    pool.copy_words(job.slot, copy);
    if let Some((_, at)) = job.position.filter(|&(count, at)| count * 4 == copy.len() && at != NO_STATE) {
        copy.extend([NO_STATE | 1 << FOLLOWING, at].iter().flat_map(|word| word.to_le_bytes()));
    }
    copy
}
