//! One iteration of a loop, known in advance: what it tests, what it changes, how far it moves.
//!
//! ```text
//! blocks e g of  e<1fg g+1je      tests   1 to the left: not 0, and not -1
//!                                 change  1 to the left: + 1
//!                                 shift   1 to the left
//! ```
//!
//! Iterations whose tests all come out as in the loop can be made without looking at blocks: many at
//! once where an iteration stays in place, and a leaf of the tape at once where each iteration touches one
//! cell and no two the same.

use super::sheet::{LEAF, STRANDS, Sheet, Strands};
use crate::blocks::{Block, BlockId, Graph, Op};

/// An iteration of a loop of blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Iteration {
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
    /// The one cell that an iteration touches, if it is one, and iterations are 1, 2 or 4 cells apart.
    single: Option<isize>,
    /// The lowest and the highest value that is tested not to be there; if they are far apart, the
    /// values between them are not tested. None if the only tests are for values that must be.
    unwanted: Option<(i32, i32)>,
    /// Whether all tests are of that sort.
    wants_none: bool,
}

/// The iteration goes on if the value it found at the start is this one, or if it is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Test {
    offset: isize,
    value: i32,
    wanted: bool,
}

impl Iteration {
    /// The iteration of these blocks, begun with any of them: rather one that touches a single cell.
    pub(super) fn best(graph: &Graph, blocks: &[u8]) -> Option<Self> {
        let mut blocks = blocks.to_vec();
        let given = Iteration::new(graph, &blocks)?;
        for _ in 0..blocks.len() {
            match Iteration::new(graph, &blocks) {
                Some(iteration) if iteration.single.is_some() => return Some(iteration),
                _ => blocks.rotate_left(1),
            }
        }
        Some(given)
    }

    /// The iteration of these blocks, the last of which leads to the first. None if they are no loop.
    pub(super) fn new(graph: &Graph, blocks: &[u8]) -> Option<Self> {
        let mut iteration = Iteration {
            blocks: blocks.to_vec(),
            steps: 0,
            shift: 0,
            low: 0,
            high: 0,
            tests: Vec::new(),
            changes: Vec::new(),
            single: None,
            unwanted: None,
            wants_none: false,
        };
        for (index, &number) in blocks.iter().enumerate() {
            let id = BlockId::from_number(number.into())?;
            let next = BlockId::from_number(u32::from(*blocks.get(index + 1).or(blocks.first())?))?;
            let Block::Work { op, steps, zero, nonzero } = graph.block(id)? else { return None };
            iteration.steps += u64::from(steps);
            match op {
                Op::Shift(amount) => iteration.shift += isize::from(amount),
                Op::Delta(amount) => iteration.change(i32::from(amount)),
            }
            (iteration.low, iteration.high) =
                (iteration.low.min(iteration.shift), iteration.high.max(iteration.shift));
            let wanted = zero == Some(next);
            if !wanted && nonzero != next {
                return None;
            }
            let added = iteration
                .changes
                .iter()
                .find(|(at, _)| *at == iteration.shift)
                .map_or(0, |&(_, change)| change);
            iteration.tests.push(Test { offset: iteration.shift, value: -added, wanted });
        }
        iteration.tests.dedup();
        iteration.changes.retain(|&(_, change)| change != 0);
        let mut touched =
            iteration.tests.iter().map(|test| test.offset).chain(iteration.changes.iter().map(|&(at, _)| at));
        let first = touched.next();
        let narrow = matches!(iteration.shift.unsigned_abs(), 1 | 2 | 4);
        let unwanted = iteration.tests.iter().filter(|test| !test.wanted).map(|test| test.value);
        iteration.unwanted = unwanted.clone().min().zip(unwanted.max());
        iteration.wants_none = iteration.tests.iter().all(|test| !test.wanted);
        iteration.single = first.filter(|first| narrow && touched.all(|other| other == *first));
        Some(iteration)
    }

    fn change(&mut self, amount: i32) {
        let shift = self.shift;
        match self.changes.iter_mut().find(|(at, _)| *at == shift) {
            Some((_, change)) => *change += amount,
            None => self.changes.push((shift, amount)),
        }
    }

