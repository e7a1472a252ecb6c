//! The grid of a program: up to 8 by 8 cells. Row 0 is the bottom row, column 0 the left one.
//!
//! The program pointer (PP) starts just below the bottom left cell and faces up. Locations are kept
//! in a frame that is one cell wider on each side, so that stepping off the grid is an ordinary
//! look-up and a walk needs no comparison of coordinates.
//!
//! Source: 2L after Gregor Richards, in the variant of Erwin Bonsma's 2L Busy Beaver.

use crate::Error;

/// The longest side. Program blocks are numbered by cell, 8 to a row (see [`crate::blocks`]).
pub const MAX_SIDE: u8 = 8;

/// What a cell of a program says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cell {
    /// Nothing happens.
    Noop,
    /// Changes the tape: up adds 1, down takes 1; right and left move along it.
    Data,
    /// Cannot be entered; turns the PP, left when the value is zero, right when it is not.
    Turn,
    /// Not chosen yet; only while searching.
    Unset,
}

/// What lies at a location of the frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Square {
    Noop,
    Data,
    Turn,
    Unset,
    Outside,
}

/// A location in the frame: `16 * (row + 1) + column + 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Location(pub(crate) u8);

/// Where the PP faces, counted clockwise from up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Towards higher rows.
    Up,
    /// Towards higher columns.
    Right,
    /// Towards lower rows.
    Down,
    /// Towards lower columns.
    Left,
}

impl Direction {
    /// All four, clockwise from up.
    pub const ALL: [Direction; 4] = [Direction::Up, Direction::Right, Direction::Down, Direction::Left];

    /// A quarter turn to the right.
    #[inline]
    pub fn clockwise(self) -> Self {
        match self {
            Direction::Up => Direction::Right,
            Direction::Right => Direction::Down,
            Direction::Down => Direction::Left,
            Direction::Left => Direction::Up,
        }
    }

    /// A quarter turn to the left.
    #[inline]
    pub fn counter_clockwise(self) -> Self {
        match self {
            Direction::Up => Direction::Left,
            Direction::Left => Direction::Down,
            Direction::Down => Direction::Right,
            Direction::Right => Direction::Up,
        }
    }
}

impl Location {
    /// Below the bottom left cell.
    pub(crate) const ENTRY: Location = Location(1);

    #[inline]
    pub(crate) fn new(column: u8, row: u8) -> Self {
        Location(16 * (row + 1) + column + 1)
    }

    #[inline]
    pub(crate) fn column(self) -> u8 {
        (self.0 & 15).wrapping_sub(1)
    }

    #[inline]
    pub(crate) fn row(self) -> u8 {
        (self.0 >> 4).wrapping_sub(1)
    }

    #[inline]
    pub(crate) fn next(self, direction: Direction) -> Self {
        Location(match direction {
            Direction::Up => self.0.wrapping_add(16),
            Direction::Right => self.0.wrapping_add(1),
            Direction::Down => self.0.wrapping_sub(16),
            Direction::Left => self.0.wrapping_sub(1),
        })
    }
}

/// The cells of a program.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Grid {
    width: u8,
    height: u8,
    /// By location; 256 of them, so that a location is always a valid index.
    squares: [Square; 256],
}

impl Grid {
    /// A grid with no cell chosen.
    pub fn unset(width: usize, height: usize) -> Result<Self, Error> {
        let side = |length: usize| u8::try_from(length).ok().filter(|n| (1..=MAX_SIDE).contains(n));
        let (Some(width), Some(height)) = (side(width), side(height)) else {
            return Err(Error::Size { width, height });
        };
        let mut grid = Grid { width, height, squares: [Square::Outside; 256] };
        for row in 0..height {
            for column in 0..width {
                grid.put(Location::new(column, row), Cell::Unset);
            }
        }
        Ok(grid)
    }

    /// Cells in a row.
    pub fn width(&self) -> u8 {
        self.width
    }

    /// Cells in a column.
    pub fn height(&self) -> u8 {
        self.height
    }

    /// The cell at a column and row; none outside the grid.
    pub fn cell(&self, column: u8, row: u8) -> Option<Cell> {
        if column >= self.width || row >= self.height {
            return None;
        }
        match self.at(Location::new(column, row)) {
            Square::Noop => Some(Cell::Noop),
            Square::Data => Some(Cell::Data),
            Square::Turn => Some(Cell::Turn),
            Square::Unset => Some(Cell::Unset),
            Square::Outside => None,
        }
    }

    /// Changes a cell. A location outside the grid is left alone.
    pub fn set(&mut self, column: u8, row: u8, cell: Cell) {
        if column < self.width && row < self.height {
            self.put(Location::new(column, row), cell);
        }
    }

    /// All cells, rows from top to bottom, columns from left to right: the order of both texts.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        (0..self.height).rev().flat_map(move |row| {
            (0..self.width).map(move |column| self.cell(column, row).unwrap_or(Cell::Unset))
        })
    }

    #[inline]
    pub(crate) fn at(&self, location: Location) -> Square {
        self.squares[usize::from(location.0)]
    }

    #[inline]
    pub(crate) fn put(&mut self, location: Location, cell: Cell) {
        self.squares[usize::from(location.0)] = match cell {
            Cell::Noop => Square::Noop,
            Cell::Data => Square::Data,
            Cell::Turn => Square::Turn,
            Cell::Unset => Square::Unset,
        };
    }
}

impl std::fmt::Debug for Grid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{} {}", self.width, self.height, crate::spec::cells_text(self))
    }
}
