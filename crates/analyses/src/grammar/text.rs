//! The runs of a level as a text of symbols, reduced block by block.
//!
//! ```text
//! runs     x [ab]*2.0 c [ba]*50.1             a loop of few units is written out; a long one is one symbol, its word
//! text     x a b a b c b (ab)^50              rotated so that the same loop has the same word wherever it was entered
//! ```
//!
//! A block is reduced as soon as it is full, with the symbols of the blocks before it; what is left of all blocks is put
//! together and reduced again. So memory is that of a block and of what could not be reduced.

use std::ops::Range;

use model::grammar::What;
use model::{Grammar, Level, Run};
use rustc_hash::FxHashMap;

use super::pairs::{END, GAP, Made, Symbols, replace};

/// Symbols reduced at once.
pub(super) const BLOCK: usize = 1 << 21;

/// Units up to which a loop is written out: pairs then go across its ends, and it costs little.
pub(super) const SHORT: u64 = 32;

/// A level as symbols.
#[derive(Debug, Default)]
pub(super) struct Reduced {
    pub(super) symbols: Symbols,
    /// The unit of each of the first symbols.
    pub(super) units: Vec<u32>,
    /// By [`Made::Text`]: the words of long loops.
    pub(super) words: Vec<Vec<u32>>,
    /// The level.
    pub(super) start: Vec<u32>,
}

pub(super) fn reduced(level: &Level, gaps: &[u64], block: usize) -> Reduced {
    let mut units: Vec<u32> =
        level.words.iter().flat_map(|word| &word.units).chain(&level.pending).copied().collect();
    units.sort_unstable();
    units.dedup();
    let number: FxHashMap<u32, u32> = units.iter().copied().zip(0..).collect();
    let mut texts = Texts {
        number: &number,
        symbols: Symbols::new(units.len() as u32),
        folded: vec![None; level.words.len()],
        by_word: FxHashMap::default(),
        block,
        text: Vec::new(),
        reduced: Vec::new(),
    };
    let mut gaps = gaps.iter().copied().peekable();
    for run in &level.runs {
        while gaps.next_if(|&gap| gap <= run.start).is_some() {
            texts.push(GAP);
        }
        texts.run(level, run);
    }
    let end = level.runs.last().map_or(0, |run| run.start + run.len);
    while gaps.next_if(|&gap| gap <= end).is_some() {
        texts.push(GAP);
    }
    for (unit, at) in level.pending.iter().zip(end..) {
        while gaps.next_if(|&gap| gap <= at).is_some() {
            texts.push(GAP);
        }
        texts.unit(*unit);
    }
    gaps.for_each(|_| texts.push(GAP));
    let (symbols, mut words) = texts.finish();
    let start = if words.is_empty() { Vec::new() } else { words.remove(0) };
    Reduced { symbols, words, start, units }
}

struct Texts<'a> {
    number: &'a FxHashMap<u32, u32>,
    symbols: Symbols,
    /// By run id of a loop: its symbol, and units before the rotated word begins.
    folded: Vec<Option<(u32, u64)>>,
    /// By the least rotation of a word: the symbol of the rotation that came first, and where in it the least one begins.
    by_word: FxHashMap<Vec<u32>, (u32, usize)>,
    block: usize,
    /// The block at work.
    text: Vec<u32>,
    /// What is left of those before.
    reduced: Vec<u32>,
}

