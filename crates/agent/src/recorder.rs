//! The agent as a whole: what of it lives as long as the process, and what a traced thread does when
//! it needs room.
//!
//! Locks, in the order in which they may be taken: `session`, `recording`, a recording's `code`,
//! `threads`. What belongs to `steps` is locked alone. No Java code runs while one is held: the calls into the
//! virtual machine that are made under them only read and write fields and names.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use capture::ThreadRecord;
use capture::paths::NO_NEWS;

use crate::ffi::{Field, Jni, Jvmti, Ref};
use crate::ids::Ids;
use crate::notes::Notes;
use crate::options::Choices;
use crate::pool::{Pool, Scratch};
use crate::recorder_class::{GUESSES, TABLE};
use crate::recording::Recording;
use crate::slots::Range;
use crate::terminal::Terminal;
use crate::thread::Job;
use crate::threads::{Awaited, Given, Threads};
use crate::wake::Wake;
use crate::writing;

/// What we know of the classes that were defined, all global handles.
#[derive(Debug)]
pub(crate) struct Java {
    pub(crate) buffer_class: Ref,
    /// `TracewrightRecorder.TABLE`.
    pub(crate) table: Ref,
    /// The buffer of nobody, which fills the table.
    pub(crate) nobody: Ref,
    /// Fields of the buffer.
    pub(crate) tid: Field,
    pub(crate) thread: Field,
    pub(crate) cursor: Field,
    pub(crate) end: Field,
    pub(crate) at: Field,
    pub(crate) notes: Notes,
    /// `Thread.tid`.
    pub(crate) thread_tid: Field,
    /// The class of virtual threads, where there are some.
    pub(crate) virtual_class: Option<Ref>,
}

/// One for the process.
#[derive(Debug)]
pub(crate) struct Agent {
    pub(crate) jvmti: Jvmti,
    /// What it was started with.
    pub(crate) choices: Choices,
    /// What somebody on the TCP port has to say first; nobody listens there without one.
    pub(crate) token: Option<String>,
    pub(crate) java: OnceLock<Java>,
    pub(crate) pool: Pool,
    /// Memory for the words of threads that we know nothing of.
    waste: Scratch,
    threads: Mutex<Threads>,
    /// Told when a slot became free, or none will any more.
    pub(crate) slot_free: Condvar,
    /// Told when a slot is to be written.
    pub(crate) slot_full: Condvar,
    /// What runs now.
    pub(crate) recording: RwLock<Option<Arc<Recording>>>,
    /// What slots are written to: the same, but before the first one is given out until the last one is written.
    pub(crate) written: Mutex<Option<Arc<Recording>>>,
    /// Held while a recording is started or stopped.
    pub(crate) session: Mutex<crate::session::Session>,
    pub(crate) ids: Ids,
    /// The last number given to a class loader.
    pub(crate) last_loader: Mutex<i64>,
    /// The virtual machine ends.
    pub(crate) is_over: AtomicBool,
    /// Wakes the control thread.
    pub(crate) wake: Wake,
    pub(crate) terminal: Terminal,
    /// What a panic said that was caught.
    pub(crate) panic: Mutex<Option<String>>,
}

/// What came of a thread's asking.
struct Asked {
    threads: MutexGuard<'static, Threads>,
    /// Where it writes from now on, from here to there; `None` for a thread that is not known.
    room: Option<(i64, i64)>,
    /// As in [`Answer`](crate::threads::Answer).
    fresh: Option<(u32, bool)>,
    has_filled: bool,
    /// What it has to write by itself, without the lock.
    own: Option<Job>,
}

/// Bytes of the longest record, four words, behind its first: a record only asks whether there is room
/// for that.
const LONGEST: i64 = 12;

/// How long a thread waits for room before it drops records, unless it was told to wait for ever or not at all: as
/// the help of `--when-full` says.
const MOST_WAIT: Duration = Duration::from_secs(1);

