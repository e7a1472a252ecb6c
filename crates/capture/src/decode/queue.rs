//! Steps that are ready to be handed out.
//!
//! Blocks lie in one vector, steps in another that points into it, and both are kept from batch to
//! batch, so a step costs no allocation.

use model::flow::{ClockReading, Entered, Left};
use model::{BlockId, Certainty, FlowStep, Lost, MethodId, TaskStep, Timestamp};

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
    Inferred(u64, Certainty),
    Observed,
    Moment(Timestamp),
    Clock(ClockReading),
    Mark(u32),
    Values(u32),
    Task(TaskStep),
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
            Ready::Inferred(lost, certainty) => FlowStep::Inferred { lost, certainty },
            Ready::Observed => FlowStep::Observed,
            Ready::Moment(time) => FlowStep::Moment(time),
            Ready::Clock(reading) => FlowStep::Clock(reading),
            Ready::Mark(index) => FlowStep::Mark(index),
            Ready::Values(index) => FlowStep::Values(index),
            Ready::Task(step) => FlowStep::Task(step),
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

    /// A gap; one of unknown size directly after another adds nothing.
    pub(super) fn gap(&mut self, lost: Lost) {
        if lost != Lost::Unknown || !matches!(self.steps.last(), Some(Ready::Gap(_))) {
            self.steps.push(Ready::Gap(lost));
        }
    }

    /// What follows was deduced.
    pub(super) fn inferred(&mut self, lost: u64, certainty: Certainty) {
        self.steps.push(Ready::Inferred(lost, certainty));
    }

    /// What follows was recorded.
    pub(super) fn observed(&mut self) {
        self.steps.push(Ready::Observed);
    }

    pub(super) fn moment(&mut self, time: Timestamp) {
        self.steps.push(Ready::Moment(time));
    }

    pub(super) fn clock(&mut self, reading: ClockReading) {
        self.steps.push(Ready::Clock(reading));
    }

    pub(super) fn mark(&mut self, index: u32) {
        self.steps.push(Ready::Mark(index));
    }

    pub(super) fn values(&mut self, index: u32) {
        self.steps.push(Ready::Values(index));
    }

    pub(super) fn task(&mut self, step: TaskStep) {
        self.steps.push(Ready::Task(step));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All that waits, a step each.
    fn queued(queue: &mut Queue) -> Vec<String> {
        let mut all = vec![];
        while let Some(step) = queue.next() {
            all.push(match step {
                FlowStep::Blocks { blocks, times } => format!("{blocks:?} x{times}"),
                FlowStep::Catch { block } => format!("catch {block}"),
                FlowStep::Gap { lost } => format!("{lost:?}"),
                other => format!("{other:?}"),
            });
        }
        all
    }

    #[test]
    fn blocks_in_a_row_are_one_step() {
        let mut queue = Queue::default();
        queue.block(1);
        queue.block(2);
        queue.blocks(&[3, 4], 1);
        queue.blocks(&[5], 0);
        queue.blocks(&[], 7);
        queue.blocks(&[6, 7], 3);
        queue.blocks(&[8], 1);
        queue.block(9);
        queue.catch(10);
        queue.block(11);
        assert_eq!(queue.len(), 5 + 9, "steps, and blocks");
        assert!(!queue.is_empty());
        assert_eq!(queued(&mut queue), ["[1, 2, 3, 4] x1", "[6, 7] x3", "[8, 9] x1", "catch 10", "[11] x1"]);
        assert!(queue.is_empty());
        queue.clear();
        assert_eq!(queue.len(), 0);
        queue.blocks(&[12], 1);
        assert_eq!(queued(&mut queue), ["[12] x1"]);
    }

    #[test]
    fn a_gap_of_unknown_size_behind_another_tells_nothing_new() {
        let mut queue = Queue::default();
        for lost in [Lost::Unknown, Lost::Unknown, Lost::Events(3), Lost::Events(4), Lost::Unknown] {
            queue.gap(lost);
        }
        queue.block(1);
        queue.gap(Lost::Unknown);
        assert_eq!(queued(&mut queue), ["Unknown", "Events(3)", "Events(4)", "[1] x1", "Unknown"]);
    }
}
