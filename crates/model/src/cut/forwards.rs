//! The steps of one thread without calls that only forward, or with each segment of library code as its first call: whatever
//! the calls that are left out called, their callers called.
//!
//! ```text
//! whole   Enter(main) 0  Enter(bridge) 0  Enter(bake) 0 Leave  1 Leave  1 Leave
//! without Enter(main) 0                   Enter(bake) 0 Leave           1 Leave
//!
//! whole   Enter(main) 0  Enter(List.each) 0  Enter(List.next) 0 Leave  1  Enter(bake) 0 Leave Leave  1 Leave
//! own     Enter(main) 0  Enter(List.each) 0                            1  Enter(bake) 0 Leave Leave  1 Leave
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::FlowStep;
use crate::code::{BlockId, MethodId};
use crate::flow::Entered;
use crate::flow_source::{Anomalies, Flow};

/// Which calls are left out, by the numbers of their methods, and how many were so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Forwards {
    /// Methods that only forward; none if they stay.
    pub(super) methods: Arc<[bool]>,
    pub(super) left_out: Arc<AtomicU64>,
    /// Methods of libraries; none if all of them stay.
    pub(super) of_libraries: Arc<[bool]>,
    pub(super) left_out_of_libraries: Arc<AtomicU64>,
}

fn has(methods: &[bool], method: MethodId) -> bool {
    methods.get(method.0 as usize).copied().unwrap_or(false)
}

/// An open call.
#[derive(Clone, Copy)]
struct Open {
    /// How it began, or the outermost one of those around it that are left out as well, if it is left out.
    left_out: Option<Entered>,
    /// Whether the innermost call that stays is one of a library.
    is_of_library: bool,
}

pub(super) struct ForwardsFlow {
    whole: Box<dyn Flow>,
    forwards: Forwards,
    /// The open calls, outermost first.
    open: Vec<Open>,
    /// The row of blocks that was handed out last.
    row: Vec<BlockId>,
}

impl ForwardsFlow {
    pub(super) fn new(whole: Box<dyn Flow>, forwards: Forwards) -> ForwardsFlow {
        ForwardsFlow { whole, forwards, open: vec![], row: vec![] }
    }

    /// The step as it stands without those calls; `None`: it does not.
    fn without(&mut self, step: FlowStep<'static>) -> Option<FlowStep<'static>> {
        let enclosing = self.open.last().and_then(|open| open.left_out);
        match step {
            FlowStep::Enter { method, how } => {
                // Called by whoever called what only forwards.
                let how = enclosing.unwrap_or(how);
                let in_library = self.open.last().is_some_and(|open| open.is_of_library);
                let Forwards { methods, left_out, of_libraries, left_out_of_libraries } = &self.forwards;
                let is_of_library = has(of_libraries, method);
                let count = match () {
                    () if is_of_library && in_library => Some(left_out_of_libraries),
                    () if has(methods, method) => Some(left_out),
                    () => None,
                };
                if let Some(count) = count {
                    count.fetch_add(1, Ordering::Relaxed);
                    self.open.push(Open { left_out: Some(how), is_of_library: in_library });
                    return None;
                }
                self.open.push(Open { left_out: None, is_of_library });
                Some(FlowStep::Enter { method, how })
            }
            FlowStep::Leave { .. } => {
                self.open.pop().is_none_or(|open| open.left_out.is_none()).then_some(step)
            }
            FlowStep::Catch { .. } => enclosing.is_none().then_some(step),
            _ => Some(step),
        }
    }
}

impl Flow for ForwardsFlow {
    fn next_step(&mut self) -> Option<FlowStep<'_>> {
        loop {
            let step = match self.whole.next_step()?.apart() {
                Ok(step) => step,
                Err(_) if self.open.last().is_some_and(|open| open.left_out.is_some()) => continue,
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
