//! 2L Busy Beavers: programs on a small grid, how they run, and whether they ever stop.
//!
//! ```text
//! text  ->  Grid  ->  blocks::Graph  ->  run      steps, history, summary
//!                                    ->  proof    hangs? a certificate, checked apart
//!            search: all grids of a size, lazily filled
//! ```
//!
//! The caller hands in texts and gets values and texts back; nothing here opens a file or looks at
//! a clock. A program that is called hanging has a [`proof::Certificate`] that
//! [`proof::check()`] accepted; what has none is undecided, however it looks.
//!
//! Sources: founding text 1 ("Analysing Execution History") and the language it belongs to, the 2L
//! Busy Beaver of Erwin Bonsma; single modules name theirs.

#![deny(missing_docs)]

pub mod blocks;
pub mod draw;
mod error;
mod grid;
pub mod history;
pub mod proof;
pub mod report;
pub mod run;
pub mod search;
pub mod spec;

pub use error::Error;
pub use grid::{Cell, Direction, Grid, MAX_SIDE};
