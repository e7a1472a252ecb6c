//! The texts of a program: the short one that names it, and plain drawings of its cells.
//!
//! ```text
//! short      4 bits width, 4 bits height, 2 bits a cell, six bits a letter, zero bits at the end
//!            M70Dw = 3x3  *.. o__ _..          (0 no-op, 1 data, 2 turn, 3 unset)
//! cells      . unset   _ no-op   o data   * turn, rows from top to bottom
//! ```
//!
//! Reading takes `-` for `+` and `_` for `/` (for use in addresses); writing gives `+` and `/`.

use crate::{Cell, Error, Grid};
use std::fmt;
use std::str::FromStr;

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl FromStr for Grid {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let mut bits = Vec::with_capacity(text.len() * 6);
        for (index, letter) in text.chars().enumerate() {
            let value = value_of(letter).ok_or(Error::Letter { found: letter, at: index + 1 })?;
            bits.extend((0..6).rev().map(|bit| value >> bit & 1));
        }
        let number = |range: std::ops::Range<usize>| {
            bits.get(range).map(|bits| bits.iter().fold(0_usize, |n, &bit| 2 * n + usize::from(bit)))
        };
        let Some(width) = number(0..4) else { return Err(Error::Empty) };
        let height = number(4..8).unwrap_or(0);
        let mut grid = Grid::unset(width, height)?;
        let found = text.chars().count();
        let expected = (8 + 2 * width * height).div_ceil(6);
        if found != expected {
            return Err(Error::Length { width: grid.width(), height: grid.height(), expected, found });
        }
        let mut at = 8;
        for row in (0..grid.height()).rev() {
            for column in 0..grid.width() {
                let cell = match number(at..at + 2) {
                    Some(0) => Cell::Noop,
                    Some(1) => Cell::Data,
                    Some(2) => Cell::Turn,
                    _ => Cell::Unset,
                };
                grid.set(column, row, cell);
                at += 2;
            }
        }
        if bits.iter().skip(at).any(|&bit| bit != 0) {
            return Err(Error::Padding(text.chars().last().unwrap_or(' ')));
        }
        Ok(grid)
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bits = u32::from(self.width()) << 4 | u32::from(self.height());
        let mut count = 8;
        let mut text = String::new();
        for cell in self.cells() {
            bits = bits << 2
                | match cell {
                    Cell::Noop => 0,
                    Cell::Data => 1,
                    Cell::Turn => 2,
                    Cell::Unset => 3,
                };
            count += 2;
            while count >= 6 {
                count -= 6;
                text.push(letter_of(bits >> count));
                bits &= (1 << count) - 1;
            }
        }
        if count > 0 {
            text.push(letter_of(bits << (6 - count)));
        }
        f.write_str(&text)
    }
}

fn letter_of(value: u32) -> char {
    char::from(LETTERS[value as usize & 63])
}

fn value_of(letter: char) -> Option<u8> {
    let letter = match letter {
        '-' => '+',
        '_' => '/',
        other => other,
    };
    let index = LETTERS.iter().position(|&known| char::from(known) == letter)?;
    u8::try_from(index).ok()
}

/// The cells of a grid in one string, rows from top to bottom: `. _ o *`.
pub fn cells_text(grid: &Grid) -> String {
    grid.cells().map(|cell| cell_letter(cell, '.')).collect()
}

/// As [`cells_text`], but an unset cell looks like a no-op, as on the web pages.
pub fn web_text(grid: &Grid) -> String {
    grid.cells().map(|cell| cell_letter(cell, '_')).collect()
}

pub(crate) fn cell_letter(cell: Cell, unset: char) -> char {
    match cell {
        Cell::Noop => '_',
        Cell::Data => 'o',
        Cell::Turn => '*',
        Cell::Unset => unset,
    }
}

/// Reads the drawing of a grid of a known size. White space and line ends do not count.
pub fn read_cells(width: usize, height: usize, text: &str) -> Result<Grid, Error> {
    let mut grid = Grid::unset(width, height)?;
    let mut cells = Vec::new();
    for letter in text.chars().filter(|letter| !letter.is_whitespace()) {
        cells.push(match letter {
            '_' => Cell::Noop,
            'o' => Cell::Data,
            '*' => Cell::Turn,
            '.' => Cell::Unset,
            found => return Err(Error::CellLetter { found, at: cells.len() + 1 }),
        });
    }
    let (expected, found) = (width * height, cells.len());
    if found != expected {
        return Err(Error::CellCount { width: grid.width(), height: grid.height(), expected, found });
    }
    let mut cells = cells.into_iter();
    for row in (0..grid.height()).rev() {
        for (column, cell) in (0..grid.width()).zip(&mut cells) {
            grid.set(column, row, cell);
        }
    }
    Ok(grid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_agree_in_both_directions() {
        for (text, cells) in [
            ("Iqo", "****"),
            ("IlU", "oooo"),
            ("M6qqg", "*********"),
            ("M70Dw", "*..o___.."),
            ("RBsbGxs", "_o*._o*._o*._o*."),
            ("U6qgKqg", "******___******"),
            ("ZgoCQhGBUIBlqA", "__**___*o__*_o_o*__ooo__*___o*oo***_"),
        ] {
            let grid: Grid = text.parse().unwrap();
            assert_eq!(cells_text(&grid), cells);
            assert_eq!(grid.to_string(), text);
            let again = read_cells(grid.width().into(), grid.height().into(), cells).unwrap();
            assert_eq!(again, grid);
        }
    }

    #[test]
    fn the_letters_of_addresses_are_understood() {
        let grid: Grid = "d--vAjhUqpBBbYG3-8".parse().unwrap();
        assert_eq!(grid.to_string(), "d++vAjhUqpBBbYG3+8");
        assert_eq!("d_rflSha0lYRbIGz68".parse::<Grid>().unwrap().to_string(), "d/rflSha0lYRbIGz68");
    }

    #[test]
    fn bad_texts_are_refused_with_a_reason() {
        for (text, reason) in [
            ("", "the text of the program is empty"),
            ("M", "a grid of 3 by 0 cells is not possible: each side has 1 to 8 cells"),
            ("M6qq", "a 3 by 3 program has 5 characters, this text has 4"),
            ("M6qqgA", "a 3 by 3 program has 5 characters, this text has 6"),
            ("M6qqh", "the last character 'h' says more than the program has cells"),
            ("M6 qg", "' ' at character 3 is not one of A-Z a-z 0-9 + / (or - _)"),
            ("mZ", "a grid of 9 by 9 cells is not possible: each side has 1 to 8 cells"),
        ] {
            assert_eq!(text.parse::<Grid>().unwrap_err().to_string(), reason, "{text}");
        }
        assert!(read_cells(2, 2, "o*x_").is_err());
        assert!(read_cells(2, 2, "o*_").is_err());
    }
}
