//! Paths: recording which path a method was run through, instead of every block on it.
//!
//! The ordinary edges of a method, cut where they lead back, leave a graph without cycles. From each
//! place where a segment can start (the entry, the target of a cut edge, a handler) every path through
//! it gets a number, a **code**, after Ball and Larus: a local `r` starts with the first code of the
//! segment, edges add constants to it, and whenever something has to be recorded, `r` alone says which
//! blocks have run since the segment began and how far the last one is. What is recorded, and when:
//!
//! ```text
//!   word      | how many words follow, 2 bits | code, 30 bits |
//!
//!   whenever a segment ends: a cut edge is taken, the method returns
//!     [r]                      on an edge the next segment begins: r = first code of its target
//!     [r][at]                  the frame was not recorded yet ("fresh"): it begins with this record
//!     [r][iterations + 1]           a counted loop lies on the path ("counted"): that many iterations were made
//!     [r][at][iterations + 1]       both
//!   before a call that may reach recorded code (a "site")
//!     at = r                   no record at all: a word in memory, which the callee's first record
//!                              takes along, so that its reader knows how far the caller is
//!     one of the above         only where the frame is still fresh or iterations are not recorded yet
//!   at a handler               [caught h][r][at], then r = first code of the handler
//!   in the catch-all           [unwound][r][at]
//!                              both with [iterations + 1] behind, where the method has counted loops
//!   when the stack was too full for the catch-all's record, before the thread's next one
//!     [1][r][at][iterations + 1]
//! ```
//!
//! - **Fresh**: a method that calls nothing and has no loop says all of itself by one record at its
//!   end. Others record themselves at the first call, at a loop, or where the paths meet behind one.
//! - **Exceptions** may come from the middle of a path. So every block in which something can throw has
//!   a code of its own (its "stop"), which `r` holds as long as the block runs.
//! - **Before `super()`** nothing may catch. There each block that may throw starts a segment of its
//!   own, so that it is recorded when it is entered, and a reader who finds the frame gone knows how far
//!   it was.
//! - **Counted loops**: an innermost loop without sites and with one path through it has no records.
//!   A local counts its iterations, and `r` is the same at the start of each. It is an int only where the
//!   loop cannot make more of them than that can count, see `bounded.rs`.
//! - **Silent ends**: nothing is recorded where a path ends behind a call that surely leaves a record of
//!   its own, if nothing else can come from there on. The conditions are in `silent.rs`.
//! - `at` is set back to "nothing" by records that end a segment of a method with sites, so an `at`
//!   that was left by a callee, or by an earlier iteration, is never taken for a new one.
//!
//! Codes are process-wide: a method owns `codes` of them from its first, in this order: unwound, one
//! for each handler, the entry if it has a record of its own, then the codes of each segment. Which
//! path a code stands for follows from [`model::Numbering`] alone; the reader of captures holds the drawing of
//! how that is written down.
//!
//! At all other positions nothing recorded can run: initialisers run at `new`,
//! `getstatic` and the like, class loaders where a class is first named. Both count as sites, except
//! for classes under `java/` while the JDK itself is not recorded. A loader that is run by a field
//! access, or a constructor of an exception that the virtual machine throws, is recorded in the right
//! frame, but before the block it ran in.

mod bounded;
mod counted;
pub mod facts;
mod numbering;
mod silent;
mod states;

pub use facts::Surroundings;
pub use numbering::NumberedPaths;

/// Codes of one segment. More paths than that are cut in the middle; a switch with more arms than
/// this may exceed it.
pub const MAX_CODES: u32 = 512;

/// No method may own a code from here on: two bits above it say how many words follow.
pub const CODES_END: u32 = 0x3000_0000;
