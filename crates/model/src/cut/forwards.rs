//! The steps of one thread without calls that only forward: whatever they called, their callers called.
//!
//! ```text
//! whole   Enter(main) 0  Enter(bridge) 0  Enter(bake) 0 Leave  1 Leave  1 Leave
//! without Enter(main) 0                   Enter(bake) 0 Leave           1 Leave
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::FlowStep;
use crate::code::{BlockId, MethodId};
use crate::flow::Entered;
use crate::flow_source::{Anomalies, Flow};

/// Which methods only forward, by their numbers, and how many calls of them were left out so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Forwards {
    pub(super) methods: Arc<[bool]>,
    pub(super) left_out: Arc<AtomicU64>,
}

impl Forwards {
    fn has(&self, method: MethodId) -> bool {
        self.methods.get(method.0 as usize).copied().unwrap_or(false)
    }
}

pub(super) struct ForwardsFlow {
    whole: Box<dyn Flow>,
    forwards: Forwards,
    /// The open calls, outermost first: how it began of one that is left out, else `None`.
    open: Vec<Option<Entered>>,
    /// The row of blocks that was handed out last.
    row: Vec<BlockId>,
}

impl ForwardsFlow {
    pub(super) fn new(whole: Box<dyn Flow>, forwards: Forwards) -> ForwardsFlow {
        ForwardsFlow { whole, forwards, open: vec![], row: vec![] }
    }

    /// The step as it stands without those calls; `None`: it does not.
    fn without(&mut self, step: FlowStep<'static>) -> Option<FlowStep<'static>> {
        let around = self.open.last().copied().flatten();
        match step {
            FlowStep::Enter { method, how } => {
                // Called by whoever called what only forwards.
                let how = around.unwrap_or(how);
                if self.forwards.has(method) {
                    self.forwards.left_out.fetch_add(1, Ordering::Relaxed);
                    self.open.push(Some(how));
                    return None;
                }
                self.open.push(None);
                Some(FlowStep::Enter { method, how })
            }
            FlowStep::Leave { .. } => self.open.pop().flatten().is_none().then_some(step),
            FlowStep::Catch { .. } => around.is_none().then_some(step),
            _ => Some(step),
        }
    }
}

impl Flow for ForwardsFlow {
    fn next_step(&mut self) -> Option<FlowStep<'_>> {
        loop {
            let step = match self.whole.next_step()?.apart() {
                Ok(step) => step,
                Err(_) if self.open.last().is_some_and(Option::is_some) => continue,
                Err((blocks, times)) => {
                    self.row.clear();
                    self.row.extend_from_slice(blocks);
                    return Some(FlowStep::Blocks { blocks: &self.row, times });
                }
            };
            if let Some(step) = self.without(step) {
                return Some(step);
            }
        }
    }

    fn taken(&self) -> u64 {
        self.whole.taken()
    }

    fn anomalies(&self) -> Anomalies {
        self.whole.anomalies()
    }
}
