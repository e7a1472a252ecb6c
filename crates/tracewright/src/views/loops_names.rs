//! What symbols and runs are called in the text of a summary.
//!
//! Symbols are letters: as typed where the history was typed in letters, else `A`, `B`, ... in the
//! order in which the text of the track shows them. Runs are letters of the founding text: `P` to `W`
//! on level 0, `X` to `Z` on level 1. Where those run out, or symbols use them, they get numbers:
//! `P1`, `P2`, ..., `X1`, ..., then `M1` and `N1` on the next levels, then `L4.1`.

use std::cell::RefCell;
use std::collections::HashSet;

use model::{Alphabet, RunId, Summary, Symbol};

use crate::escape::plain;

/// The names of the symbols of one track.
#[derive(Debug)]
pub(crate) struct SymbolNames<'a> {
    alphabet: &'a Alphabet,
    /// The letters are the names themselves, so that no legend is needed.
    are_typed: bool,
    /// The symbols that were named, in that order: only what is shown takes a letter.
    named: RefCell<Vec<Symbol>>,
}

impl<'a> SymbolNames<'a> {
    pub(crate) fn new(alphabet: &'a Alphabet) -> SymbolNames<'a> {
        let are_typed = alphabet.names().all(|name| name.chars().count() == 1 && plain(name) == name);
        SymbolNames { alphabet, are_typed, named: RefCell::default() }
    }

    /// The name of a symbol, which takes the next letter if it has none.
    pub(crate) fn of(&self, symbol: Symbol) -> String {
        if self.are_typed {
            return self.alphabet.name(symbol).to_owned();
        }
        let mut named = self.named.borrow_mut();
        // At most some hundred are ever shown, so looking through them is quick.
        let number = named.iter().position(|&known| known == symbol).unwrap_or_else(|| {
            named.push(symbol);
            named.len() - 1
        });
        letter(number)
    }

    /// What the letters given so far stand for: letter and name. Empty where letters were typed.
    pub(crate) fn legend(&self) -> Vec<(String, String)> {
        let named = self.named.borrow();
        let entry = |(number, &symbol)| (letter(number), plain(self.alphabet.name(symbol)).into_owned());
        named.iter().enumerate().map(entry).collect()
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
    /// `symbols`: those of the track.
    pub(crate) fn new(summary: &Summary, symbols: &[Symbol], names: &SymbolNames<'_>) -> RunNames {
        let is_taken = match names.are_typed {
            true => symbols.iter().any(|&symbol| ("P"..="Z").contains(&names.alphabet.name(symbol))),
            false => symbols.len() > 15, // `A` to `O`
        };
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

/// The symbols of a track, by their first step. Each kind of run is looked at once.
pub(crate) fn symbols_of(summary: &Summary) -> Vec<Symbol> {
    let (mut seen, mut symbols, mut known) = (HashSet::new(), vec![], HashSet::new());
    let Some(level) = summary.levels.first() else { return symbols };
    let runs = level.runs.iter().filter(|run| known.insert(run.id)).flat_map(|run| {
        level.units_of(run).take(level.words.get(run.id.0 as usize).map_or(0, |word| word.units.len()))
    });
    for unit in runs.chain(level.pending.iter().copied()) {
        if seen.insert(unit) {
            symbols.push(Symbol(unit));
        }
    }
    symbols
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_come_before_numbers() {
        assert_eq!([0, 25, 26, 51, 52].map(letter), ["A", "Z", "a", "z", "s52"]);
    }
}
