//! Assignments for a moment that is still to come.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use model::machine::Mode;

use super::states::NodeId;
use super::value::Value;

/// Assignments that wait are kept up to this number, so that no trace takes all memory.
const MOST: usize = 1 << 20;

/// An assignment that waits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting {
    pub(super) time: i64,
    pub(super) node: NodeId,
    pub(super) mode: Mode,
    pub(super) value: Value,
}

/// All that wait; those of the same moment in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Later {
    heap: BinaryHeap<Reverse<(i64, u64, u32)>>,
    waiting: Vec<Waiting>,
    free: Vec<u32>,
    ordinal: u64,
    /// How many there was no room for.
    pub(super) dropped: u64,
}

impl Later {
    pub(super) fn add(&mut self, waiting: Waiting) {
        if self.heap.len() >= MOST {
            self.dropped += 1;
            return;
        }
        let index = match self.free.pop() {
            Some(index) => {
                if let Some(old) = self.waiting.get_mut(index as usize) {
                    *old = waiting;
                }
                index
            }
            None => {
                self.waiting.push(waiting);
                u32::try_from(self.waiting.len() - 1).unwrap_or(u32::MAX)
            }
        };
        self.heap.push(Reverse((waiting.time, self.ordinal, index)));
        self.ordinal += 1;
    }

    /// The next whose moment has come.
    pub(super) fn due(&mut self, now: i64) -> Option<Waiting> {
        let &Reverse((time, _, index)) = self.heap.peek()?;
        if time > now {
            return None;
        }
        self.heap.pop();
        self.free.push(index);
        self.waiting.get(index as usize).copied()
    }
}
