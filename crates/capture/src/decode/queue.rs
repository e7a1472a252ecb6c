//! Steps that are ready to be handed out.
//!
//! Blocks lie in one vector, steps in another that points into it, and both are kept from batch to
//! batch, so a step costs no allocation.

use model::flow::{Entered, Left};
use model::{BlockId, FlowStep, Lost, MethodId, Timestamp};

#[derive(Debug, Default)]
pub(super) struct Queue {
    steps: Vec<Ready>,
    blocks: Vec<BlockId>,
    next: usize,
}

#[derive(Debug, Clone, Copy)]
enum Ready {
    Enter(MethodId, Entered),
    /// A range of `blocks`.
    Blocks(u32, u32),
    /// The same, so many times.
    Times(u32, u32, u64),
    Catch(BlockId),
    Leave(Left),
    Gap(Lost),
    Moment(Timestamp),
}

impl Queue {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.next >= self.steps.len()
    }

    /// Steps and blocks that wait.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.steps.len() + self.blocks.len()
    }

    pub(super) fn clear(&mut self) {
        self.steps.clear();
        self.blocks.clear();
        self.next = 0;
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<FlowStep<'_>> {
        let ready = *self.steps.get(self.next)?;
        self.next += 1;
        Some(match ready {
            Ready::Enter(method, how) => FlowStep::Enter { method, how },
            Ready::Blocks(from, to) => {
                FlowStep::Blocks { blocks: &self.blocks[from as usize..to as usize], times: 1 }
            }
            Ready::Times(from, to, times) => {
                FlowStep::Blocks { blocks: &self.blocks[from as usize..to as usize], times }
            }
            Ready::Catch(block) => FlowStep::Catch { block },
            Ready::Leave(how) => FlowStep::Leave { how },
            Ready::Gap(lost) => FlowStep::Gap { lost },
            Ready::Moment(time) => FlowStep::Moment(time),
        })
    }

    #[inline]
    pub(super) fn enter(&mut self, method: MethodId, how: Entered) {
        self.steps.push(Ready::Enter(method, how));
    }

    /// One block of the innermost frame; blocks in a row become one step.
    #[inline]
    pub(super) fn block(&mut self, block: BlockId) {
        let at = self.blocks.len() as u32;
        self.blocks.push(block);
        match self.steps.last_mut() {
            Some(Ready::Blocks(_, to)) => *to = at + 1,
            _ => self.steps.push(Ready::Blocks(at, at + 1)),
        }
    }

    /// Blocks of the innermost frame, the whole of them so many times; nothing for 0 times.
    #[inline]
    pub(super) fn blocks(&mut self, blocks: &[BlockId], times: u64) {
        let at = self.blocks.len() as u32;
        if times == 0 || blocks.is_empty() {
            return;
        }
        self.blocks.extend_from_slice(blocks);
        let to = self.blocks.len() as u32;
        match (times, self.steps.last_mut()) {
            (1, Some(Ready::Blocks(_, end))) => *end = to,
            (1, _) => self.steps.push(Ready::Blocks(at, to)),
            _ => self.steps.push(Ready::Times(at, to, times)),
        }
    }

    pub(super) fn catch(&mut self, block: BlockId) {
        self.steps.push(Ready::Catch(block));
    }

    #[inline]
    pub(super) fn leave(&mut self, how: Left) {
        self.steps.push(Ready::Leave(how));
    }

    /// A gap; one of unknown size directly after another tells nothing new.
    pub(super) fn gap(&mut self, lost: Lost) {
        if lost != Lost::Unknown || !matches!(self.steps.last(), Some(Ready::Gap(_))) {
            self.steps.push(Ready::Gap(lost));
        }
    }

    pub(super) fn moment(&mut self, time: Timestamp) {
        self.steps.push(Ready::Moment(time));
    }
}
