//! What a traced thread does when it has no slot, or ends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use capture::paths::NO_STATE;

use super::agent::Agent;
use super::inside;
use crate::buffers::thread::{Awaited, Job};
use crate::buffers::threads::{Given, Threads};
use crate::classes::recorder_class::{PREDICTIONS, TABLE};
use crate::jvm::handles::Handles;
use crate::jvm::overflow::word;
use crate::jvm::{Jni, Ref};
use crate::locks::Guard;
use crate::sys::{self, now};
use crate::writer::output::{Output, thread_record};
use crate::writer::writing;

/// What came of a thread's asking.
struct Asked {
    threads: Guard<'static, Threads>,
    /// Where it writes from now on, from here to there; `None` for a thread that is not known.
    space: Option<(i64, i64)>,
    /// As in the answer to a thread that asks for a slot.
    fresh: Option<(u32, bool)>,
    has_filled: bool,
    /// What it has to write by itself, without the lock.
    own: Option<Job>,
}

/// Bytes of the longest record, four words, after its first word: a record only checks whether there is space
/// for that.
const LONGEST: i64 = 12;

/// How long a thread waits for a slot before it drops records, unless it is to wait for ever or not at all: see the
/// help of `--when-full`.
const MOST_WAIT: Duration = Duration::from_secs(1);

impl Agent {
    /// The buffer of the current thread, which has this number.
    pub(crate) fn find(&self, jni: Jni, tid: i64) -> Ref {
        let Some(java) = self.java.get() else { return Ref::NULL };
        let known = self.buffers.threads().by_tid.get(&tid).map(|thread| thread.buffer);
        let index = i32::try_from(tid & i64::from(TABLE - 1)).unwrap_or(0);
        let buffer = match known {
            Some(buffer) => jni.local(buffer),
            // A thread that is not yet a whole object has the number 0.
            None if tid == 0 => return jni.local(java.sentinel),
            None => {
                let Some(buffer) = jni.new_with_long(java.buffer_class, tid) else {
                    return jni.local(java.sentinel);
                };
                let thread = self.jvmti.current_thread();
                let is_virtual = java.virtual_class.is_some_and(|class| jni.is_instance(thread, class));
                let weak = jni.weak(thread);
                jni.delete_local(thread);
                let global = jni.global(buffer);
                self.buffers.threads().meet(tid, global, weak, is_virtual);
                buffer
            }
        };
        jni.set_array_element(java.table, index, buffer);
        buffer
    }

    /// Space for the current thread's next word: its address.
    pub(crate) fn space(&'static self, jni: Jni, buffer: Ref) -> i64 {
        let Some(java) = self.java.get() else { return self.buffers.discard.words().0 };
        let tid = jni.get_long(buffer, java.tid);
        let stands = jni.get_long(buffer, java.cursor);
        let late = java.overflow.take(jni, buffer);
        let mut threads = self.buffers.threads();
        if late.is_short {
            threads.lose_one(tid);
        }
        let Asked { mut threads, space, fresh, has_filled, own } = self.ask(threads, tid, stands);
        let cursor = if let Some((cursor, end)) = space {
            let cursor = self.buffers.pool.store(cursor, &late.words);
            // Under the lock, so that a stop which sets the end to 0 is never undone.
            if fresh.is_some() {
                // What a caller recorded in an earlier recording has no meaning in this one.
                jni.set_int(buffer, java.at, 1);
            }
            if let Some((_, false)) = fresh {
                threads.runs_on(tid, sys::task());
            }
            jni.set_long(buffer, java.cursor, cursor);
            jni.set_long(buffer, java.end, end - LONGEST);
            cursor
        } else {
            self.discard_only(jni, buffer)
        };
        let prediction = if has_filled { threads.predict(tid) } else { None };
        if let Some(prediction) = prediction {
            self.set_prediction(jni, java, buffer, prediction);
        }
        drop(threads);
        if let Some(own) = own {
            self.write_own(own, false);
        }
        if let (Some((serial, is_virtual)), Some(recording)) = (fresh, self.current()) {
            let name = self.jvmti.thread_name(jni, Ref::NULL).unwrap_or_default();
            recording.output.thread(&thread_record(serial, tid, &name, is_virtual));
        }
        cursor
    }

    /// The buffer of the current thread becomes one of the predictions, and the one that it replaces no longer
    /// is one. Under the lock of the threads.
    fn set_prediction(&self, jni: Jni, java: &Handles, buffer: Ref, prediction: i32) {
        let (index, other) = (i32::from(TABLE) + prediction, i32::from(TABLE + PREDICTIONS) - 1 - prediction);
        let [before, beside] = [index, other].map(|index| jni.array_element(java.table, index));
        // A thread that was the second and becomes the first stands at both for a while.
        if !jni.is_same(before, beside) {
            jni.set_object(before, java.thread, Ref::NULL);
        }
        let thread = self.jvmti.current_thread();
        jni.set_object(buffer, java.thread, thread);
        jni.set_array_element(java.table, index, buffer);
        [before, beside, thread].into_iter().for_each(|handle| jni.delete_local(handle));
    }

    /// What slots are written to.
    fn written(&self) -> Option<Arc<Output>> {
        self.written.lock().clone()
    }

