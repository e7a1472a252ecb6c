//! Pairs: the two symbols that most often stand side by side become one, until no two do so twice (Re-Pair, after
//! Larsson and Moffat). A symbol that stands beside itself becomes, with all of the same in a row, one with a count.
//!
//! ```text
//! a b c x a b c y a b      `a b` three times:  P = a b
//! P c x P c y P            `P c` twice:        Q = P c
//! Q x Q y P
//! ```
//!
//! Slots where a pair begins are linked, so that one replacement costs a fixed number of steps, and the next pair is
//! the top of a heap.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashTable;
use rustc_hash::FxHashMap;

/// A symbol of no pair: between texts that have nothing to do with each other.
pub(super) const END: u32 = u32::MAX;
/// The same; something was lost here.
pub(super) const GAP: u32 = u32::MAX - 1;
const NONE: u32 = u32::MAX;

/// What a symbol was made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Made {
    /// Of two.
    Pair(u32, u32),
    /// Of one, so often in a row.
    Power(u32, u64),
    /// Of a text, by its number.
    Text(u32),
}

/// The symbols that were made; those of units come before them.
#[derive(Debug, Clone, Default)]
pub(super) struct Symbols {
    units: u32,
    pub(super) made: Vec<Made>,
    by_content: FxHashMap<Made, u32>,
}

impl Symbols {
    pub(super) fn new(units: u32) -> Symbols {
        Symbols { units, ..Symbols::default() }
    }

    /// The symbol made of this, which is new or known. There are no more symbols than numbers for them.
    pub(super) fn make(&mut self, content: Made) -> Option<u32> {
        if let Some(&known) = self.by_content.get(&content) {
            return Some(known);
        }
        let symbol = u32::try_from(self.made.len()).ok()?.checked_add(self.units)?;
        if symbol >= GAP {
            return None;
        }
        self.made.push(content);
        self.by_content.insert(content, symbol);
        Some(symbol)
    }

    fn is_known(&self, content: Made) -> bool {
        self.by_content.contains_key(&content)
    }
}

/// Replaces pairs in `text` until none is there twice, and those that have a symbol already.
pub(super) fn replace(text: &mut Vec<u32>, symbols: &mut Symbols) {
    if text.len() < 2 {
        return;
    }
    let mut work = Work::new(std::mem::take(text), symbols);
    while let Some((worth, Reverse(pair))) = work.heap.pop() {
        let Pair { left, right, .. } = work.pairs[pair as usize];
        let now = work.worth(pair);
        if now < worth {
            work.offer(pair);
        } else {
            let done = if left == right { work.replace_powers(pair) } else { work.replace_pair(pair) };
            if done.is_none() {
                break;
            }
            for pair in std::mem::take(&mut work.touched) {
                work.pairs[pair as usize].is_touched = false;
                work.offer(pair);
            }
        }
    }
    *text = work.text();
}

/// Two symbols side by side.
#[derive(Debug, Clone, Copy)]
struct Pair {
    left: u32,
    right: u32,
    /// How often it occurs.
    count: u32,
    /// One of them.
    first: u32,
    is_touched: bool,
}

/// One position of the text. Positions that were replaced have no neighbours and are no place of any pair.
#[derive(Debug, Clone, Copy)]
struct Slot {
    symbol: u32,
    before: u32,
    after: u32,
    /// The pair that begins here.
    pair: u32,
    /// The slots of the same pair, linked.
    previous: u32,
    next: u32,
}

/// What a pair is worth: the number of occurrences first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Worth {
    count: u32,
    bonus: u32,
}

/// How far the surroundings of two slots are compared.
const LONGEST: u32 = 16;

struct Work<'a> {
    symbols: &'a mut Symbols,
    slots: Vec<Slot>,
    pairs: Vec<Pair>,
    by_symbols: HashTable<u32>,
    /// The pair that is worth most first; it may be worth less by now.
    heap: BinaryHeap<(Worth, Reverse<u32>)>,
    /// By symbol: how often it stands in the text and in what other symbols were made of.
    uses: Vec<u32>,
    /// Pairs that have new slots.
    touched: Vec<u32>,
}

