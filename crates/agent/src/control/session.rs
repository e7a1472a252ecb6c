//! Starting and stopping a recording.
//!
//! ```text
//! start   folder and pool -> words are wanted -> the hook is on -> loaded classes are instrumented -> calls of --inside are recorded
//! stop    no more words -> the rest is written -> names, losses, end -> classes as they were
//! ```

use std::os::fd::OwnedFd;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use capture::pool;
use capture::{Encoding, End, Header};

use super::agent::Agent;
use super::clock::Clock;
use super::options::Choices;
use super::recording::Recording;
use super::state::Summary;
use super::{budget, inside, running, sampler, values};
use crate::buffers::pool::{TAILS, lost};
use crate::buffers::threads::Threads;
use crate::classes::cache::ClassCache;
use crate::classes::recorded::{Counts, RecordedClasses};
use crate::classes::wanted::Wanted;
use crate::classes::{fingerprint, retransform};
use crate::jvm::overflow::word;
use crate::jvm::{Event, Jni};
use crate::sys::{self, now};
use crate::writer::files::Folder;
use crate::writer::flush;
use crate::writer::output::{Output, cannot_write, loss, thread_record};
use crate::writer::samples::Samples;
use crate::writer::writeback::Writeback;

impl Agent {
    /// Begins a recording into the folder that the choices name, or into this open one, which they only name.
    pub(crate) fn start(
        &'static self,
        jni: Jni,
        choices: Choices,
        handed: Option<OwnedFd>,
    ) -> Result<(), String> {
        let mut session = self.session.lock();
        if let Some(recording) = self.current() {
            return Err(format!("already recording into {}", recording.output.folder.path.display()));
        }
        if self.choices.forbids_values && !choices.wanted.values.is_empty() {
            return Err(
                "values may not be recorded here: the recorder was started with --no-values".to_owned()
            );
        }
        if let Some(java) = self.java.get().filter(|_| !choices.wanted.values.is_empty()) {
            values::bind(jni, java.buffer_class);
        }
        let path = choices.dir.clone().ok_or("no folder was named for the capture")?;
        let cannot = |error: std::io::Error| format!("cannot make the capture {}: {error}", path.display());
        let (folder, mut code, mut steps, open) = Folder::create(&path, handed).map_err(cannot)?;
        let begun = (|| {
            let sizes = if self.faults_can_be_caught(jni) {
                let sizes = self.buffers.pool.attach(&open)?;
                self.buffers.pool.catch_faults(self.wake.waker())?;
                sizes
            } else {
                self.buffers.pool.attach_nothing()?
            };
            self.buffers.pool.write_head(&pool::head(&sizes, TAILS));
            let mut out = Vec::new();
            self.header(&choices).put(&mut out);
            // Straight to the file: without it nobody could read the rest.
            code.append(&out)?;
            for (log, tail) in [&mut code, &mut steps].into_iter().zip(self.buffers.pool.tails()) {
                log.set_tail(tail);
            }
            Ok(sizes)
        })();
        let sizes = begun.map_err(|error| {
            self.buffers.pool.detach();
            folder.remove();
            cannot(error)
        })?;
        let limits = (choices.wanted.encoding, choices.bytes);
        let samples = choices.budget.map(|_| Samples::default());
        let output = Arc::new(Output::new(folder, [code, steps], limits, samples, Arc::clone(&self.wake)));
        let cache = self.class_cache(&choices);
        let classes = RecordedClasses::new(choices.wanted.clone(), cache);
        let recording = Arc::new(Recording::new(choices, output, classes));
        let shared = Arc::clone(&recording);
        let writer = std::thread::Builder::new().name("tracewright".to_owned()).spawn(move || {
            let run = || self.write(&shared);
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_or_else(|_| {
                self.give_up("the writer failed".to_owned());
                false
            })
        });
        let writer = writer.map_err(|error| {
            self.buffers.pool.detach();
            recording.output.folder.remove();
            cannot(error)
        })?;
        session.writer = Some(writer);
        session.writeback = Writeback::spawn(&recording.output);
        *self.written.lock() = Some(Arc::clone(&recording.output));
        let choices = &recording.choices;
        let mut threads = self.buffers.threads();
        threads.begin(&sizes, choices.when_full, choices.wanted.encoding);
        // The first slots are there before the first word is wanted.
        if let Some(first) = threads.name_more() {
            threads = self.buffers.make_ready(threads, first);
        }
        self.call_all(jni, &threads);
        if let Some(java) = self.java.get().filter(|_| choices.wanted.follows_tasks()) {
            inside::begin_recording(jni, java, &threads);
            java.follow_everywhere(jni, choices.wanted.inside.is_empty());
            self.report_thread_starts(true, choices.wanted.tasks);
        }
        drop(threads);
        if recording.choices.has_clock {
            session.clock = Clock::spawn(&self.buffers, &recording.output);
        }
        *self.recording.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&recording));
        let enabled = self.jvmti.enable(Event::ClassFileLoadHook, true);
        let _ = self.jvmti.enable(Event::ClassPrepare, true);
        drop(session);
        if enabled.is_err() {
            self.stop(jni, "the virtual machine refused the class hook", false);
            return Err("the virtual machine refused the class hook".to_owned());
        }
        retransform::instrument((self.jvmti, jni), &self.loaders, &recording.classes, &recording.output);
        recording.inside.ready();
        running::record(self, jni, &recording);
        Ok(())
    }

    /// The writer's thread: writes until the recording is over; whether all was written.
    fn write(&'static self, recording: &Recording) -> bool {
        let mut tasks = recording.classes.tasks();
        let is_done = flush::run(&self.buffers, &recording.output, || tasks.do_some(&recording.output));
        if is_done {
            tasks.finish();
        }
        is_done && recording.output.failure().is_none()
    }

    /// Whether a handler of ours may stand before the virtual machine's: with these options it looks whether
    /// its own is there, and libjsig would have ours called last.
    fn faults_can_be_caught(&self, jni: Jni) -> bool {
        !sys::has_function(c"JVM_begin_signal_setting")
            && !jni.is_started_with(&["-Xcheck:jni", "-XX:+CheckJNICalls"]).unwrap_or(false)
    }

    /// What earlier runs of this program that were recorded in the same way have prepared, if whoever loaded the
    /// agent wants that.
    fn class_cache(&self, choices: &Choices) -> Option<ClassCache> {
        // Which methods may be throttled is found out while classes are instrumented.
        let folder = self.choices.cache.as_ref().filter(|_| choices.budget.is_none())?;
        let property = |name| self.jvmti.property(name).unwrap_or_default();
        let main = property(c"sun.java.command");
        let main = main.split(' ').next().unwrap_or_default();
        let program =
            fingerprint::with_bytes(choices.wanted.fingerprint(), property(c"java.class.path").as_bytes());
        Some(ClassCache::open(folder, fingerprint::with_bytes(program, main.as_bytes())))
    }

    /// Sets whether the virtual machine reports starts of virtual threads, which takes time, and of platform threads.
    fn report_thread_starts(&self, of_virtual: bool, of_platform: bool) {
        if self.java.get().is_some_and(|java| java.virtual_class.is_some()) {
            let _ = self.jvmti.enable(Event::VirtualThreadStart, of_virtual);
        }
        let _ = self.jvmti.enable(Event::ThreadStart, of_platform);
    }

    /// Makes every thread that was met ask before its next word.
    fn call_all(&self, jni: Jni, threads: &Threads) {
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
        let Wanted { filters, values, inside, .. } = &choices.wanted;
        let patterns = [
            ("include", &filters.include),
            ("exclude", &filters.exclude),
            ("values", values),
            ("inside", inside),
        ];
        for (key, patterns) in patterns {
            about.extend(patterns.iter().map(|pattern| (key.to_owned(), pattern.text().to_owned())));
        }
        if !inside.is_empty() && choices.one_in > 1 {
            about.push(("one-in".to_owned(), choices.one_in.to_string()));
        }
        if let Some(percent) = choices.budget {
            about.push(("budget".to_owned(), format!("{percent} %")));
        }
        if choices.wanted.tasks {
            about.push(("tasks".to_owned(), "followed".to_owned()));
        }
        if filters.generated {
            about.push(("generated".to_owned(), "recorded".to_owned()));
        }
        Header {
            version: capture::VERSION,
            encoding: choices.wanted.encoding,
            when_full: choices.when_full,
            pid: std::process::id(),
            time: now(),
            about,
        }
    }

    /// Ends the recording, if there is one. `restores`: the program goes on, so its classes are put
    /// back as they were.
    pub(crate) fn stop(&self, jni: Jni, reason: &str, restores: bool) -> Option<Summary> {
        let mut session = self.session.lock();
        // Before, so that threads which end meanwhile are still recorded.
        sampler::end(self, jni, &*self.current()?, restores);
        let recording = self.recording.write().unwrap_or_else(PoisonError::into_inner).take()?;
        std::mem::take(&mut *recording.old_frames.lock()).end((self.jvmti, jni), &recording.output);
        // Its last look is that of the end: threads write on meanwhile, and what they write is recorded.
        if let Some(clock) = session.clock.take() {
            clock.end();
        }
        let mut threads = self.buffers.threads();
        let losses = threads.end(now());
        self.call_all(jni, &threads);
        if let Some(java) = self.java.get() {
            recording.inside.end(jni, java);
            recording.passed.end(jni, java);
            java.follow_everywhere(jni, false);
        }
        if let Some(java) = self.java.get().filter(|_| recording.choices.wanted.encoding == Encoding::Paths) {
            let at = |buffer| word(jni.get_int(buffer, java.at));
            threads.set_positions(&self.buffers.pool, at);
        }
        drop(threads);
        self.buffers.slot_free.notify_all();
        recording.output.is_over.store(true, Ordering::Release);
        self.buffers.slot_full.notify_all();
        let is_complete = session.writer.take().and_then(|writer| writer.join().ok()).unwrap_or(false);
        if let Some(writeback) = session.writeback.take() {
            writeback.end();
        }
        self.wait_for_writing_threads();
        if let Err(error) = recording.output.steps.finish() {
            recording.output.fail(cannot_write(&error));
        }
        if self.buffers.pool.is_lost() {
            recording.output.fail(cannot_write(&lost()));
        }
        // Perhaps nobody has looked since.
        if let Some(problem) = recording.output.folder.problem() {
            recording.output.fail(problem);
        }
        let is_complete = is_complete && recording.output.failure().is_none();
        let reason = recording.output.failure().unwrap_or_else(|| reason.to_owned());
        recording.output.append_waiting();
        budget::end(self, jni, &recording);
        let has_end = self.write_end(jni, &recording, &losses, &reason);
        let reason = recording.output.failure().unwrap_or(reason);
        self.buffers.threads().abandon();
        self.buffers.pool.detach();
        if is_complete && has_end {
            recording.output.folder.finish();
        }
        let summary = self.summary(&recording, reason);
        session.failed = None;
        if recording.output.failure().is_some() {
            self.terminal.report(&format!("recording into {} has ended: {}", summary.dir, summary.reason));
            session.failed = Some(summary.clone());
        }
        let _ = self.jvmti.enable(Event::ClassFileLoadHook, false);
        let _ = self.jvmti.enable(Event::ClassPrepare, false);
        self.report_thread_starts(false, false);
        if restores {
            let known = recording.classes.take_instrumented();
            session.left = retransform::again((self.jvmti, jni), &self.loaders, known);
        }
        Some(summary)
    }

    /// Until then they read slots, which are still those of the recording.
    fn wait_for_writing_threads(&self) {
        let mut threads = self.buffers.threads();
        while threads.writing > 0 {
            threads = threads.wait(&self.buffers.slot_free);
        }
        drop(threads);
        *self.written.lock() = None;
    }

    /// Whether all of `code` stands in its file.
    fn write_end(&self, jni: Jni, recording: &Recording, losses: &[(u32, u32, u64)], reason: &str) -> bool {
        let mut out = Vec::new();
        for (tid, serial, thread, is_virtual) in self.buffers.threads().of_this_recording() {
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
        let Some(mut code) = recording.output.close() else { return true };
        let finished = code.finish();
        let is_whole = finished.is_ok();
        if let Err(error) = finished {
            recording.output.fail(cannot_write(&error));
        }
        // Names and losses may not fit a full disk; the end has its place kept.
        let fits = code.append_last(&out).is_ok();
        let words = recording.output.steps.words();
        let threads = self.buffers.threads();
        let (lost, lost_to) = (threads.lost, threads.lost_to);
        drop(threads);
        let mut reason = reason.to_owned();
        if !fits {
            reason += "; names and losses are missing";
        }
        let Counts { missing_files, instrumented, .. } = recording.classes.counts();
        match missing_files {
            0 => {}
            1 => reason += "; the class file of one class, which an earlier run had kept, was damaged",
            missing => {
                let classes =
                    format!("; the class files of {missing} classes, which an earlier run had kept,");
                reason = reason + &classes + " were damaged";
            }
        }
        out.clear();
        let failed = recording.output.failure().is_some();
        End { reason, time: now(), words, lost, failed, instrumented, lost_to }.put(&mut out);
        let _ = code.append_last(&out);
        is_whole
    }

    /// What a recording has come to so far.
    pub(crate) fn summary(&self, recording: &Recording, reason: String) -> Summary {
        Summary {
            dir: recording.output.folder.path.to_string_lossy().into_owned(),
            is_handed: recording.output.folder.is_handed(),
            reason,
            words: recording.output.steps.words(),
            lost: self.buffers.threads().lost,
            bytes: recording.output.bytes.load(Ordering::Relaxed),
            counts: recording.classes.counts(),
        }
    }
}
