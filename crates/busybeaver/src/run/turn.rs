//! One turn of a loop, known in advance: what it tests, what it changes, how far it moves.
//!
//! ```text
//! blocks e g of  e<1fg g+1je      tests   1 to the left: not 0, and not -1
//!                                 change  1 to the left: + 1
//!                                 shift   1 to the left
//! ```
//!
//! Turns whose tests all come out as in the loop can be made without looking at blocks: many at
//! once where a turn stays in place, and side by side where no cell is touched by two turns.

use crate::blocks::{Block, BlockId, Graph, Op};

/// A turn of a loop of blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Turn {
    /// The blocks, by number.
    pub(super) blocks: Vec<u8>,
    /// Steps of all its blocks.
    pub(super) steps: u64,
    /// How far the data pointer is moved.
    shift: isize,
    /// The lowest and the highest cell that is visited, seen from the start.
    low: isize,
    high: isize,
    tests: Vec<Test>,
    /// What is added, by cell seen from the start.
    changes: Vec<(isize, i32)>,
    /// Whether each cell is touched in one turn only.
    apart: bool,
}

/// The turn goes on if the value it found at the start is this one, or if it is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Test {
    offset: isize,
    value: i32,
    wanted: bool,
}

/// Turns that are tested together where they lie apart.
const TOGETHER: usize = 64;

impl Turn {
    /// The turn of these blocks, the last of which leads to the first. None if they are no loop.
    pub(super) fn new(graph: &Graph, blocks: &[u8]) -> Option<Self> {
        let mut turn = Turn {
            blocks: blocks.to_vec(),
            steps: 0,
            shift: 0,
            low: 0,
            high: 0,
            tests: Vec::new(),
            changes: Vec::new(),
            apart: false,
        };
        for (index, &number) in blocks.iter().enumerate() {
            let id = BlockId::from_number(number.into())?;
            let next = BlockId::from_number(u32::from(*blocks.get(index + 1).or(blocks.first())?))?;
            let Block::Work { op, steps, zero, nonzero } = graph.block(id)? else { return None };
            turn.steps += u64::from(steps);
            match op {
                Op::Shift(amount) => turn.shift += isize::from(amount),
                Op::Delta(amount) => turn.change(i32::from(amount)),
            }
            (turn.low, turn.high) = (turn.low.min(turn.shift), turn.high.max(turn.shift));
            let wanted = zero == Some(next);
            if !wanted && nonzero != next {
                return None;
            }
            let added = turn.changes.iter().find(|(at, _)| *at == turn.shift).map_or(0, |&(_, change)| change);
            turn.tests.push(Test { offset: turn.shift, value: -added, wanted });
        }
        turn.tests.dedup();
        turn.changes.retain(|&(_, change)| change != 0);
        let touched = || turn.tests.iter().map(|test| test.offset).chain(turn.changes.iter().map(|&(at, _)| at));
        turn.apart = turn.shift != 0
            && touched().all(|one| touched().all(|other| one == other || (one - other) % turn.shift != 0));
        Some(turn)
    }

    fn change(&mut self, amount: i32) {
        let shift = self.shift;
        match self.changes.iter_mut().find(|(at, _)| *at == shift) {
            Some((_, change)) => *change += amount,
            None => self.changes.push((shift, amount)),
        }
    }

    /// Makes turns from `at` on, at most `most`, as long as every test holds and the tape has
    /// room. Says how many; the data pointer has moved by so many shifts then.
    pub(super) fn make(&self, cells: &mut [i32], at: usize, most: u64) -> u64 {
        let room = self.room(cells.len(), at);
        if self.shift == 0 {
            return if room == 0 { 0 } else { self.at_once(cells, at, most) };
        }
        let most = most.min(room);
        let mut made = 0;
        let mut at = at;
        while self.apart && most - made >= TOGETHER as u64 && self.together(cells, at) {
            made += TOGETHER as u64;
            at = at.wrapping_add_signed(self.shift * TOGETHER as isize);
        }
        while made < most && self.holds(cells, at) {
            self.apply(cells, at);
            made += 1;
            at = at.wrapping_add_signed(self.shift);
        }
        made
    }

