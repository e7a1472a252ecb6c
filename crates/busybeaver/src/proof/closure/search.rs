//! Building the smallest closure around a run.

use super::value::{Scale, Seen};
use crate::blocks::{Block, BlockId, Graph, Op};
use crate::proof::Claim;
use crate::run::Tape;
use rustc_hash::{FxHashMap, FxHashSet};

/// Bits of a seen value.
const BITS: u32 = 5;

/// Where the position of a word is kept in it, modulo the period of positions: behind 12 values.
const POSITION: u32 = 12 * BITS;

/// How closely to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lens {
    /// How exactly values are seen.
    pub scale: Scale,
    /// How many values are in view on each side; at most 12.
    pub reach: u32,
    /// Positions are seen modulo this; at most 15.
    pub period: u8,
    /// Give up beyond this many views.
    pub most: usize,
}

/// A set of views and words that is closed.
#[derive(Debug, Clone)]
pub struct Closure {
    scale: Scale,
    reach: u32,
    period: u8,
    views: FxHashSet<View>,
}

/// What came of building a closure.
#[derive(Debug, Clone)]
pub enum Found {
    /// A closure: the program hangs.
    Closed(Box<Closure>),
    /// An end is reachable in this description.
    Escapes,
    /// More views than allowed.
    TooLarge,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct View {
    /// Block number times 8, plus moves of its shift still to make.
    due: u16,
    value: Seen,
    /// Where the DP is, as far as that is seen.
    position: u8,
    /// Words to the left and to the right, nearest value in the lowest bits.
    sides: [u64; 2],
}

#[derive(Default)]
struct Side {
    words: FxHashSet<u64>,
    /// The last values that words with these first ones have.
    last: FxHashMap<u64, Vec<Seen>>,
    /// Views that came to need a word with these first values; its own side is incomplete.
    waiting: FxHashMap<u64, Vec<View>>,
}

struct Builder<'g> {
    graph: &'g Graph,
    scale: Scale,
    reach: u32,
    period: u8,
    views: FxHashSet<View>,
    todo: Vec<View>,
    sides: [Side; 2],
}

/// Builds the smallest closure that holds the configuration (`block` due, `tape`).
pub fn close(graph: &Graph, block: BlockId, tape: &Tape, lens: Lens) -> Found {
    let Lens { scale, reach, period, most } = lens;
    if !scale.is_possible() || reach > 12 || !(1..=15).contains(&period) {
        return Found::TooLarge;
    }
    let mut builder = Builder {
        graph,
        scale,
        reach,
        period,
        views: FxHashSet::default(),
        todo: Vec::new(),
        sides: [Side::default(), Side::default()],
    };
    let at = tape.position();
    let (first, last) = tape.bounds().unwrap_or((at, at));
    let seen = |position| scale.see(tape.at(position));
    let word = |from: i64, step: i64| {
        (0..i64::from(reach)).fold(0, |word, n| word | u64::from(seen(from + n * step)) << (BITS * n as u32))
    };
    for (side, step, distance) in [(0, -1, at - first), (1, 1, last - at)] {
        // Beyond the last value all words are zero; one for each position as it is seen.
        for n in 2..distance.max(0) + 2 + i64::from(period) {
            builder.word(side, builder.at(0, n * step), word(at + n * step, step));
        }
    }
    let start = View {
        due: builder.due(block),
        value: seen(at),
        position: 0,
        sides: [word(at - 1, -1), word(at + 1, 1)],
    };
    builder.view(start);
    while let Some(view) = builder.todo.pop() {
        if !builder.follow(view) {
            return Found::Escapes;
        }
        if builder.views.len() > most {
            return Found::TooLarge;
        }
    }
    Found::Closed(Box::new(Closure { scale, reach, period, views: builder.views }))
}

