//! Where each thread writes, for the clock: it looks a thousand times a second, and no thread may wait for it.
//!
//! ```text
//! entry   serial u32, task u32, state u64: recording and thread, slot + 1, number of its chunk; 0 in no slot
//! ```
//!
//! Entries are written under the lock on [`super::threads::Threads`] and read without one. The state is one word: who finds the
//! same one before and after it has counted the words of a slot has counted those of that chunk, for no chunk's
//! number comes back in a thread.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::pool::{Pool, Slot};

/// Entries are made so many at a time.
const SEGMENT: usize = 256;
/// How many segments there may be: threads beyond have no times.
const SEGMENTS: usize = 256;

/// Bits of a state below the thread's: the slot, and the chunk.
const SLOT_BITS: u32 = 14;
const CHUNK_BITS: u32 = 32;

#[derive(Debug, Default)]
struct Entry {
    serial: AtomicU32,
    task: AtomicU32,
    state: AtomicU64,
}

/// A thread that has a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Writes {
    pub(crate) serial: u32,
    /// The system's number for it; 0 if that is not known or may change.
    pub(crate) task: u32,
    pub(crate) slot: Slot,
    pub(crate) chunk: u32,
    state: u64,
}

/// The entries of all threads.
#[derive(Debug)]
pub(crate) struct Positions {
    segments: [OnceLock<Box<[Entry]>>; SEGMENTS],
    /// How many were ever used.
    count: AtomicU32,
}

impl Default for Positions {
    fn default() -> Self {
        Positions { segments: [const { OnceLock::new() }; SEGMENTS], count: AtomicU32::new(0) }
    }
}

impl Positions {
    fn entry(&self, index: u32) -> Option<&Entry> {
        let index = index as usize;
        self.segments.get(index / SEGMENT)?.get()?.get(index % SEGMENT)
    }

    /// How many entries there are.
    pub(crate) fn count(&self) -> u32 {
        self.count.load(Ordering::Acquire)
    }

    /// A new entry, where there is space for one.
    pub(super) fn add(&self) -> Option<u32> {
        let index = self.count();
        let segment = self.segments.get(index as usize / SEGMENT)?;
        segment.get_or_init(|| (0..SEGMENT).map(|_| Entry::default()).collect());
        self.count.store(index + 1, Ordering::Release);
        Some(index)
    }

    /// Whose an entry is from now on.
    pub(super) fn give(&self, index: u32, serial: u32) {
        let Some(entry) = self.entry(index) else { return };
        entry.state.store(0, Ordering::Release);
        entry.task.store(0, Ordering::Release);
        entry.serial.store(serial, Ordering::Release);
    }

    /// On which thread of the system it runs.
    pub(super) fn set_task(&self, index: u32, task: u32) {
        if let Some(entry) = self.entry(index) {
            entry.task.store(task, Ordering::Release);
        }
    }

    /// Where the thread writes from now on; `None`: nowhere that counts. `recording`: its number.
    pub(super) fn set(&self, index: u32, recording: u32, target: Option<(Slot, u32)>) {
        let Some(entry) = self.entry(index) else { return };
        let state = target.map_or(0, |(slot, chunk)| {
            let whose = u64::from(entry.serial.load(Ordering::Acquire) ^ recording.rotate_left(9));
            whose << (SLOT_BITS + CHUNK_BITS) | u64::from(slot.0 + 1) << CHUNK_BITS | u64::from(chunk)
        });
        entry.state.store(state, Ordering::Release);
    }

    /// Where the thread of an entry writes.
    pub(crate) fn writes(&self, index: u32) -> Option<Writes> {
        let entry = self.entry(index)?;
        let state = entry.state.load(Ordering::Acquire);
        let slot = (state >> CHUNK_BITS) as u32 & ((1 << SLOT_BITS) - 1);
        let slot = Slot(slot.checked_sub(1)?);
        let (serial, task) = (entry.serial.load(Ordering::Acquire), entry.task.load(Ordering::Acquire));
        Some(Writes { serial, task, slot, chunk: state as u32, state })
    }

    /// How many words the thread has written there, if it still writes there and wrote `known` before. Only as many
    /// are looked at as have the digits of their number.
    pub(crate) fn words(&self, index: u32, writes: &Writes, known: u32, pool: &Pool) -> Option<u32> {
        let words = pool.words_from(writes.slot, known);
        let state = self.entry(index)?.state.load(Ordering::Acquire);
        (state == writes.state).then_some(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_says_where_its_thread_writes() {
        let (positions, pool) = (Positions::default(), Pool::reserve().unwrap());
        let index = positions.add().unwrap();
        assert_eq!(positions.writes(index), None);
        positions.give(index, 70_000);
        positions.set_task(index, 9);
        positions.set(index, 1, Some((Slot(3), 5)));
        let writes = positions.writes(index).unwrap();
        assert_eq!((writes.serial, writes.task, writes.slot, writes.chunk), (70_000, 9, Slot(3), 5));
        assert_eq!(positions.words(index, &writes, 0, &pool), Some(0));
        pool.store(pool.words(Slot(3)).0, &[7, 8, 9]);
        assert_eq!(positions.words(index, &writes, 0, &pool), Some(3));
        assert_eq!(positions.words(index, &writes, 3, &pool), Some(3));
        // It is the next chunk that is there now, or another recording's.
        positions.set(index, 1, Some((Slot(3), 6)));
        assert_eq!(positions.words(index, &writes, 0, &pool), None);
        positions.set(index, 2, Some((Slot(3), 5)));
        assert_eq!(positions.words(index, &writes, 0, &pool), None);
        positions.set(index, 2, None);
        assert_eq!(positions.writes(index), None);
    }

    #[test]
    fn words_are_counted_from_any_number_of_them() {
        let pool = Pool::reserve().unwrap();
        let slot = Slot(Pool::FIRST_LARGE.0 + 2);
        let (start, end) = pool.words(slot);
        let most = u32::try_from((end - start) / 4).unwrap();
        let mut stored = 0;
        for count in [0, 1, 2, 3, 7, 100, 129, 4_000, most - 1, most] {
            while stored < count {
                pool.store(start + i64::from(stored) * 4, &[1]);
                stored += 1;
            }
            for known in [0, count / 2, count.saturating_sub(1), count] {
                assert_eq!(pool.words_from(slot, known), count, "{known}");
            }
        }
        pool.clear(slot);
        // The last words of a record are there before its first.
        pool.store(start, &[1, 1, 1]);
        pool.store(start + 16, &[4, 4, 4]);
        for known in 0..4 {
            assert_eq!(pool.words_from(slot, known), 3);
        }
    }

    #[test]
    fn there_is_an_end_to_entries() {
        let positions = Positions::default();
        let count = (0..).map_while(|_| positions.add()).count();
        assert_eq!(count, SEGMENT * SEGMENTS);
        assert_eq!(positions.count() as usize, count);
    }
}
