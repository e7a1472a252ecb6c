//! One recording while it runs: what is written to `code`, and what was instrumented for it.

use std::collections::{HashSet, VecDeque};
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use capture::{
    LeftAlone, Loss, PackedBytes, StacksRecord, ThreadRecord, pack_class_file, put_class_file, put_mark,
    put_running, put_running_samples,
};
use classfile::filters::Filters;
use classfile::paths::Surroundings;
use model::flow_source::Mark;
use model::running::{Running, RunningSamples};

use crate::files::{Folder, Log};
use crate::ids::Ids;
use crate::looks::Watch;
use crate::options::Choices;
use crate::prepared::{Prepared, Ready};
use crate::recorder::{agent, lock};
use crate::sampler::Sampler;
use crate::shelf::{FileOnShelf, Kept, NewVolume, Shelf};
use crate::steps::Steps;
use crate::sum::{self, Sum};
use crate::transform::{Wish, jdk_is_recorded};

/// A sum of a class's name (with dots) and the number of its loader.
pub(crate) type Known = Sum;

/// The class with this name and loader.
pub(crate) fn known(name: &str, loader: u32) -> Known {
    sum::with_bytes([u64::from(loader), 0], name.as_bytes())
}

/// A class that comes.
#[derive(Debug)]
pub(crate) struct OneClass<'b> {
    pub(crate) bytes: &'b [u8],
    /// Its name with dots.
    pub(crate) name: String,
    /// A sum of both.
    pub(crate) sum: Sum,
    /// The number of its class loader.
    pub(crate) loader: u32,
}

impl OneClass<'_> {
    pub(crate) fn wish<'w>(&'w self, choices: &'w Choices) -> Wish<'w> {
        let Choices { filters, encoding, .. } = choices;
        Wish { bytes: self.bytes, name: &self.name, filters, encoding: *encoding }
    }
}

/// What became of a class that came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// The capture cannot be written to.
    Nothing,
    /// Its numbers begin at `first`; `new_at`: where in `code` it stands, if it does since now.
    As { first: u32, new_at: Option<u64> },
}

/// Memory that is kept from class to class, since the kernel would have to give and clear new memory.
#[derive(Debug, Default)]
pub(crate) struct Room {
    /// For what the shelf has of a class.
    pub(crate) entry: Vec<u8>,
    /// For what the capture says of it.
    pub(crate) frame: Vec<u8>,
}

/// So many bytes of class files are enough for one write.
const AT_ONCE: usize = 32 << 10;

/// Bytes of a room's parts; larger ones are not kept.
const MOST_ROOM: usize = 1 << 20;

/// What is left to the writer when a class has come. Summing up and compressing take longer than inserting,
/// and the program's thread would have to wait for them.
#[derive(Debug)]
enum Chore {
    /// To append a class file. `class_at`: where in `code` its class stands; `prepared`: what to keep.
    File { class_at: u64, bytes: Vec<u8>, sum: Sum, prepared: Option<Prepared> },
    /// To append one from the shelf.
    Kept { class_at: u64, file: FileOnShelf },
    /// To keep that nothing of a class is recorded.
    NotWanted { sum: Sum },
}

/// What one start has begun.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) folder: Folder,
    pub(crate) choices: Choices,
    pub(crate) began: Instant,
    /// `None` when nothing more may be written.
    code: Mutex<Option<Log>>,
    pub(crate) steps: Steps,
    /// The classes that stand in `code`: sums of themselves, their loaders and first ids.
    written: Mutex<HashSet<Sum>>,
    chores: Mutex<VecDeque<Chore>>,
    /// What earlier runs of the program prepared.
    pub(crate) shelf: Option<Shelf>,
    /// What the shelf's keys depend on besides the class.
    way: Sum,
    /// Classes that run instrumented code.
    pub(crate) instrumented: Mutex<HashSet<Known>>,
    /// Room that nobody uses now.
    rooms: Mutex<Vec<Room>>,
    /// Hidden classes that were told of: one name may stand for many.
    hidden: Mutex<HashSet<Known>>,
    /// The threads with frames that are not recorded.
    pub(crate) watch: Mutex<Watch>,
    /// When the stacks of all threads are sampled, and what the last sample showed.
    pub(crate) sampler: Mutex<Sampler>,
    /// Why it must end, if it must.
    failed: Mutex<Option<String>>,
    /// Told to the writer: no more slots will come.
    pub(crate) is_over: AtomicBool,
    /// Bytes of `code` and `steps`.
    pub(crate) bytes: AtomicU64,
    pub(crate) methods: AtomicU64,
    pub(crate) left_alone: AtomicU64,
    missing_files: AtomicU64,
}