    /// The current thread writes what it has filled by itself.
    fn write_own(&'static self, job: Job, waits: bool) {
        writing::write_own(&self.buffers, self.written(), job, waits);
    }

    /// Asks for a thread until it is given a slot. It may have to wait for it or to make it ready.
    fn ask(&'static self, threads: Guard<'static, Threads>, tid: i64, stands: i64) -> Asked {
        let mut asked = Asked { threads, space: None, fresh: None, has_filled: false, own: None };
        let mut began = None;
        loop {
            let answer = asked.threads.ask(tid, stands, &self.buffers.pool, now());
            asked.fresh = asked.fresh.or(answer.fresh);
            asked.has_filled |= answer.has_filled;
            if asked.threads.is_writer_needed() {
                self.buffers.slot_full.notify_one();
            }
            match answer.given {
                Some(Given::Words { cursor, end }) => {
                    asked.space = Some((cursor, end));
                    asked.own = answer.own;
                }
                Some(Given::Write) => {
                    drop(asked.threads);
                    if let Some(own) = answer.own {
                        self.write_own(own, true);
                    }
                    asked.threads = self.buffers.threads();
                    continue;
                }
                Some(Given::Make(range)) => {
                    // Nobody else can take them before this thread has asked again.
                    asked.threads = self.buffers.make_ready(asked.threads, range);
                    continue;
                }
                Some(Given::Wait { is_bounded }) => {
                    let began = *began.get_or_insert_with(Instant::now);
                    if is_bounded && began.elapsed() >= MOST_WAIT {
                        let awaited = self.written().map(|output| output.steps.awaited());
                        asked.threads.wait_no_more(awaited.unwrap_or(Awaited::Processor));
                        continue;
                    }
                    // Woken by whoever frees a slot; the time is for a writer that died.
                    asked.threads.waiting += 1;
                    asked.threads =
                        asked.threads.wait_timeout(&self.buffers.slot_free, Duration::from_millis(100));
                    asked.threads.waiting -= 1;
                    continue;
                }
                None => {}
            }
            return asked;
        }
    }

    /// Space where nobody reads, for a thread that we know nothing of.
    pub(crate) fn discard_only(&self, jni: Jni, buffer: Ref) -> i64 {
        let (start, end) = self.buffers.discard.words();
        if let Some(java) = self.java.get() {
            jni.set_long(buffer, java.cursor, start);
            jni.set_long(buffer, java.end, end - LONGEST);
        }
        start
    }

    /// The buffer that has no space, so that its thread asks for some at each record.
    pub(crate) fn sentinel(&self, jni: Jni) -> Ref {
        self.java.get().map_or(Ref::NULL, |java| jni.local(java.sentinel))
    }

    /// The thread has ended: what it wrote is queued, what we kept for it is given back.
    pub(crate) fn thread_ended(&'static self, jni: Jni, thread: Ref) {
        let Some(java) = self.java.get() else { return };
        let tid = jni.get_long(thread, java.thread_tid);
        let buffer = self.buffers.threads().by_tid.get(&tid).map(|known| known.buffer);
        let Some(buffer) = buffer else { return };
        inside::thread_ends(self, jni, buffer, thread);
        let name = self.jvmti.thread_name(jni, thread).unwrap_or_default();
        let mut threads = self.buffers.threads();
        let known = threads.by_tid.get(&tid).map(|known| known.buffer);
        let late = known.map(|buffer| java.overflow.take(jni, buffer)).unwrap_or_default();
        if late.is_short {
            threads.lose_one(tid);
        }
        let mut own = None;
        if !late.words.is_empty() {
            let asked = self.ask(threads, tid, 0);
            threads = asked.threads;
            own = asked.own;
            if let Some((cursor, _)) = asked.space {
                self.buffers.pool.store(cursor, &late.words);
            }
        }
        let recording = threads.recording;
        // The one that calls System.exit ends before everything else does.
        let at = known.map_or(NO_STATE, |buffer| word(jni.get_int(buffer, java.at)));
        let (entry, last) = threads.leave_for_ever(tid, at, &self.buffers.pool, now()).unzip();
        if let Some(entry) = &entry {
            jni.set_long(entry.buffer, java.end, 0);
        }
        drop(threads);
        own.into_iter().chain(last.flatten()).for_each(|own| self.write_own(own, false));
        self.buffers.slot_full.notify_one();
        let Some(entry) = entry else { return };
        if let Some(current) = self.current().filter(|_| entry.recording == recording) {
            current.output.thread(&thread_record(entry.serial, tid, &name, entry.is_virtual));
            if entry.lost > 0 {
                current.output.loss(entry.serial, entry.next, entry.lost);
            }
        }
        let index = i32::try_from(tid & i64::from(TABLE - 1)).unwrap_or(0);
        for index in
            (0..i32::from(PREDICTIONS)).map(|prediction| i32::from(TABLE) + prediction).chain([index])
        {
            let there = jni.array_element(java.table, index);
            if jni.is_same(there, entry.buffer) {
                jni.set_array_element(java.table, index, java.sentinel);
            }
            jni.delete_local(there);
        }
        jni.delete_global(entry.buffer);
        jni.delete_weak(entry.thread);
    }
}
