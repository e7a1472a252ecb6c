//! Starting and stopping a recording.
//!
//! ```text
//! start   folder and pool -> words are wanted -> the hook is on -> loaded classes are instrumented
//! stop    no more words -> the rest is written -> names, losses, end -> classes as they were
//! ```

use std::os::fd::OwnedFd;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;

use capture::pool;
use capture::{Encoding, End, Header};

use crate::behind::Behind;
use crate::ffi::{Event, Jni};
use crate::files::Folder;
use crate::flush;
use crate::looks;
use crate::options::Choices;
use crate::pool::TAILS;
use crate::recorder::{Agent, lock, now, thread_record, word};
use crate::recording::{Known, Recording, cannot_write, loss, way_of};
use crate::retransform;
use crate::running;
use crate::sampler;
use crate::shelf::Shelf;
use crate::sum;
use crate::sys;

/// What starts and stops pass on to each other.
#[derive(Debug, Default)]
pub(crate) struct Session {
    writer: Option<JoinHandle<bool>>,
    behind: Option<Behind>,
    /// The last recording, if it ended because it could not go on.
    pub(crate) failed: Option<Summary>,
    /// Instrumented classes that could not be put back, since they were still being loaded.
    pub(crate) left: Vec<Known>,
}

/// What a recording came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) dir: String,
    /// The folder was handed over: `dir` is its name for whoever did that, and perhaps not for this process.
    pub(crate) is_handed: bool,
    pub(crate) reason: String,
    pub(crate) words: u64,
    pub(crate) lost: u64,
    pub(crate) bytes: u64,
    pub(crate) classes: usize,
    pub(crate) methods: u64,
    pub(crate) left_alone: u64,
    /// Classes that an earlier run had prepared.
    pub(crate) prepared: u64,
}

