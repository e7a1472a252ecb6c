//! What can be wrong with what a user hands in.

/// Why a program, a resume stack or a certificate could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A side is 0 or longer than the language's block numbers allow.
    #[error("a grid of {width} by {height} cells is not possible: each side has 1 to 8 cells")]
    Size {
        /// Cells in a row.
        width: usize,
        /// Cells in a column.
        height: usize,
    },
    /// The text of a program has a character outside its alphabet.
    #[error("'{found}' at character {at} is not one of A-Z a-z 0-9 + / (or - _)")]
    Letter {
        /// The character.
        found: char,
        /// Its position, counted from 1.
        at: usize,
    },
    /// The text of a program is too short or too long for the size it announces.
    #[error("a {width} by {height} program has {expected} characters, this text has {found}")]
    Length {
        /// Cells in a row.
        width: u8,
        /// Cells in a column.
        height: u8,
        /// Characters needed.
        expected: usize,
        /// Characters found.
        found: usize,
    },
    /// The text of a program is empty.
    #[error("the text of the program is empty")]
    Empty,
    /// The last character has bits behind the last cell.
    #[error("the last character '{0}' says more than the program has cells")]
    Padding(char),
    /// A drawing has a character that is no cell.
    #[error("'{found}' at cell {at} is not one of . _ o *")]
    CellLetter {
        /// The character.
        found: char,
        /// Its position, counted from 1.
        at: usize,
    },
    /// A drawing has the wrong number of cells.
    #[error("a {width} by {height} grid has {expected} cells, this text has {found}")]
    CellCount {
        /// Cells in a row.
        width: u8,
        /// Cells in a column.
        height: u8,
        /// Cells needed.
        expected: usize,
        /// Cells found.
        found: usize,
    },
    /// A resume stack has an entry that is no instruction.
    #[error("entry {at} of the resume stack is '{found}', not 1 (no-op), 2 (data) or 3 (turn)")]
    StackEntry {
        /// The entry.
        found: String,
        /// Its position, counted from 1.
        at: usize,
    },
    /// A resume stack goes on after the program it builds has ended.
    #[error("the resume stack has {given} entries, but the search ends at entry {used}")]
    StackTooLong {
        /// Entries given.
        given: usize,
        /// Entries that a search can follow.
        used: usize,
    },
}
