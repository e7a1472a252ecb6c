//! A list of all that may be seen, without an end in it.
//!
//! A configuration of the program is *covered* when what lies around its data pointer is one of
//! the views, and every stretch of `reach` values farther out is one of the words of its side.
//! The moment of the claim is covered (verified here); the next block or the next cell of a shift
//! leads from a covered configuration to covered ones (verified here, view by view); no view is
//! due at a block that is an end. So no configuration that is ever reached is an end.
//!
//! When the data pointer moves right, the nearest value on the right comes under it. The word on
//! the left gets the value it leaves, and what the word loses is farther out now: the old word
//! must be listed. The view gets a new value at the far end on the right, of which is known only
//! that the word it completes is one of those listed.

use super::Refusal;
use crate::blocks::{Block, BlockId, Graph, Op};
use crate::run::{Tape, Walk};
use std::collections::{BTreeMap, BTreeSet};

/// How values are described: a number up to `2 * exact` is the value minus `exact`; then come the
/// classes of larger values, then those of smaller ones, by remainder.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lens {
    exact: i64,
    modulus: i64,
    reach: usize,
}

/// The number of a value, or of a class of values.
type Class = i64;

/// Values of a word, nearest to the data pointer first.
type Word = Vec<Class>;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct View {
    block: u8,
    /// Moves left of the shift; 0 if the block is none.
    moves: u8,
    value: Class,
    left: Word,
    right: Word,
}

impl Lens {
    pub(super) fn new(exact: u8, modulus: u8, reach: u8) -> Result<Self, Refusal> {
        let classes = 2 * u32::from(exact) + 1 + 2 * u32::from(modulus);
        if modulus == 0 || classes > 32 || reach > 32 {
            return Err(Refusal::Lens { exact, modulus, reach });
        }
        Ok(Lens { exact: exact.into(), modulus: modulus.into(), reach: reach.into() })
    }

    fn classes(self) -> std::ops::Range<Class> {
        0..2 * self.exact + 1 + 2 * self.modulus
    }

    fn class(self, value: i64) -> Class {
        let remainder = value.rem_euclid(self.modulus);
        match value {
            value if value.abs() <= self.exact => value + self.exact,
            1.. => 2 * self.exact + 1 + remainder,
            _ => 2 * self.exact + 1 + self.modulus + remainder,
        }
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

    fn word(self, tape: &Tape, from: i64, step: i64) -> Word {
        (0..self.reach as i64).map(|n| self.class(tape.at(from + n * step))).collect()
    }

    fn read_word(self, text: &str) -> Option<Word> {
        let word: Option<Word> = text.chars().map(|letter| self.read_class(letter)).collect();
        word.filter(|word| word.len() == self.reach)
    }

    fn read_class(self, letter: char) -> Option<Class> {
        let class = letter.to_digit(32).filter(|_| !letter.is_ascii_uppercase())?;
        Some(i64::from(class)).filter(|class| self.classes().contains(class))
    }

    fn read_view(self, text: &str) -> Option<View> {
        let mut parts = text.split(' ');
        let (block, moves) = parts.next()?.split_once('.')?;
        let mut value = parts.next()?.chars();
        let view = View {
            block: block.parse().ok()?,
            moves: moves.parse().ok()?,
            value: self.read_class(value.next()?)?,
            left: self.read_word(parts.next().unwrap_or_default())?,
            right: self.read_word(parts.next().unwrap_or_default())?,
        };
        (value.next().is_none() && parts.next().is_none() && self.show(&view) == text).then_some(view)
    }

    fn show(self, view: &View) -> String {
        let letter = |&class: &Class| char::from_digit(class as u32, 32).unwrap_or('?');
        let word = |word: &Word| word.iter().map(letter).collect::<String>();
        let (left, right) = (word(&view.left), word(&view.right));
        let text = format!("{}.{} {} {left} {right}", view.block, view.moves, letter(&view.value));
        text.trim_end().to_owned()
    }
}

/// What is listed, and what of it has been seen to be needed.
struct Listed<'g> {
    graph: &'g Graph,
    lens: Lens,
    views: BTreeSet<View>,
    words: [BTreeSet<Word>; 2],
    needed: BTreeSet<View>,
    needed_words: [BTreeSet<Word>; 2],
    /// Needed views whose successors have not been looked at.
    todo: Vec<View>,
    /// Views that need a last value on one side (0 left, 1 right), by the values before it.
    open: [BTreeMap<Word, BTreeSet<View>>; 2],
}

