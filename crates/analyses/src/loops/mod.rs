//! Loops: a history becomes runs, runs become runs of runs, and so on until a level has no loop.
//!
//! ```text
//! history     A B C B A C A C B C B A C A C A C B C B A C A C A C A C
//! level 0     ABCB [AC]*2.0 BCB [AC]*3.0 BCB [AC]*4.0       P Q*2.0 R Q*3.0 R Q*4.0
//! level 1     P [QR]*2.1
//! ```
//!
//! Where to look:
//! - [`square`]: when does a growing history end with some word twice in a row?
//! - [`runs`]: the runs of one level, eagerly. [`short_loops`]: loops cut before their second iteration.
//! - [`forecast`]: the same again, without searching.
//! - [`level`]: the levels above, and the larger loop around loops.
//! - [`words`]: when two runs are the same. [`snapshot`]: the state as a `model::Summary`.
//! - [`engine`]: all of it for one track, with gaps. [`serialized`]: what was found as bytes, to be opened again.
//!
//! Source: founding text 1 ("Analysing Execution History"). Different from the original on purpose:
//! levels go on upward without end, a level above a rewritten one is never stale, and a history of
//! any kind takes time in proportion to its length.

mod engine;
mod forecast;
mod level;
mod runs;
mod serialized;
mod short_loops;
mod snapshot;
mod square;
mod words;

pub use engine::{LoopFinder, Options};
pub use serialized::{Summaries, from_bytes, to_bytes};

#[cfg(test)]
mod tests;
