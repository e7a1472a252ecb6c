//! Running a program.
//!
//! - [`tape`]: the data, endless both ways.
//! - [`step`]: the interpreter, move by move, straight from the rules of the language.
//! - [`walk`]: block by block, every one seen.
//! - [`fast`]: the fast executor on the block graph.
//! - [`replay`]: a run whose state is known at any step.
//! - `sheet`: its tape. `chain`: blocks that follow each other, run together. `iteration`: an iteration of a
//!   loop, made many times at once.
//!
//! The interpreter knows nothing of blocks, so that the two check each other.

mod chain;
pub mod fast;
pub mod fold;
mod iteration;
pub mod replay;
mod sheet;
pub mod step;
pub mod tape;
pub mod walk;

pub use fast::{Fast, Limits};
pub use fold::Folded;
pub use replay::Replay;
pub use step::Stepper;
pub use tape::Tape;
pub use walk::Walk;

/// How a run ended, or where it was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The PP left the grid.
    Halted,
    /// It turns for ever without touching the tape.
    NoData,
    /// It met a cell that is not chosen yet.
    Open {
        /// Its column.
        column: u8,
        /// Its row.
        row: u8,
    },
    /// A limit was reached: nothing is known.
    Stopped,
}
