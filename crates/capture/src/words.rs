//! Words: what a thread writes while it runs, one `u32` for each thing that happened.
//!
//! ```text
//! a method with n blocks owns the ids first .. first + n + 3, process-wide and never reused
//!   first + 0          entry: a frame begins. Block 0 ran first and is implied, unless block 0 has
//!                      incoming edges: then its own word follows
//!   first + 1 + b      block b begins
//!   first + 1 + n      the frame returns; left out where the block's own word says it already:
//!                      nothing before the return can throw there (`block_flags::RETURNS`)
//!   first + 2 + n      an exception left the frame
//! 0                    nothing was written yet: the end of an open chunk
//! 0xF000_0000 ..       reserved
//! ```
//!
//! These are the words of [`Encoding::Blocks`](super::Encoding::Blocks). Methods may have other
//! encodings with ids of their own; ids of all of them share one space.

use model::BlockId;

/// The first id that may be given to a method.
pub const FIRST: u32 = 1;

/// Ids from here on belong to nobody.
pub const RESERVED: u32 = 0xF000_0000;

/// How many ids a method with so many blocks owns.
pub const fn owned(blocks: u32) -> u32 {
    blocks + 3
}

/// The word for: a frame of the method begins.
pub const fn entry(first: u32) -> u32 {
    first
}

/// The word for: this block begins.
pub const fn block(first: u32, block: BlockId) -> u32 {
    first + 1 + block
}

/// The word for: the frame returns.
pub const fn returns(first: u32, blocks: u32) -> u32 {
    first + 1 + blocks
}

/// The word for: an exception left the frame.
pub const fn unwound(first: u32, blocks: u32) -> u32 {
    first + 2 + blocks
}

/// What the metadata add to a block of the model; bits of [`MethodRecord::block_flags`](super::MethodRecord::block_flags).
pub mod block_flags {
    /// The block's word also says that the frame returned: no word for that follows.
    pub const RETURNS: u8 = 1;
    /// An exception that leaves the frame from here leaves no word: the start of a constructor.
    pub const UNCOVERED: u8 = 2;
}