fn hash(left: u32, right: u32) -> u64 {
    let mixed = (u64::from(left) << 32 | u64::from(right)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}

impl<'a> Work<'a> {
    fn new(text: Vec<u32>, symbols: &'a mut Symbols) -> Self {
        let last = text.len() - 1;
        let slot = |(index, symbol)| Slot {
            symbol,
            before: if index == 0 { NONE } else { index as u32 - 1 },
            after: if index == last { NONE } else { index as u32 + 1 },
            pair: NONE,
            previous: NONE,
            next: NONE,
        };
        let mut uses = vec![0; symbols.units as usize + symbols.made.len()];
        text.iter().filter(|&&symbol| symbol < GAP).for_each(|&symbol| uses[symbol as usize] += 1);
        let mut work = Work {
            symbols,
            uses,
            slots: text.into_iter().enumerate().map(slot).collect(),
            pairs: Vec::new(),
            by_symbols: HashTable::new(),
            heap: BinaryHeap::new(),
            touched: Vec::new(),
        };
        (0..last as u32).for_each(|at| work.add(at));
        for pair in std::mem::take(&mut work.touched) {
            work.pairs[pair as usize].is_touched = false;
            work.offer(pair);
        }
        work
    }

    /// Puts a pair on the heap if it is worth a symbol.
    fn offer(&mut self, pair: u32) {
        let worth = self.worth(pair);
        if worth > Worth::default() {
            self.heap.push((worth, Reverse(pair)));
        }
    }

    /// What it is worth to make one symbol of a pair; nothing if it saves nothing.
    ///
    /// A pair in two places saves nothing by itself. It does where the same symbols stand beside it in both, too, and where it is
    /// the only place of a symbol, which then goes. Any other would only stand in the way.
    fn worth(&self, pair: u32) -> Worth {
        let Pair { left, right, count, first, .. } = self.pairs[pair as usize];
        if left == right {
            // Last of all: a run that is one symbol has nothing in common with a shorter one.
            return Worth { count: count.min(1), bonus: 0 };
        }
        let is_last = |symbol: u32| symbol >= self.symbols.units && self.uses[symbol as usize] == count;
        let is_last = count > 1 && left != right && (is_last(left) || is_last(right));
        let bonus = if count == 2 { self.common(first, self.slots[first as usize].next) } else { 0 };
        let bonus = bonus.max(u32::from(is_last));
        let is_worth =
            count > 2 || bonus > 0 || (count > 0 && self.symbols.is_known(Made::Pair(left, right)));
        if is_worth { Worth { count, bonus } } else { Worth::default() }
    }

    /// How far what stands around two slots is equal.
    fn common(&self, one: u32, other: u32) -> u32 {
        let is_same = |one: u32, other: u32| {
            one != NONE && other != NONE && {
                let symbol = self.slots[one as usize].symbol;
                symbol < GAP && symbol == self.slots[other as usize].symbol
            }
        };
        let walk = |step: fn(&Slot) -> u32| {
            let (mut one, mut other, mut steps) = (one, other, 0);
            loop {
                (one, other) = (step(&self.slots[one as usize]), step(&self.slots[other as usize]));
                if steps == LONGEST || !is_same(one, other) {
                    return steps;
                }
                steps += 1;
            }
        };
        // The pair's own second symbol is equal anyway.
        (walk(|slot| slot.before) + walk(|slot| slot.after) - 1).min(LONGEST)
    }

    /// The pair that begins at `at` now stands there.
    fn add(&mut self, at: u32) {
        let Slot { symbol: left, after, .. } = self.slots[at as usize];
        if after == NONE {
            return;
        }
        let right = self.slots[after as usize].symbol;
        if left >= GAP || right >= GAP {
            return;
        }
        let pairs = &mut self.pairs;
        let same = |&pair: &u32| {
            let known = &pairs[pair as usize];
            known.left == left && known.right == right
        };
        let pair = match self.by_symbols.find(hash(left, right), same) {
            Some(&pair) => pair,
            None => {
                let pair = pairs.len() as u32;
                pairs.push(Pair { left, right, count: 0, first: NONE, is_touched: false });
                self.by_symbols.insert_unique(hash(left, right), pair, |&pair| {
                    let Pair { left, right, .. } = pairs[pair as usize];
                    hash(left, right)
                });
                pair
            }
        };
        let about = &mut self.pairs[pair as usize];
        let next = about.first;
        about.first = at;
        about.count += 1;
        if !about.is_touched {
            about.is_touched = true;
            self.touched.push(pair);
        }
        if next != NONE {
            self.slots[next as usize].previous = at;
        }
        let slot = &mut self.slots[at as usize];
        (slot.pair, slot.previous, slot.next) = (pair, NONE, next);
    }

    /// The pair that begins at `at`, if any, stands there no longer.
    fn remove(&mut self, at: u32) {
        let Slot { pair, previous, next, .. } = self.slots[at as usize];
        if pair == NONE {
            return;
        }
        match previous {
            NONE => self.pairs[pair as usize].first = next,
            previous => self.slots[previous as usize].next = next,
        }
        if next != NONE {
            self.slots[next as usize].previous = previous;
        }
        self.pairs[pair as usize].count -= 1;
        self.slots[at as usize].pair = NONE;
    }

    fn make(&mut self, content: Made) -> Option<u32> {
        let symbol = self.symbols.make(content)?;
        self.uses.resize(self.uses.len().max(symbol as usize + 1), 0);
        Some(symbol)
    }

    /// Two different symbols become one wherever they stand side by side.
    fn replace_pair(&mut self, pair: u32) -> Option<()> {
        let Pair { left, right, .. } = self.pairs[pair as usize];
        let symbol = self.make(Made::Pair(left, right))?;
        for part in [left, right] {
            self.uses[part as usize] += 1;
        }
        while self.pairs[pair as usize].first != NONE {
            let at = self.pairs[pair as usize].first;
            let second = self.slots[at as usize].after;
            self.join(at, second, symbol);
        }
        Some(())
    }

    /// All of a symbol in a row becomes one symbol, wherever it stands beside itself.
    fn replace_powers(&mut self, pair: u32) -> Option<()> {
        let unit = self.pairs[pair as usize].left;
        while self.pairs[pair as usize].first != NONE {
            let at = self.pairs[pair as usize].first;
            let is_same = |slot: u32| slot != NONE && self.slots[slot as usize].symbol == unit;
            let (mut first, mut last, mut count) = (at, at, 1);
            while is_same(self.slots[first as usize].before) {
                first = self.slots[first as usize].before;
                count += 1;
            }
            while is_same(self.slots[last as usize].after) {
                last = self.slots[last as usize].after;
                count += 1;
            }
            let symbol = self.make(Made::Power(unit, count))?;
            self.uses[unit as usize] += 1;
            self.join(first, last, symbol);
        }
        Some(())
    }

    /// The slots from `first` to `last` become one, with `symbol`.
    fn join(&mut self, first: u32, last: u32, symbol: u32) {
        let (before, after) = (self.slots[first as usize].before, self.slots[last as usize].after);
        if before != NONE {
            self.remove(before);
        }
        let mut at = first;
        while at != last {
            self.remove(at);
            self.uses[self.slots[at as usize].symbol as usize] -= 1;
            at = self.slots[at as usize].after;
        }
        self.remove(last);
        self.uses[self.slots[last as usize].symbol as usize] -= 1;
        self.uses[symbol as usize] += 1;
        self.slots[first as usize].symbol = symbol;
        self.slots[first as usize].after = after;
        if after != NONE {
            self.slots[after as usize].before = first;
        }
        if before != NONE {
            self.add(before);
        }
        self.add(first);
    }

    /// What is left.
    fn text(self) -> Vec<u32> {
        let mut text = Vec::new();
        let mut at = 0;
        while at != NONE {
            text.push(self.slots[at as usize].symbol);
            at = self.slots[at as usize].after;
        }
        text
    }
}
