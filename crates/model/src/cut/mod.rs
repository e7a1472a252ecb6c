//! A part of a recording, from one boundary to another: marks, lines or calls.
//!
//! ```text
//! whole  Enter(main) 0 1 Enter(bake) 0 |login 1 2 Leave 2 |logout 3 Leave
//! cut                  Enter(main) Enter(bake) |login 1 2 Leave 2 |logout Leave
//!                      beginning not seen                         still open
//! ```
//!
//! Frames that are open where the cut begins begin there unseen; those that are open where it ends are left open. A mark is
//! a moment of all threads; to a line or a call each thread comes by itself. A thread that does not come to the first
//! boundary has no part in the cut; one that does not come to the second goes on to its end.

mod boundary;
mod flow;

pub use boundary::Boundary;

use crate::code::{ClassId, CodeMap};
use crate::flow_source::{Course, Flow, Mark};
use crate::running::Running;
use crate::{Diagnostic, FlowSource, StackSamples, ThreadInfo, Timestamp, TraceInfo};

/// What lies between two boundaries of a recording, both included, as a recording.
pub struct Cut<'a> {
    whole: &'a dyn FlowSource,
    from: Option<Boundary>,
    to: Option<Boundary>,
    threads: Vec<ThreadInfo>,
}

impl std::fmt::Debug for Cut<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cut").field("from", &self.from).field("to", &self.to).finish_non_exhaustive()
    }
}

impl<'a> Cut<'a> {
    /// From a boundary, else from the beginning, to the next one after it, else to the end.
    pub fn new(whole: &'a dyn FlowSource, from: Option<Boundary>, to: Option<Boundary>) -> Cut<'a> {
        let mut threads = whole.threads().to_vec();
        for thread in &mut threads {
            thread.time = thread.time.and_then(|(first, last)| {
                let first = time(whole, from.as_ref(), first, Timestamp::max)?;
                Some((first, time(whole, to.as_ref(), last, Timestamp::min)?))
            });
        }
        Cut { whole, from, to, threads }
    }
}

/// The end of a thread's time, moved to a boundary by `pick`; when a thread comes to a line or a call is not known.
fn time(
    whole: &dyn FlowSource,
    boundary: Option<&Boundary>,
    end: Timestamp,
    pick: fn(Timestamp, Timestamp) -> Timestamp,
) -> Option<Timestamp> {
    match boundary {
        None => Some(end),
        Some(Boundary::Mark(mark)) => {
            Some(whole.marks().get(*mark as usize).map_or(end, |mark| pick(end, mark.time)))
        }
        Some(Boundary::Blocks(_) | Boundary::Calls(_)) => None,
    }
}

impl FlowSource for Cut<'_> {
    fn code(&self) -> &CodeMap {
        self.whole.code()
    }

    fn threads(&self) -> &[ThreadInfo] {
        &self.threads
    }

    fn flow(&self, thread: usize) -> Box<dyn Flow> {
        Box::new(flow::CutFlow::new(self.whole.flow(thread), self.from.clone(), self.to.clone()))
    }

    fn trace(&self) -> &TraceInfo {
        self.whole.trace()
    }

    fn course(&self) -> &Course {
        self.whole.course()
    }

    fn has_clock(&self) -> bool {
        self.whole.has_clock()
    }

    fn marks(&self) -> &[Mark] {
        self.whole.marks()
    }

    /// They say where threads stood when recording ended, which is after a cut that ends before.
    fn stacks(&self) -> &StackSamples {
        static NONE: StackSamples = StackSamples { methods: Vec::new(), samples: Vec::new() };
        if self.to.is_some() { &NONE } else { self.whole.stacks() }
    }

    fn running(&self) -> &[Running] {
        if self.from.is_some() { &[] } else { self.whole.running() }
    }

    fn diagnostics(&self) -> &[Diagnostic] {
        self.whole.diagnostics()
    }

    fn class_file(&self, class: ClassId) -> Option<Vec<u8>> {
        self.whole.class_file(class)
    }

    fn has_blocks(&self) -> bool {
        self.whole.has_blocks()
    }
}

#[cfg(test)]
mod tests;
