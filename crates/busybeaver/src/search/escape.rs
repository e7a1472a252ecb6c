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
    notes: [Note; BlockId::COUNT],
    /// Blocks that may be entered with values not followed yet, and the blocks before them.
    todo: Vec<(u8, Work)>,
    /// For the second look: all blocks that may matter, and the ways out among them.
    works: Vec<(u8, Work)>,
    ways: Vec<u8>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Note {
    question: u32,
    values: u32,
    /// The block, once it has been walked for this question.
    work: Work,
}

impl Asker {
    pub(super) fn new() -> Self {
        let notes = [Note::default(); BlockId::COUNT];
        Asker { question: 0, notes, todo: Vec::new(), works: Vec::new(), ways: Vec::new() }
    }

    /// Whether some way out can be reached from the block `start`, which is `work`, with this value.
    pub(super) fn may_escape(&mut self, board: &Board, start: BlockId, work: Work, value: i64) -> bool {
        if self.question == u32::MAX {
            *self = Asker::new();
        }
        self.question += 1;
        self.todo.clear();
        self.notes[start.index()] = Note { question: self.question, values: set_of(value), work };
        self.todo.push((start.number(), work));
        while let Some((id, before)) = self.todo.pop() {
            let note = &mut self.notes[usize::from(id & 127)];
            if note.work.steps == 0 {
                match board.walk(before.then(BlockId::numbered(id))) {
                    Met::Work(work) => note.work = work,
                    Met::Endless => continue,
                    Met::Exit(_) | Met::Open(_) => return true,
                }
            }
            let Note { values, work, .. } = *note;
            let after = if work.shift == 0 { add(values, work.delta) } else { ALL };
            self.note(work.next, after & ZERO, work);
            self.note(work.next | 1, after & !ZERO, work);
        }
        false
    }

    /// Notes values that a block may be entered with.
    #[inline]
    fn note(&mut self, id: u8, values: u32, before: Work) {
        let note = &mut self.notes[usize::from(id & 127)];
        if note.question != self.question {
            *note = Note { question: self.question, ..Note::default() };
        }
        if values & !note.values != 0 {
            note.values |= values;
            self.todo.push((id, before));
        }
    }

    /// Whether the original would see that there is no way out from the block `start`. `blocks` are
    /// those that have run.
    pub(super) fn is_plain(
        &mut self,
        board: &Board,
        start: BlockId,
        blocks: &[Work; BlockId::COUNT],
        ran: impl Iterator<Item = BlockId>,
    ) -> bool {
        self.works.clear();
        self.ways.clear();
        let mut seen = 1_u128 << start.number();
        self.works.push((start.number(), blocks[start.index()]));
        let mut next = 0;
        while let Some(&(id, work)) = self.works.get(next) {
            next += 1;
            // What was zero and has been changed is not zero.
            let zero = if is_changed_zero(id, work) { None } else { Some(work.next) };
            for id in zero.into_iter().chain([work.next | 1]) {
                if seen >> (id & 127) & 1 != 0 {
                    continue;
                }
                seen |= 1 << (id & 127);
                match board.walk(work.then(BlockId::numbered(id))) {
                    Met::Work(work) => self.works.push((id, work)),
                    Met::Endless => {}
                    Met::Exit(_) | Met::Open(_) => self.ways.push(id),
                }
            }
        }
        for id in ran.filter(|id| seen >> id.number() & 1 == 0) {
            self.works.push((id.number(), blocks[id.index()]));
        }
        !self.ways.iter().any(|&way| self.fits(way, way & 1 == 0, 0, BACK))
    }

    /// Whether the value `added` to what comes out of the blocks before `id` may be zero (or may
    /// be something else) for all that can be seen within `back` blocks.
    fn fits(&self, id: u8, zero: bool, added: i32, back: u32) -> bool {
        self.works.iter().any(|&(before, work)| {
            let leads = work.next | 1 == id | 1 && (id & 1 != 0 || !is_changed_zero(before, work));
            let added = added + i32::from(work.delta);
            leads
                && match (work.shift, before & 1) {
                    (0, 0) => (added == 0) == zero,
                    // Not zero before, and nothing added: not zero now.
                    (0, _) if zero && added == 0 => false,
                    (0, _) => back == 1 || self.fits(before, zero, added, back - 1),
                    _ => true,
                }
        })
    }
}

/// Whether a block is entered with zero and adds something.
fn is_changed_zero(id: u8, work: Work) -> bool {
    id & 1 == 0 && work.shift == 0
}
