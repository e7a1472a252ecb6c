//! All that may be seen, without an end in it.
//!
//! A configuration of the program is *covered* when what lies around its data pointer is one of
//! the views, and every segment of `reach` values farther out is one of the words of its side.
//! Views and words are built here: those of the moment of the claim; whatever the next block or
//! the next cell of a shift makes of a view; nothing else. If no view is due at a block that is an
//! end, then no configuration that is ever reached is one.
//!
//! When the data pointer moves right, the nearest value on the right comes under it. The word on
//! the left gets the value it leaves, and what the word loses is farther out now: the old word
//! becomes a word of that side. The view gets a new value at the far end on the right, of which is
//! known only that the word it completes is one of those of its side.

use super::Refusal;
use crate::blocks::{Block, BlockId, Graph, Op};
use crate::run::{Tape, Walk};
use std::collections::{BTreeMap, BTreeSet};

/// The most views, and the most words of a side. A view takes some hundred bytes.
pub(super) const MOST: usize = 300_000;

/// The most values in view on each side.
const FARTHEST: u8 = 12;

/// The largest number that positions are seen modulo.
const LONGEST_PERIOD: u8 = 15;

/// How values are described: a number up to `2 * exact` is the value minus `exact`; then come the
/// classes of larger values, then those of smaller ones, by remainder.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lens {
    exact: i64,
    modulus: i64,
    reach: usize,
    /// Positions are seen modulo this.
    period: i64,
}

/// The number of a value, or of a class of values.
type Class = u8;

/// Values next to each other, nearest to the data pointer first.
type Values = Vec<Class>;

/// A word: the position of its nearest value, modulo the period of the lens, and its values.
type Word = (i64, Values);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct View {
    block: u8,
    /// Moves left of the shift; 0 if the block is none.
    moves: u8,
    value: Class,
    /// Of the data pointer, modulo the period of the lens.
    position: i64,
    left: Values,
    right: Values,
}

impl Lens {
    pub(super) fn new(reach: u8, exact: u8, modulus: u8, period: u8) -> Result<Self, Refusal> {
        let classes = 2 * u32::from(exact) + 1 + 2 * u32::from(modulus);
        if modulus == 0 || classes > 32 || reach > FARTHEST || !(1..=LONGEST_PERIOD).contains(&period) {
            return Err(Refusal::Lens { reach, exact, modulus, period });
        }
        Ok(Lens { exact: exact.into(), modulus: modulus.into(), reach: reach.into(), period: period.into() })
    }

    fn classes(self) -> std::ops::Range<Class> {
        0..(2 * self.exact + 1 + 2 * self.modulus) as Class
    }

    fn class(self, value: i64) -> Class {
        let remainder = value.rem_euclid(self.modulus);
        let class = match value {
            value if value.abs() <= self.exact => value + self.exact,
            1.. => 2 * self.exact + 1 + remainder,
            _ => 2 * self.exact + 1 + self.modulus + remainder,
        };
        class as Class
    }

    /// All classes that a value of this class may be in when `amount` has been added.
    fn after_adding(self, class: Class, amount: i64) -> BTreeSet<Class> {
        // Every class has a value among these, and every way to come back into the exact ones.
        let far = self.exact + amount.abs() + 2 * self.modulus;
        (-far..=far)
            .filter(|&value| self.class(value) == class)
            .map(|value| self.class(value + amount))
            .collect()
    }

    fn position(self, position: i64) -> i64 {
        position.rem_euclid(self.period)
    }

    fn values(self, tape: &Tape, from: i64, step: i64) -> Values {
        (0..self.reach as i64).map(|n| self.class(tape.at(from + n * step))).collect()
    }
}

/// What has been found so far.
struct Closure<'g> {
    graph: &'g Graph,
    lens: Lens,
    views: BTreeSet<View>,
    words: [BTreeSet<Word>; 2],
    /// Views whose successors have not been looked at.
    todo: Vec<View>,
    /// Views that lack a last value on one side (0 left, 1 right), by the values before it.
    open: [BTreeMap<Word, BTreeSet<View>>; 2],
    /// What has been asked of the lens: classes after adding to a class.
    sums: BTreeMap<(Class, i8), BTreeSet<Class>>,
}

pub(super) fn check(graph: &Graph, walk: &Walk<'_>, lens: Lens) -> Result<(), Refusal> {
    let mut closure = Closure {
        graph,
        lens,
        views: BTreeSet::new(),
        words: Default::default(),
        todo: Vec::new(),
        open: Default::default(),
        sums: BTreeMap::new(),
    };
    closure.moment(walk)?;
    while let Some(view) = closure.todo.pop() {
        closure.follow(&view)?;
    }
    Ok(())
}

