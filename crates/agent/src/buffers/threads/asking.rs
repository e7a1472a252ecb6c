//! A thread asks for a slot, and leaves the one that it had.

use capture::pool;
use capture::records::WhenFull;

use super::{Awaited, Job, Pool, Range, Scratch, Taken, Target, Thread, Threads, Which};

/// So many slots of others show that a thread is not as busy any more.
const MOST_IDLE: u32 = 8;

/// With so many slots to be written, the writer is far behind: threads may not write by themselves, or have ended.
pub(super) const MOST_LAG: usize = 32;

/// With so many slots to be written, who fills one writes it by itself: 2 MiB of large ones.
pub(super) const ENOUGH_FOR_WRITER: usize = 16;

/// So many more it writes by itself then: about as long as a writer that has a processor takes for the others.
/// Where it has none the threads find it behind again, and go on.
pub(super) const ALONE: u32 = 4;

/// What a thread that asked is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Given {
    /// Write from here to there.
    Words { cursor: i64, end: i64 },
    /// Make these slots ready, report that by [`Threads::made`] and ask again.
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
    /// What it has to write by itself, and to report by [`Threads::wrote`].
    pub(crate) own: Option<Job>,
    /// What it is given; `None` for a thread that is not known.
    pub(crate) given: Option<Given>,
    /// If these are its first words in this recording: its serial number, and whether it is virtual.
    pub(crate) fresh: Option<(u32, bool)>,
}

impl Threads {
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
        let is_lagging = self.full.len() >= ENOUGH_FOR_WRITER;
        let may_write = self.may_write();
        let Some(thread) = self.by_tid.get_mut(&tid).filter(|_| may_write) else { return false };
        let shall_write = is_lagging || thread.alone > 0;
        thread.alone = if is_lagging { ALONE } else { thread.alone.saturating_sub(1) };
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
    pub(crate) fn predict(&mut self, tid: i64) -> Option<i32> {
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

    /// A thread leaves where it wrote: what is to be written of it; other words are counted or forgotten.
    /// `cursor`: its position, if it has given that itself. `last`: it ended.
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
    /// [`lend`](crate::buffers::slots::Slots::lend), until the writer has come to its end. Before it makes slots ready, a thread takes what is
    /// there: the writer, which was woken by then, mostly comes before that is used up. `is_writing`: it is about
    /// to free a slot by itself, so it needs none that is not there yet.
    fn take(&mut self, tid: i64, is_writing: bool) -> Option<Taken> {
        let is_few = self.by_tid.get(&tid)?.next < 4;
        let is_lagging = self.full.len() >= MOST_LAG && self.slots.has_large();
        let sizes: &[Which] = match (is_few, is_lagging) {
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
}
