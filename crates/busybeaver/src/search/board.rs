//! The grid of a search as sets of cells, and blocks walked on it from turn to turn.
//!
//! Cell `column + 8 * row` is a bit. What the PP meets next is the nearest bit of the line before
//! it that is a turn or not chosen; the data cells on the way are those of the line in between.
//! So a walk costs by turns and not by moves.
//!
//! [`walk`](crate::blocks::walk) is the plain way to do the same, and the tests hold the two
//! against each other.

use crate::blocks::{Block, BlockId, Op};
use crate::grid::{Grid, Location, Square};

/// How the number of a cell changes by a move, by direction: up, right, down, left.
const MOVE: [u32; 4] = [8, 1, 8_u32.wrapping_neg(), 1_u32.wrapping_neg()];

/// The cell that the entry is above of, as [`MOVE`] sees it. It looks like one of the left column
/// and the top row, from where a turn to the left leaves the grid at once, as it does below it.
const BELOW: u32 = 0_u32.wrapping_sub(8);

/// The PP in the middle of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Front {
    /// The block, by number. Entered with zero if even.
    id: u32,
    /// The cell it is on.
    cell: u32,
    direction: u32,
    steps: u32,
    data: u32,
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
    Exit(u32),
    /// It turns for ever.
    Endless,
}

/// What lies at the end of the line before the PP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ahead {
    /// The edge, so many steps away; the last one leaves the grid.
    Edge(u32),
    /// A turn; the PP has come up to it.
    Turn(Front),
    /// A cell that is not chosen; the PP has come up to it.
    Open(Front),
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
    /// As a block; that the value cannot be zero is not recorded.
    pub(super) fn block(self) -> Block {
        let op = if self.shift == 0 { Op::Delta(self.delta) } else { Op::Shift(self.shift) };
        let (zero, nonzero) = (Some(self.follower(true)), self.follower(false));
        Block::Work { op, steps: self.steps, zero, nonzero }
    }

    /// The block that comes after this one.
    #[inline]
    pub(super) fn follower(self, zero: bool) -> BlockId {
        BlockId::numbered(self.next | u8::from(!zero))
    }

    /// Where the block `id`, due after this one, begins.
    #[inline]
    pub(super) fn then(self, id: BlockId) -> Front {
        let id = u32::from(id.number());
        Front { id, cell: id / 2, direction: turned(self.direction.into(), id), steps: 0, data: 0 }
    }
}

/// A turn, as a block makes it: left if it was entered with zero.
#[inline]
fn turned(direction: u32, id: u32) -> u32 {
    direction.wrapping_add(3).wrapping_sub(2 * (id & 1)) & 3
}

impl Front {
    /// The block.
    #[inline]
    pub(super) fn block(self) -> BlockId {
        BlockId::numbered(self.id as u8)
    }

    /// The cell before it.
    #[inline]
    pub(super) fn ahead(self) -> u32 {
        self.cell.wrapping_add(MOVE[self.direction as usize & 3]) & 63
    }

    /// After a move onto the cell before it.
    #[inline]
    pub(super) fn moved(self) -> Front {
        Front { cell: self.ahead(), steps: self.steps + 1, ..self }
    }

    /// The cell that it is on is a data cell.
    #[inline]
    pub(super) fn on_data(self) -> Front {
        Front { data: self.data + 1, ..self }
    }

    /// The block that ends here, before a turn; none if it has no data cell.
    #[inline]
    pub(super) fn work(self) -> Option<Work> {
        // By direction, without a branch that nobody could foresee.
        let amount = self.data as i8;
        let by = self.direction as usize & 3;
        let (delta, shift) = (amount * [1, 0, -1, 0][by], amount * [0, 1, 0, -1][by]);
        let (steps, next) = (self.steps as u8, 2 * (self.cell as u8 & 63));
        (amount != 0).then_some(Work { shift, delta, steps, next, direction: self.direction as u8 })
    }
}

