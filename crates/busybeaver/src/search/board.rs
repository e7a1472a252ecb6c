//! The grid of a search as sets of cells, and blocks walked on it from turn to turn.
//!
//! Cell `column + 8 * row` is a bit. What the PP meets next is the nearest bit of the line before
//! it that is a turn or not chosen; the data cells on the way are those of the line in between.
//! So a walk costs by turns and not by moves.
//!
//! [`walk`](crate::blocks::walk) is the plain way to do the same, and the tests hold the two
//! against each other.

use crate::blocks::{Block, BlockId, Op};
use crate::grid::{Grid, Place, Square};

/// How the number of a cell changes by a move, by direction: up, right, down, left.
const MOVE: [i8; 4] = [8, 1, -8, -1];

/// The cell that the entry is above of, as [`MOVE`] sees it. It looks like one of the left column
/// and the top row, from where a turn to the left leaves the grid at once, as it does below it.
const BELOW: u8 = 0_u8.wrapping_sub(8);

/// The PP in the middle of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Front {
    /// The block, by number. Entered with zero if even.
    pub(super) id: u8,
    /// The cell it is on.
    cell: u8,
    direction: u8,
    steps: u8,
    data: u8,
}

/// A block that does something and goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(align(8))]
pub(super) struct Work {
    /// One of these two is zero.
    pub(super) shift: i8,
    pub(super) delta: i8,
    /// Zero: this is no block.
    pub(super) steps: u8,
    /// The block that follows a zero; the one with the next number follows any other value.
    pub(super) next: u8,
    /// Where the PP faces at the end.
    direction: u8,
}

/// Where a walk comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Met {
    /// A cell not chosen yet lies before it.
    Open(Front),
    /// The end of the block.
    Work(Work),
    /// It leaves the grid, after so many steps of this block.
    Exit(u8),
    /// It turns for ever.
    Endless,
}

/// The cells.
#[derive(Debug)]
pub(super) struct Board {
    /// Cells from a cell (without it) to the edge, by direction.
    lines: Box<[[u64; 64]; 4]>,
    /// Turns and cells that are not chosen.
    stops: u64,
    open: u64,
    data: u64,
}

impl Work {
    /// As a block; that the value cannot be zero is not said.
    pub(super) fn block(self) -> Block {
        let op = if self.shift == 0 { Op::Delta(self.delta) } else { Op::Shift(self.shift) };
        let id = |number: u8| BlockId::from_number(number.into());
        Block::Work {
            op,
            steps: self.steps,
            zero: id(self.next),
            nonzero: id(self.next | 1).unwrap_or(BlockId::ENTRY),
        }
    }

    /// The block that comes after this one.
    #[inline]
    pub(super) fn follower(self, zero: bool) -> BlockId {
        BlockId::numbered(self.next | u8::from(!zero))
    }

    /// Where the block `id`, due after this one, begins.
    pub(super) fn then(self, id: u8) -> Front {
        let cell = (id / 2) & 63;
        Front { id, cell, direction: turned(self.direction, id), steps: 0, data: 0 }
    }
}

/// A turn, as a block makes it: left if it was entered with zero.
#[inline]
fn turned(direction: u8, id: u8) -> u8 {
    direction.wrapping_add(3).wrapping_sub(2 * (id & 1)) & 3
}

impl Front {
    /// The block.
    #[inline]
    pub(super) fn block(self) -> BlockId {
        BlockId::numbered(self.id)
    }

    /// The cell before it.
    #[inline]
    pub(super) fn ahead(self) -> u8 {
        self.cell.wrapping_add_signed(MOVE[usize::from(self.direction & 3)]) & 63
    }

    /// After a move onto the cell before it.
    #[inline]
    pub(super) fn moved(self, data: u8) -> Front {
        Front { cell: self.ahead(), steps: self.steps.wrapping_add(1), data: self.data + data, ..self }
    }
}