/// Letters of a token; a shorter one could be guessed.
const SHORTEST_TOKEN: usize = 16;

static AGENT: OnceLock<Agent> = OnceLock::new();

/// The agent, once it was loaded.
pub(crate) fn agent() -> Option<&'static Agent> {
    AGENT.get()
}

/// Nanoseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// A lock that was poisoned by a panic is as good as any: the recording is about to end.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Agent {
    /// Makes the agent of the process, if there is none.
    pub(crate) fn install(jvmti: Jvmti, choices: Choices) -> std::io::Result<&'static Agent> {
        let token = choices.token_file.as_ref().and_then(|path| std::fs::read_to_string(path).ok());
        let token = token.map(|token| token.trim().to_owned()).filter(|token| token.len() >= SHORTEST_TOKEN);
        let agent = Agent {
            jvmti,
            token,
            terminal: Terminal::new(choices.tells),
            choices,
            java: OnceLock::new(),
            pool: Pool::reserve()?,
            waste: Scratch::new(),
            threads: Mutex::default(),
            slot_free: Condvar::new(),
            slot_full: Condvar::new(),
            recording: RwLock::new(None),
            written: Mutex::default(),
            session: Mutex::default(),
            ids: Ids::default(),
            last_loader: Mutex::new(crate::hooks::PLATFORM_LOADER),
            is_over: AtomicBool::new(false),
            wake: Wake::new()?,
            panic: Mutex::new(None),
        };
        Ok(AGENT.get_or_init(|| agent))
    }

    pub(crate) fn threads(&self) -> MutexGuard<'_, Threads> {
        lock(&self.threads)
    }

    /// What is recorded now.
    pub(crate) fn current(&self) -> Option<Arc<Recording>> {
        self.recording.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What slots are written to.
    pub(crate) fn written(&self) -> Option<Arc<Recording>> {
        lock(&self.written).clone()
    }

    /// Something went wrong that must end the recording: told to the control thread.
    pub(crate) fn give_up(&self, reason: String) {
        if let Some(recording) = self.current() {
            recording.fail(reason);
        }
        self.no_more_words();
    }

    /// Hands out no more room, and asks the control thread to end the recording. On a busy machine that
    /// thread may come late; what is written until then would be beyond what was asked for.
    pub(crate) fn no_more_words(&self) {
        self.threads().is_on = false;
        self.slot_free.notify_all();
        self.wake.wake();
    }

    /// The buffer of the current thread, which has this number.
    pub(crate) fn find(&self, jni: Jni, tid: i64) -> Ref {
        let Some(java) = self.java.get() else { return Ref::NULL };
        let known = self.threads().by_tid.get(&tid).map(|thread| thread.buffer);
        let index = i32::try_from(tid & i64::from(TABLE - 1)).unwrap_or(0);
        let buffer = match known {
            Some(buffer) => jni.local(buffer),
            // A thread that is not yet a whole object has the number 0.
            None if tid == 0 => return jni.local(java.nobody),
            None => {
                let Some(buffer) = jni.new_with_long(java.buffer_class, tid) else {
                    return jni.local(java.nobody);
                };
                let thread = self.jvmti.current_thread();
                let is_virtual = java.virtual_class.is_some_and(|class| jni.is_instance(thread, class));
                let weak = jni.weak(thread);
                jni.delete_local(thread);
                let global = jni.global(buffer);
                self.threads().meet(tid, global, weak, is_virtual);
                buffer
            }
        };
        jni.set_array_element(java.table, index, buffer);
        buffer
    }

    /// Room for the current thread's next word: its address.
    pub(crate) fn room(&'static self, jni: Jni, buffer: Ref) -> i64 {
        let Some(java) = self.java.get() else { return self.waste.words().0 };
        let tid = jni.get_long(buffer, java.tid);
        let stands = jni.get_long(buffer, java.cursor);
        let late = java.notes.take(jni, buffer);
        let mut threads = self.threads();
        if late.is_short {
            threads.lose_one(tid);
        }
        let Asked { mut threads, room, fresh, has_filled, own } = self.ask(threads, tid, stands);
        let cursor = if let Some((cursor, end)) = room {
            let cursor = self.pool.store(cursor, &late.words);
            // Under the lock, so that a stop which sets the end to 0 is never undone.
            if fresh.is_some() {
                // What a caller of an earlier recording said means nothing in this one.
                jni.set_int(buffer, java.at, 1);
            }
            jni.set_long(buffer, java.cursor, cursor);
            jni.set_long(buffer, java.end, end - LONGEST);
            cursor
        } else {
            self.waste_only(jni, buffer)
        };
        let guess = if has_filled { threads.guess(tid) } else { None };
        if let Some(guess) = guess {
            self.make_guess(jni, java, buffer, guess);
        }
        drop(threads);
        if let Some(own) = own {
            writing::write_own(self, own, false);
        }
        if let (Some((serial, is_virtual)), Some(recording)) = (fresh, self.current()) {
            let name = self.jvmti.thread_name(jni, Ref::NULL).unwrap_or_default();
            recording.thread(&thread_record(serial, tid, &name, is_virtual));
        }
        cursor
    }

    /// The buffer of the current thread becomes one of the guesses, and what it takes the place of no longer
    /// is one. Under the lock of the threads.
    fn make_guess(&self, jni: Jni, java: &Java, buffer: Ref, guess: i32) {
        let (place, other) = (i32::from(TABLE) + guess, i32::from(TABLE + GUESSES) - 1 - guess);
        let [before, beside] = [place, other].map(|place| jni.array_element(java.table, place));
        // A thread that was the second and becomes the first stands at both for a while.
        if !jni.is_same(before, beside) {
            jni.set_object(before, java.thread, Ref::NULL);
        }
        let thread = self.jvmti.current_thread();
        jni.set_object(buffer, java.thread, thread);
        jni.set_array_element(java.table, place, buffer);
        [before, beside, thread].into_iter().for_each(|handle| jni.delete_local(handle));
    }

    /// Asks for a thread until it is given room. It may have to wait for it or to make it ready.
    fn ask(&'static self, threads: MutexGuard<'static, Threads>, tid: i64, stands: i64) -> Asked {
        let mut asked = Asked { threads, room: None, fresh: None, has_filled: false, own: None };
        let mut began = None;
        loop {
            let answer = asked.threads.ask(tid, stands, &self.pool, now());
            asked.fresh = asked.fresh.or(answer.fresh);
            asked.has_filled |= answer.has_filled;
            if asked.threads.is_writer_needed() {
                self.slot_full.notify_one();
            }
            match answer.given {
                Some(Given::Words { cursor, end }) => {
                    asked.room = Some((cursor, end));
                    asked.own = answer.own;
                }
                Some(Given::Write) => {
                    drop(asked.threads);
                    if let Some(own) = answer.own {
                        writing::write_own(self, own, true);
                    }
                    asked.threads = self.threads();
                    continue;
                }
                Some(Given::Make(range)) => {
                    // Nobody else can take them before this thread has asked again.
                    asked.threads = self.make_ready(asked.threads, range);
                    continue;
                }
                Some(Given::Wait { is_bounded }) => {
                    let began = *began.get_or_insert_with(Instant::now);
                    if is_bounded && began.elapsed() >= MOST_WAIT {
                        let awaited = self.written().map(|recording| recording.steps.awaited());
                        asked.threads.wait_no_more(awaited.unwrap_or(Awaited::Processor));
                        continue;
                    }
                    // Woken by whoever frees a slot; the time is for a writer that died.
                    asked.threads.waiting += 1;
                    let wait = self.slot_free.wait_timeout(asked.threads, Duration::from_millis(100));
                    asked.threads = wait.unwrap_or_else(PoisonError::into_inner).0;
                    asked.threads.waiting -= 1;
                    continue;
                }
                None => {}
            }
            return asked;
        }
    }

    /// Makes slots ready that were named under this lock, which is given up meanwhile: this takes long.
    pub(crate) fn make_ready<'a>(
        &'a self,
        threads: MutexGuard<'a, Threads>,
        range: Range,
    ) -> MutexGuard<'a, Threads> {
        let file = self.pool.file();
        drop(threads);
        let is_ready = self.pool.populate(file.as_deref(), range.first, range.count).is_ok();
        let mut threads = self.threads();
        threads.made(range, is_ready);
        if threads.waiting > 0 {
            self.slot_free.notify_all();
        }
        threads
    }

    /// Room where nobody reads, for a thread that we know nothing of.
    pub(crate) fn waste_only(&self, jni: Jni, buffer: Ref) -> i64 {
        let (waste, end) = self.waste.words();
        if let Some(java) = self.java.get() {
            jni.set_long(buffer, java.cursor, waste);
            jni.set_long(buffer, java.end, end - LONGEST);
        }
        waste
    }

    /// The buffer that has no room, so that its thread asks for some at each record.
    pub(crate) fn buffer_of_nobody(&self, jni: Jni) -> Ref {
        self.java.get().map_or(Ref::NULL, |java| jni.local(java.nobody))
    }

    /// The thread has ended: what it wrote is queued, what we kept for it is given back.
    pub(crate) fn thread_ended(&'static self, jni: Jni, thread: Ref) {
        let Some(java) = self.java.get() else { return };
        let tid = jni.get_long(thread, java.thread_tid);
        let is_known = self.threads().by_tid.contains_key(&tid);
        if !is_known {
            return;
        }
        let name = self.jvmti.thread_name(jni, thread).unwrap_or_default();
        let mut threads = self.threads();
        let known = threads.by_tid.get(&tid).map(|known| known.buffer);
        let late = known.map(|buffer| java.notes.take(jni, buffer)).unwrap_or_default();
        if late.is_short {
            threads.lose_one(tid);
        }
        let mut own = None;
        if !late.words.is_empty() {
            let asked = self.ask(threads, tid, 0);
            threads = asked.threads;
            own = asked.own;
            if let Some((cursor, _)) = asked.room {
                self.pool.store(cursor, &late.words);
            }
        }
        let recording = threads.recording;
        // The one that calls System.exit ends before everything else does.
        let at = known.map_or(NO_NEWS, |buffer| word(jni.get_int(buffer, java.at)));
        let (entry, last) = threads.leave_for_ever(tid, at, &self.pool, now()).unzip();
        if let Some(entry) = &entry {
            jni.set_long(entry.buffer, java.end, 0);
        }
        drop(threads);
        own.into_iter().chain(last.flatten()).for_each(|own| writing::write_own(self, own, false));
        self.slot_full.notify_one();
        let Some(entry) = entry else { return };
        if let Some(current) = self.current().filter(|_| entry.recording == recording) {
            current.thread(&thread_record(entry.serial, tid, &name, entry.is_virtual));
            if entry.lost > 0 {
                current.loss(entry.serial, entry.next, entry.lost);
            }
        }
        let index = i32::try_from(tid & i64::from(TABLE - 1)).unwrap_or(0);
        for index in (0..i32::from(GUESSES)).map(|guess| i32::from(TABLE) + guess).chain([index]) {
            let there = jni.array_element(java.table, index);
            if jni.is_same(there, entry.buffer) {
                jni.set_array_element(java.table, index, java.nobody);
            }
            jni.delete_local(there);
        }
        jni.delete_global(entry.buffer);
        jni.delete_weak(entry.thread);
    }
}

/// A record's word that Java has as an int.
pub(crate) fn word(number: i32) -> u32 {
    u32::from_ne_bytes(number.to_ne_bytes())
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