impl Builder<'_> {
    fn due(&self, block: BlockId) -> u16 {
        let moves = match self.graph.block(block) {
            Some(Block::Work { op: Op::Shift(amount), .. }) => amount.unsigned_abs(),
            _ => 0,
        };
        u16::from(block.number()) << 3 | u16::from(moves & 7)
    }

    /// A position some cells from another.
    fn at(&self, position: u8, cells: i64) -> u8 {
        (i64::from(position) + cells).rem_euclid(self.period.into()) as u8
    }

    fn view(&mut self, view: View) {
        if self.views.insert(view) {
            self.todo.push(view);
        }
    }

    /// A word and the position of its nearest value.
    fn word(&mut self, side: usize, position: u8, word: u64) {
        if self.reach == 0 {
            return;
        }
        let near = ((1 << (BITS * (self.reach - 1))) - 1) & word | u64::from(position) << POSITION;
        let Side { words, last, waiting } = &mut self.sides[side];
        if !words.insert(word | u64::from(position) << POSITION) {
            return;
        }
        last.entry(near).or_default().push((word >> (BITS * (self.reach - 1))) as Seen);
        for view in waiting.get(&near).cloned().unwrap_or_default() {
            let mut view = view;
            view.sides[side] = word;
            self.view(view);
        }
    }

    /// Adds all that may follow a view; false if that may be the end of the program.
    fn follow(&mut self, view: View) -> bool {
        let block = BlockId::from_number(u32::from(view.due >> 3)).unwrap_or(BlockId::ENTRY);
        let (op, zero, nonzero) = match self.graph.block(block) {
            Some(Block::Work { op, zero, nonzero, .. }) => (op, zero, nonzero),
            // Nothing follows, and it is no end.
            Some(Block::Hang) => return true,
            _ => return false,
        };
        let (scale, reach) = (self.scale, self.reach);
        let decide = |value: Seen| if value == scale.zero() { zero.unwrap_or(nonzero) } else { nonzero };
        match op {
            Op::Delta(amount) => {
                let mut values = Vec::new();
                scale.add(view.value, amount.into(), |value| values.push(value));
                for value in values {
                    let due = self.due(decide(value));
                    self.view(View { due, value, ..view });
                }
            }
            Op::Shift(amount) => {
                let (from, to) = if amount < 0 { (1, 0) } else { (0, 1) };
                let left = view.due - 1;
                let step = if amount < 0 { -1 } else { 1 };
                let position = self.at(view.position, step);
                if reach == 0 {
                    // Nothing is in view: any value may come.
                    for value in scale.all() {
                        let due = if left & 7 == 0 { self.due(decide(value)) } else { left };
                        self.view(View { due, value, position, ..view });
                    }
                    return true;
                }
                let value = (view.sides[to] & ((1 << BITS) - 1)) as Seen;
                let due = if left & 7 == 0 { self.due(decide(value)) } else { left };
                let full = (1 << (BITS * reach)) - 1;
                let near = view.sides[to] >> BITS;
                let mut next = view;
                next.due = due;
                next.value = value;
                next.position = position;
                next.sides[from] = (view.sides[from] << BITS | u64::from(view.value)) & full;
                next.sides[to] = near;
                self.word(from, self.at(view.position, -step), view.sides[from]);
                let key = near | u64::from(self.at(position, step)) << POSITION;
                self.sides[to].waiting.entry(key).or_default().push(next);
                let lasts = self.sides[to].last.get(&key).cloned().unwrap_or_default();
                for last in lasts {
                    let mut view = next;
                    view.sides[to] = near | u64::from(last) << (BITS * (reach - 1));
                    self.view(view);
                }
            }
        }
        true
    }
}

impl Closure {
    /// How many views it has.
    pub fn len(&self) -> usize {
        self.views.len()
    }

    /// Whether it has none (then it is not the closure of anything).
    pub fn is_empty(&self) -> bool {
        self.views.is_empty()
    }

    /// The claim it makes, in the form of certificates.
    pub fn claim(&self) -> Claim {
        Claim::Closed {
            reach: self.reach as u8,
            exact: self.scale.exact as u8,
            modulus: self.scale.modulus as u8,
            period: self.period,
        }
    }
}
