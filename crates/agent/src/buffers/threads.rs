//! The traced threads: which slot each writes to, and what happens when it has to have another.
//!
//! ```text
//! slot      words that will be kept
//! retired   a slot whose recording is over: the thread has not noticed yet
//! scratch   words that are only counted: no slot was free
//! after     words that nobody wants: nothing is recorded, or no more
//! none      it will ask before it writes its next word
//! ```
//!
//! A thread writes between its buffer's `cursor` and `end` and asks for more when they meet; setting
//! `end` to 0 makes it ask. It may notice late (a compiled loop keeps `end` in a register), so
//! the memory that it had stays its own until it has asked or ended.
//!
//! What a thread has filled is left to the writer, as long as that keeps up. Then threads write by themselves: it
//! takes a thread less time than the writer, for the words are in its processor's caches still, no word is
//! lost, and threads that are many have as many writers. Such a thread takes its next slot, writes the one before
//! it, and goes on.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use capture::Encoding;
use capture::pool::{self, SlotSize};
use capture::records::WhenFull;

use super::pool::{Pool, Scratch, Slot};
use super::positions::Positions;
use super::slots::{Range, Slots, Taken, Which};
use super::thread::{Awaited, Job, Target, Thread};
use crate::jvm::Ref;

mod asking;
mod progress;
#[cfg(test)]
mod tests;

pub(crate) use asking::Given;

/// So many full slots are worth waking the writer for; fewer wait until it looks again by itself.
const WORTH_WAKING: usize = 8;

/// A slot of a thread whose recording is over is free when it is copied and the thread has left it.
#[derive(Debug, Default, Clone, Copy)]
struct Retired {
    copied: bool,
    left: bool,
}

/// All threads and slots.
#[derive(Debug, Default)]
pub(crate) struct Threads {
    /// By `tid`.
    pub(crate) by_tid: HashMap<i64, Thread>,
    /// The number of the recording that runs or ran last.
    pub(crate) recording: u32,
    /// Whether words are wanted.
    pub(crate) is_on: bool,
    /// Whether a thread waits for a slot rather than lose words.
    when_full: Option<WhenFull>,
    /// Whether one has waited in vain, and no slot was written since: where that takes for ever, nobody waits
    /// for it again and again.
    has_waited_in_vain: bool,
    pub(crate) encoding: Option<Encoding>,
    slots: Slots,
    /// Where each thread writes, and the entries of threads that have ended.
    pub(crate) positions: Arc<Positions>,
    unused_entries: Vec<u32>,
    retired: HashMap<Slot, Retired>,
    /// Whether the writer writes a slot, and how many threads do.
    pub(crate) is_writing: bool,
    pub(crate) writing: u32,
    /// Whether a thread of the program has begun to write by itself since the writer last asked.
    pub(crate) have_written: bool,
    /// Whether who writes has to wait for the disk: a thread that may lose words does not.
    pub(crate) disk_is_slow: bool,
    /// What the writer waits for now, if somebody who has waited for it has looked.
    awaited: Option<Awaited>,
    /// Whether the writer sleeps until a slot is full, and how many threads do until one is free: to
    /// wake nobody takes as long as to write a hundred records.
    pub(crate) writer_waits: bool,
    pub(crate) waiting: u32,
    /// Slots to be written, oldest first.
    pub(crate) full: VecDeque<Job>,
    last_serial: u32,
    /// The threads that are guessed first, 0 for none, and how many slots others have filled since the
    /// first of them filled one.
    busy: [i64; 2],
    idle: u32,
    /// Words lost in this recording.
    pub(crate) lost: u64,
    /// Those of them that were lost to the disk and to the processors, see [`Awaited`].
    pub(crate) lost_to: [u64; 2],
}

impl Threads {
    /// Begins a recording with these slots. They come when they are [`Threads::made`].
    pub(crate) fn begin(&mut self, sizes: &[SlotSize; 2], when_full: WhenFull, encoding: Encoding) {
        self.recording += 1;
        self.slots = Slots::new(self.recording, sizes);
        self.full.clear();
        (self.lost, self.lost_to) = (0, [0, 0]);
        (self.has_waited_in_vain, self.awaited) = (false, None);
        self.is_writing = false;
        self.disk_is_slow = false;
        self.when_full = Some(when_full);
        self.encoding = Some(encoding);
        self.is_on = true;
    }

    /// The next slots to be made ready, if there will soon be too few.
    pub(crate) fn name_more(&mut self) -> Option<Range> {
        if self.is_on { self.slots.name_more() } else { None }
    }

