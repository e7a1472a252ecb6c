//! Opening a capture: its files are gone through once, and what is missing or damaged becomes a diagnostic.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use model::code::Class;
use model::flow_source::Mark;
use model::running::{Running, RunningSamples};
use model::{ClassId, CodeMap, Diagnostic, Location, Severity};

use crate::limits;
use source::{NamedSource, Source};

use super::call_values;
use super::contents::{Capture, ChunkAt, ChunkLocation, ClassAbout, Facts, Sources, Thread};
use super::flow_source::{facts, with_samples};
use super::frame::kind;
use super::methods::{Methods, Numbered};
use super::pool_slots;
use super::records::{
    ClassFileRecord, ClassRecord, End, Gathering, Header, Loss, MethodRecord, OriginRecord, Skipped,
    StacksRecord, ThreadRecord, read_mark, read_running, read_running_samples, read_tasks, read_throttled,
    read_ticks, read_values,
};
use super::source_map::SourceMap;
use super::tail;
use super::tasks::Tasks;
use super::thread_ticks::ThreadAt;
use super::throttled::Throttling;
use super::walk::{self, Found, Step, Walk};
use super::{CODE, ChunkHead, OPEN, STEPS, VERSION};

/// Why nothing at all could be read. Everything less is a diagnostic.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// None of the files of a capture is there.
    #[error("There is no capture here: none of the files is called `{CODE}`, `{STEPS}` or `{OPEN}`.")]
    NoCapture,
    /// It was written by a later program, or by one from before the first release.
    #[error("The capture has format version {found}; this program reads version {VERSION} only.")]
    Version {
        /// What its header says.
        found: u32,
    },
}

impl Capture {
    /// Opens the files of one capture; their names are compared, folders in front of them left out.
    pub fn open(files: Vec<NamedSource>) -> Result<Capture, Error> {
        let mut sources = Sources { code: None, steps: None, open: None };
        for NamedSource { name, source } in files {
            match name.rsplit('/').next() {
                Some(CODE) => sources.code = Some(source),
                Some(STEPS) => sources.steps = Some(source),
                Some(OPEN) => sources.open = Some(source),
                _ => {}
            }
        }
        if sources.code.is_none() && sources.steps.is_none() && sources.open.is_none() {
            return Err(Error::NoCapture);
        }
        if let Some(open) = sources.open.as_deref() {
            for (which, file) in [&mut sources.code, &mut sources.steps].into_iter().enumerate() {
                *file = file.take().map(|file| tail::with_tail(file, open, which));
            }
        }
        let mut opening = Opening::default();
        opening.code(sources.code.as_deref())?;
        opening.steps(sources.steps.as_deref());
        opening.pool(sources.open.as_deref());
        Ok(opening.finish(sources))
    }
}

/// What was found up to now.
#[derive(Default)]
struct Opening {
    header: Option<Header>,
    code: CodeMap,
    records: Vec<Numbered>,
    classes: Vec<ClassAbout>,
    /// By the number that the capture has for them.
    origins: HashMap<u64, Arc<str>>,
    threads: BTreeMap<u32, Thread>,
    chunks: BTreeMap<(u32, u32), ChunkAt>,
    marks: Vec<Mark>,
    values: call_values::Gathering,
    tasks: Tasks,
    throttling: Throttling,
    running: Vec<Running>,
    samples: HashMap<u64, RunningSamples>,
    stacks: Gathering,
    ticks: HashMap<u32, Vec<ThreadAt>>,
    /// How many of them there are, those included that were one too many.
    tick_count: usize,
    skipped: Vec<Skipped>,
    end: Option<End>,
    diagnostics: Vec<Diagnostic>,
    dropped: u64,
}

impl Opening {
    fn report(&mut self, code: &'static str, severity: Severity, file: &str, offset: u64, sentence: String) {
        if self.diagnostics.len() >= limits::DIAGNOSTICS {
            self.dropped += 1;
            return;
        }
        let location = Location::File { file: file.to_owned(), offset };
        self.diagnostics.push(Diagnostic { code, severity, location, sentence });
    }

    fn damage(&mut self, code: &'static str, file: &str, offset: u64, sentence: String) {
        self.report(code, Severity::Damage, file, offset, sentence);
    }

