//! The last bytes of `code` or of `steps`: in `open`, where a kill does not reach them, until they are many.
//!
//! The system takes a nanosecond for each byte of a file that grows by 4 KiB at a time, and a quarter of that
//! where it grows by 64 KiB and more, in large pages. So what is appended is copied here first.
//! What is here is kept in private memory, too: whoever truncates `open` takes nothing from the other files.
//! How it looks is drawn at [`capture::pool`]. The caller writes to the file, and reports that.
#![allow(unsafe_code)] // mapped memory

use std::sync::atomic::{AtomicU64, Ordering};

use capture::pool::tail;

/// The tail of one file, while it is recorded. There is no other for that file: the pool gives it out once a
/// recording, and the memory is there for ever (see [`super::pool::Pool`]).
#[derive(Debug)]
pub(crate) struct Tail {
    head: *mut u8,
    bytes: *mut u8,
    capacity: usize,
    /// What it holds.
    held: Vec<u8>,
}

// Nobody else knows the memory.
unsafe impl Send for Tail {}

impl Tail {
    /// # Safety
    /// `head` is where the head of a tail lies, at a multiple of 8; `bytes` has so much `capacity`. Both stay mapped,
    /// and nobody else writes there.
    pub(crate) unsafe fn new(head: *mut u8, bytes: *mut u8, capacity: usize) -> Tail {
        Tail { head, bytes, capacity, held: Vec::with_capacity(capacity) }
    }

    /// How many bytes it can hold.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// What it holds.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.held
    }

    /// Holds these as well; `false` if they have no space. `written`: bytes of the file.
    pub(crate) fn put(&mut self, written: u64, bytes: &[u8]) -> bool {
        if bytes.len() > self.capacity - self.held.len() {
            return false;
        }
        let at = self.held.len();
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.bytes.add(at), bytes.len()) };
        self.held.extend_from_slice(bytes);
        self.publish(tail::END, written + self.held.len() as u64);
        true
    }

    /// Its bytes stand in the file, which has so many now.
    pub(crate) fn clear(&mut self, written: u64) {
        self.held.clear();
        self.publish(tail::WRITTEN, written);
    }

    /// Whoever reads a number finds the bytes that it speaks of.
    fn publish(&self, field: usize, number: u64) {
        unsafe { AtomicU64::from_ptr(self.head.add(field).cast()) }.store(number.to_le(), Ordering::Release);
    }
}