impl Texts<'_> {
    fn unit(&mut self, unit: u32) {
        if let Some(&symbol) = self.number.get(&unit) {
            self.push(symbol);
        }
    }

    fn push(&mut self, symbol: u32) {
        self.text.push(symbol);
        if self.text.len() >= self.block {
            self.reduce();
        }
    }

    fn reduce(&mut self) {
        replace(&mut self.text, &mut self.symbols);
        self.reduced.append(&mut self.text);
    }

    fn run(&mut self, level: &Level, run: &Run) {
        let Some(word) = level.words.get(run.id.0 as usize) else { return };
        let period = word.units.len() as u64;
        let is_long = run.is_loop() && run.len > SHORT && run.len >= 4 * period;
        let Some((symbol, before)) = is_long.then(|| self.fold(run, &word.units)).flatten() else {
            return self.segment(&word.units, 0..run.len);
        };
        self.segment(&word.units, 0..before);
        let iterations = (run.len - before) / period;
        match self.symbols.make(Made::Power(symbol, iterations)) {
            Some(power) => self.push(power),
            None => (0..iterations).for_each(|_| self.push(symbol)),
        }
        self.segment(&word.units, before + iterations * period..run.len);
    }

    /// A segment of a word repeated without end.
    fn segment(&mut self, word: &[u32], positions: Range<u64>) {
        for position in positions {
            self.unit(word[(position % word.len() as u64) as usize]);
        }
    }

    /// The symbol of one iteration of a loop, and how many units come before it.
    fn fold(&mut self, run: &Run, word: &[u32]) -> Option<(u32, u64)> {
        let index = run.id.0 as usize;
        if let Some(known) = self.folded.get(index).copied().flatten() {
            return Some(known);
        }
        let mut word: Vec<u32> = word.iter().filter_map(|unit| self.number.get(unit)).copied().collect();
        let least = least_rotation(&word);
        word.rotate_left(least);
        let period = word.len();
        let (symbol, before) = match (word.as_slice(), self.by_word.get(&word)) {
            (&[unit], _) => (unit, 0),
            (_, Some(&(known, first))) => (known, (least + period - first) % period),
            _ => {
                let symbol = self.symbols.make(Made::Text(self.by_word.len() as u32))?;
                self.by_word.insert(word, (symbol, least));
                (symbol, 0)
            }
        };
        self.folded[index] = Some((symbol, before as u64));
        self.folded[index]
    }

    /// The level, and then the words of long loops, all reduced.
    fn finish(mut self) -> (Symbols, Vec<Vec<u32>>) {
        let mut words: Vec<(Vec<u32>, (u32, usize))> = self.by_word.drain().collect();
        words.sort_unstable_by_key(|(_, (symbol, _))| *symbol);
        for (mut word, (_, least)) in words {
            word.rotate_right(least);
            self.push(END);
            word.into_iter().for_each(|symbol| self.push(symbol));
        }
        let mut is_whole = self.reduced.is_empty();
        self.reduce();
        while !is_whole {
            let before = std::mem::take(&mut self.reduced);
            is_whole = before.len() < self.block;
            before.iter().for_each(|&symbol| self.push(symbol));
            self.reduce();
            // What hardly shrinks has little that recurs.
            is_whole |= self.reduced.len() >= before.len() - before.len() / 8;
        }
        let parts = self.reduced.split(|&symbol| symbol == END).map(<[u32]>::to_vec).collect();
        (self.symbols, parts)
    }
}

/// Where the rotation of a word begins that is the least of all, in time proportional to the word.
fn least_rotation(word: &[u32]) -> usize {
    let (mut one, mut other, mut same) = (0, 1, 0);
    let at = |position: usize| word[position % word.len()];
    while one < word.len() && other < word.len() && same < word.len() {
        match at(one + same).cmp(&at(other + same)) {
            std::cmp::Ordering::Equal => same += 1,
            order => {
                let loser = if order.is_gt() { &mut one } else { &mut other };
                *loser += same + 1;
                if one == other {
                    other += 1;
                }
                same = 0;
            }
        }
    }
    one.min(other)
}

/// A grammar as texts to be reduced again: what was written out may be paired otherwise.
pub(super) fn again(grammar: &Grammar) -> Reduced {
    let items = || grammar.rules.iter().map(|rule| &rule.items).chain([&grammar.start]).flatten();
    let mut units: Vec<u32> = items()
        .filter_map(|item| match item.what {
            What::Unit(unit) => Some(unit),
            _ => None,
        })
        .collect();
    units.sort_unstable();
    units.dedup();
    let mut symbols = Symbols::new(units.len() as u32);
    let rules: Vec<u32> =
        (0..grammar.rules.len() as u32).filter_map(|rule| symbols.make(Made::Text(rule))).collect();
    let mut text = Vec::new();
    for items in [&grammar.start].into_iter().chain(grammar.rules.iter().map(|rule| &rule.items)) {
        for item in items {
            let symbol = match item.what {
                What::Gap => GAP,
                What::Unit(unit) => units.partition_point(|&known| known < unit) as u32,
                What::Rule(rule) => rules[rule as usize],
            };
            match (item.times, symbols.make(Made::Power(symbol, item.times))) {
                (2.., Some(power)) => text.push(power),
                (times, _) => (0..times).for_each(|_| text.push(symbol)),
            }
        }
        text.push(END);
    }
    text.pop();
    replace(&mut text, &mut symbols);
    let mut words: Vec<Vec<u32>> = text.split(|&symbol| symbol == END).map(<[u32]>::to_vec).collect();
    let start = words.remove(0);
    Reduced { symbols, units, words, start }
}
