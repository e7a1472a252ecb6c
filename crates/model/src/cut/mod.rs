//! A part of a recording: from one boundary to another, marks, lines or calls; or some calls and what they did. Either
//! may be without calls that only forward.
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
//!
//! ```text
//! some calls           Enter(bake) 1 2 Leave   Enter(bake) 1 Leave        as if nothing had called them
//! ```

mod boundary;
mod calls;
mod flow;
mod forwards;

pub use boundary::Boundary;

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use forwards::{Forwards, ForwardsFlow};

use crate::call_values::CallValues;
use crate::code::{ClassId, CodeMap, Method, MethodId};
use crate::flow_source::{Course, Flow, Mark};
use crate::running::Running;
use crate::{Diagnostic, FlowSource, StackSamples, Task, ThreadInfo, Throttled, Timestamp, TraceInfo};

/// What lies between two boundaries of a recording, both included, or in some calls, as a recording.
pub struct Cut<'a> {
    whole: &'a dyn FlowSource,
    extent: Extent,
    forwards: Option<Forwards>,
    threads: Vec<ThreadInfo>,
}

/// What belongs to a cut.
#[derive(Debug)]
enum Extent {
    Between(Option<Boundary>, Option<Boundary>),
    /// By thread, the numbers of calls among its calls; and the methods whose calls within them are left out.
    Calls(Vec<BTreeSet<u64>>, BTreeSet<MethodId>),
}

impl std::fmt::Debug for Cut<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cut").field("extent", &self.extent).finish_non_exhaustive()
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
        Cut { whole, extent: Extent::Between(from, to), forwards: None, threads }
    }

    /// Some calls, each with all that ran in it: by thread their numbers among all calls of the thread, from 0. Of a
    /// call within another one the outer one is taken. What the threads did besides is left out, losses too.
    /// Calls of `hidden` within them, and all that ran in those, are left out as well.
    pub fn of_calls(
        whole: &'a dyn FlowSource,
        calls: Vec<BTreeSet<u64>>,
        hidden: BTreeSet<MethodId>,
    ) -> Cut<'a> {
        let mut threads = whole.threads().to_vec();
        threads.iter_mut().for_each(|thread| thread.time = None);
        Cut { whole, extent: Extent::Calls(calls, hidden), forwards: None, threads }
    }

    /// The same without calls of methods that only forward ([`Method::only_forwards`]); what they called, their callers called.
    pub fn without_forwards(mut self) -> Cut<'a> {
        let methods: Vec<bool> = self.whole.code().methods.iter().map(Method::only_forwards).collect();
        if methods.contains(&true) {
            self.forwards.get_or_insert_default().methods = methods.into();
        }
        self
    }

    /// The same with each segment of library code as its first call: calls of methods of libraries that are made by such methods are
    /// left out, and what they called of the program's own is called by that first one. By the number of a method: whether it
    /// is of a library.
    pub fn with_libraries_as_one(mut self, of_libraries: Vec<bool>) -> Cut<'a> {
        if of_libraries.contains(&true) {
            self.forwards.get_or_insert_default().of_libraries = of_libraries.into();
        }
        self
    }

    /// How many calls were left out of what was read so far: that only forward, and of libraries.
    pub fn left_out(&self) -> [u64; 2] {
        self.forwards.as_ref().map_or([0, 0], |forwards| {
            [&forwards.left_out, &forwards.left_out_of_libraries].map(|count| count.load(Ordering::Relaxed))
        })
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
        let whole = || self.whole.flow(thread);
        let part: Box<dyn Flow> = match &self.extent {
            Extent::Between(None, None) => whole(),
            Extent::Between(from, to) => Box::new(flow::CutFlow::new(whole(), from.clone(), to.clone())),
            Extent::Calls(calls, hidden) => {
                let calls = calls.get(thread).cloned().unwrap_or_default();
                Box::new(calls::CallsFlow::new(whole(), calls, hidden.clone()))
            }
        };
        match &self.forwards {
            Some(forwards) => Box::new(ForwardsFlow::new(part, forwards.clone())),
            None => part,
        }
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

    fn values(&self) -> &[CallValues] {
        self.whole.values()
    }

    fn tasks(&self) -> &[Task] {
        self.whole.tasks()
    }

    fn throttled(&self) -> &[Throttled] {
        self.whole.throttled()
    }

    fn marks(&self) -> &[Mark] {
        self.whole.marks()
    }

    /// They say where threads stood when recording ended, which is after a cut that ends before.
    fn stacks(&self) -> &StackSamples {
        static NONE: StackSamples = StackSamples { methods: Vec::new(), samples: Vec::new() };
        match self.extent {
            Extent::Between(_, None) => self.whole.stacks(),
            _ => &NONE,
        }
    }

    fn running(&self) -> &[Running] {
        match self.extent {
            Extent::Between(None, _) => self.whole.running(),
            _ => &[],
        }
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