impl Board {
    pub(super) fn of(grid: &Grid) -> Board {
        let mut lines = Box::new([[0; 64]; 4]);
        let (mut stops, mut open, mut data, mut inside) = (0, 0, 0, 0_u64);
        for cell in 0..64_u8 {
            let bit = 1 << cell;
            let square = grid.at(Board::place(cell));
            inside |= if square == Square::Outside { 0 } else { bit };
            stops |= if matches!(square, Square::Turn | Square::Unset) { bit } else { 0 };
            open |= if square == Square::Unset { bit } else { 0 };
            data |= if square == Square::Data { bit } else { 0 };
        }
        for (line, by) in lines.iter_mut().zip(MOVE) {
            for (cell, line) in (0..64_u8).zip(line.iter_mut()) {
                let mut at = cell;
                loop {
                    // A step to the side that comes into another row has left the grid.
                    let next = at.wrapping_add_signed(by);
                    if next > 63 || (by.abs() == 1 && next / 8 != at / 8) {
                        break;
                    }
                    at = next;
                    *line |= 1 << at & inside;
                }
            }
        }
        Board { lines, stops, open, data }
    }

    /// Where a cell lies in the frame of [`Grid`].
    #[inline]
    pub(super) fn place(cell: u8) -> Place {
        Place::new(cell & 7, cell / 8 & 7)
    }

    /// Walks the first block of the program.
    pub(super) fn enter(&self) -> Met {
        let below = Front { id: BlockId::ENTRY.number(), cell: BELOW, direction: 0, steps: 0, data: 0 };
        match (self.open & 1 != 0, self.stops & 1 != 0) {
            (true, _) => Met::Open(below),
            (false, true) => self.turn(below),
            (false, false) => self.walk(below.moved(u8::from(self.data & 1 != 0))),
        }
    }

    /// Makes a cell a no-op.
    pub(super) fn free(&mut self, cell: u8) {
        self.stops &= !(1 << cell);
        self.open &= !(1 << cell);
    }

    /// Makes a free cell a data cell.
    pub(super) fn put_data(&mut self, cell: u8) {
        self.data |= 1 << cell;
    }

    /// Makes a data cell a turn.
    pub(super) fn put_turn(&mut self, cell: u8) {
        self.data &= !(1 << cell);
        self.stops |= 1 << cell;
    }

    /// Takes the choice of a turn back.
    pub(super) fn forget(&mut self, cell: u8) {
        self.open |= 1 << cell;
    }

    /// At a turn cell: the end of the block, or the walk goes on to the side.
    #[inline]
    pub(super) fn turn(&self, front: Front) -> Met {
        if front.data == 0 {
            return self.walk(Front { direction: turned(front.direction, front.id), ..front });
        }
        Met::Work(work(front))
    }

    /// Walks on.
    #[inline]
    pub(super) fn walk(&self, mut front: Front) -> Met {
        // Without data, the cell and the direction say all: a pair seen before comes for ever.
        let mut turns = 0_u32;
        let mut before = (front.cell, front.direction);
        loop {
            let direction = front.direction & 3;
            let lines = &self.lines[usize::from(direction)];
            let line = lines[usize::from(front.cell & 63)];
            let hits = line & self.stops;
            if hits == 0 {
                return Met::Exit(front.steps.wrapping_add(line.count_ones() as u8 + 1));
            }
            let forward = hits.trailing_zeros() as u8;
            let backward = 63 ^ (hits.leading_zeros() as u8);
            let hit = (if direction < 2 { forward } else { backward }) & 63;
            let between = line ^ lines[usize::from(hit)] ^ (1 << hit);
            // Rows lie eight apart.
            let apart = hit.abs_diff(front.cell & 63) >> (3 * (!direction & 1));
            // Only an endless walk can have more than its type holds.
            front.steps = front.steps.wrapping_add(apart.wrapping_sub(1));
            front.data += (between & self.data).count_ones() as u8;
            front.cell = hit.wrapping_add_signed(-MOVE[usize::from(direction)]) & 63;
            if self.open >> hit & 1 != 0 {
                return Met::Open(front);
            }
            if front.data != 0 {
                return Met::Work(work(front));
            }
            front.direction = turned(direction, front.id);
            turns += 1;
            if (front.cell, front.direction) == before {
                return Met::Endless;
            }
            if turns.is_power_of_two() {
                before = (front.cell, front.direction);
            }
        }
    }
}

/// The block that ends here, before a turn.
#[inline]
fn work(front: Front) -> Work {
    let amount = front.data as i8;
    let (delta, shift) = match front.direction & 3 {
        0 => (amount, 0),
        1 => (0, amount),
        2 => (-amount, 0),
        _ => (0, -amount),
    };
    Work { shift, delta, steps: front.steps, next: 2 * (front.cell & 63), direction: front.direction }
}
