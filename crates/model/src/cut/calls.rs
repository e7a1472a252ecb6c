//! The steps of one thread within some of its calls.

use std::collections::BTreeSet;

use crate::code::{BlockId, MethodId};
use crate::flow_source::{Anomalies, Flow};
use crate::{FlowStep, TaskStep};

pub(super) struct CallsFlow {
    whole: Box<dyn Flow>,
    /// The calls that are still to come.
    wanted: BTreeSet<u64>,
    /// How many calls there were.
    calls: u64,
    /// How many are open within the one that was wanted, itself included.
    depth: u64,
    /// Methods whose calls are left out, and how many calls are open within one of them, itself included.
    hidden: BTreeSet<MethodId>,
    hidden_depth: u64,
    /// Nothing more belongs to the cut.
    is_over: bool,
    /// The row of blocks that was handed out last.
    row: Vec<BlockId>,
}

impl CallsFlow {
    pub(super) fn new(whole: Box<dyn Flow>, wanted: BTreeSet<u64>, hidden: BTreeSet<MethodId>) -> CallsFlow {
        let is_over = wanted.is_empty();
        CallsFlow { whole, wanted, calls: 0, depth: 0, hidden, hidden_depth: 0, is_over, row: vec![] }
    }

    /// Whether the step belongs to the cut.
    fn takes(&mut self, step: FlowStep<'_>) -> bool {
        let is_inside = self.depth > 0;
        match step {
            FlowStep::Enter { method, .. }
                if self.hidden_depth > 0 || is_inside && self.hidden.contains(&method) =>
            {
                self.calls += 1;
                self.hidden_depth += 1;
                false
            }
            FlowStep::Leave { .. } if self.hidden_depth > 0 => {
                self.hidden_depth -= 1;
                false
            }
            FlowStep::Enter { .. } => {
                let is_taken = self.wanted.remove(&self.calls) || is_inside;
                self.calls += 1;
                self.depth += u64::from(is_taken);
                is_taken
            }
            FlowStep::Leave { .. } => {
                self.depth = self.depth.saturating_sub(1);
                is_inside
            }
            // Readings before and after a call bound when it began and ended.
            FlowStep::Clock(_) | FlowStep::Moment(_) => {
                self.is_over = self.wanted.is_empty() && !is_inside;
                true
            }
            FlowStep::Catch { .. } | FlowStep::Values(_) if self.hidden_depth > 0 => false,
            // They belong to the call that comes next.
            FlowStep::Values(_) | FlowStep::Task(TaskStep::Begun(_)) => {
                is_inside || self.wanted.contains(&self.calls)
            }
            _ => is_inside,
        }
    }
}

impl Flow for CallsFlow {
    fn next_step(&mut self) -> Option<FlowStep<'_>> {
        while !self.is_over {
            let step = match self.whole.next_step()?.apart() {
                Ok(step) => step,
                Err((blocks, times)) if self.depth > 0 && self.hidden_depth == 0 => {
                    self.row.clear();
                    self.row.extend_from_slice(blocks);
                    return Some(FlowStep::Blocks { blocks: &self.row, times });
                }
                Err(_) => continue,
            };
            if self.takes(step) {
                return Some(step);
            }
        }
        None
    }

    fn taken(&self) -> u64 {
        self.whole.taken()
    }

    fn anomalies(&self) -> Anomalies {
        self.whole.anomalies()
    }
}
