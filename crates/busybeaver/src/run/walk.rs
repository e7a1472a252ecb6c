//! Running block by block on an endless tape, where every block is of interest.

use super::{Outcome, Tape};
use crate::blocks::{Block, BlockId, Graph, Op};

/// A program in the middle of its run, between two blocks.
#[derive(Debug, Clone)]
pub struct Walk<'g> {
    graph: &'g Graph,
    due: BlockId,
    tape: Tape,
    steps: u64,
    blocks: u64,
}

impl<'g> Walk<'g> {
    /// At the start.
    pub fn new(graph: &'g Graph) -> Self {
        Walk { graph, due: BlockId::ENTRY, tape: Tape::new(), steps: 0, blocks: 0 }
    }

    /// The block due.
    #[inline]
    pub fn block(&self) -> BlockId {
        self.due
    }

    /// The tape now.
    pub fn tape(&self) -> &Tape {
        &self.tape
    }

    /// Steps taken; at a halt with the exit move.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Blocks run; an end is not one.
    #[inline]
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Runs the block due; `Some` if it is an end.
    #[inline]
    pub fn step(&mut self) -> Option<Outcome> {
        match self.graph.block(self.due) {
            Some(Block::Work { op, steps, zero, nonzero }) => {
                let value = match op {
                    Op::Delta(amount) => self.tape.add(amount.into()),
                    Op::Shift(amount) => self.tape.shift(amount.into()),
                };
                self.steps += u64::from(steps);
                self.blocks += 1;
                self.due = match zero {
                    Some(zero) if value == 0 => zero,
                    _ => nonzero,
                };
                None
            }
            Some(Block::Exit { steps }) => {
                self.steps += u64::from(steps);
                Some(Outcome::Halted)
            }
            Some(Block::Open { column, row }) => Some(Outcome::Open { column, row }),
            Some(Block::Hang) | None => Some(Outcome::NoData),
        }
    }
}
