//! No way out: the blocks that can still be reached never leave the grid, whatever the tape holds.
//!
//! Only the value at the DP is followed, as a set of values: exactly from -14 to 14, beyond that
//! by sign. After a shift any value is possible. If, starting with a block, only blocks that work
//! on can be reached, the program hangs; the set of pairs (block, value) is a [closure] with
//! nothing in view but the value itself, and that is the certificate.
//!
//! The search asks this for every block it finds, so it is quick: sets are bit masks.
//!
//! [closure]: super::closure

use super::closure::{Found, Lens, Scale, close};
use super::{Certificate, Hang, Kind};
use crate::Grid;
use crate::blocks::{Block, BlockId, Graph, Op};
use crate::run::Tape;

/// The scale of the values followed.
const SCALE: Scale = Scale { exact: 14, modulus: 1 };

/// Bit `n + 15` is the value `n`; the lowest and the highest bit stand for all beyond.
pub(super) const ALL: u32 = 0x7fff_ffff;
const LARGER: u32 = 1 << 30;
const ZERO: u32 = 1 << 15;

/// The values that may come of adding `amount` to one of these.
pub(super) fn add(values: u32, amount: i8) -> u32 {
    let by = u32::from(amount.unsigned_abs()).min(30);
    if amount >= 0 {
        // Values near the upper edge pass it; those below the lower edge may stay there or come
        // in as far as the amount reaches.
        let moved = (u64::from(values) << by) as u32 & ALL;
        let passed = if u64::from(values) << by > u64::from(ALL) { LARGER } else { 0 };
        let came = if values & 1 != 0 { (1 << (by + 1)) - 1 } else { 0 };
        moved | passed | came
    } else {
        mirror(add(mirror(values), -amount))
    }
}

fn mirror(values: u32) -> u32 {
    values.reverse_bits() >> 1
}

/// Room for the question, kept from one time to the next: clearing it would cost more than asking.
#[derive(Debug)]
pub(crate) struct Asker {
    /// What was asked when the values of a block were noted; older notes do not count.
    question: u32,
    noted: [(u32, u32); BlockId::COUNT],
    todo: Vec<BlockId>,
}

impl Asker {
    pub(crate) fn new() -> Self {
        Asker { question: 0, noted: [(0, 0); BlockId::COUNT], todo: Vec::new() }
    }

    /// Whether some end can be reached from `start`. `find` gives the block of an id.
    pub(crate) fn may_escape(&mut self, start: BlockId, mut find: impl FnMut(BlockId) -> Block) -> bool {
        if self.question == u32::MAX {
            *self = Asker::new();
        }
        self.question += 1;
        self.todo.clear();
        self.note(start, if start.entered_with_zero() { ZERO } else { ALL & !ZERO });
        while let Some(id) = self.todo.pop() {
            let Block::Work { op, zero, nonzero, .. } = find(id) else {
                // A block that turns for ever does not escape, but it is not for this proof to say.
                return true;
            };
            let after = match op {
                Op::Delta(amount) => add(self.noted[id.index()].1, amount),
                Op::Shift(_) => ALL,
            };
            if let Some(zero) = zero {
                self.note(zero, after & ZERO);
            }
            self.note(nonzero, after & !ZERO);
        }
        false
    }

    /// Notes values that a block may be entered with.
    #[inline]
    fn note(&mut self, id: BlockId, values: u32) {
        let (question, known) = &mut self.noted[id.index()];
        if *question != self.question {
            (*question, *known) = (self.question, 0);
        }
        if values & !*known != 0 {
            *known |= values;
            self.todo.push(id);
        }
    }
}

/// The hang with its certificate, for a program that cannot escape from the block due.
pub(crate) fn hang(grid: &Grid, due: BlockId, after: u64, tape: &Tape) -> Option<Hang> {
    let lens = Lens { scale: SCALE, reach: 0, most: 1 << 16 };
    match close(&Graph::of(grid), due, tape, lens) {
        Found::Closed(closure) => {
            let certificate = Certificate::new(grid.to_string(), after, closure.claim());
            Some(Hang { kind: Kind::NoExit, certificate })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_values_add_as_their_members_do() {
        let bit = |value: i32| 1_u32 << (value.clamp(-15, 15) + 15);
        for amount in -7_i8..=7 {
            for value in -40_i32..=40 {
                let sum = add(bit(value), amount);
                assert_ne!(sum & bit(value + i32::from(amount)), 0, "{value} {amount}");
                if value.abs() < 15 {
                    assert_eq!(sum.count_ones(), 1);
                }
            }
        }
    }
}
