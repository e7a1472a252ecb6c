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

#[cfg(test)]
mod tests;

/// So many full slots are worth waking the writer for; fewer wait until it looks again by itself.
const WORTH_WAKING: usize = 8;

/// So many slots of others say that a thread is not as busy any more.
const MOST_IDLE: u32 = 8;

/// With so many slots to be written, the writer is far behind: threads may not write by themselves, or have ended.
const MOST_BEHIND: usize = 32;

/// With so many slots to be written, who fills one writes it by itself: 2 MiB of large ones.
const ENOUGH_FOR_WRITER: usize = 16;

/// So many more it writes by itself then: about as long as a writer that has a processor takes for the others.
/// Where it has none the threads find it behind again, and go on.
const ALONE: u32 = 4;

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

/// What a thread that asked is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Given {
    /// Write from here to there.
    Words { cursor: i64, end: i64 },
    /// Make these slots ready, say so by [`Threads::made`] and ask again.
    Make(Range),
    /// Write what is its own to write first, and ask again.
    Write,
    /// No slot is free and the thread shall wait for one. `is_bounded`: not for ever, see
    /// [`Threads::wait_no_more`].
    Wait { is_bounded: bool },
}

/// What comes of a thread's asking.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answer {
    /// Whether it has filled a slot.
    pub(crate) has_filled: bool,
    /// What it has to write by itself, and to say so by [`Threads::wrote`].
    pub(crate) own: Option<Job>,
    /// What it is given; `None` for a thread that is not known.
    pub(crate) given: Option<Given>,
    /// If these are its first words in this recording: its serial number, and whether it is virtual.
    pub(crate) fresh: Option<(u32, bool)>,
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

    /// Keeps how far threads are that are in the middle of something when a recording of paths ends.
    /// `at` reads it from a buffer; it holds if the thread wrote nothing meanwhile.
    pub(crate) fn set_positions(&mut self, pool: &Pool, at: impl Fn(Ref) -> u32) {
        let buffers: HashMap<u32, Ref> =
            self.by_tid.values().map(|thread| (thread.serial, thread.buffer)).collect();
        for job in self.full.iter_mut().filter(|job| job.last && !job.is_left) {
            let Some(&buffer) = buffers.get(&job.thread) else { continue };
            let before = pool.count_words(job.slot);
            let position = at(buffer);
            if pool.count_words(job.slot) == before {
                job.position = Some((before as usize, position));
            }
        }
    }

    /// Gives up what could not be written: it stays in the file. Slots whose threads have not left
    /// them stay theirs.
    pub(crate) fn abandon(&mut self) {
        self.full.clear();
        self.retired.values_mut().for_each(|state| state.copied = true);
    }

    /// The threads that wrote into this recording: tid, serial number, object, whether virtual.
    pub(crate) fn of_this_recording(&self) -> Vec<(i64, u32, Ref, bool)> {
        let mut found: Vec<_> = self
            .by_tid
            .iter()
            .filter(|(_, thread)| thread.recording == self.recording)
            .map(|(&tid, thread)| (tid, thread.serial, thread.thread, thread.is_virtual))
            .collect();
        found.sort_unstable_by_key(|&(_, serial, _, _)| serial);
        found
    }

    /// How far each thread has come: serial number, number of its chunk, words in it.
    pub(crate) fn positions(&self, pool: &Pool) -> Vec<(u32, (u32, u32))> {
        let of = |thread: &Thread| match thread.target {
            Target::Slot(slot) => (thread.serial, (thread.next.saturating_sub(1), pool.count_words(slot))),
            _ => (thread.serial, (thread.next, 0)),
        };
        let mut all: Vec<_> =
            self.by_tid.values().filter(|thread| thread.recording == self.recording).map(of).collect();
        all.sort_unstable();
        all
    }

    /// How far each thread has come in this recording, by its Java number: number of its chunk and words in it,
    /// those included that it lost. `after`: of a thread whose words are not wanted any more.
    pub(crate) fn positions_by_tid(&self, pool: &Pool, after: (u32, u32)) -> HashMap<i64, (u32, u32)> {
        let of = |thread: &Thread| match thread.target {
            Target::Slot(slot) => (thread.next.saturating_sub(1), pool.count_words(slot)),
            Target::Scratch => {
                let written = thread.scratch.as_ref().map_or(0, Scratch::written);
                (thread.next, u32::try_from(thread.lost + written).unwrap_or(u32::MAX))
            }
            // It may run on and write what nobody wants.
            Target::After => after,
            Target::Retired(_) | Target::Unassigned => (thread.next, 0),
        };
        let here = self.by_tid.iter().filter(|(_, thread)| thread.recording == self.recording);
        here.map(|(&tid, thread)| (tid, of(thread))).collect()
    }

    /// The virtual threads that were met: number and object, a weak handle.
    pub(crate) fn virtual_threads(&self) -> Vec<(i64, Ref)> {
        let virtual_ones = self.by_tid.iter().filter(|(_, thread)| thread.is_virtual);
        virtual_ones.map(|(&tid, thread)| (tid, thread.thread)).collect()
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

    /// A thread leaves where it wrote: what is to be written of it; other words are counted or forgotten.
    /// `cursor`: where it stands, if it says so itself. `last`: it ended.
    fn leave(&mut self, tid: i64, cursor: Option<i64>, pool: &Pool, now: i64, last: bool) -> Option<Job> {
        let thread = self.by_tid.get_mut(&tid)?;
        match std::mem::replace(&mut thread.target, Target::Unassigned) {
            Target::Slot(slot) => {
                if let Some(entry) = thread.entry {
                    self.positions.set(entry, self.recording, None);
                }
                pool.set_state(slot, pool::FULL);
                return Some(thread.job(slot, now, (last, true), cursor));
            }
            Target::Scratch => {
                let lost = thread.scratch.as_ref().map_or(0, |scratch| scratch.written_up_to(cursor));
                if thread.recording == self.recording {
                    thread.lost += lost;
                    self.lost += lost;
                    self.lost_to[thread.lacked as usize] += lost;
                }
            }
            Target::Retired(slot) => {
                let state = self.retired.entry(slot).or_default();
                state.left = true;
                if state.copied {
                    self.retired.remove(&slot);
                    pool.clear(slot);
                    self.give_back(slot);
                }
            }
            Target::After | Target::Unassigned => {}
        }
        None
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

    /// Why no slot is free.
    fn lacked(&self) -> Awaited {
        self.awaited.unwrap_or(if self.disk_is_slow { Awaited::Disk } else { Awaited::Processor })
    }

    /// Whether a thread that has filled a slot may write it by itself.
    fn may_write(&self) -> bool {
        self.is_on && (self.when_full == Some(WhenFull::Wait) || !self.disk_is_slow)
    }

    /// Whether a thread that has filled a slot shall write it by itself.
    fn shall_write(&mut self, tid: i64) -> bool {
        let is_behind = self.full.len() >= ENOUGH_FOR_WRITER;
        let may_write = self.may_write();
        let Some(thread) = self.by_tid.get_mut(&tid).filter(|_| may_write) else { return false };
        let shall_write = is_behind || thread.alone > 0;
        thread.alone = if is_behind { ALONE } else { thread.alone.saturating_sub(1) };
        shall_write
    }

    /// Leaves to the writer what a thread has filled, or to the thread, which gets it back.
    fn pass_on(&mut self, job: Job, is_own: bool) -> Option<Job> {
        if is_own {
            self.writing += 1;
            self.have_written = true;
            return Some(job);
        }
        self.full.push_back(job);
        None
    }

    /// A thread asks for a slot. `cursor` is where it stands.
    pub(crate) fn ask(&mut self, tid: i64, cursor: i64, pool: &Pool, now: i64) -> Answer {
        let filled = self.leave(tid, Some(cursor), pool, now, false);
        let mut answer = Answer { has_filled: filled.is_some(), own: None, given: None, fresh: None };
        if let Some(thread) = self.by_tid.get_mut(&tid)
            && self.is_on
            && thread.recording != self.recording
        {
            thread.recording = self.recording;
            (thread.next, thread.lost, thread.alone) = (0, 0, 0);
            answer.fresh = Some((thread.serial, thread.is_virtual));
        }
        let shall_write = filled.is_some() && self.shall_write(tid);
        let taken = if self.is_on { self.take(tid, shall_write) } else { None };
        // With no slot to go on with it has nothing better to do than to write this one.
        let is_own = shall_write || taken.is_none() && self.may_write();
        answer.own = filled.and_then(|job| self.pass_on(job, is_own));
        let Some(Taken::Slot(slot)) = taken else {
            if let Some(Taken::Range(range)) = taken {
                answer.given = Some(Given::Make(range));
                return answer;
            }
            if answer.own.is_some() {
                answer.given = Some(Given::Write);
                return answer;
            }
            // Only for the disk: slots that other threads hold may never come back.
            let is_written = self.is_writing || self.writing > 0 || !self.full.is_empty();
            let is_coming = is_written || self.slots.are_coming();
            let is_bounded = self.when_full == Some(WhenFull::Bounded);
            let waits = self.when_full == Some(WhenFull::Wait) || is_bounded && !self.has_waited_in_vain;
            if self.is_on && waits && is_coming {
                answer.given = Some(Given::Wait { is_bounded });
                return answer;
            }
            let lacked = self.lacked();
            let Some(thread) = self.by_tid.get_mut(&tid) else { return answer };
            thread.lacked = lacked;
            let scratch = thread.scratch.get_or_insert_with(Scratch::new);
            scratch.clear();
            thread.target = if self.is_on { Target::Scratch } else { Target::After };
            let (cursor, end) = scratch.words();
            answer.given = Some(Given::Words { cursor, end });
            return answer;
        };
        let Some(thread) = self.by_tid.get_mut(&tid) else { return answer };
        thread.since = now;
        thread.lost_before = std::mem::take(&mut thread.lost);
        let head = pool::slot_head(thread.serial, thread.next, pool::IN_USE, thread.lost_before, now);
        pool.set_head(slot, &head);
        if thread.entry.is_none() {
            thread.entry = self.unused_entries.pop().or_else(|| self.positions.add());
            if let Some(entry) = thread.entry {
                self.positions.give(entry, thread.serial);
            }
        }
        if let Some(entry) = thread.entry {
            self.positions.set(entry, self.recording, Some((slot, thread.next)));
        }
        thread.next += 1;
        thread.target = Target::Slot(slot);
        let (cursor, end) = pool.words(slot);
        answer.given = Some(Given::Words { cursor, end });
        answer
    }

    /// A thread that has filled a slot: under which of the guesses it shall be found from now on, if that
    /// is new. The first is for one alone, the other for a second one that is as busy.
    pub(crate) fn guess(&mut self, tid: i64) -> Option<i32> {
        let [first, second] = &mut self.busy;
        if *first == tid {
            self.idle = 0;
            return None;
        }
        self.idle += 1;
        if self.idle > MOST_IDLE || *first == 0 {
            (*first, self.idle) = (tid, 0);
            return Some(0);
        }
        (std::mem::replace(second, tid) != tid).then_some(1)
    }

    /// The thread could not tell of everything: at least one word is missing.
    pub(crate) fn lose_one(&mut self, tid: i64) {
        if let Some(thread) = self.by_tid.get_mut(&tid).filter(|_| self.is_on) {
            thread.lost += 1;
            self.lost += 1;
        }
    }

    /// A thread has ended, perhaps in the middle of something: `at` says how far it was, as in
    /// [`Threads::set_positions`]. Its entry, with what it lost at last, and what it has to write by itself.
    pub(crate) fn leave_for_ever(
        &mut self,
        tid: i64,
        at: u32,
        pool: &Pool,
        now: i64,
    ) -> Option<(Thread, Option<Job>)> {
        let own = self.leave(tid, None, pool, now, true).and_then(|job| {
            let position = Some((pool.count_words(job.slot) as usize, at));
            let is_own = self.shall_write(tid);
            self.pass_on(Job { position, ..job }, is_own)
        });
        let thread = self.by_tid.remove(&tid)?;
        self.unused_entries.extend(thread.entry);
        Some((thread, own))
    }

    /// The first chunks of a thread are small: most threads need no more. Where the writer is behind,
    /// those that do get no small ones: asking and writing so often would put it behind further, and other
    /// threads' first words would have no space. Before they lose words they get the ones of
    /// [`Slots::lend`], until the writer has come to its end. Before it makes slots ready, a thread takes what is
    /// there: the writer, which was woken by then, mostly comes before that is used up. `is_writing`: it is about
    /// to free a slot by itself, so it needs none that is not there yet.
    fn take(&mut self, tid: i64, is_writing: bool) -> Option<Taken> {
        let is_few = self.by_tid.get(&tid)?.next < 4;
        let is_behind = self.full.len() >= MOST_BEHIND && self.slots.has_large();
        let sizes: &[Which] = match (is_few, is_behind) {
            (true, _) => &[Which::Small, Which::Large],
            (false, false) => &[Which::Large, Which::Small],
            (false, true) => &[Which::Large],
        };
        let slots = &mut self.slots;
        let taken = sizes.iter().find_map(|&which| slots.take(which).map(Taken::Slot));
        if is_writing {
            return taken;
        }
        let taken = taken.or_else(|| sizes.iter().find_map(|&which| slots.name_few(which).map(Taken::Range)));
        taken.or_else(|| if is_few { None } else { slots.lend() })
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
