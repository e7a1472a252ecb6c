//! The search: all programs of a size, without looking at cells that no run meets.
//!
//! A program is run with nothing chosen; when it meets a cell that is not chosen, that cell is
//! tried as no-op, data and turn, in this order, and each goes on from there. The leaves are the
//! programs: those that halt and those that hang.
//!
//! - [`canon`]: the first cells of the orchestrated search, which leaves out programs that only
//!   waste time before their first turn.
//! - [`engine`]: the depth-first walk. `board`: its grid. `escape`: is there a way out?
//! - [`totals`]: what is counted.
//! - [`cover`]: does a list of certificates cover all programs?
//! - [`estimate`]: how large the search is, from a sample.
//! - [`shares`]: the search in parts, for threads and for going on after an interruption.
//! - [`stages`]: what is undecided then, tried again with more steps, in groups.
//!
//! Source: Erwin Bonsma's 2L Busy Beaver (spec, part 5).

mod board;
pub mod canon;
pub mod cover;
pub mod engine;
mod escape;
pub mod estimate;
pub mod shares;
pub mod stages;
pub mod totals;

pub use estimate::{Estimate, Figure};
pub use shares::{Search, Share};

use serde::{Deserialize, Serialize};

/// Which programs of a size are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Only programs whose first column (and row) is in canonical form.
    Orchestrated,
    /// All.
    Plain,
}

/// What to search and how far to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Cells in a row.
    pub width: u8,
    /// Cells in a column.
    pub height: u8,
    /// Which programs.
    pub mode: Mode,
    /// A program that ran this many steps without an answer is undecided.
    pub max_steps: u64,
    /// Whether every hang gets a certificate that is checked at once. A program whose certificate
    /// is refused counts as undecided. It takes ten times as long, and changes no total unless a
    /// finder is wrong.
    #[serde(default)]
    pub check: bool,
}