    /// A file that should be there.
    fn missing(&mut self, file: &'static str, lost: &str) {
        self.damage(
            "capture-file-missing",
            file,
            0,
            format!("The file `{file}` is missing, and with it {lost}."),
        );
    }

    fn code(&mut self, source: Option<&dyn Source>) -> Result<(), Error> {
        let Some(source) = source else {
            self.missing(CODE, "the names of everything that ran");
            return Ok(());
        };
        let (mut raw, mut body) = (vec![], vec![]);
        let mut walk = Walk::new(source);
        while let Some(step) = walk.next() {
            let Some(found) = self.frame_of(CODE, step) else { continue };
            let right = walk::body(source, found.body_at(), &found.frame, limits::BODY, &mut raw, &mut body);
            if !right || self.record(found, &body)?.is_none() {
                let kind = found.frame.kind;
                let sentence = format!("A record of kind {kind} is damaged; what it said is missing.");
                self.damage("capture-record-damaged", CODE, found.offset, sentence);
            }
        }
        Ok(())
    }

    /// The frame of a step; damage and cuts become diagnostics.
    fn frame_of(&mut self, file: &str, step: Step) -> Option<Found> {
        match step {
            Step::Frame(found) => return Some(found),
            Step::Damage { offset, bytes } => {
                let sentence = format!("{bytes} bytes are no record and were skipped.");
                self.damage("capture-bytes-skipped", file, offset, sentence);
            }
            Step::Cut { found, missing } => {
                let sentence =
                    format!("The file is cut: the last {missing} bytes of its last record are missing.");
                self.damage("capture-cut", file, found.offset, sentence);
                self.cut_chunk(found);
            }
        }
        None
    }

    fn record(&mut self, found: Found, body: &[u8]) -> Result<Option<()>, Error> {
        let mut take = || -> Option<()> {
            match found.frame.kind {
                kind::HEADER if self.header.is_none() => self.header = Some(Header::read(body)?),
                kind::CLASS => {
                    self.class(found, ClassRecord::read(found.class_head()?, body)?);
                }
                kind::CLASS_FILE => {
                    self.class_file(found, &ClassFileRecord::read(found.class_head()?, body)?);
                }
                kind::ORIGIN => self.origin(OriginRecord::read(body)?),
                kind::SKIPPED_CLASS => self.skipped.push(Skipped::read(body)?),
                kind::THREAD => self.thread_record(ThreadRecord::read(body)?),
                kind::MARK => self.marks.push(read_mark(body)?),
                kind::RUNNING => self.running.push(read_running(body)?),
                kind::RUNNING_SAMPLES => {
                    let (tid, samples) = read_running_samples(body)?;
                    self.samples.insert(tid, samples);
                }
                kind::STACKS => self.stacks.add(StacksRecord::read(body)?),
                kind::TICKS => return self.ticks(body),
                kind::VALUES => read_values(body, |record| self.values.add(record))?,
                kind::TASKS => read_tasks(body, |record| self.tasks.add(record))?,
                kind::THROTTLED => read_throttled(body, |record| self.throttling.add(record))?,
                kind::LOSS => {
                    let loss = Loss::read(body)?;
                    self.thread(loss.thread).losses.push(loss);
                }
                kind::END => self.end = Some(End::read(body)?),
                // A kind of a later program: nothing that we need.
                _ => {}
            }
            Some(())
        };
        if found.frame.kind == kind::HEADER
            && let Some(version) = Header::version(body).filter(|version| *version != VERSION)
        {
            return Err(Error::Version { found: version });
        }
        Ok(take())
    }

    fn class(&mut self, found: Found, record: ClassRecord) {
        let full = self.records.len() + record.methods.len() > limits::METHODS;
        if full || self.classes.len() >= limits::METHODS {
            let sentence = format!("More than {} methods: this class is left out.", limits::METHODS);
            return self.damage("capture-too-many-methods", CODE, found.offset, sentence);
        }
        let class = ClassId(self.code.classes.len() as u32);
        let map = SourceMap::read(&record.source_map);
        let source_file = record.source_file.clone();
        self.code.classes.push(Class { name: record.name, source_file: record.source_file, origin: None });
        let ClassRecord { loader, digest, skipped, .. } = record;
        self.classes.push(ClassAbout { loader, digest, skipped, frame: found, file: None });
        for record in record.methods {
            let MethodRecord { mut method, first, owned, encoding, block_flags, numbering } = record;
            method.class = class;
            let id = model::MethodId(self.code.methods.len() as u32);
            let inlined = map.apply(&mut method, source_file.as_deref());
            self.code.inlined.extend(inlined.into_iter().map(|(block, lines)| ((id, block), lines)));
            self.code.methods.push(method);
            self.records.push(Numbered { first, owned, encoding, block_flags, numbering });
        }
    }

