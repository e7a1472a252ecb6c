//! A part of a recording, from where each thread comes to a line or a call to where it comes to another.
//!
//! ```text
//! whole  Enter(main) 0 1 Enter(bake) 0 1 2 Leave 2 Leave
//! part                   Enter(main) Enter(bake) 1 2 Leave 2 Leave        from block 1 of bake to block 2 of main
//!                        beginning not seen                still open
//! ```
//!
//! Marks are moments of all threads and cut by `model::Cut`; to a line or a call each thread comes by itself. One that does
//! not come to the first has no part, one that does not come to the second goes on to its end.

use std::collections::{BTreeSet, VecDeque};

use model::code::{BlockId, ClassId, CodeMap, MethodId};
use model::flow::{Entered, FlowStep, Left};
use model::flow_source::{Anomalies, Course, Flow, Mark};
use model::running::Running;
use model::{Diagnostic, FlowSource, StackSamples, ThreadInfo, TraceInfo};

/// Where a part begins or ends: the next time that it comes.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    /// One of these blocks runs.
    Blocks(BTreeSet<(MethodId, BlockId)>),
    /// One of these methods is called.
    Calls(BTreeSet<MethodId>),
}

impl Place {
    fn is_block(&self, method: Option<&MethodId>, block: BlockId) -> bool {
        matches!(self, Place::Blocks(all) if method.is_some_and(|method| all.contains(&(*method, block))))
    }

    /// Whether a step is it that runs no row of blocks.
    fn is(&self, method: Option<&MethodId>, step: FlowStep<'_>) -> bool {
        match (self, step) {
            (Place::Calls(all), FlowStep::Enter { method, .. }) => all.contains(&method),
            (Place::Blocks(_), FlowStep::Catch { block }) => self.is_block(method, block),
            _ => false,
        }
    }
}

/// What lies between two places, both included, as a recording.
pub(crate) struct Between<'a> {
    whole: &'a dyn FlowSource,
    from: Option<Place>,
    to: Option<Place>,
    threads: Vec<ThreadInfo>,
}

impl<'a> Between<'a> {
    /// From a place, else from the beginning, to the next such place behind it, else to the end.
    pub(crate) fn new(whole: &'a dyn FlowSource, from: Option<Place>, to: Option<Place>) -> Between<'a> {
        // Nobody knows when a thread came to a line.
        let timeless = |thread: &ThreadInfo| ThreadInfo { time: None, ..thread.clone() };
        Between { whole, from, to, threads: whole.threads().iter().map(timeless).collect() }
    }
}

impl FlowSource for Between<'_> {
    fn code(&self) -> &CodeMap {
        self.whole.code()
    }

    fn threads(&self) -> &[ThreadInfo] {
        &self.threads
    }

    fn flow(&self, thread: usize) -> Box<dyn Flow> {
        let stage = if self.from.is_some() { Stage::Before } else { Stage::Inside };
        let whole = self.whole.flow(thread);
        let (from, to) = (self.from.clone(), self.to.clone());
        Box::new(Part { whole, from, to, stage, frames: vec![], ready: VecDeque::new(), lent: vec![] })
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

    /// They say where threads stood when recording ended, which is behind a part that ends before.
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Before,
    Inside,
    After,
}

/// A step of the part that is not handed out yet.
enum Ready {
    Step(FlowStep<'static>),
    Blocks(Vec<BlockId>, u64),
}

struct Part {
    whole: Box<dyn Flow>,
    from: Option<Place>,
    to: Option<Place>,
    stage: Stage,
    /// The open frames, outermost first.
    frames: Vec<MethodId>,
    ready: VecDeque<Ready>,
    /// The blocks that were handed out last.
    lent: Vec<BlockId>,
}

impl Part {
    /// The part begins here.
    fn begin(&mut self) {
        self.stage = Stage::Inside;
        let enter = |method: &MethodId| FlowStep::Enter { method: *method, how: Entered::Unseen };
        self.ready.extend(self.frames.iter().map(enter).map(Ready::Step));
    }

