//! How far threads have come in a recording.

use std::collections::HashMap;

use super::{Pool, Ref, Scratch, Target, Thread, Threads};

impl Threads {
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

    /// How far a thread has come that writes its next word here: serial number, number of its chunk, words in it; `None` if
    /// what it writes is not kept.
    pub(crate) fn position_of(&self, tid: i64, cursor: i64, pool: &Pool) -> Option<(u32, (u32, u32))> {
        let thread = self.by_tid.get(&tid).filter(|_| self.is_on)?;
        if thread.recording != self.recording {
            // Its first word in this recording comes next.
            return Some((thread.serial, (0, 0)));
        }
        match thread.target {
            Target::Slot(slot) => {
                let (start, end) = pool.words(slot);
                let words = (start..=end).contains(&cursor).then(|| (cursor - start) / 4)?;
                Some((thread.serial, (thread.next.saturating_sub(1), u32::try_from(words).ok()?)))
            }
            // Its next word is the first that it asks for.
            Target::Unassigned => Some((thread.serial, (thread.next, 0))),
            _ => None,
        }
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
}