impl Recording {
    pub(crate) fn new(
        folder: Folder,
        choices: Choices,
        [code, steps]: [Log; 2],
        shelf: Option<Shelf>,
    ) -> Recording {
        Recording {
            steps: Steps::new(steps, choices.encoding),
            way: way_of(&choices),
            shelf,
            folder,
            choices,
            began: Instant::now(),
            bytes: AtomicU64::new(code.length()),
            code: Mutex::new(Some(code)),
            written: Mutex::default(),
            chores: Mutex::default(),
            instrumented: Mutex::default(),
            rooms: Mutex::default(),
            hidden: Mutex::default(),
            watch: Mutex::default(),
            sampler: Mutex::default(),
            failed: Mutex::default(),
            is_over: AtomicBool::new(false),
            methods: AtomicU64::new(0),
            left_alone: AtomicU64::new(0),
            missing_files: AtomicU64::new(0),
        }
    }

    /// It cannot go on. The first reason counts.
    pub(crate) fn fail(&self, reason: String) {
        lock(&self.failed).get_or_insert(reason);
        // The control thread ends it at once.
        if let Some(agent) = agent() {
            agent.wake.wake();
        }
    }

    /// Why it cannot go on.
    pub(crate) fn failure(&self) -> Option<String> {
        lock(&self.failed).clone()
    }

    /// Appends to `code`; `false` if that is closed or cannot be done, which ends the recording.
    fn append(&self, bytes: &[u8]) -> bool {
        self.append_at(bytes).is_some()
    }

