//! The pool: the file `open`, mapped by the program that is recorded. Each slot is one chunk that is
//! being filled; a tail is the last bytes of another file, which are written there when they are many. Whatever
//! ends the program, what it wrote here stays.
//!
//! ```text
//! 0     head, 4,096 bytes:  "TWPOOL" 0 0 | version u32 | sizes u32 | (slot bytes u32, slots u32) x sizes
//!                           128: tail of `code`  160: tail of `steps` | zeros elsewhere
//! 4096  the bytes of both tails, then all slots of the first size, then all of the second, ...;
//!       a size is a multiple of 4,096, and so are the bytes of a tail
//!
//! tail  0 written u64  8 end u64  16 bytes u32  20 zeros
//!       The file holds what stands before `written`, the tail what stands between there and `end`, from the first
//!       of its bytes on: at most `bytes`. Where `end` is not behind `written` it holds nothing.
//!
//! slot  0 magic u32  4 thread u32  8 number u32  12 state u32  16 lost before u64  24 time first i64
//!       32 zeros     64 words u32 ... up to the first 0 or the end of the slot
//! ```
//!
//! Order of writing, so that a reader never takes old words for new ones: a free slot has only zeros
//! for words; the head is filled in, `state` last ([`IN_USE`]); words; [`FULL`]; when the words stand
//! in `steps` (or in its tail): [`FREE`], then the words are zeroed, then the slot may be given out again.
//! A tail: its bytes, then `end`; when it is full they are written to the file, then `written`.

/// The first bytes of the pool.
pub const MAGIC: [u8; 8] = *b"TWPOOL\0\0";

/// Bytes before the first slot.
pub const HEAD: usize = 4_096;

/// How many sizes of slots there can be.
pub const SIZES: usize = 8;

/// The first word of a slot that was ever used: `TWsl`.
pub const SLOT_MAGIC: u32 = u32::from_le_bytes(*b"TWsl");

/// Bytes before the words of a slot.
pub const SLOT_HEAD: usize = 64;

/// A slot's size is a multiple of this.
pub const SLOT_UNIT: usize = 4_096;

/// State: nobody's.
pub const FREE: u32 = 0;
/// State: its thread writes to it.
pub const IN_USE: u32 = 1;
/// State: its thread has left it, it waits to be written to `steps`.
pub const FULL: u32 = 2;

/// Where the fields of a slot's head lie.
pub mod slot {
    /// [`super::SLOT_MAGIC`], u32.
    pub const MAGIC: usize = 0;
    /// The thread's serial number, u32.
    pub const THREAD: usize = 4;
    /// The chunk's number in its thread, u32, from 0.
    pub const NUMBER: usize = 8;
    /// u32.
    pub const STATE: usize = 12;
    /// Words that the thread lost directly before this chunk, u64.
    pub const LOST_BEFORE: usize = 16;
    /// When the chunk was begun, ns since 1970, i64; 0 if unknown.
    pub const TIME_FIRST: usize = 24;
}

/// Where the fields of a tail lie.
pub mod tail {
    /// Where in the pool the heads of the tails lie: of `code`, of `steps`.
    pub const AT: [usize; 2] = [128, 160];
    /// Bytes of the file that stand in the file, u64.
    pub const WRITTEN: usize = 0;
    /// Bytes of the file with those of the tail, u64.
    pub const END: usize = 8;
    /// Bytes that it has room for, u32.
    pub const BYTES: usize = 16;
}

/// Slots of one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlotSize {
    /// Bytes of one, its head included.
    pub bytes: u32,
    /// How many there are.
    pub slots: u32,
}

/// The head of a pool; at most [`SIZES`] sizes. `tails`: how much room those of `code` and of `steps` have.
pub fn head(sizes: &[SlotSize], tails: [u32; 2]) -> Vec<u8> {
    let mut head = Vec::with_capacity(HEAD);
    head.extend_from_slice(&MAGIC);
    head.extend_from_slice(&super::VERSION.to_le_bytes());
    head.extend_from_slice(&(sizes.len().min(SIZES) as u32).to_le_bytes());
    for size in sizes.iter().take(SIZES) {
        head.extend_from_slice(&size.bytes.to_le_bytes());
        head.extend_from_slice(&size.slots.to_le_bytes());
    }
    head.resize(HEAD, 0);
    for (at, bytes) in tail::AT.into_iter().zip(tails) {
        head[at + tail::BYTES..][..4].copy_from_slice(&bytes.to_le_bytes());
    }
    head
}

/// The head of a slot in use.
pub fn slot_head(thread: u32, number: u32, state: u32, lost_before: u64, time_first: i64) -> [u8; SLOT_HEAD] {
    let mut head = [0; SLOT_HEAD];
    let words =
        [(slot::MAGIC, SLOT_MAGIC), (slot::THREAD, thread), (slot::NUMBER, number), (slot::STATE, state)];
    for (at, word) in words {
        head[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }
    head[slot::LOST_BEFORE..][..8].copy_from_slice(&lost_before.to_le_bytes());
    head[slot::TIME_FIRST..][..8].copy_from_slice(&time_first.to_le_bytes());
    head
}
