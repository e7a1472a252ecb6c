//! One recording while it runs: what is written to `code`, and what was instrumented for it.

use std::collections::{HashSet, VecDeque};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use formats::capture::{ClassFileRecord, LeftAlone, Looks, Loss, Mark, Running, ThreadRecord};

use crate::files::{Folder, Log};
use crate::looks::Watch;
use crate::options::Choices;
use crate::recorder::lock;
use crate::transform::Described;

/// A class by name (with dots) and the number of its loader.
pub(crate) type Known = (String, u32);

/// What one start has begun.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) folder: Folder,
    pub(crate) choices: Choices,
    pub(crate) began: Instant,
    /// `None` when nothing more may be written.
    code: Mutex<Option<Log>>,
    /// First ids of the classes that stand in `code`.
    written: Mutex<HashSet<(u32, Known)>>,
    /// Class files that the writer is to append: where their class stands, and their bytes.
    files: Mutex<VecDeque<(u64, Vec<u8>)>>,
    /// Classes that run instrumented code.
    pub(crate) instrumented: Mutex<HashSet<Known>>,
    /// The threads with frames that are not recorded.
    pub(crate) watch: Mutex<Watch>,
    /// Why it must end, if it must.
    failed: Mutex<Option<String>>,
    /// Told to the writer: no more slots will come.
    pub(crate) is_over: AtomicBool,
    /// Words in `steps`.
    pub(crate) words: AtomicU64,
    /// Bytes of `code` and `steps`.
    pub(crate) bytes: AtomicU64,
    pub(crate) methods: AtomicU64,
    pub(crate) left_alone: AtomicU64,
}

impl Recording {
    pub(crate) fn new(folder: Folder, choices: Choices, code: Log) -> Recording {
        Recording {
            folder,
            choices,
            began: Instant::now(),
            bytes: AtomicU64::new(code.length()),
            code: Mutex::new(Some(code)),
            written: Mutex::default(),
            files: Mutex::default(),
            instrumented: Mutex::default(),
            watch: Mutex::default(),
            failed: Mutex::default(),
            is_over: AtomicBool::new(false),
            words: AtomicU64::new(0),
            methods: AtomicU64::new(0),
            left_alone: AtomicU64::new(0),
        }
    }

    /// It cannot go on. The first reason counts.
    pub(crate) fn fail(&self, reason: String) {
        lock(&self.failed).get_or_insert(reason);
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
                self.fail(format!("cannot write to the capture: {error}"));
                None
            }
        }
    }

    /// Says what a class is, once for the same numbers; `file` is the class file that it was read from,
    /// which is written later. `false`: it must not be instrumented.
    pub(crate) fn class(&self, described: &Described, file: &[u8]) -> bool {
        let known = (described.name.clone(), described.loader);
        if lock(&self.written).insert((described.first, known.clone())) {
            let mut out = Vec::new();
            described.put(&mut out);
            let Some(at) = self.append_at(&out) else { return false };
            lock(&self.files).push_back((at, file.to_vec()));
            self.methods.fetch_add(described.methods as u64, Ordering::Relaxed);
            self.left_alone.fetch_add(described.left_alone.len() as u64, Ordering::Relaxed);
        }
        lock(&self.instrumented).insert(known);
        true
    }

    /// Appends one class file that was not written yet: `None` if there is none, else whether it could be
    /// done. Summing up and compressing take longer than inserting, and the program's thread would have
    /// to wait for them.
    pub(crate) fn write_file(&self) -> Option<bool> {
        let (class_at, bytes) = lock(&self.files).pop_front()?;
        let mut out = Vec::new();
        ClassFileRecord { class_at, sha256: classfile::sha256::sum(&bytes), bytes }.put(&mut out);
        Some(self.append(&out))
    }

    pub(crate) fn left_alone(&self, class: String, reason: String) {
        self.left_alone.fetch_add(1, Ordering::Relaxed);
        let mut out = Vec::new();
        LeftAlone { class, reason }.put(&mut out);
        self.append(&out);
    }

    pub(crate) fn thread(&self, record: &ThreadRecord) {
        let mut out = Vec::new();
        record.put(&mut out);
        self.append(&out);
    }

    pub(crate) fn running(&self, record: &Running) {
        let mut out = Vec::new();
        record.put(&mut out);
        self.append(&out);
    }

    pub(crate) fn looks(&self, record: &Looks) {
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
        mark.put(&mut out);
        self.append(&out)
    }

    /// Nothing more is written, but what is done with the file that this returns.
    pub(crate) fn close(&self) -> Option<Log> {
        lock(&self.code).take()
    }
}

/// The words that a thread lost at last.
pub(crate) fn loss(thread: u32, before_chunk: u32, words: u64) -> Loss {
    Loss { thread, before_chunk, words, reason: "no chunk was free".to_owned() }
}
