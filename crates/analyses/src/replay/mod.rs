//! Replay: what each thread ran, as a tree in which every block has a number and can be found by it.
//!
//! ```text
//! steps      Enter(main) 0 1 Enter(bake) 0 1 2 1 2 1 2 3 Leave 2 Leave
//! tree       root ── main ── 0 1 [bake] 2
//!                                  └─── 0 (loop) 3
//!                                            └── (iteration 1 2) x3
//! position   0 1 of main, 2 of bake, 3..9 its three iterations, 9 its block 3, 10 of main
//! ```
//!
//! Nodes with equal content are kept once, so a program that does the same thing a million times
//! costs as much as one that does it once, and the tree is walked without ever being unfolded.
//! A loop is a natural loop of the method's graph; an iteration begins with each run of its head. Calls
//! of one method that a library makes one after the other, or a method whose blocks are not known, are kept as the
//! iterations of a loop too.
//!
//! Where to look:
//! - [`store`]: nodes, items, and how equal ones become one. [`builder`]: steps become nodes.
//! - [`repeats`]: loops among the calls of methods whose blocks are not known.
//! - [`measure`]: how many of something are in a node: blocks, calls, matches of a search.
//! - [`path`]: from a position, or the n-th of something, to the frames and turns around it.
//! - [`walk`]: one step on or back, over a call, out of it, with folded loops.
//! - [`counts`]: how often each block of one call ran so far. [`profile`]: how deep the calls were.
//! - [`inferences`]: which positions were lost and are inferred, and where recording goes on.
//! - [`contexts`]: who called whom from where, in the order of the first call.
//! - [`serialized`]: the same as bytes.
//!
//! The caller guarantees that steps come in the order in which one thread ran them. Steps that do
//! not fit (a block without a frame) are counted and left out; nothing is guessed.

mod builder;
mod contexts;
mod counts;
mod inferences;
mod innermost;
mod measure;
mod path;
mod profile;
mod repeats;
mod serialized;
mod store;
mod walk;

pub use builder::Builder;
pub use contexts::{Context, Contexts};
pub use counts::Counts;
pub use inferences::{Inferences, InferredRange};
pub use measure::{Measure, Wanted};
pub use path::{FrameOnPath, IterationRange, LoopOnPath, Path, PathStep, Variant};
pub use profile::{Heights, Pixel};
pub use serialized::{from_bytes, to_bytes};
pub use store::{Inferred, Item, Kind, NodeId, Replay, Thread, What};
pub use walk::{Folds, Go, Moved, Skipped, Walker};

#[cfg(test)]
mod tests;
