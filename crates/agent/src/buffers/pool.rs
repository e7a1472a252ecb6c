//! The memory that traced threads write to: the file `open` of a capture, mapped, cut into slots.
//!
//! The address range is reserved once and stays for the life of the process: a thread that still
//! runs instrumented code after the end of a recording may write to its slot for a while, and must
//! find memory there. So while nothing is recorded, the range holds memory that belongs to no file.
//! The pages of the file exist before a thread may touch them, or there is no recording. Whatever happens to them
//! later ends the recording and nothing else: a fault in the range is caught, see [`super::bus_error`].
//! Nothing of the file is ever read ahead. Each page of it that the system holds costs time, at the start and
//! again when the file goes, and where that reads far ahead it would hold many times what is used.
//! First the tails of `code` and of `steps`. Then slots: [`SMALL`] of 4 KiB for the first words of each thread,
//! then [`LARGE`] of 128 KiB. Two busy threads take a twentieth longer with half of that, and no less with twice as
//! much, where only half as many threads would find one. A recording on a small disk uses only the first ones.
#![allow(unsafe_code)] // mapped memory that threads write to

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::FileExt;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use capture::chunk;
use capture::pool::{HEAD, SLOT_HEAD, SlotSize, slot, tail};

use super::bus_error;
use super::tail::Tail;
use crate::locks::{Lock, Rank};

/// Bytes of the tails of `code`, which gets classes one at a time, and of `steps`.
pub(crate) const TAILS: [u32; 2] = [64 << 10, 256 << 10];
/// Where the slots begin.
const SLOTS: usize = HEAD + TAILS[0] as usize + TAILS[1] as usize;
/// How many slots of 4 KiB there are.
const SMALL: u32 = 8192;
/// How many slots of 128 KiB there are.
const LARGE: u32 = 256;
const SMALL_BYTES: usize = 4 << 10;
const LARGE_BYTES: usize = 128 << 10;
/// More words than are ever stored in one go, see [`Pool::store`].
const STORED_AT_ONCE: u32 = 128;
/// What new slots are written with, so much in one go.
static ZEROS: [u8; 256 << 10] = [0; 256 << 10];

/// A slot by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Slot(pub(crate) u32);

/// The reserved range. There is one, for ever.
#[derive(Debug)]
pub(crate) struct Pool {
    base: *mut u8,
    length: usize,
    /// What is mapped.
    file: Lock<Option<Arc<Mapped>>>,
}

/// A file that is mapped.
#[derive(Debug)]
pub(crate) struct Mapped {
    file: File,
    /// How much of it.
    length: usize,
}

impl Mapped {
    /// Whether the file is as long as it was.
    fn is_whole(&self) -> bool {
        self.file.metadata().is_ok_and(|about| about.len() >= self.length as u64)
    }
}

// Slots are given to one thread at a time; what several touch are atomic words.
unsafe impl Send for Pool {}
unsafe impl Sync for Pool {}

impl Pool {
    /// Reserves the range.
    pub(crate) fn reserve() -> io::Result<Pool> {
        let length = SLOTS + SMALL as usize * SMALL_BYTES + LARGE as usize * LARGE_BYTES;
        let pool = Pool { base: null_mut(), length, file: Lock::new(Rank::Mapping, None) };
        let base = pool.map(libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE, -1, length)?;
        Ok(Pool { base, ..pool })
    }