    /// Where the data pointer is after some turns.
    pub(super) fn after(&self, at: usize, made: u64) -> usize {
        at.wrapping_add_signed(self.shift * made as isize)
    }

    /// Turns for which all visited cells lie on the tape.
    fn room(&self, cells: usize, at: usize) -> u64 {
        let below = at as isize + self.low;
        let above = cells as isize - 1 - at as isize - self.high;
        if below < 0 || above < 0 {
            return 0;
        }
        match self.shift {
            0 => u64::MAX,
            1.. => above as u64 / self.shift as u64 + 1,
            _ => below as u64 / self.shift.unsigned_abs() as u64 + 1,
        }
    }

    #[inline]
    fn holds(&self, cells: &[i32], at: usize) -> bool {
        self.tests.iter().all(|test| {
            cells.get(at.wrapping_add_signed(test.offset)).is_some_and(|&cell| (cell == test.value) == test.wanted)
        })
    }

    #[inline]
    fn apply(&self, cells: &mut [i32], at: usize) {
        for &(offset, change) in &self.changes {
            if let Some(cell) = cells.get_mut(at.wrapping_add_signed(offset)) {
                *cell += change;
            }
        }
    }

    /// The cells at one offset in the next turns that are made together.
    fn stretch(&self, at: usize, offset: isize) -> std::ops::Range<usize> {
        let first = at.wrapping_add_signed(offset);
        let last = first.wrapping_add_signed(self.shift * (TOGETHER as isize - 1));
        first.min(last)..first.max(last) + 1
    }

    /// Makes a number of turns if every test holds in all of them.
    fn together(&self, cells: &mut [i32], at: usize) -> bool {
        let stride = self.shift.unsigned_abs();
        for test in &self.tests {
            let Some(cells) = cells.get(self.stretch(at, test.offset)) else { return false };
            let Test { value, wanted, .. } = *test;
            // Counting instead of stopping at the first lets the machine compare many at once.
            let equal: i32 = match stride {
                1 => cells.iter().map(|&cell| i32::from(cell == value)).sum(),
                2 => cells.chunks(2).map(|pair| i32::from(pair[0] == value)).sum(),
                _ => cells.iter().step_by(stride).map(|&cell| i32::from(cell == value)).sum(),
            };
            if equal != if wanted { TOGETHER as i32 } else { 0 } {
                return false;
            }
        }
        for &(offset, change) in &self.changes {
            let Some(cells) = cells.get_mut(self.stretch(at, offset)) else { return false };
            if stride == 1 {
                cells.iter_mut().for_each(|cell| *cell += change);
            } else {
                cells.iter_mut().step_by(stride).for_each(|cell| *cell += change);
            }
        }
        true
    }

    /// A turn that stays in place: how many are made is arithmetic.
    fn at_once(&self, cells: &mut [i32], at: usize, most: u64) -> u64 {
        let mut turns = most;
        for test in &self.tests {
            let Some(&cell) = cells.get(at.wrapping_add_signed(test.offset)) else { return 0 };
            let change = self.changes.iter().find(|(offset, _)| *offset == test.offset).map_or(0, |&(_, n)| n);
            let missing = i64::from(test.value) - i64::from(cell);
            let change = i64::from(change);
            turns = turns.min(match (test.wanted, change) {
                (true, _) if missing != 0 => 0,
                (true, 0) => turns,
                (true, _) => 1,
                (false, 0) if missing == 0 => 0,
                (false, 0) => turns,
                (false, _) if missing % change == 0 && missing / change >= 0 => (missing / change) as u64,
                (false, _) => turns,
            });
        }
        for &(offset, change) in &self.changes {
            if let Some(cell) = cells.get_mut(at.wrapping_add_signed(offset)) {
                // The caller's `most` keeps values within 32 bits.
                *cell = (i64::from(*cell) + i64::from(change) * turns as i64) as i32;
            }
        }
        turns
    }
}
