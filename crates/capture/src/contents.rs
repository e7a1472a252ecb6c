//! What is in a capture that was opened, and where the words of each thread lie.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::rc::Rc;

use model::flow_source::{Course, Mark};
use model::running::Running;
use model::{CallValues, ClassId, CodeMap, Diagnostic, StackSamples, ThreadInfo, Throttled, TraceInfo};

use crate::limits;
use source::Source;

use super::ChunkHead;
use super::decode::lost::learned::Learned;
use super::methods::Methods;
use super::records::{ClassFileRecord, ClassRecord, Encoding, End, Header, Loss, Skipped};
use super::tasks::Tasks;
use super::thread_ticks::ThreadAt;
use super::walk::{self, Found};

/// A capture that was opened.
pub struct Capture {
    /// Its header; `None` if that is missing.
    pub header: Option<Header>,
    /// All that could run.
    pub code: CodeMap,
    /// For each class of `code`: what the recorder adds to the model.
    pub classes: Vec<ClassAbout>,
    /// The threads in the order of their serial numbers.
    pub threads: Vec<Thread>,
    /// Moments that were named, in the order of writing.
    pub marks: Vec<Mark>,
    /// The values of calls of the methods that the user named, thread by thread.
    pub values: Vec<CallValues>,
    /// The tasks that went from one thread to another.
    pub(super) tasks: Tasks,
    /// The methods that were not recorded any more from some moment on.
    pub throttled: Vec<Throttled>,
    /// What threads were in the middle of when recording began and nothing records, in the order of writing.
    pub running: Vec<Running>,
    /// What threads were in the middle of at some moments.
    pub stacks: StackSamples,
    /// Whole classes that were not recorded.
    pub skipped: Vec<Skipped>,
    /// How it ended; `None` if it did not end in an orderly way.
    pub end: Option<End>,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
    pub(super) facts: Facts,
    pub(super) methods: Rc<Methods>,
    pub(super) sources: Rc<Sources>,
    /// What is learned of it to deduce what it lost, once that is asked for.
    pub(super) learned: OnceCell<Rc<Learned>>,
    /// Whether lost records are deduced and decoded with the rest.
    pub(super) infers_lost: bool,
}

/// What is known of the whole recording and of its threads, worked out when it is opened.
#[derive(Default)]
pub(super) struct Facts {
    pub(super) threads: Vec<ThreadInfo>,
    pub(super) trace: TraceInfo,
    pub(super) course: Course,
}

/// What the recorder records of a class beyond the model.
#[derive(Debug, Clone)]
pub struct ClassAbout {
    /// The number of its class loader.
    pub loader: u32,
    /// SHA-256 of its class file; zeros if the recording ended before that was written.
    pub digest: [u8; 32],
    /// Its methods that were left alone: name, descriptor, reason.
    pub skipped: Vec<(String, String, String)>,
    pub(super) frame: Found,
    /// The frame of its class file, if that came later.
    pub(super) file: Option<Found>,
}

/// A thread and its chunks.
#[derive(Debug, Clone, Default)]
pub struct Thread {
    /// The recorder's number.
    pub serial: u32,
    /// Java's number; `None` if nothing records the thread.
    pub tid: Option<u64>,
    /// The names that it had, without repeats in a row; the last one counts.
    pub names: Vec<String>,
    /// Whether it is a virtual thread.
    pub is_virtual: bool,
    /// Its chunks, by number.
    pub(super) chunks: Vec<ChunkAt>,
    /// Losses that stand before no chunk's head, by the number of the chunk before which they lie.
    pub(super) losses: Vec<Loss>,
    /// Where the clock found it, in the order of time.
    pub(super) ticks: Rc<Vec<ThreadAt>>,
}

impl Thread {
    /// The first words of chunks, of those from this word on, that took the most and the least room for each of their words: at
    /// most so many of both together.
    pub(super) fn unusual_words(&self, from: u64, most: usize) -> Vec<u64> {
        let mut before = 0;
        let offsets = self.chunks.iter().filter_map(|chunk| {
            let (at, count) = (before, u64::from(chunk.head.words));
            before += count;
            let ChunkLocation::Steps(found) = chunk.location else { return None };
            // Bytes for a thousand words.
            Some((u64::from(found.frame.body) * 1000 / count.max(1), at))
        });
        let mut offsets: Vec<(u64, u64)> = offsets.filter(|(_, at)| *at >= from).collect();
        offsets.sort_unstable();
        let least = offsets.iter().take(most / 2);
        least.chain(offsets.iter().skip(most / 2).rev().take(most - most / 2)).map(|(_, at)| *at).collect()
    }

