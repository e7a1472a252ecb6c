//! Is there a way out? Asked for a block and the value at the DP, whatever else the tape holds.
//!
//! The values that each block may be entered with are followed from block to block, as sets (see
//! [`no_exit`](crate::proof::no_exit)). If none of the blocks that can be entered leaves the grid
//! or meets a cell that is not chosen, there is none. A block that turns for ever is no way out.
//!
//! The original looks less far: it goes back from each way out, over at most five blocks, and sees
//! whether the value that is needed there contradicts what these blocks add. Only what is plain to
//! it, too, is called `NO_EXIT` here; the others are run on until they show what they are (nearly
//! all repeat themselves). So kinds mean the same in both; without that, one hang in twenty-five
//! of a search would be `NO_EXIT` instead of `PERIODIC`.

use super::board::{Board, Met, Work};
use crate::blocks::BlockId;
use crate::proof::no_exit::{ALL, ZERO, add, set_of};

/// How many blocks the original goes back.
const BACK: u32 = 5;

/// Room for the question, kept from one time to the next: clearing it would cost more than asking.
#[derive(Debug)]
pub(super) struct Asker {
    /// Which question it is; older notes do not count.
    question: u32,
    visits: [Visit; BlockId::COUNT],
    /// Blocks that may be entered with values not followed yet, and the blocks before them.
    todo: Vec<(BlockId, Work)>,
    /// For the second question: all blocks that may matter, and the exits among them.
    works: Vec<(BlockId, Work)>,
    exits: Vec<BlockId>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Visit {
    question: u32,
    values: u32,
    /// The block, once it has been walked for this question.
    work: Work,
}

impl Asker {
    pub(super) fn new() -> Self {
        let visits = [Visit::default(); BlockId::COUNT];
        Asker { question: 0, visits, todo: Vec::new(), works: Vec::new(), exits: Vec::new() }
    }

    /// Whether some exit can be reached from the last block found, with the value it began with;
    /// also true if none was found from `asked` on.
    ///
    /// What can be reached from it can be reached from those found before it in this run, so it
    /// has an exit only if they have.
    pub(super) fn may_escape(&mut self, known: Known<'_>, asked: usize) -> bool {
        let Some((start, value)) = known.last(asked) else { return true };
        if self.question == u32::MAX {
            *self = Asker::new();
        }
        self.question += 1;
        self.todo.clear();
        let work = known.blocks[start.index()];
        self.visits[start.index()] = Visit { question: self.question, values: set_of(value), work };
        self.todo.push((start, work));
        while let Some((id, before)) = self.todo.pop() {
            let visit = &mut self.visits[id.index()];
            if visit.work.steps == 0 {
                match known.walk(before, id) {
                    Met::Work(work) => visit.work = work,
                    Met::Endless => continue,
                    Met::Exit(_) | Met::Open(_) => return true,
                }
            }
            let Visit { values, work, .. } = *visit;
            let after = if work.shift == 0 { add(values, work.delta) } else { ALL };
            self.visit(work.follower(false), after & !ZERO, work);
            self.visit(work.follower(true), after & ZERO, work);
        }
        false
    }

    /// Notes values that a block may be entered with.
    #[inline]
    fn visit(&mut self, id: BlockId, values: u32, before: Work) {
        let visit = &mut self.visits[id.index()];
        if visit.question != self.question {
            *visit = Visit { question: self.question, ..Visit::default() };
        }
        if values & !visit.values != 0 {
            visit.values |= values;
            self.todo.push((id, before));
        }
    }

    /// Whether the original would see that there is no exit from the last block found; false if
    /// none was found from `asked` on.
    pub(super) fn is_plain(&mut self, known: Known<'_>, asked: usize) -> bool {
        let Some((start, _)) = known.last(asked) else { return false };
        self.works.clear();
        self.works.extend(known.ran.iter().map(|&(id, _)| (id, known.blocks[id.index()])));
        self.todo.clear();
        self.todo.push((start, known.blocks[start.index()]));
        self.exits.clear();
        let mut seen = 1_u128 << start.number();
        while let Some((id, work)) = self.todo.pop() {
            // What was zero and has been changed is not zero.
            let zero = (!is_changed_zero(id, work)).then(|| work.follower(true));
            for id in zero.into_iter().chain([work.follower(false)]) {
                if seen >> id.number() & 1 != 0 {
                    continue;
                }
                seen |= 1 << id.number();
                match known.walk(work, id) {
                    Met::Work(work) => {
                        self.todo.push((id, work));
                        if known.blocks[id.index()].steps == 0 {
                            self.works.push((id, work));
                        }
                    }
                    Met::Endless => {}
                    // What is found later can only add to what fits.
                    Met::Exit(_) | Met::Open(_) if self.fits_exit(id) => return false,
                    Met::Exit(_) | Met::Open(_) => self.exits.push(id),
                }
            }
        }
        !self.exits.iter().any(|&exit| self.fits_exit(exit))
    }

    fn fits_exit(&self, exit: BlockId) -> bool {
        self.fits(exit, exit.entered_with_zero(), 0, BACK)
    }

    /// Whether the value `added` to what comes out of the blocks before `id` may be zero (or may
    /// be something else) for all that can be seen within `back` blocks.
    fn fits(&self, id: BlockId, zero: bool, added: i32, back: u32) -> bool {
        self.works.iter().any(|&(before, work)| {
            if work.next != id.number() & !1 || (id.entered_with_zero() && is_changed_zero(before, work)) {
                return false;
            }
            let added = added + i32::from(work.delta);
            match (work.shift, before.entered_with_zero()) {
                (0, true) => (added == 0) == zero,
                // Not zero before, and nothing added: not zero now.
                (0, false) if zero && added == 0 => false,
                (0, false) => back == 1 || self.fits(before, zero, added, back - 1),
                _ => true,
            }
        })
    }
}

/// What is known of a program.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) board: &'a Board,
    /// Blocks that have run, by number.
    pub(super) blocks: &'a [Work; BlockId::COUNT],
    /// Which they are, and the value each began with when it first ran.
    pub(super) ran: &'a [(BlockId, i64)],
}

impl Known<'_> {
    fn last(self, asked: usize) -> Option<(BlockId, i64)> {
        self.ran.get(asked..)?.last().copied()
    }

    /// The block `id`, due after `before`.
    #[inline]
    fn walk(self, before: Work, id: BlockId) -> Met {
        match self.blocks[id.index()] {
            Work { steps: 0, .. } => self.board.walk(before.then(id)),
            work => Met::Work(work),
        }
    }
}

/// Whether a block is entered with zero and adds something.
fn is_changed_zero(id: BlockId, work: Work) -> bool {
    id.entered_with_zero() && work.shift == 0
}