impl Agent {
    /// Begins a recording into the folder that the choices name, or into this open one, which they only name.
    pub(crate) fn start(
        &'static self,
        jni: Jni,
        choices: Choices,
        handed: Option<OwnedFd>,
    ) -> Result<(), String> {
        let mut session = lock(&self.session);
        if let Some(recording) = self.current() {
            return Err(format!("already recording into {}", recording.folder.path.display()));
        }
        let path = choices.dir.clone().ok_or("no folder was named for the capture")?;
        let cannot = |error: std::io::Error| format!("cannot make the capture {}: {error}", path.display());
        let (folder, mut code, mut steps, open) = Folder::create(&path, handed).map_err(cannot)?;
        let begun = (|| {
            let sizes = if self.faults_can_be_caught(jni) {
                let sizes = self.pool.attach(&open)?;
                self.pool.catch_faults()?;
                sizes
            } else {
                self.pool.attach_nothing()?
            };
            self.pool.write_head(&pool::head(&sizes, TAILS));
            let mut out = Vec::new();
            self.header(&choices).put(&mut out);
            // Straight to the file: without it nobody could read the rest.
            code.append(&out)?;
            for (log, tail) in [&mut code, &mut steps].into_iter().zip(self.pool.tails()) {
                log.set_tail(tail);
            }
            Ok(sizes)
        })();
        let sizes = begun.map_err(|error| {
            self.pool.detach();
            folder.remove();
            cannot(error)
        })?;
        let shelf = self.shelf(&choices);
        let recording = Arc::new(Recording::new(folder, choices, [code, steps], shelf));
        let shared = Arc::clone(&recording);
        let writer = std::thread::Builder::new().name("tracewright".to_owned()).spawn(move || {
            let run = || flush::run(self, &shared);
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_or_else(|_| {
                self.give_up("the writer failed".to_owned());
                false
            })
        });
        let writer = writer.map_err(|error| {
            self.pool.detach();
            recording.folder.remove();
            cannot(error)
        })?;
        session.writer = Some(writer);
        session.behind = Behind::spawn(&recording);
        *lock(&self.written) = Some(Arc::clone(&recording));
        let choices = &recording.choices;
        let mut threads = self.threads();
        threads.begin(&sizes, choices.when_full, choices.encoding);
        // The first slots are there before the first word is wanted.
        if let Some(first) = threads.name_more() {
            threads = self.make_ready(threads, first);
        }
        self.call_all(jni, &threads);
        drop(threads);
        *self.recording.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&recording));
        let enabled = self.jvmti.enable(Event::ClassFileLoadHook, true);
        let _ = self.jvmti.enable(Event::ClassPrepare, true);
        drop(session);
        if enabled.is_err() {
            self.stop(jni, "the virtual machine refused the class hook", false);
            return Err("the virtual machine refused the class hook".to_owned());
        }
        retransform::instrument(self, jni, &recording);
        running::tell(self, jni, &recording);
        Ok(())
    }

    /// Whether a handler of ours may stand before the virtual machine's: with these options it looks whether
    /// its own is there, and libjsig would have ours called last.
    fn faults_can_be_caught(&self, jni: Jni) -> bool {
        !sys::has_function(c"JVM_begin_signal_setting")
            && !jni.is_started_with(&["-Xcheck:jni", "-XX:+CheckJNICalls"]).unwrap_or(false)
    }

    /// What earlier runs of this program that were recorded in the same way have prepared, if whoever loaded the
    /// agent wants that.
    fn shelf(&self, choices: &Choices) -> Option<Shelf> {
        let folder = self.choices.shelf.as_ref()?;
        let property = |name| self.jvmti.property(name).unwrap_or_default();
        let main = property(c"sun.java.command");
        let main = main.split(' ').next().unwrap_or_default();
        let program = sum::with_bytes(way_of(choices), property(c"java.class.path").as_bytes());
        Some(Shelf::open(folder, sum::with_bytes(program, main.as_bytes())))
    }

    /// Makes every thread that was met ask before its next word.
    fn call_all(&self, jni: Jni, threads: &crate::threads::Threads) {
        let Some(java) = self.java.get() else { return };
        threads.by_tid.values().for_each(|thread| jni.set_long(thread.buffer, java.end, 0));
    }

    fn header(&self, choices: &Choices) -> Header {
        let property = |name| self.jvmti.property(name).unwrap_or_default();
        let mut about = vec![
            ("jvm".to_owned(), format!("{} {}", property(c"java.vm.name"), property(c"java.vm.version"))),
            ("recorder".to_owned(), concat!("tracewright ", env!("CARGO_PKG_VERSION")).to_owned()),
        ];
        // The first word only: what follows are the program's arguments.
        if let Some(main) = property(c"sun.java.command").split(' ').next().filter(|main| !main.is_empty()) {
            about.push(("main".to_owned(), main.to_owned()));
        }
        if let Ok(host) = std::fs::read_to_string("/proc/sys/kernel/hostname") {
            about.push(("host".to_owned(), host.trim().to_owned()));
        }
        let patterns = [("include", &choices.filters.include), ("exclude", &choices.filters.exclude)];
        for (key, patterns) in patterns {
            about.extend(patterns.iter().map(|pattern| (key.to_owned(), pattern.text().to_owned())));
        }
        if choices.filters.generated {
            about.push(("generated".to_owned(), "recorded".to_owned()));
        }
        Header {
            version: capture::VERSION,
            encoding: choices.encoding,
            when_full: choices.when_full,
            pid: std::process::id(),
            time: now(),
            about,
        }
    }

    /// Ends the recording, if there is one. `restores`: the program goes on, so its classes are put
    /// back as they were.
    pub(crate) fn stop(&self, jni: Jni, reason: &str, restores: bool) -> Option<Summary> {
        let mut session = lock(&self.session);
        // Before, so that threads which end meanwhile are still told of.
        sampler::end(self, jni, &*self.current()?, restores);
        let recording = self.recording.write().unwrap_or_else(PoisonError::into_inner).take()?;
        looks::end(self, jni, &recording);
        let mut threads = self.threads();
        let losses = threads.end(now());
        self.call_all(jni, &threads);
        if let Some(java) = self.java.get().filter(|_| recording.choices.encoding == Encoding::Paths) {
            let at = |buffer| word(jni.get_int(buffer, java.at));
            threads.keep_places(&self.pool, at);
        }
        drop(threads);
        self.slot_free.notify_all();
        recording.is_over.store(true, Ordering::Release);
        self.slot_full.notify_all();
        let is_complete = session.writer.take().and_then(|writer| writer.join().ok()).unwrap_or(false);
        if let Some(behind) = session.behind.take() {
            behind.end();
        }
        self.wait_for_writing_threads();
        if let Err(error) = recording.steps.finish() {
            recording.fail(cannot_write(&error));
        }
        if self.pool.is_lost() {
            recording.fail(cannot_write(&crate::pool::lost()));
        }
        // Perhaps nobody has looked since.
        if let Some(problem) = recording.folder.problem() {
            recording.fail(problem);
        }
        let is_complete = is_complete && recording.failure().is_none();
        let reason = recording.failure().unwrap_or_else(|| reason.to_owned());
        let has_end = self.write_end(jni, &recording, &losses, &reason);
        let reason = recording.failure().unwrap_or(reason);
        self.threads().abandon();
        self.pool.detach();
        if is_complete && has_end {
            recording.folder.finish();
        }
        let summary = self.summary(&recording, reason);
        session.failed = None;
        if recording.failure().is_some() {
            self.terminal.tell(&format!("recording into {} has ended: {}", summary.dir, summary.reason));
            session.failed = Some(summary.clone());
        }
        let _ = self.jvmti.enable(Event::ClassFileLoadHook, false);
        let _ = self.jvmti.enable(Event::ClassPrepare, false);
        if restores {
            let known = std::mem::take(&mut *lock(&recording.instrumented));
            session.left = retransform::restore(self, jni, known);
        }
        Some(summary)
    }

    /// Until then they read slots, which are still those of the recording.
    fn wait_for_writing_threads(&self) {
        let mut threads = self.threads();
        while threads.writing > 0 {
            threads = self.slot_free.wait(threads).unwrap_or_else(PoisonError::into_inner);
        }
        drop(threads);
        *lock(&self.written) = None;
    }

    /// Whether all of `code` stands in its file.
    fn write_end(&self, jni: Jni, recording: &Recording, losses: &[(u32, u32, u64)], reason: &str) -> bool {
        let mut out = Vec::new();
        for (tid, serial, thread, is_virtual) in self.threads().of_this_recording() {
            let thread = jni.local(thread);
            if !thread.is_null()
                && let Some(name) = self.jvmti.thread_name(jni, thread)
            {
                thread_record(serial, tid, &name, is_virtual).put(&mut out);
            }
            jni.delete_local(thread);
        }
        for &(thread, before, words) in losses {
            loss(thread, before, words).put(&mut out);
        }
        let Some(mut code) = recording.close() else { return true };
        let finished = code.finish();
        let is_whole = finished.is_ok();
        if let Err(error) = finished {
            recording.fail(cannot_write(&error));
        }
        // Names and losses may not fit a full disk; the end has its place kept.
        let fits = code.append_last(&out).is_ok();
        let words = recording.steps.words();
        let threads = self.threads();
        let (lost, lost_to) = (threads.lost, threads.lost_to);
        drop(threads);
        let mut reason = reason.to_owned();
        if !fits {
            reason += "; names and losses are missing";
        }
        match recording.missing_files() {
            0 => {}
            1 => reason += "; the class file of one class, which an earlier run had kept, was damaged",
            missing => {
                let classes =
                    format!("; the class files of {missing} classes, which an earlier run had kept,");
                reason = reason + &classes + " were damaged";
            }
        }
        out.clear();
        let failed = recording.failure().is_some();
        let prepared = recording.prepared();
        End { reason, time: now(), words, lost, failed, prepared, lost_to }.put(&mut out);
        let _ = code.append_last(&out);
        is_whole
    }

    /// What a recording has come to so far.
    pub(crate) fn summary(&self, recording: &Recording, reason: String) -> Summary {
        Summary {
            dir: recording.folder.path.to_string_lossy().into_owned(),
            is_handed: recording.folder.is_handed(),
            reason,
            words: recording.steps.words(),
            lost: self.threads().lost,
            bytes: recording.bytes.load(Ordering::Relaxed),
            classes: lock(&recording.instrumented).len(),
            methods: recording.methods.load(Ordering::Relaxed),
            left_alone: recording.left_alone.load(Ordering::Relaxed),
            prepared: recording.prepared(),
        }
    }
}