    /// Classes stand in the order of their frames. `None` for what belongs to none of them.
    fn class_at(&self, offset: u64) -> Option<usize> {
        self.classes.binary_search_by_key(&offset, |class| class.frame.offset).ok()
    }

    fn class_file(&mut self, found: Found, record: &ClassFileRecord) {
        if let Some(class) = self.class_at(record.class_at).and_then(|at| self.classes.get_mut(at)) {
            class.digest = record.digest;
            class.file = Some(found);
        }
    }

    fn origin(&mut self, record: OriginRecord) {
        if !record.text.is_empty() {
            self.origins.insert(record.number, record.text.into());
        }
        if let Some(class) = self.class_at(record.class_at).and_then(|at| self.code.classes.get_mut(at)) {
            class.origin = self.origins.get(&record.number).cloned();
        }
    }

    fn thread(&mut self, serial: u32) -> &mut Thread {
        self.threads.entry(serial).or_insert_with(|| Thread { serial, ..Thread::default() })
    }

    fn thread_record(&mut self, record: ThreadRecord) {
        if self.threads.len() >= limits::THREADS {
            return;
        }
        let thread = self.thread(record.serial);
        thread.tid = Some(record.tid);
        thread.is_virtual = record.is_virtual;
        if thread.names.last() != Some(&record.name) {
            thread.names.push(record.name);
        }
    }

    /// Where the clock found threads. What it found of threads without any other record is dropped in the end.
    fn ticks(&mut self, body: &[u8]) -> Option<()> {
        read_ticks(body, |tick| {
            for thread in &tick.threads {
                self.tick_count = self.tick_count.saturating_add(1);
                if self.tick_count <= limits::TICKS {
                    let of_thread = self.ticks.entry(thread.serial).or_default();
                    of_thread.push(ThreadAt::new(tick, thread, of_thread.last()));
                }
            }
        })
    }

    fn steps(&mut self, source: Option<&dyn Source>) {
        let Some(source) = source else {
            return self.missing(STEPS, "all completed chunks");
        };
        let mut walk = Walk::new(source);
        while let Some(step) = walk.next() {
            let Some(found) = self.frame_of(STEPS, step) else { continue };
            if found.frame.kind != kind::CHUNK {
                continue;
            }
            match ChunkHead::read(&found.head) {
                Some(head) => self.chunk(found.offset, head, ChunkLocation::Steps(found)),
                None => {
                    let sentence =
                        "A chunk has an encoding that is not known; its words are missing.".to_owned();
                    self.damage("capture-chunk-encoding", STEPS, found.offset, sentence);
                }
            }
        }
    }

    fn cut_chunk(&mut self, found: Found) {
        if found.frame.kind == kind::CHUNK
            && let Some(head) = ChunkHead::read(&found.head)
        {
            self.chunk(found.offset, head, ChunkLocation::Missing);
        }
    }

    fn chunk(&mut self, offset: u64, head: ChunkHead, location: ChunkLocation) {
        let key = (head.thread, head.number);
        if self.chunks.contains_key(&key) {
            let sentence = format!("Chunk {} of thread {} is there twice; the first is used.", key.1, key.0);
            return self.report("capture-chunk-doubled", Severity::Note, STEPS, offset, sentence);
        }
        if self.chunks.len() >= limits::CHUNKS {
            let sentence = format!("More than {} chunks: the rest is left out.", limits::CHUNKS);
            return self.damage("capture-too-many-chunks", STEPS, offset, sentence);
        }
        self.chunks.insert(key, ChunkAt { head, location });
    }