    /// The same; where in `code` it begins.
    fn append_at(&self, bytes: &[u8]) -> Option<u64> {
        let mut code = lock(&self.code);
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

    /// A class that is on the shelf.
    pub(crate) fn kept<'r>(&self, class: Sum, room: &'r mut Vec<u8>) -> Option<Kept<'r>> {
        self.shelf.as_ref()?.find(sum::with(class, self.way), room)
    }

    /// How many classes were on the shelf.
    pub(crate) fn prepared(&self) -> u64 {
        self.shelf.as_ref().map_or(0, Shelf::found)
    }

    /// Runs this with room that was used before, if nobody else uses that.
    pub(crate) fn with_room<T>(&self, body: impl FnOnce(&mut Room) -> T) -> T {
        let mut room = lock(&self.rooms).pop().unwrap_or_default();
        let result = body(&mut room);
        if room.entry.len() <= MOST_ROOM && room.frame.capacity() <= MOST_ROOM {
            lock(&self.rooms).push(room);
        }
        result
    }

    /// Says what a class is, once for the same numbers: what is new must be in the capture before the first
    /// word that means it. An error says why it cannot be recorded.
    pub(crate) fn class(
        &self,
        ids: &Ids,
        class: &OneClass<'_>,
        ready: &Ready<'_>,
        frame: &mut Vec<u8>,
    ) -> Result<Told, String> {
        let jdk_is_recorded = jdk_is_recorded(&self.choices.filters);
        let surroundings = Surroundings { jdk_is_recorded, class_is_whole: ready.is_whole };
        let way = (self.choices.encoding, surroundings);
        let first = ids.of(class.sum, class.loader, way, ready.numbers);
        let first = first.ok_or("all record numbers are used up")?;
        let numbered = sum::with(class.sum, [u64::from(class.loader), u64::from(first)]);
        let is_new = lock(&self.written).insert(numbered);
        let mut new_at = None;
        if is_new {
            frame.clear();
            ready.put(frame, first, class.loader);
            new_at = self.append_at(frame);
            if new_at.is_none() {
                return Ok(Told::Nothing);
            }
            self.methods.fetch_add(u64::from(ready.methods), Ordering::Relaxed);
            self.left_alone.fetch_add(u64::from(ready.left_alone), Ordering::Relaxed);
        }
        lock(&self.instrumented).insert(known(&class.name, class.loader));
        Ok(Told::As { first, new_at })
    }

    /// The class file of a class that stands at this place in `code`, for the writer. `prepared`: what is to be
    /// kept of the class.
    pub(crate) fn class_file(&self, class_at: u64, class: &OneClass<'_>, prepared: Prepared) {
        let prepared = self.shelf.is_some().then_some(prepared);
        let bytes = class.bytes.to_vec();
        let chore = Chore::File { class_at, bytes, sum: class.sum, prepared };
        lock(&self.chores).push_back(chore);
    }

    /// The same of one from the shelf.
    pub(crate) fn kept_class_file(&self, class_at: u64, file: FileOnShelf) {
        lock(&self.chores).push_back(Chore::Kept { class_at, file });
    }

    /// How many class files were on the shelf, and could not be read when they were to be written.
    pub(crate) fn missing_files(&self) -> u64 {
        self.missing_files.load(Ordering::Relaxed)
    }

    /// A class of which nothing is recorded, for what stands in it.
    pub(crate) fn not_wanted(&self, class: &OneClass<'_>) {
        if self.shelf.is_some() {
            lock(&self.chores).push_back(Chore::NotWanted { sum: class.sum });
        }
    }

    /// Does one chore, or several that are done quickly: `None` if there is none, else whether they could be done.
    pub(crate) fn do_chores(
        &self,
        volume: &mut Option<NewVolume>,
        Room { entry, frame }: &mut Room,
    ) -> Option<bool> {
        frame.clear();
        let mut has_some = false;
        while frame.len() < AT_ONCE {
            let Some(chore) = lock(&self.chores).pop_front() else { break };
            has_some = true;
            match chore {
                Chore::Kept { class_at, file } => {
                    match self.shelf.as_ref().and_then(|shelf| shelf.file(file, entry)) {
                        Some(file) => put_class_file(frame, class_at, file),
                        None => drop(self.missing_files.fetch_add(1, Ordering::Relaxed)),
                    }
                    continue;
                }
                Chore::File { class_at, bytes, sum, prepared } => {
                    let file = pack_class_file(sum::of_class_file(&bytes), &bytes);
                    if let (Some(volume), Some(prepared)) = (volume, prepared) {
                        volume.add(sum::with(sum, self.way), Some(prepared.ready()), file.borrowed());
                    }
                    put_class_file(frame, class_at, file.borrowed());
                }
                Chore::NotWanted { sum } => {
                    if let Some(volume) = volume {
                        volume.add(sum::with(sum, self.way), None, PackedBytes::default());
                    }
                }
            }
            break;
        }
        has_some.then(|| frame.is_empty() || self.append(frame))
    }

    pub(crate) fn left_alone(&self, class: String, reason: String) {
        self.left_alone.fetch_add(1, Ordering::Relaxed);
        let mut out = Vec::new();
        LeftAlone { class, reason }.put(&mut out);
        self.append(&out);
    }

    /// A hidden class with this name was defined, by this loader.
    pub(crate) fn hidden(&self, name: &str, loader: u32) {
        if lock(&self.hidden).insert(known(name, loader)) {
            let reason = "it is a hidden class, which the virtual machine gives to no agent".to_owned();
            self.left_alone(name.to_owned(), reason);
        }
    }

    pub(crate) fn thread(&self, record: &ThreadRecord) {
        let mut out = Vec::new();
        record.put(&mut out);
        self.append(&out);
    }

    pub(crate) fn running(&self, running: &Running) {
        let mut out = Vec::new();
        put_running(running, &mut out);
        self.append(&out);
    }

    pub(crate) fn running_samples(&self, tid: u64, samples: &RunningSamples) {
        let mut out = Vec::new();
        put_running_samples(tid, samples, &mut out);
        self.append(&out);
    }

    pub(crate) fn stacks(&self, record: &StacksRecord) {
        let mut out = Vec::new();
        record.put(&mut out);
        self.append(&out);
    }

    pub(crate) fn loss(&self, thread: u32, before_chunk: u32, words: u64) {
        let mut out = Vec::new();
        loss(thread, before_chunk, words).put(&mut out);
        self.append(&out);
    }

    pub(crate) fn mark(&self, mark: &Mark) -> bool {
        let mut out = Vec::new();
        put_mark(mark, &mut out);
        self.append(&out)
    }

    /// Nothing more is written, but what is done with the file that this returns.
    pub(crate) fn close(&self) -> Option<Log> {
        lock(&self.code).take()
    }
}

/// Why a recording ends that cannot be written.
pub(crate) fn cannot_write(error: &io::Error) -> String {
    format!("cannot write to the capture: {error}")
}

/// A sum of all that preparing a class depends on besides the class.
pub(crate) fn way_of(choices: &Choices) -> Sum {
    let Filters { include, exclude, generated } = &choices.filters;
    let flags = u64::from(choices.encoding.to_byte()) | u64::from(*generated) << 8;
    let mut way = sum::with([0, 0], [flags, include.len() as u64]);
    for pattern in include.iter().chain(exclude) {
        way = sum::with_bytes(way, pattern.text().as_bytes());
    }
    way
}

/// The words that a thread lost at last.
pub(crate) fn loss(thread: u32, before_chunk: u32, words: u64) -> Loss {
    Loss { thread, before_chunk, words, reason: "no chunk was free".to_owned() }
}