    /// Makes iterations from `at` on, at most `most`, as long as every test holds and the tape has
    /// room. Says how many; the data pointer has moved by so many shifts then.
    pub(super) fn make(&self, sheet: &mut Sheet, at: usize, most: u64) -> u64 {
        let most = most.min(self.steps_within(sheet.len(), at));
        if self.shift == 0 {
            return self.at_once(sheet, at, most);
        }
        let mut made = 0;
        while made < most {
            let at = self.after(at, made);
            if let Some(offset) = self.single {
                let cell = at.wrapping_add_signed(offset);
                let iterations = match self.pass_leaf(sheet, cell, most - made) {
                    Some(iterations) => iterations,
                    None => self.pass_cells(sheet, cell, most - made),
                };
                if iterations == 0 {
                    break;
                }
                made += iterations;
                continue;
            }
            if self.holds(sheet, at) {
                self.changes.iter().for_each(|&(offset, change)| {
                    sheet.add(at.wrapping_add_signed(offset), change);
                });
                made += 1;
            } else {
                break;
            }
        }
        made
    }

    /// Makes the iterations that touch one leaf, if the first of them is due at `cell` and all hold.
    #[inline]
    fn pass_leaf(&self, sheet: &mut Sheet, cell: usize, most: u64) -> Option<u64> {
        let stride = self.shift.unsigned_abs();
        let iterations = (LEAF / stride) as u64;
        let begins = if self.shift > 0 { cell % LEAF < stride } else { cell % LEAF >= LEAF - stride };
        if !begins || iterations > most {
            return None;
        }
        let leaf = cell / LEAF;
        // Every strand that is `stride` apart from this cell.
        let touched = |n: usize| n % stride == cell % stride;
        let strands: Strands = std::array::from_fn(|n| if touched(n) { -1 } else { 0 });
        let change = self.changes.first().map_or(0, |&(_, change)| change);
        if let Some((low, high)) = self.unwanted.filter(|_| self.wants_none)
            && sheet.pass_all(leaf, strands, low, high, change)
        {
            return Some(iterations);
        }
        if !(0..STRANDS).filter(|&n| touched(n)).all(|strand| self.strand_holds(sheet, leaf, strand)) {
            return None;
        }
        sheet.add_to_strands(leaf, strands, change);
        Some(iterations)
    }

    /// Whether every test holds for every cell of a strand.
    fn strand_holds(&self, sheet: &mut Sheet, leaf: usize, strand: usize) -> bool {
        match self.unwanted {
            Some((low, high)) if self.wants_none && sheet.strand_lacks(leaf, strand, low, high) => true,
            _ => sheet.strand_holds(leaf, strand, |value| {
                self.tests.iter().all(|test| (value == test.value) == test.wanted)
            }),
        }
    }

    /// Where the data pointer is after some iterations.
    pub(super) fn after(&self, at: usize, made: u64) -> usize {
        at.wrapping_add_signed(self.shift * made as isize)
    }

    /// Iterations for which all visited cells lie on the tape.
    fn steps_within(&self, cells: usize, at: usize) -> u64 {
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

    /// Makes iterations up to the end of a leaf.
    fn pass_cells(&self, sheet: &mut Sheet, cell: usize, most: u64) -> u64 {
        let change = self.changes.first().map_or(0, |&(_, change)| change);
        match self.tests.as_slice() {
            // Two tests are the common case: one before the change and one after it.
            [Test { value: one, wanted: false, .. }, Test { value: other, wanted: false, .. }] => {
                sheet.pass_some(cell, self.shift, most, change, |value| (value != *one) & (value != *other))
            }
            tests => sheet.pass_some(cell, self.shift, most, change, |value| {
                tests.iter().all(|test| (value == test.value) == test.wanted)
            }),
        }
    }

    #[inline]
    fn holds(&self, sheet: &Sheet, at: usize) -> bool {
        self.tests
            .iter()
            .all(|test| (sheet.value(at.wrapping_add_signed(test.offset)) == test.value) == test.wanted)
    }

    /// An iteration that stays in place: how many are made is arithmetic.
    fn at_once(&self, sheet: &mut Sheet, at: usize, most: u64) -> u64 {
        let mut iterations = most;
        for test in &self.tests {
            let value = sheet.value(at.wrapping_add_signed(test.offset));
            let change =
                self.changes.iter().find(|(offset, _)| *offset == test.offset).map_or(0, |&(_, n)| n);
            let missing = i64::from(test.value) - i64::from(value);
            let change = i64::from(change);
            iterations = iterations.min(match (test.wanted, change) {
                (true, _) if missing != 0 => 0,
                (true, 0) => iterations,
                (true, _) => 1,
                (false, 0) if missing == 0 => 0,
                (false, 0) => iterations,
                (false, _) if missing % change == 0 && missing / change >= 0 => (missing / change) as u64,
                (false, _) => iterations,
            });
        }
        for &(offset, change) in &self.changes {
            // The caller's `most` keeps values within 32 bits.
            sheet.add(at.wrapping_add_signed(offset), (i64::from(change) * iterations as i64) as i32);
        }
        iterations
    }
}
