//! Program blocks: what a grid does, without the walking.
//!
//! A block is one operation on the tape: the PP turns away from turn cells in the direction that
//! the value allows, runs over cells, and at the first turn cell after a data cell the block ends.
//! Since it cannot turn in between, all its data cells lie in one line, so a block either changes
//! the value at the data pointer (DP) or moves the DP, by a fixed amount. Where it goes on depends
//! on whether the value is zero then.
//!
//! Where to look: `walk` finds one block on the grid, [`graph`] all that a program can reach,
//! [`text`] writes them, [`canonical`] merges those that do the same.
//!
//! Source: Erwin Bonsma's 2L Busy Beaver, program interpretation (spec, part 2).

pub mod canonical;
pub mod graph;
pub mod text;
pub(crate) mod walk;

pub use graph::Graph;
pub use text::graph_text;

use crate::grid::Location;

/// Names a block of a grid by where it starts: `2 * (column + 8 * row)`, plus 1 when it was
/// entered with a value that is not zero. The entry block is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(u8);

impl BlockId {
    /// The block that a program starts with.
    pub const ENTRY: BlockId = BlockId(0);

    /// How many there can be.
    pub const COUNT: usize = 128;

    #[inline]
    pub(crate) fn starting_at(location: Location, value_is_zero: bool) -> Self {
        BlockId((2 * (location.column() + 8 * location.row()) + u8::from(!value_is_zero)) & 127)
    }

    /// Its number.
    #[inline]
    pub fn number(self) -> u8 {
        self.0
    }

    /// The block of a number below [`BlockId::COUNT`].
    pub fn from_number(number: u32) -> Option<Self> {
        u8::try_from(number).ok().filter(|&n| usize::from(n) < Self::COUNT).map(BlockId)
    }

    /// The block of a number; the highest bit does not count.
    #[inline]
    pub(crate) fn numbered(number: u8) -> Self {
        BlockId(number & 127)
    }

    /// Its number as an index, always below [`BlockId::COUNT`].
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0 & 127)
    }

    /// Whether it is only entered with the value zero (the tape is zero at the start).
    #[inline]
    pub fn entered_with_zero(self) -> bool {
        self.0 & 1 == 0
    }

    #[inline]
    pub(crate) fn location(self) -> Location {
        Location::new((self.0 / 2) & 7, (self.0 / 16) & 7)
    }
}

/// What a block does to the tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// Adds to the value at the DP; never 0.
    Delta(i8),
    /// Moves the DP, right when positive; never 0.
    Shift(i8),
}

impl Op {
    /// By how much, with its sign.
    #[inline]
    pub fn amount(self) -> i8 {
        match self {
            Op::Delta(amount) | Op::Shift(amount) => amount,
        }
    }
}

/// What a walk over the grid found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Block {
    /// One operation, then the next block.
    Work {
        /// The operation.
        op: Op,
        /// How many cells are entered.
        steps: u8,
        /// The block that follows when the value is zero then. None if it cannot be: the value
        /// was zero and the operation changed it.
        zero: Option<BlockId>,
        /// The block that follows when it is not.
        nonzero: BlockId,
    },
    /// The PP leaves the grid.
    Exit {
        /// Cells entered, and the move off the grid.
        steps: u8,
    },
    /// The PP turns for ever without touching the tape.
    Hang,
    /// A cell is met that is not chosen yet.
    Open {
        /// Its column.
        column: u8,
        /// Its row.
        row: u8,
    },
}