    /// The part ends here.
    fn end(&mut self) {
        self.stage = Stage::After;
        let open = self.frames.drain(..).map(|_| Ready::Step(FlowStep::Leave { how: Left::Open }));
        self.ready.extend(open);
    }

    /// Where in a row of blocks a place is.
    fn position(&self, at: &Option<Place>, blocks: &[BlockId]) -> Option<usize> {
        let (at, method) = (at.as_ref()?, self.frames.last());
        blocks.iter().position(|block| at.is_block(method, *block))
    }

    /// Takes a row of blocks.
    fn blocks(&mut self, blocks: &[BlockId], times: u64) {
        match self.stage {
            Stage::Before => {
                let Some(first) = self.position(&self.from, blocks) else { return };
                self.begin();
                let (first, others) = blocks.get(first..).and_then(<[_]>::split_first).unzip();
                self.ready.push_back(Ready::Blocks(first.into_iter().copied().collect(), 1));
                self.inside(others.unwrap_or(&[]), 1);
                if times > 1 {
                    self.inside(blocks, times - 1);
                }
            }
            Stage::Inside => self.inside(blocks, times),
            Stage::After => {}
        }
    }

    fn inside(&mut self, blocks: &[BlockId], times: u64) {
        if self.stage != Stage::Inside || blocks.is_empty() {
            return;
        }
        match self.position(&self.to, blocks) {
            Some(last) => {
                let ran = blocks.iter().take(last + 1).copied();
                self.ready.push_back(Ready::Blocks(ran.collect(), 1));
                self.end();
            }
            None => self.ready.push_back(Ready::Blocks(blocks.to_vec(), times)),
        }
    }

    /// Takes any other step.
    fn step(&mut self, step: FlowStep<'static>) {
        let is = |at: &Option<Place>, frames: &[MethodId]| {
            at.as_ref().is_some_and(|at| at.is(frames.last(), step))
        };
        match self.stage {
            Stage::Before if is(&self.from, &self.frames) => {
                self.begin();
                self.ready.push_back(Ready::Step(step));
                follow(&mut self.frames, step);
            }
            Stage::Before => follow(&mut self.frames, step),
            Stage::Inside => {
                let is_end = is(&self.to, &self.frames);
                self.ready.push_back(Ready::Step(step));
                follow(&mut self.frames, step);
                if is_end {
                    self.end();
                }
            }
            Stage::After => {}
        }
    }
}

impl Flow for Part {
    fn next_step(&mut self) -> Option<FlowStep<'_>> {
        loop {
            match self.ready.pop_front() {
                Some(Ready::Step(step)) => return Some(step),
                Some(Ready::Blocks(blocks, times)) => {
                    self.lent = blocks;
                    return Some(FlowStep::Blocks { blocks: &self.lent, times });
                }
                None if self.stage == Stage::After => return None,
                None => {}
            }
            match self.whole.next_step()? {
                FlowStep::Blocks { blocks, times } => {
                    let row = blocks.to_vec();
                    self.blocks(&row, times);
                }
                FlowStep::Enter { method, how } => self.step(FlowStep::Enter { method, how }),
                FlowStep::Catch { block } => self.step(FlowStep::Catch { block }),
                FlowStep::Leave { how } => self.step(FlowStep::Leave { how }),
                FlowStep::Gap { lost } => self.step(FlowStep::Gap { lost }),
                FlowStep::Inferred { lost, certainty } => self.step(FlowStep::Inferred { lost, certainty }),
                FlowStep::Observed => self.step(FlowStep::Observed),
                FlowStep::Moment(time) => self.step(FlowStep::Moment(time)),
                FlowStep::Clock(reading) => self.step(FlowStep::Clock(reading)),
                FlowStep::Mark(mark) => self.step(FlowStep::Mark(mark)),
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

/// Keeps the open frames up to date.
fn follow(frames: &mut Vec<MethodId>, step: FlowStep<'_>) {
    match step {
        FlowStep::Enter { method, .. } => frames.push(method),
        FlowStep::Leave { .. } => {
            frames.pop();
        }
        _ => {}
    }
}
