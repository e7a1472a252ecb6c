//! What symbols and runs are called in the text of a summary.
//!
//! Symbols are letters: as typed where the history was typed in letters, else `A`, `B`, ... by first
//! sight, the same on every track that is shown. Runs are letters of the founding text: `P` to `W`
//! on level 0, `X` to `Z` on level 1. Where those run out, or symbols use them, they get numbers:
//! `P1`, `P2`, ..., `X1`, ..., then `M1` and `N1` on the next levels, then `L4.1`.

use std::collections::{BTreeMap, HashSet};

use model::{Alphabet, RunId, Summary, Symbol};

use crate::escape::plain;

/// The names of symbols, for all tracks that are shown.
#[derive(Debug)]
pub(crate) struct SymbolNames {
    by_symbol: BTreeMap<u32, String>,
    /// The letters are the names themselves, so that no legend is needed.
    pub(crate) are_typed: bool,
}

impl SymbolNames {
    /// `symbols`: those that are shown, in the order of first sight, perhaps repeated.
    pub(crate) fn new(symbols: impl IntoIterator<Item = Symbol>, alphabet: &Alphabet) -> SymbolNames {
        let are_typed = alphabet.names().all(|name| name.chars().count() == 1 && plain(name) == name);
        let mut by_symbol = BTreeMap::new();
        for symbol in symbols {
            let number = by_symbol.len();
            by_symbol
                .entry(symbol.0)
                .or_insert_with(|| if are_typed { alphabet.name(symbol).to_owned() } else { letter(number) });
        }
        SymbolNames { by_symbol, are_typed }
    }

    pub(crate) fn of(&self, symbol: u32) -> &str {
        self.by_symbol.get(&symbol).map_or("?", |name| name)
    }
}

/// `A` to `Z`, `a` to `z`, then `s52` and so on.
fn letter(number: usize) -> String {
    match number {
        0..26 => char::from(b'A' + number as u8).to_string(),
        26..52 => char::from(b'a' + (number - 26) as u8).to_string(),
        _ => format!("s{number}"),
    }
}

/// The names of the runs of one track.
#[derive(Debug)]
pub(crate) struct RunNames {
    are_numbered: bool,
}

impl RunNames {
    pub(crate) fn new(summary: &Summary, symbols: &[Symbol], names: &SymbolNames) -> RunNames {
        let used: HashSet<&str> = symbols.iter().map(|symbol| names.of(symbol.0)).collect();
        let is_taken = ('P'..='Z').any(|letter| used.contains(letter.encode_utf8(&mut [0; 4]) as &str));
        let kinds = |level: usize| summary.levels.get(level).map_or(0, |level| level.words.len());
        let are_many = kinds(0) > 8 || kinds(1) > 3 || summary.levels.len() > 2;
        RunNames { are_numbered: is_taken || are_many }
    }

    pub(crate) fn of(&self, level: usize, id: RunId) -> String {
        let number = id.0;
        match level {
            0 | 1 if !self.are_numbered => {
                let first = if level == 0 { b'P' } else { b'X' };
                char::from(first.saturating_add(number.min(200) as u8)).to_string()
            }
            0..4 => format!("{}{}", ["P", "X", "M", "N"][level], number + 1),
            _ => format!("L{level}.{}", number + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_come_before_numbers() {
        assert_eq!([0, 25, 26, 51, 52].map(letter), ["A", "Z", "a", "z", "s52"]);
    }
}
