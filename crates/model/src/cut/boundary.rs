//! Where a cut begins or ends.

use std::collections::BTreeSet;

use crate::FlowStep;
use crate::code::{BlockId, MethodId};

/// Where a cut begins or ends: the next time that a thread comes there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Boundary {
    /// This mark, by its index in the recording.
    Mark(u32),
    /// One of these blocks runs.
    Blocks(BTreeSet<(MethodId, BlockId)>),
    /// One of these methods is called.
    Calls(BTreeSet<MethodId>),
}

impl Boundary {
    /// Whether `block` of the open method is the boundary.
    pub(super) fn is_block(&self, method: Option<MethodId>, block: BlockId) -> bool {
        matches!(self, Boundary::Blocks(all) if method.is_some_and(|method| all.contains(&(method, block))))
    }

    /// Whether a step other than a row of blocks is the boundary; `method` is open before it.
    pub(super) fn is_step(&self, method: Option<MethodId>, step: FlowStep<'_>) -> bool {
        match (self, step) {
            (Boundary::Mark(mark), FlowStep::Mark(index)) => *mark == index,
            (Boundary::Calls(all), FlowStep::Enter { method, .. }) => all.contains(&method),
            (Boundary::Blocks(_), FlowStep::Catch { block }) => self.is_block(method, block),
            _ => false,
        }
    }
}
