//! What symbols, runs and rules are called in the text of a summary.
//!
//! Symbols are letters: as typed where the history was typed in letters, else `A`, `B`, ... in the
//! order in which the text of the track shows them. Runs are letters of the founding text: `P` to `W`
//! on level 0, `X` to `Z` on level 1. Where those run out, or symbols use them, and on the levels above, runs are
//! called by the busiest of what stands in them: `~read+write`, and `~read+write.2` another one of which that is true.
//! Rules are called in the same way, in braces: `{read+write}`.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};

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
    /// Whether the letters of the two lowest levels suffice.
    have_letters: bool,
    /// Short names, each once.
    words: Vec<String>,
    /// The short name of each symbol.
    symbols: BTreeMap<u32, u32>,
    /// By level and run id.
    runs: Vec<Vec<Called>>,
}

/// Units that are looked at for a name: there may be millions of names, and none has room for more.
const SAMPLE: usize = 64;

/// A name made of short names.
#[derive(Debug, Clone, Copy)]
struct Called {
    about: About,
    /// How many have the same short names, up to this one.
    number: u32,
}

/// The busiest short names in something, the busier one first; twice the same if there is one.
pub(crate) type About = [u32; 2];

impl RunNames {
    /// `symbols`: those of the track.
    pub(crate) fn new(summary: &Summary, symbols: &[Symbol], names: &SymbolNames<'_>) -> RunNames {
        let is_taken = match names.are_typed {
            true => symbols.iter().any(|&symbol| ("P"..="Z").contains(&names.alphabet.name(symbol))),
            false => symbols.len() > 15, // `A` to `O`
        };
        let kinds = |level: usize| summary.levels.get(level).map_or(0, |level| level.words.len());
        let are_many = kinds(0) > 8 || kinds(1) > 3;
        let (mut words, mut numbers) = (vec![], HashMap::new());
        let word = |&symbol: &Symbol| {
            let short = short(names.alphabet.name(symbol));
            let number = *numbers.entry(short).or_insert_with_key(|short| {
                words.push(short.clone());
                words.len() as u32 - 1
            });
            (symbol.0, number)
        };
        let symbols = symbols.iter().map(word).collect();
        let mut all = RunNames { have_letters: !is_taken && !are_many, words, symbols, runs: vec![] };
        let mut known = HashMap::new();
        for (number, level) in summary.levels.iter().enumerate() {
            let called = level.words.iter().map(|word| {
                let about = all.about(number, word.units.iter().copied());
                let number = known.entry(about).or_insert(0u32);
                *number += 1;
                Called { about, number: *number }
            });
            let called = called.collect();
            all.runs.push(called);
        }
        all
    }

    pub(crate) fn of(&self, level: usize, id: RunId) -> String {
        if level < 2 && self.have_letters {
            let first = if level == 0 { b'P' } else { b'X' };
            return char::from(first.saturating_add(id.0.min(200) as u8)).to_string();
        }
        let called = self.runs.get(level).and_then(|runs| runs.get(id.0 as usize));
        called.map_or("?".into(), |Called { about, number }| format!("~{}", self.text(*about, *number)))
    }

    /// The busiest short names in units of a level.
    pub(crate) fn about(&self, level: usize, units: impl Iterator<Item = u32>) -> About {
        let mut counts: Vec<(u32, u64)> = vec![];
        let mut count = |word: u32, times: u64| match counts.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += times,
            None => counts.push((word, times)),
        };
        for unit in units.take(SAMPLE) {
            let [first, second] = match level.checked_sub(1) {
                None => [self.symbols.get(&unit).copied().unwrap_or(0); 2],
                Some(below) => {
                    let run = self.runs.get(below).and_then(|runs| runs.get(unit as usize));
                    run.map_or([0, 0], |called| called.about)
                }
            };
            count(first, 2);
            count(second, 1);
        }
        // Of equally busy ones the first to come.
        counts.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
        let first = counts.first().map_or(0, |(word, _)| *word);
        [first, counts.get(1).map_or(first, |(word, _)| *word)]
    }

    /// `read+write`, and of several the number.
    pub(crate) fn text(&self, about: About, number: u32) -> String {
        let name = |word: u32| self.words.get(word as usize).map_or("?", String::as_str);
        let [first, second] = about.map(name);
        let mut text = first.to_owned();
        if about[0] != about[1] {
            let touch = first.chars().count() == 1 && second.chars().count() == 1;
            text += if touch { "" } else { "+" };
            text += second;
        }
        if number > 1 {
            text += &format!(".{number}");
        }
        text
    }
}

/// What is left of a name where there is little room: `mix` of `shop:mix`, `bake` of `shop.Baker.bake:31`.
fn short(name: &str) -> String {
    const MOST: usize = 16;
    let is_cut = |character: char| matches!(character, '.' | ':' | '$');
    let is_described = |part: &&str| part.chars().any(char::is_alphabetic);
    let head = name.split(['#', '(', ' ']).find(|part| !part.is_empty()).unwrap_or(name);
    let part = match head.rsplit('/').find(is_described).filter(|_| head.contains('/')) {
        Some(file) => file,
        None => head.rsplit(is_cut).find(is_described).unwrap_or(name),
    };
    plain(part).chars().take(MOST).collect()
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

    #[test]
    fn long_names_get_short_ones() {
        let names =
            ["shop:mix", "shop.Baker.bake:31#4", "sched_switch", "src/main.rs", "42", "X", ".", "a::<b>"];
        assert_eq!(names.map(short), ["mix", "bake", "sched_switch", "main.rs", "42", "X", ".", "<b>"]);
    }
}