impl Closure<'_> {
    /// Covers the moment of the claim.
    fn moment(&mut self, walk: &Walk<'_>) -> Result<(), Refusal> {
        let (tape, lens) = (walk.tape(), self.lens);
        let at = tape.position();
        let (first, last) = tape.bounds().unwrap_or((at, at));
        if lens.reach > 0 {
            // Words begin two cells away: the nearest ones are in the view itself. Beyond the
            // last value all words are zero: one for each position as it is seen.
            for from in first.min(at) - 1 - lens.period..=at - 2 {
                self.word(0, (lens.position(from), lens.values(tape, from, -1)))?;
            }
            for from in at + 2..=last.max(at) + 1 + lens.period {
                self.word(1, (lens.position(from), lens.values(tape, from, 1)))?;
            }
        }
        self.view(View {
            block: walk.block().number(),
            moves: self.moves(walk.block()),
            value: lens.class(tape.value()),
            position: lens.position(at),
            left: lens.values(tape, at - 1, -1),
            right: lens.values(tape, at + 1, 1),
        })
    }

    fn moves(&self, block: BlockId) -> u8 {
        match self.graph.block(block) {
            Some(Block::Work { op: Op::Shift(amount), .. }) => amount.unsigned_abs(),
            _ => 0,
        }
    }

    fn view(&mut self, view: View) -> Result<(), Refusal> {
        if self.views.contains(&view) {
            return Ok(());
        }
        if self.views.len() == MOST {
            return Err(Refusal::TooManyViews);
        }
        self.views.insert(view.clone());
        self.todo.push(view);
        Ok(())
    }

    fn word(&mut self, side: usize, word: Word) -> Result<(), Refusal> {
        if self.words[side].contains(&word) {
            return Ok(());
        }
        if self.words[side].len() == MOST {
            return Err(Refusal::TooManyViews);
        }
        self.words[side].insert(word.clone());
        let (position, values) = word;
        let Some((last, near)) = values.split_last() else { return Ok(()) };
        for view in self.open[side].get(&(position, near.to_vec())).cloned().unwrap_or_default() {
            self.view(completed(view, side, *last))?;
        }
        Ok(())
    }

    /// Covers everything that may follow a view.
    fn follow(&mut self, view: &View) -> Result<(), Refusal> {
        let id = BlockId::from_number(view.block.into()).ok_or(Refusal::MayEnd(view.block))?;
        let (op, zero, nonzero) = match self.graph.block(id) {
            Some(Block::Work { op, zero, nonzero, .. }) => (op, zero, nonzero),
            // It turns for ever: nothing follows, and that is no end.
            Some(Block::Hang) => return Ok(()),
            _ => return Err(Refusal::MayEnd(view.block)),
        };
        let lens = self.lens;
        let zero_class = lens.class(0);
        let goes_on_at = |value: Class| match zero {
            Some(zero) if value == zero_class => zero,
            _ => nonzero,
        };
        match op {
            Op::Delta(amount) => {
                let sums = self.sums.entry((view.value, amount));
                let sums = sums.or_insert_with(|| lens.after_adding(view.value, amount.into())).clone();
                for value in sums {
                    let next = goes_on_at(value);
                    let (block, moves) = (next.number(), self.moves(next));
                    self.view(View { block, moves, value, ..view.clone() })?;
                }
            }
            Op::Shift(amount) => {
                let side = usize::from(amount > 0);
                let position = lens.position(view.position + i64::from(amount.signum()));
                let Some(moves) = view.moves.checked_sub(1) else { return Err(Refusal::MayEnd(view.block)) };
                for value in self.comes(view, side) {
                    let mut next = view.clone();
                    (next.value, next.position) = (value, position);
                    (next.block, next.moves) = if moves > 0 {
                        (view.block, moves)
                    } else {
                        let block = goes_on_at(value);
                        (block.number(), self.moves(block))
                    };
                    self.moved(view, next, side)?;
                }
            }
        }
        Ok(())
    }

    /// What may come under the data pointer from a side.
    fn comes(&self, view: &View, side: usize) -> Vec<Class> {
        let word = if side == 0 { &view.left } else { &view.right };
        match word.first() {
            Some(&nearest) => vec![nearest],
            None => self.lens.classes().collect(),
        }
    }

    /// Covers the views after one move to a side, and the word that falls back.
    fn moved(&mut self, view: &View, mut next: View, side: usize) -> Result<(), Refusal> {
        if self.lens.reach == 0 {
            return self.view(next);
        }
        let step = if side == 0 { -1 } else { 1 };
        let behind = if side == 0 { &view.right } else { &view.left };
        self.word(1 - side, (self.lens.position(view.position - step), behind.clone()))?;
        let mut grown = vec![view.value];
        grown.extend(behind.iter().take(self.lens.reach - 1));
        let ahead = if side == 0 { &view.left } else { &view.right };
        let near: Values = ahead.iter().skip(1).copied().collect();
        (next.left, next.right) = if side == 0 { (near.clone(), grown) } else { (grown, near.clone()) };
        let farther = self.lens.position(next.position + step);
        // In order, those that begin with the same values stand together.
        let lasts: Vec<Class> = self.words[side]
            .range((farther, near.clone())..)
            .take_while(|(position, _)| *position == farther)
            .map_while(|(_, word)| {
                word.split_last().filter(|(_, first)| *first == near).map(|(last, _)| *last)
            })
            .collect();
        self.open[side].entry((farther, near)).or_default().insert(next.clone());
        for last in lasts {
            self.view(completed(next.clone(), side, last))?;
        }
        Ok(())
    }
}

fn completed(mut view: View, side: usize, last: Class) -> View {
    if side == 0 {
        view.left.push(last)
    } else {
        view.right.push(last)
    }
    view
}

#[cfg(test)]
mod tests;
