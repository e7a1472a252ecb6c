//! What a hang looks like. A kind is a description of what was observed; the proof is the
//! certificate, and it does not depend on the kind.
//!
//! Kinds are the original's but for these differences, which the tests list:
//!
//! - Between `REGULAR_SWEEP` and `IRREGULAR_SWEEP`. Regular is what makes each count of its loops
//!   grow by a fixed amount, over the last four iterations of the loop around them (of one, two or
//!   three iterations together). The original looks at three iterations, as soon as it can, and at how the
//!   ends of the sweep move. Of the 6x6 search, 6 of 2,563 sweeps are regular here only.
//! - What the original leaves undecided has a kind here.
//! - A single program (not a search) is never `NO_EXIT`, there as here: it is run as it is.

use serde::{Deserialize, Serialize};

/// The kinds of hangs, named as the original names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Kind {
    /// Turns for ever without touching the tape.
    NoDataLoop,
    /// No block that leaves the grid can be reached, whatever the tape holds.
    NoExit,
    /// One loop is never left.
    Periodic,
    /// The same blocks are repeated for ever, with loops among them.
    NestedPeriodic,
    /// Sweeps over a segment of the tape that grows regularly.
    RegularSweep,
    /// Sweeps whose turning points follow no regular growth.
    IrregularSweep,
    /// Moves along the tape, making ever more iterations of a loop that stays in place.
    AperiodicGlider,
}

impl Kind {
    /// All kinds, in the order in which the original lists them.
    pub const ALL: [Kind; 7] = [
        Kind::NoDataLoop,
        Kind::NoExit,
        Kind::Periodic,
        Kind::NestedPeriodic,
        Kind::RegularSweep,
        Kind::IrregularSweep,
        Kind::AperiodicGlider,
    ];

    /// Its name, as the original writes it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::NoDataLoop => "NO_DATA_LOOP",
            Kind::NoExit => "NO_EXIT",
            Kind::Periodic => "PERIODIC",
            Kind::NestedPeriodic => "NESTED_PERIODIC",
            Kind::RegularSweep => "REGULAR_SWEEP",
            Kind::IrregularSweep => "IRREGULAR_SWEEP",
            Kind::AperiodicGlider => "APERIODIC_GLIDER",
        }
    }
}