impl Board {
    pub(super) fn of(grid: &Grid) -> Board {
        let mut lines = Box::new([[0; 64]; 4]);
        let (mut stops, mut open, mut data, mut inside) = (0, 0, 0, 0_u64);
        for cell in 0..64 {
            let bit = 1 << cell;
            let square = grid.at(Board::location(cell));
            inside |= if square == Square::Outside { 0 } else { bit };
            stops |= if matches!(square, Square::Turn | Square::Unset) { bit } else { 0 };
            open |= if square == Square::Unset { bit } else { 0 };
            data |= if square == Square::Data { bit } else { 0 };
        }
        for (direction, lines) in lines.iter_mut().enumerate() {
            for (cell, line) in (0_u32..).zip(lines) {
                let mut at = cell;
                loop {
                    let next = at.wrapping_add(MOVE[direction]);
                    // A step to the side that comes into another row has left the grid.
                    if next > 63 || (direction % 2 == 1 && next / 8 != at / 8) {
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
    pub(super) fn location(cell: u32) -> Location {
        Location::new(cell as u8 & 7, (cell as u8 / 8) & 7)
    }

    /// Walks the first block of the program.
    pub(super) fn enter(&self) -> Met {
        let below = Front { id: 0, cell: BELOW, direction: 0, steps: 0, data: 0 };
        match (self.open & 1 != 0, self.stops & 1 != 0) {
            (true, _) => Met::Open(below),
            (false, true) => self.turn(below),
            (false, false) if self.data & 1 != 0 => self.walk(below.moved().on_data()),
            (false, false) => self.walk(below.moved()),
        }
    }

    /// Makes a cell a no-op.
    #[inline]
    pub(super) fn free(&mut self, cell: u32) {
        self.stops &= !(1 << cell);
        self.open &= !(1 << cell);
    }

    /// Makes a free cell a data cell.
    #[inline]
    pub(super) fn put_data(&mut self, cell: u32) {
        self.data |= 1 << cell;
    }

    /// Makes a data cell a turn.
    #[inline]
    pub(super) fn put_turn(&mut self, cell: u32) {
        self.data &= !(1 << cell);
        self.stops |= 1 << cell;
    }

    /// Takes the choice of a turn back.
    #[inline]
    pub(super) fn forget(&mut self, cell: u32) {
        self.open |= 1 << cell;
    }

    /// What lies ahead.
    #[inline(always)]
    pub(super) fn scan(&self, front: Front) -> Ahead {
        let direction = front.direction & 3;
        let lines = &self.lines[direction as usize];
        let line = lines[front.cell as usize & 63];
        let hits = line & self.stops;
        if hits == 0 {
            return Ahead::Edge(front.steps + line.count_ones() + 1);
        }
        let (forward, backward) = (hits.trailing_zeros(), 63 ^ hits.leading_zeros());
        let hit = (if direction < 2 { forward } else { backward }) & 63;
        let between = line ^ lines[hit as usize] ^ (1 << hit);
        // Rows lie eight apart.
        let apart = hit.abs_diff(front.cell & 63) >> (3 * (!direction & 1));
        let front = Front {
            cell: hit.wrapping_sub(MOVE[direction as usize]) & 63,
            steps: front.steps + apart - 1,
            data: front.data + (between & self.data).count_ones(),
            ..front
        };
        if self.open >> hit & 1 != 0 { Ahead::Open(front) } else { Ahead::Turn(front) }
    }

    /// At a turn cell: the end of the block, or the walk goes on to the side.
    #[inline(always)]
    pub(super) fn turn(&self, front: Front) -> Met {
        match front.work() {
            Some(work) => Met::Work(work),
            None => self.walk(Front { direction: turned(front.direction, front.id), ..front }),
        }
    }

    /// Walks on.
    #[inline(always)]
    pub(super) fn walk(&self, mut front: Front) -> Met {
        // Without data, the cell and the direction say all: a pair seen before comes for ever.
        let mut turns = 0_u32;
        let mut before = (front.cell, front.direction);
        loop {
            front = match self.scan(front) {
                Ahead::Edge(steps) => return Met::Exit(steps),
                Ahead::Open(front) => return Met::Open(front),
                Ahead::Turn(front) => front,
            };
            if let Some(work) = front.work() {
                return Met::Work(work);
            }
            front.direction = turned(front.direction, front.id);
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

#[cfg(test)]
#[allow(clippy::unwrap_used)] // A test may stop.
mod tests {
    use super::*;
    use crate::Cell;
    use crate::blocks::walk::walk;

    fn as_block(id: BlockId, met: Met) -> Block {
        match met {
            Met::Open(front) => {
                let location = Board::location(front.ahead());
                Block::Open { column: location.column(), row: location.row() }
            }
            Met::Exit(steps) => Block::Exit { steps: steps as u8 },
            Met::Endless => Block::Hang,
            Met::Work(work) => match work.block() {
                // The plain walk says so when the value cannot be zero.
                Block::Work { op: Op::Delta(amount), steps, nonzero, .. } if id.entered_with_zero() => {
                    Block::Work { op: Op::Delta(amount), steps, zero: None, nonzero }
                }
                block => block,
            },
        }
    }

    /// Every block that can be reached on random grids, walked in both ways.
    #[test]
    fn both_walks_find_the_same_blocks() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut count = [0; 4];
        for _ in 0..20_000 {
            let (width, height) = (random.u8(1..=8), random.u8(1..=8));
            let mut grid = Grid::unset(width.into(), height.into()).unwrap();
            // Turns at the edge keep the PP inside, where it may turn for ever.
            let choice = [Cell::Noop, Cell::Noop, Cell::Noop, Cell::Turn, Cell::Data, Cell::Unset];
            for (column, row) in (0..width).flat_map(|column| (0..height).map(move |row| (column, row))) {
                let is_edge = column == 0 || row == 0 || column + 1 == width || row + 1 == height;
                let least = if is_edge && random.u8(..4) > 0 { 3 } else { 0 };
                let cell = choice[least + random.usize(..(choice.len() - 2 * least).max(1))];
                grid.set(column, row, cell);
            }
            // A way in.
            for (row, cell) in [(0, Cell::Noop), (1, Cell::Data), (2, Cell::Turn)] {
                grid.set(0, row, cell);
            }
            let board = Board::of(&grid);
            let mut todo = vec![(BlockId::ENTRY, board.enter())];
            let mut seen = [false; BlockId::COUNT];
            while let Some((id, met)) = todo.pop() {
                if std::mem::replace(&mut seen[id.index()], true) {
                    continue;
                }
                assert_eq!(as_block(id, met), walk(&grid, id), "{grid:?} block {id:?}");
                count[match met {
                    Met::Open(_) => 0,
                    Met::Exit(_) => 1,
                    Met::Endless => 2,
                    Met::Work(work) => {
                        for next in [work.follower(true), work.follower(false)] {
                            todo.push((next, board.walk(work.then(next))));
                        }
                        3
                    }
                }] += 1;
            }
        }
        assert!(count.iter().all(|&count| count > 30), "{count:?}");
    }
}
