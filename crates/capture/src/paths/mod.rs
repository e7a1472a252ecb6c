//! Paths: records that say which path a method was run through, read back into blocks.
//!
//! ```text
//!   word       | how many words follow, 2 bits | code, 30 bits |
//!
//!   [r]                     a path ends: the edge at its end leads on, or the frame returns
//!   [r][at]                 the same; the frame begins with this record. `at`: the code of the path
//!                           that the caller has come since its last record. Nothing is new: [r] alone
//!   [r][iterations + 1]          the same; the last counted loop on the path made so many iterations more
//!   [r][at][iterations + 1]      both, `at` 1 if nothing is new. Any of these three may also record a path that does not end yet
//!   [caught h][r][at]               an exception came on the path r, and handler h runs now; with one word
//!                                   more, the iterations as above, where the method has counted loops
//!   [unwound][r][at]                it left the frame; with the iterations, the same
//!   [1][r][at][iterations + 1]   an exception left the frame that had come the path r; noted late, since the
//!                           stack was too full. 0 for the iterations where the method has no counted loops
//!   [1][at]                 the recording ends here, and this is how far a frame is that is in a call
//!   [1][r][m]               the next record that states iterations for the path r has m times 2^32 - 1 more
//!   [entry][at]             (or [entry] alone) a frame of a method begins that records its blocks: its words, none of which
//!                           has others behind it, are those of words.rs
//! ```
//!
//! A code belongs to one method, and within it to one path from the place where a segment starts (the
//! entry, the target of a cut edge, a handler) to a block or a cut edge. Which path that is follows
//! from the method's graph and its numbering, which stands in the metadata:
//!
//! ```text
//!   numbering  codes, entry code + 1 or 0, count of handlers (block), then for each block
//!              flags u8 (1 fresh, 2 counted, 4 in a counted loop, 8 site, 16 stop, 32 start,
//!              64 the return is silent) with the
//!              first code of the segment if it starts one, and for each edge role u8 (0 through,
//!              1 cut, 2 iteration, 3 silent cut), value signed. All codes count from the method's first.
//! ```
//!
//! A silent end (a return, an edge) leaves no record. It stands only behind a call that leaves some, of
//! the one method of the same class that can be meant, or at the beginning of a segment: when that call
//! has returned, or the segment has begun, the frame goes on up to there by the only path there is.
//!
//! From a block on, the path of the remainder x goes: if the frame is recorded there (fresh and site), x = 0
//! is the record of that and the rest begins at 1; the next number is the block's own (stop), where
//! something threw or called; else the edge with the greatest value not above x, with x less that value.
//! A path is looked up once and kept, so reading costs a table access for each record.

mod numbering;
mod table;

pub(super) use numbering::PathGraph;
pub use numbering::{put as put_numbering, read as read_numbering};
pub(super) use table::{Path, PathEnd, Paths};

/// The low bits of a word: the code.
pub const CODE: u32 = 0x3fff_ffff;

/// How far a word's count of following words is up.
pub const FOLLOWING: u32 = 30;

/// Iterations that a record just cannot hold: a word is never 0.
pub const MANY: u64 = u32::MAX as u64;

/// An `at` that carries no state.
pub const NO_STATE: u32 = 1;
