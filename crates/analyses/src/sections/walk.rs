//! The walk along a thread that finds its sections.

use model::TaskStep;
use model::code::{BlockId, MethodId};
use model::flow::{Entered, FlowStep, Left};

use super::{AfterMark, Begins, Found, HandedOver, Handler, Section, SectionKind};

/// A call that has not ended.
struct Frame {
    method: MethodId,
    last: Option<BlockId>,
}

/// A section that has not ended; its blocks and calls are those before it.
struct Open {
    section: Section,
    /// The handler that a request is called after, as long as one that is called within may be the one that it is meant for.
    passed_on_by: Option<Handler>,
    /// How many calls were open with that of the method that it is called after, and how that ended.
    named_depth: usize,
    named_end: Option<(Left, Option<BlockId>)>,
}

/// Feeds on the steps of one thread. See the module's head.
pub struct Sections<'a> {
    begins: &'a dyn Fn(MethodId) -> Begins,
    frames: Vec<Frame>,
    open: Vec<Open>,
    /// How many calls and blocks there were.
    calls: u64,
    blocks: u64,
    found: Vec<Section>,
    marks: Vec<AfterMark>,
    handed_over: Vec<HandedOver>,
    /// The task that the call which comes next begins with.
    begins_task: Option<u32>,
    /// The call of the last section that began with a task. The task goes on when the call has ended: what passes its
    /// result on is code that is not recorded.
    last_task: Option<u64>,
}

impl std::fmt::Debug for Sections<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sections").field("found", &self.found.len()).finish_non_exhaustive()
    }
}

impl<'a> Sections<'a> {
    /// For one thread. `begins` says of a method whether its calls are sections.
    pub fn new(begins: &'a dyn Fn(MethodId) -> Begins) -> Sections<'a> {
        Sections {
            begins,
            frames: vec![],
            open: vec![],
            calls: 0,
            blocks: 0,
            found: vec![],
            marks: vec![],
            handed_over: vec![],
            begins_task: None,
            last_task: None,
        }
    }

    /// The next step.
    pub fn observe(&mut self, step: &FlowStep<'_>) {
        match *step {
            FlowStep::Enter { method, how } => self.enter(method, how),
            FlowStep::Blocks { blocks, times } => {
                self.ran(blocks.last().copied(), times.saturating_mul(blocks.len() as u64));
            }
            FlowStep::Catch { block } => self.ran(Some(block), 1),
            FlowStep::Leave { how } => self.leave(how),
            FlowStep::Gap { .. } => self.open.iter_mut().for_each(|open| open.section.gaps += 1),
            FlowStep::Mark(mark) => {
                self.end_mark();
                self.marks.push(AfterMark { mark, blocks: self.blocks, calls: self.calls });
            }
            FlowStep::Task(TaskStep::HandedOver(task)) => {
                let call = self.open.last().map(|open| open.section.call).or(self.last_task);
                self.handed_over.extend(call.map(|call| HandedOver { task, call }));
            }
            FlowStep::Task(TaskStep::Begun(task)) => {
                (self.begins_task, self.last_task) = (Some(task), None);
            }
            FlowStep::Inferred { .. }
            | FlowStep::Observed
            | FlowStep::Moment(_)
            | FlowStep::Clock(_)
            | FlowStep::Values(_) => {}
        }
    }

    /// No further step comes.
    pub fn finish(mut self) -> Found {
        while !self.frames.is_empty() {
            self.leave(Left::Open);
        }
        self.end_mark();
        self.found.sort_by_key(|section| section.call);
        Found { sections: self.found, marks: self.marks, handed_over: self.handed_over }
    }

    fn enter(&mut self, method: MethodId, how: Entered) {
        let depth = self.frames.len() + 1;
        let task = self.begins_task.take();
        let begins = (self.begins)(method);
        let kind = match begins {
            Begins::Test => Some(SectionKind::Test),
            Begins::Request(_) => Some(SectionKind::Request),
            Begins::Outermost if task.is_some() || depth == 1 && how != Entered::Unseen => {
                Some(SectionKind::Task)
            }
            Begins::Outermost | Begins::Never => None,
        };
        if kind.is_some() && task.is_some() {
            self.last_task = Some(self.calls);
        }
        let handler = match begins {
            Begins::Request(handler) => Some(handler),
            _ => None,
        };
        if let Some(kind) = kind {
            // A task is one by itself even where the thread runs it in the middle of another one.
            match self.open.iter_mut().find(|open| open.section.kind == kind && task.is_none()) {
                Some(open) => {
                    let is_nearer = |before: Handler| {
                        handler > Some(before)
                            || handler == Some(Handler::Passes) && before == Handler::Passes
                    };
                    if open.passed_on_by.is_some_and(is_nearer) {
                        (open.section.method, open.named_depth) = (method, depth);
                        open.passed_on_by = handler;
                    }
                }
                None => self.open.push(Open {
                    section: Section {
                        kind,
                        method,
                        call: self.calls,
                        depth: u32::try_from(depth).unwrap_or(u32::MAX),
                        position: self.blocks,
                        blocks: self.blocks,
                        calls: self.calls + 1,
                        gaps: 0,
                        task,
                        left: Left::Open,
                        end: (method, None),
                    },
                    passed_on_by: handler,
                    named_depth: depth,
                    named_end: None,
                }),
            }
        }
        self.calls += 1;
        self.frames.push(Frame { method, last: None });
    }

    fn ran(&mut self, last: Option<BlockId>, blocks: u64) {
        if let Some(frame) = self.frames.last_mut() {
            frame.last = last;
            self.blocks = self.blocks.saturating_add(blocks);
        }
    }

    fn leave(&mut self, left: Left) {
        let depth = self.frames.len();
        let Some(frame) = self.frames.pop() else { return };
        let is_named = |open: &&mut Open| open.named_depth == depth && open.named_end.is_none();
        for open in self.open.iter_mut().filter(is_named) {
            open.named_end = Some((left, frame.last));
        }
        if self.open.last().is_some_and(|open| open.section.depth as usize == depth)
            && let Some(Open { mut section, named_end, .. }) = self.open.pop()
        {
            section.blocks = self.blocks - section.blocks;
            section.calls = self.calls - section.calls;
            section.left = left;
            section.end = match named_end {
                Some((ended, last)) if ended == left => (section.method, last),
                _ => (frame.method, frame.last),
            };
            self.found.push(section);
        } else if let Some(request) = self.open.iter_mut().find(|open| open.passed_on_by.is_some())
            && matches!((self.begins)(frame.method), Begins::Request(_))
        {
            request.passed_on_by = None;
        }
    }

    /// What ran since the last mark is known.
    fn end_mark(&mut self) {
        if let Some(last) = self.marks.last_mut() {
            (last.blocks, last.calls) = (self.blocks - last.blocks, self.calls - last.calls);
        }
    }
}