    /// Whether the writer is to be woken: to wake takes as long as to write a thousand records, so not for
    /// each slot, but before a thread finds none.
    pub(crate) fn is_writer_needed(&self) -> bool {
        let is_urgent = || self.slots.is_out() || self.slots.is_short();
        self.writer_waits && (self.full.len() >= WORTH_WAKING || is_urgent())
    }

    /// These are ready, or cannot be; they were named by this, perhaps for a recording that is over. Those that
    /// are still in the hands of threads come back later.
    pub(crate) fn made(&mut self, range: Range, is_ready: bool) {
        self.slots.made(range, is_ready, |slot| !self.retired.contains_key(slot));
    }

    /// Ends it: what threads hold is queued, and the buffers of these threads are returned, whose
    /// `end` must be set to 0 before the lock on this is given up. Also returned: the threads whose
    /// last words were lost (serial, number of the chunk that would be next, words).
    pub(crate) fn end(&mut self, now: i64) -> Vec<(u32, u32, u64)> {
        self.is_on = false;
        let mut losses = Vec::new();
        for thread in self.by_tid.values_mut().filter(|thread| thread.recording == self.recording) {
            match thread.target {
                Target::Slot(slot) => {
                    if let Some(entry) = thread.entry {
                        self.positions.set(entry, self.recording, None);
                    }
                    self.full.push_back(thread.job(slot, now, (true, false), None));
                    self.retired.insert(slot, Retired::default());
                    thread.target = Target::Retired(slot);
                }
                Target::Scratch => {
                    let lost = thread.scratch.as_ref().map_or(0, Scratch::written);
                    thread.lost += lost;
                    self.lost += lost;
                    self.lost_to[thread.lacked as usize] += lost;
                    thread.target = Target::After;
                }
                Target::Retired(_) | Target::After | Target::Unassigned => {}
            }
            if thread.lost > 0 {
                losses.push((thread.serial, thread.next, std::mem::take(&mut thread.lost)));
            }
        }
        losses
    }

    /// Gives up what could not be written: it stays in the file. Slots whose threads have not left
    /// them stay theirs.
    pub(crate) fn abandon(&mut self) {
        self.full.clear();
        self.retired.values_mut().for_each(|state| state.copied = true);
    }

    /// A thread that was not met before.
    pub(crate) fn meet(&mut self, tid: i64, buffer: Ref, thread: Ref, is_virtual: bool) {
        self.last_serial += 1;
        let serial = self.last_serial;
        let thread = Thread {
            serial,
            buffer,
            thread,
            is_virtual,
            recording: 0,
            target: Target::Unassigned,
            since: 0,
            next: 0,
            lost: 0,
            lost_before: 0,
            alone: 0,
            lacked: Awaited::Processor,
            scratch: None,
            entry: None,
        };
        self.by_tid.insert(tid, thread);
    }

    /// The thread of the system that a thread runs on, for its processor time.
    pub(crate) fn runs_on(&self, tid: i64, task: u32) {
        if let Some(entry) = self.by_tid.get(&tid).and_then(|thread| thread.entry) {
            self.positions.set_task(entry, task);
        }
    }

    /// A thread has waited as long as it may: until a slot was written, none waits. `awaited`: what the writer
    /// waits for.
    pub(crate) fn wait_no_more(&mut self, awaited: Awaited) {
        self.has_waited_in_vain = true;
        self.awaited = Some(awaited);
    }

    /// A slot was written.
    fn has_come_on(&mut self) {
        (self.has_waited_in_vain, self.awaited) = (false, None);
    }

    /// The thread could not record everything: at least one word is missing.
    pub(crate) fn lose_one(&mut self, tid: i64) {
        if let Some(thread) = self.by_tid.get_mut(&tid).filter(|_| self.is_on) {
            thread.lost += 1;
            self.lost += 1;
        }
    }

    fn give_back(&mut self, slot: Slot) {
        if self.is_on {
            self.slots.give_back(slot);
        }
    }

    /// A thread has written what was its own to write, or could not.
    pub(crate) fn wrote(&mut self, slot: Slot, is_written: bool) {
        self.writing -= 1;
        if is_written {
            self.has_come_on();
            self.give_back(slot);
        }
    }

    /// A job was done: its words stand in the capture. `is_clear`: the slot was cleared already.
    pub(crate) fn done(&mut self, slot: Slot, pool: &Pool, is_clear: bool) {
        self.is_writing = false;
        self.has_come_on();
        if self.full.is_empty() {
            self.slots.end_loan();
        }
        match self.retired.get_mut(&slot) {
            Some(state) if !state.left => state.copied = true,
            _ => {
                self.retired.remove(&slot);
                if !is_clear {
                    pool.set_state(slot, pool::FREE);
                    pool.clear(slot);
                }
                self.give_back(slot);
            }
        }
    }
}