    /// Slots that the recorder had no time to write to `steps`.
    fn pool(&mut self, source: Option<&dyn Source>) {
        let Some(source) = source else {
            if self.end.is_none() {
                self.missing(OPEN, "what each thread ran last");
            }
            return;
        };
        let encoding = self.header.as_ref().map_or(super::Encoding::Blocks, |header| header.encoding);
        match pool_slots::read(source, encoding) {
            Some(slots) => {
                for slot in slots {
                    let key = (slot.head.thread, slot.head.number);
                    let known = self
                        .chunks
                        .get(&key)
                        .is_some_and(|at| !matches!(at.location, ChunkLocation::Missing));
                    if !known && self.chunks.len() < limits::CHUNKS {
                        self.chunks.insert(key, slot);
                    }
                }
            }
            None if self.end.is_some() => {}
            None => self.damage(
                "capture-pool-damaged",
                OPEN,
                0,
                "Its head is damaged: what each thread ran last is missing.".into(),
            ),
        }
    }

    fn finish(mut self, sources: Sources) -> Capture {
        if self.header.is_none() && sources.code.is_some() {
            self.damage(
                "capture-no-header",
                CODE,
                0,
                "The header is missing: it is not known where the recording comes from.".into(),
            );
        }
        if self.end.is_none() {
            let at = sources.code.as_ref().map_or(0, |code| code.size());
            let sentence =
                "The recording has no end: the program was killed, or it is still being recorded.".into();
            self.report("capture-no-end", Severity::Note, CODE, at, sentence);
        }
        if let Some(end) = self.end.as_ref().filter(|end| end.failed) {
            let sentence = format!("The recording ended before its program did: {}.", end.reason);
            let at = sources.code.as_ref().map_or(0, |code| code.size());
            self.damage("capture-ended-early", CODE, at, sentence);
        }
        for ((serial, _), chunk) in std::mem::take(&mut self.chunks) {
            self.thread(serial).chunks.push(chunk);
        }
        if self.tick_count > limits::TICKS {
            let sentence =
                format!("More than {} readings of the clock: later calls have no length.", limits::TICKS);
            self.report("capture-too-many-ticks", Severity::Note, CODE, 0, sentence);
        }
        for (serial, ticks) in std::mem::take(&mut self.ticks) {
            if let Some(thread) = self.threads.get_mut(&serial) {
                thread.ticks = Rc::new(ticks);
            }
        }
        let (methods, doubled) = Methods::new(std::mem::take(&mut self.records), &self.code);
        for id in doubled {
            let sentence = format!(
                "The words of {} belong to another method already; it is never seen.",
                self.code.method_name(id)
            );
            self.damage("capture-words-doubled", CODE, 0, sentence);
        }
        let sentence = if self.values.is_full {
            Some("So many bytes of values were recorded that those of later calls were not kept.".to_owned())
        } else if self.values.is_bounded {
            Some(format!("More than {} calls with values: those of later ones are left out.", limits::VALUES))
        } else {
            None
        };
        if let Some(sentence) = sentence {
            self.report("capture-values-bounded", Severity::Note, CODE, 0, sentence);
        }
        let mut tasks = std::mem::take(&mut self.tasks);
        if tasks.finish(|serial| self.threads.contains_key(&serial)) {
            let sentence = "There were so many tasks that later ones are left out.".to_owned();
            self.report("capture-tasks-bounded", Severity::Note, CODE, 0, sentence);
        }
        let first_of = |word| {
            let owner = methods.owner(word)?;
            (methods.get(owner).first == word).then_some(model::MethodId(owner))
        };
        let values = std::mem::take(&mut self.values).finish(first_of);
        let throttled = std::mem::take(&mut self.throttling).finish(first_of);
        if self.dropped > 0 {
            let sentence =
                format!("{} more diagnostics were made; {} are kept.", self.dropped, limits::DIAGNOSTICS);
            let location = Location::File { file: CODE.to_owned(), offset: 0 };
            self.diagnostics.push(Diagnostic {
                code: "capture-diagnostics-dropped",
                severity: Severity::Damage,
                location,
                sentence,
            });
        }
        let mut capture = Capture {
            header: self.header,
            code: self.code,
            classes: self.classes,
            threads: self.threads.into_values().collect(),
            marks: self.marks,
            values,
            tasks,
            throttled,
            running: with_samples(self.running, self.samples),
            stacks: self.stacks.finish(),
            skipped: self.skipped,
            end: self.end,
            diagnostics: self.diagnostics,
            facts: Facts::default(),
            methods: Rc::new(methods),
            sources: Rc::new(sources),
            learned: OnceCell::new(),
            infers_lost: false,
        };
        capture.facts = facts(&capture);
        capture
    }
}