    /// Its name; made up from its number where none was recorded.
    pub fn name(&self) -> String {
        self.names.last().cloned().unwrap_or_else(|| format!("thread {}", self.serial))
    }

    /// Words in its chunks.
    pub fn words(&self) -> u64 {
        self.chunks.iter().map(|chunk| u64::from(chunk.head.words)).sum()
    }

    /// How far it has come: the number of its last chunk and the words in that.
    pub fn position(&self) -> (u32, u32) {
        self.chunks.last().map_or((0, 0), |chunk| (chunk.head.number, chunk.head.words))
    }

    /// Words that the recorder dropped and counted.
    pub fn lost(&self) -> u64 {
        let heads = self.chunks.iter().map(|chunk| chunk.head.lost_before);
        let losses = self.losses.iter().map(|loss| loss.words);
        heads.chain(losses).fold(0, u64::saturating_add)
    }

    /// When its first and its last known moment were, ns since 1970.
    pub fn time(&self) -> Option<(i64, i64)> {
        let moments = self.chunks.iter().flat_map(|chunk| [chunk.head.time_first, chunk.head.time_last]);
        let known = moments.filter(|time| *time != 0);
        known.fold(None, |range, time| match range {
            None => Some((time, time)),
            Some((first, last)) => Some((time.min(first), time.max(last))),
        })
    }
}

/// A chunk and where its words lie.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChunkAt {
    pub(super) head: ChunkHead,
    pub(super) location: ChunkLocation,
}

/// Where the words of a chunk lie.
#[derive(Debug, Clone, Copy)]
pub(super) enum ChunkLocation {
    /// In a frame of `steps`.
    Steps(Found),
    /// In a slot of `open`, from this byte on.
    Slot(u64),
    /// The frame is cut: they are missing, but counted.
    Missing,
}

/// The files.
pub(super) struct Sources {
    pub(super) code: Option<Box<dyn Source>>,
    pub(super) steps: Option<Box<dyn Source>>,
    pub(super) open: Option<Box<dyn Source>>,
}

impl std::fmt::Debug for Capture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Capture")
            .field("header", &self.header)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

impl Capture {
    /// What a thread was in the middle of when recording began and nothing records.
    pub fn running_in(&self, thread: &Thread) -> Option<&Running> {
        self.running.iter().find(|running| thread.tid == Some(running.tid))
    }

    /// The same of the threads of which nothing else is recorded: they called nothing that is recorded.
    pub fn unrecorded(&self) -> impl Iterator<Item = &Running> {
        let recorded: HashSet<u64> = self.threads.iter().filter_map(|thread| thread.tid).collect();
        self.running.iter().filter(move |running| !recorded.contains(&running.tid))
    }

    /// The class file of a class, where the recorder kept it.
    pub fn class_bytes(&self, class: ClassId) -> Option<Vec<u8>> {
        let about = self.classes.get(class.0 as usize)?;
        let found = about.file.unwrap_or(about.frame);
        let (mut raw, mut whole) = (vec![], vec![]);
        let source = self.sources.code.as_deref()?;
        let is_right = walk::body(source, found.body_at(), &found.frame, limits::BODY, &mut raw, &mut whole);
        let bytes = match about.file {
            _ if !is_right => None,
            Some(_) => ClassFileRecord::read(found.class_head()?, &whole).map(|record| record.bytes),
            None => ClassRecord::read(found.class_head()?, &whole).map(|record| record.class_bytes),
        };
        bytes.filter(|bytes| !bytes.is_empty())
    }

    /// What the words of a method encode: where paths are recorded, one that those would make too long records
    /// its blocks.
    pub fn encoding(&self, method: model::MethodId) -> Option<Encoding> {
        ((method.0 as usize) < self.code.methods.len()).then(|| self.methods.get(method.0).encoding)
    }

    /// The thread of a serial number.
    pub fn thread(&self, serial: u32) -> Option<&Thread> {
        let at = self.threads.binary_search_by_key(&serial, |thread| thread.serial).ok()?;
        self.threads.get(at)
    }
}