pub(super) fn check(
    graph: &Graph,
    walk: &Walk<'_>,
    lens: Lens,
    views: &[String],
    words: [&Vec<String>; 2],
) -> Result<(), Refusal> {
    let view = |text: &String| lens.read_view(text).ok_or_else(|| Refusal::Unreadable(text.clone()));
    let word = |text: &String| lens.read_word(text).ok_or_else(|| Refusal::Unreadable(text.clone()));
    for list in [views, words[0], words[1]] {
        if let Some(pair) = list.windows(2).find(|pair| pair.first() >= pair.get(1)) {
            return Err(Refusal::Order(pair.join(" ")));
        }
    }
    let mut listed = Listed {
        graph,
        lens,
        views: views.iter().map(view).collect::<Result<_, _>>()?,
        words: [
            words[0].iter().map(word).collect::<Result<_, _>>()?,
            words[1].iter().map(word).collect::<Result<_, _>>()?,
        ],
        needed: BTreeSet::new(),
        needed_words: Default::default(),
        todo: Vec::new(),
        open: Default::default(),
    };
    listed.moment(walk)?;
    while let Some(view) = listed.todo.pop() {
        listed.follow(&view)?;
    }
    let spare = listed.views.len() - listed.needed.len()
        + (0..2).map(|side| listed.words[side].len() - listed.needed_words[side].len()).sum::<usize>();
    if spare == 0 { Ok(()) } else { Err(Refusal::Spare(spare)) }
}

impl Listed<'_> {
    /// The moment of the claim is covered.
    fn moment(&mut self, walk: &Walk<'_>) -> Result<(), Refusal> {
        let (tape, lens) = (walk.tape(), self.lens);
        let at = tape.position();
        let (first, last) = tape.bounds().unwrap_or((at, at));
        if lens.reach > 0 {
            // Words begin two cells away: the nearest ones are in the view itself. Beyond the
            // last value all words are zero.
            for from in first.min(at) - 2..=at - 2 {
                self.need_word(0, lens.word(tape, from, -1))?;
            }
            for from in at + 2..=last.max(at) + 2 {
                self.need_word(1, lens.word(tape, from, 1))?;
            }
        }
        self.need(View {
            block: walk.block().number(),
            moves: self.moves(walk.block()),
            value: lens.class(tape.value()),
            left: lens.word(tape, at - 1, -1),
            right: lens.word(tape, at + 1, 1),
        })
    }

    fn moves(&self, block: BlockId) -> u8 {
        match self.graph.block(block) {
            Some(Block::Work { op: Op::Shift(amount), .. }) => amount.unsigned_abs(),
            _ => 0,
        }
    }

    fn need(&mut self, view: View) -> Result<(), Refusal> {
        if !self.views.contains(&view) {
            return Err(Refusal::NotListed(format!("the view '{}'", self.lens.show(&view))));
        }
        if self.needed.insert(view.clone()) {
            self.todo.push(view);
        }
        Ok(())
    }

    fn need_word(&mut self, side: usize, word: Word) -> Result<(), Refusal> {
        if !self.words[side].contains(&word) {
            return Err(Refusal::NotListed(format!("the word {word:?}")));
        }
        if !self.needed_words[side].insert(word.clone()) {
            return Ok(());
        }
        let Some((last, near)) = word.split_last() else { return Ok(()) };
        for view in self.open[side].get(near).cloned().unwrap_or_default() {
            self.need(completed(view, side, *last))?;
        }
        Ok(())
    }

    /// Everything that may follow a view is covered.
    fn follow(&mut self, view: &View) -> Result<(), Refusal> {
        let id = BlockId::from_number(view.block.into()).ok_or(Refusal::MayEnd(view.block))?;
        let (op, zero, nonzero) = match self.graph.block(id) {
            Some(Block::Work { op, zero, nonzero, .. }) => (op, zero, nonzero),
            // It turns for ever: nothing follows, and that is no end.
            Some(Block::Hang) => return Ok(()),
            _ => return Err(Refusal::MayEnd(view.block)),
        };
        let zero_class = self.lens.class(0);
        let goes_on_at = |value: Class| match zero {
            Some(zero) if value == zero_class => zero,
            _ => nonzero,
        };
        match op {
            Op::Delta(amount) => {
                for value in self.lens.after_adding(view.value, amount.into()) {
                    let next = goes_on_at(value);
                    let (block, moves) = (next.number(), self.moves(next));
                    self.need(View { block, moves, value, ..view.clone() })?;
                }
            }
            Op::Shift(amount) => {
                let side = usize::from(amount > 0);
                let Some(moves) = view.moves.checked_sub(1) else { return Err(Refusal::MayEnd(view.block)) };
                for value in self.comes(view, side) {
                    let mut next = view.clone();
                    next.value = value;
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

    /// The views after one move to a side are covered, and so is the word that falls back.
    fn moved(&mut self, view: &View, mut next: View, side: usize) -> Result<(), Refusal> {
        if self.lens.reach == 0 {
            return self.need(next);
        }
        let behind = if side == 0 { &view.right } else { &view.left };
        self.need_word(1 - side, behind.clone())?;
        let mut grown = vec![view.value];
        grown.extend(behind.iter().take(self.lens.reach - 1));
        let ahead = if side == 0 { &view.left } else { &view.right };
        let near: Word = ahead.iter().skip(1).copied().collect();
        (next.left, next.right) = if side == 0 { (near.clone(), grown) } else { (grown, near.clone()) };
        let lasts: Vec<Class> = self.needed_words[side]
            .iter()
            .filter_map(|word| word.split_last().filter(|(_, first)| *first == near).map(|(last, _)| *last))
            .collect();
        self.open[side].entry(near).or_default().insert(next.clone());
        for last in lasts {
            self.need(completed(next.clone(), side, last))?;
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