    fn map(&self, flags: i32, file: i32, length: usize) -> io::Result<*mut u8> {
        let flags = if self.base.is_null() { flags } else { flags | libc::MAP_FIXED };
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let base = unsafe { libc::mmap(self.base.cast(), length, protection, flags, file, 0) };
        if base == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(base.cast()) }
    }

    /// Makes the file as large as the disk allows, at most the whole pool, and maps it. Returns the
    /// slots of the two sizes. The head is not written here. The caller has faults caught next.
    pub(crate) fn attach(&self, file: &File) -> io::Result<[SlotSize; 2]> {
        let mut large = LARGE;
        let mut small = SMALL;
        loop {
            let length = SLOTS + small as usize * SMALL_BYTES + large as usize * LARGE_BYTES;
            let wanted = libc::off_t::try_from(length).unwrap_or(0);
            match unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, wanted) } {
                0 => {
                    let mapped = Arc::new(Mapped { file: file.try_clone()?, length });
                    let base = self.map(libc::MAP_SHARED, file.as_raw_fd(), length)?;
                    // A system that does not follow this advice is only slower.
                    unsafe { libc::madvise(base.cast(), length, libc::MADV_RANDOM) };
                    self.fill(Some(&mapped), 0, SLOTS)?;
                    *self.file.lock() = Some(mapped);
                    return Ok([
                        SlotSize { bytes: SMALL_BYTES as u32, slots: small },
                        SlotSize { bytes: LARGE_BYTES as u32, slots: large },
                    ]);
                }
                error if (error == libc::ENOSPC || error == libc::EFBIG) && small > 16 => {
                    file.set_len(0)?;
                    if large > 0 {
                        large /= 4;
                    } else {
                        small /= 4;
                    }
                }
                error => return Err(io::Error::from_raw_os_error(error)),
            }
        }
    }

    /// The same without a file: nothing can go wrong with the memory then, but a kill loses what is in it.
    pub(crate) fn attach_nothing(&self) -> io::Result<[SlotSize; 2]> {
        self.fill(None, 0, SLOTS)?;
        Ok([
            SlotSize { bytes: SMALL_BYTES as u32, slots: SMALL },
            SlotSize { bytes: LARGE_BYTES as u32, slots: LARGE },
        ])
    }

    /// From now on faults in the range are caught. Whoever has to end the recording is woken by a byte to this file.
    pub(crate) fn catch_faults(&self, wakes: RawFd) -> io::Result<()> {
        bus_error::catch(self.base, self.length, wakes)
    }

    /// Whether what threads have written may be gone: the file was truncated, or the disk had no page for it.
    pub(crate) fn is_lost(&self) -> bool {
        bus_error::is_lost()
    }

    /// Looks whether the file was truncated, before a store does. One that was made longer again has zeros where
    /// words were, and nobody would know.
    pub(crate) fn check(&self) {
        if self.file().is_some_and(|mapped| !mapped.is_whole()) {
            bus_error::replace();
        }
    }

    /// The file that is mapped now: what [`Pool::populate`] wants, from the moment at which its slots were named.
    pub(crate) fn file(&self) -> Option<Arc<Mapped>> {
        self.file.lock().clone()
    }

    /// Makes sure that the memory of these slots, which nobody has used yet, is there, so that no store into
    /// it can fail; on file systems that share pages until they are written only this proves it. It also
    /// spares the threads the faults of first touching it. `file`: that of the recording that has named them;
    /// whoever comes so late that another one runs writes no zeros over the words of that.
    pub(crate) fn populate(&self, file: Option<&Mapped>, first: Slot, count: u32) -> io::Result<()> {
        let Some(last) = count.checked_sub(1).map(|more| Slot(first.0 + more)) else { return Ok(()) };
        let (start, _) = self.span(first);
        let (end, bytes) = self.span(last);
        // Slots are whole pages.
        let length = (end as usize + bytes) - start as usize;
        self.fill(file, start as usize - self.base as usize, length)
    }

    /// The same from one byte of it on.
    fn fill(&self, file: Option<&Mapped>, at: usize, length: usize) -> io::Result<()> {
        // Zeros where zeros are: pages that are written come at a fraction of the cost of pages that are missed.
        if let Some(mapped) = file {
            if !mapped.is_whole() {
                bus_error::replace();
                return Err(lost());
            }
            for from in (0..length).step_by(ZEROS.len()) {
                let zeros = ZEROS.get(..length - from).unwrap_or(&ZEROS);
                mapped.file.write_all_at(zeros, (at + from) as u64)?;
            }
        }
        match unsafe { libc::madvise(self.base.add(at).cast(), length, libc::MADV_POPULATE_WRITE) } {
            0 => Ok(()),
            _ => match io::Error::last_os_error() {
                // A kernel before 5.14 does not know it.
                error if error.raw_os_error() == Some(libc::EINVAL) => Ok(()),
                error => Err(error),
            },
        }
    }

    /// Takes the file away. What was in it stays in it; threads go on in anonymous memory.
    pub(crate) fn detach(&self) {
        *self.file.lock() = None;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // If this fails the file stays mapped, and faults have to be caught as before.
        if self.map(flags, -1, self.length).is_ok() {
            bus_error::catch_no_more();
        }
    }

    /// Writes the head of the file.
    pub(crate) fn write_head(&self, head: &[u8]) {
        let length = head.len().min(HEAD);
        unsafe { std::ptr::copy_nonoverlapping(head.as_ptr(), self.base, length) };
    }

    /// The tails of `code` and of `steps`, once for each recording: after its pool was attached.
    pub(crate) fn tails(&self) -> [Tail; 2] {
        let mut from = HEAD;
        std::array::from_fn(|which| {
            let (head, size) = (tail::AT[which], TAILS[which] as usize);
            let at = from;
            from += size;
            unsafe { Tail::new(self.base.add(head), self.base.add(at), size) }
        })
    }

    /// The first slot of 128 KiB.
    pub(crate) const FIRST_LARGE: Slot = Slot(SMALL);

    /// Whether this is one of the slots of 4 KiB.
    pub(crate) fn is_small(slot: Slot) -> bool {
        slot.0 < SMALL
    }

    fn span(&self, slot: Slot) -> (*mut u8, usize) {
        let number = slot.0.min(SMALL + LARGE - 1) as usize;
        let (at, bytes) = match number.checked_sub(SMALL as usize) {
            None => (number * SMALL_BYTES, SMALL_BYTES),
            Some(large) => (SMALL as usize * SMALL_BYTES + large * LARGE_BYTES, LARGE_BYTES),
        };
        (unsafe { self.base.add(SLOTS + at) }, bytes)
    }

    /// Addresses of the first word and of the end of a slot.
    pub(crate) fn words(&self, slot: Slot) -> (i64, i64) {
        let (start, bytes) = self.span(slot);
        let start = start as i64;
        (start + SLOT_HEAD as i64, start + bytes as i64)
    }

    fn word(&self, slot: Slot, at: usize) -> &AtomicU32 {
        let (start, bytes) = self.span(slot);
        unsafe { AtomicU32::from_ptr(start.add(at.min(bytes - 4) & !3).cast()) }
    }

    /// Writes a slot's head, its state last.
    pub(crate) fn set_head(&self, slot: Slot, head: &[u8; SLOT_HEAD]) {
        let (words, _) = head.as_chunks::<4>();
        for (index, word) in words.iter().enumerate().filter(|(index, _)| index * 4 != slot::STATE) {
            self.word(slot, index * 4).store(u32::from_le_bytes(*word), Ordering::Relaxed);
        }
        let state = words.get(slot::STATE / 4).map_or(0, |word| u32::from_le_bytes(*word));
        self.set_state(slot, state);
    }

    /// Sets a slot's state.
    pub(crate) fn set_state(&self, slot: Slot, state: u32) {
        self.word(slot, slot::STATE).store(state, Ordering::Release);
    }

    /// The words of a slot that its thread has left, as long as it is not cleared: up to this address, where the
    /// thread stood, or to the first zero.
    pub(crate) fn left_words(&self, slot: Slot, end: Option<i64>) -> &[u8] {
        let (start, bytes) = self.span(slot);
        let words = unsafe { std::slice::from_raw_parts(start.add(SLOT_HEAD), bytes - SLOT_HEAD) };
        let written = end.and_then(|end| usize::try_from(end - self.words(slot).0).ok());
        written.and_then(|written| words.get(..written)).unwrap_or_else(|| chunk::written(words))
    }

    /// Copies a slot's words up to the first zero. Its thread may be writing to it.
    pub(crate) fn copy_words(&self, slot: Slot, out: &mut Vec<u8>) {
        let (_, bytes) = self.span(slot);
        out.clear();
        for at in (SLOT_HEAD..bytes).step_by(4) {
            match self.word(slot, at).load(Ordering::Acquire) {
                0 => break,
                word => out.extend_from_slice(&word.to_le_bytes()),
            }
        }
    }

    /// How many words a slot holds.
    pub(crate) fn count_words(&self, slot: Slot) -> u32 {
        let (_, bytes) = self.span(slot);
        let full =
            (SLOT_HEAD..bytes).step_by(4).take_while(|&at| self.word(slot, at).load(Ordering::Relaxed) != 0);
        u32::try_from(full.count()).unwrap_or(0)
    }

    /// The same from so many words on that are known to be there: where nothing was written since, only one word is
    /// looked at. Its thread may be writing to it.
    pub(crate) fn words_from(&self, slot: Slot, known: u32) -> u32 {
        let (_, bytes) = self.span(slot);
        let most = ((bytes - SLOT_HEAD) / 4) as u32;
        let is_there =
            |index: u32| self.word(slot, SLOT_HEAD + index as usize * 4).load(Ordering::Acquire) != 0;
        let known = known.min(most);
        // Words are there up to `low`, and not at `high`.
        let (mut low, mut step) = (known, 1);
        let mut high = loop {
            let next = low.saturating_add(step - 1);
            if next >= most {
                break most;
            }
            if !is_there(next) {
                break next;
            }
            (low, step) = (next + 1, step * 2);
        };
        while low < high {
            let middle = low + (high - low) / 2;
            if is_there(middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        // The last words of what is just being stored may be there before its first.
        let from = low.saturating_sub(STORED_AT_ONCE).max(known);
        (from..low).find(|index| !is_there(*index)).unwrap_or(low)
    }

    /// Stores words where the current thread writes next, the first one last; the address behind them.
    /// `cursor` is one that was handed out for that, with space for a hundred words.
    pub(crate) fn store(&self, cursor: i64, words: &[u32]) -> i64 {
        let start = cursor as *mut u32;
        for (at, word) in words.iter().enumerate().rev() {
            unsafe { AtomicU32::from_ptr(start.add(at)) }.store(*word, Ordering::Release);
        }
        cursor + words.len() as i64 * 4
    }

    /// Zeroes a slot's words. Nobody may be writing to it.
    pub(crate) fn clear(&self, slot: Slot) {
        let (start, bytes) = self.span(slot);
        unsafe { std::ptr::write_bytes(start.add(SLOT_HEAD), 0, bytes - SLOT_HEAD) };
    }
}

/// Why a recording ends whose memory is not that of its file any more.
pub(crate) fn lost() -> io::Error {
    io::Error::other(
        "its file `open` was truncated, or the disk had no room for a page of it; the last records are missing",
    )
}

/// Private memory of a thread for words that nobody will read.
#[derive(Debug)]
pub(crate) struct Scratch(Box<[AtomicU32]>);

impl Scratch {
    pub(crate) fn new() -> Scratch {
        Scratch((0..SMALL_BYTES).map(|_| AtomicU32::new(0)).collect())
    }

    /// Addresses of its start and end.
    pub(crate) fn words(&self) -> (i64, i64) {
        let range = self.0.as_ptr_range();
        (range.start as i64, range.end as i64)
    }

    /// How many words were written since it was last cleared.
    pub(crate) fn written(&self) -> u64 {
        self.0.iter().take_while(|word| word.load(Ordering::Relaxed) != 0).count() as u64
    }

    /// The same, quicker if the thread has given its position.
    pub(crate) fn written_up_to(&self, cursor: Option<i64>) -> u64 {
        let (start, end) = self.words();
        let inside = cursor.filter(|cursor| (start..=end).contains(cursor));
        inside.map_or_else(|| self.written(), |cursor| (cursor - start).cast_unsigned() / 4)
    }

    /// Forgets the words. Its thread must be the one that asks, or have ended.
    pub(crate) fn clear(&mut self) {
        unsafe { std::ptr::write_bytes(self.0.as_mut_ptr(), 0, self.0.len()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_that_are_made_ready_too_late_take_no_words_of_the_next_recording() {
        let pool = Pool::reserve().unwrap();
        pool.attach(&tempfile::tempfile().unwrap()).unwrap();
        let first = pool.file();
        pool.detach();
        pool.attach(&tempfile::tempfile().unwrap()).unwrap();
        pool.store(pool.words(Slot(3)).0, &[7, 8]);
        pool.populate(first.as_deref(), Slot(0), 16).unwrap();
        assert_eq!(pool.count_words(Slot(3)), 2);
        pool.populate(pool.file().as_deref(), Slot(16), 16).unwrap();
        assert_eq!(pool.count_words(Slot(3)), 2);
        pool.detach();
        assert!(pool.file().is_none());
        pool.populate(None, Slot(0), 1).unwrap();
    }
}
