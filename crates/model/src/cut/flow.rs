//! The steps of one thread within a cut.

use std::collections::VecDeque;

use super::Boundary;
use crate::FlowStep;
use crate::code::{BlockId, MethodId};
use crate::flow::{Entered, Left};
use crate::flow_source::{Anomalies, Flow};

pub(super) struct CutFlow {
    whole: Box<dyn Flow>,
    part: Part,
    /// The row of blocks that was handed out last.
    row: Vec<BlockId>,
}

impl CutFlow {
    pub(super) fn new(whole: Box<dyn Flow>, from: Option<Boundary>, to: Option<Boundary>) -> CutFlow {
        let stage = if from.is_some() { Stage::Before } else { Stage::Inside };
        let part = Part { from, to, stage, frames: vec![], ready: VecDeque::new() };
        CutFlow { whole, part, row: vec![] }
    }
}

impl Flow for CutFlow {
    fn next_step(&mut self) -> Option<FlowStep<'_>> {
        loop {
            match self.part.ready.pop_front() {
                Some(Ready::Step(step)) => return Some(step),
                Some(Ready::Row(blocks, times)) => {
                    self.row = blocks;
                    return Some(FlowStep::Blocks { blocks: &self.row, times });
                }
                None if self.part.stage == Stage::After => return None,
                None => match self.whole.next_step()?.apart() {
                    Ok(step) => self.part.step(step),
                    Err((blocks, times)) => self.part.row(blocks, times),
                },
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Before,
    Inside,
    After,
}

/// A step of the cut that is not handed out yet.
enum Ready {
    Step(FlowStep<'static>),
    Row(Vec<BlockId>, u64),
}

struct Part {
    from: Option<Boundary>,
    to: Option<Boundary>,
    stage: Stage,
    /// The open frames, outermost first.
    frames: Vec<MethodId>,
    ready: VecDeque<Ready>,
}

impl Part {
    /// The cut begins here.
    fn begin(&mut self) {
        self.stage = Stage::Inside;
        let enter = |method: &MethodId| FlowStep::Enter { method: *method, how: Entered::Unseen };
        self.ready.extend(self.frames.iter().map(enter).map(Ready::Step));
    }

    /// The cut ends here.
    fn end(&mut self) {
        self.stage = Stage::After;
        let open = self.frames.drain(..).map(|_| Ready::Step(FlowStep::Leave { how: Left::Open }));
        self.ready.extend(open);
    }

    /// Where in a row of blocks a boundary is.
    fn position(&self, boundary: Option<&Boundary>, blocks: &[BlockId]) -> Option<usize> {
        let (boundary, method) = (boundary?, self.frames.last().copied());
        blocks.iter().position(|block| boundary.is_block(method, *block))
    }

    /// Takes a row of blocks, run so many times.
    fn row(&mut self, blocks: &[BlockId], times: u64) {
        match self.stage {
            Stage::Before => {
                let Some(first) = self.position(self.from.as_ref(), blocks) else { return };
                self.begin();
                let (first, others) = blocks.get(first..).and_then(<[_]>::split_first).unzip();
                self.ready.push_back(Ready::Row(first.into_iter().copied().collect(), 1));
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
        match self.position(self.to.as_ref(), blocks) {
            Some(last) => {
                let ran = blocks.iter().take(last + 1).copied();
                self.ready.push_back(Ready::Row(ran.collect(), 1));
                self.end();
            }
            None => self.ready.push_back(Ready::Row(blocks.to_vec(), times)),
        }
    }

    /// Takes any other step.
    fn step(&mut self, step: FlowStep<'static>) {
        let method = self.frames.last().copied();
        let is = |boundary: &Option<Boundary>| {
            boundary.as_ref().is_some_and(|boundary| boundary.is_step(method, step))
        };
        match self.stage {
            Stage::Before if is(&self.from) => {
                self.begin();
                self.ready.push_back(Ready::Step(step));
                self.follow(step);
            }
            // A mark is a moment of all threads: one that comes to the beginning only later has no part.
            Stage::Before if matches!(self.to, Some(Boundary::Mark(_))) && is(&self.to) => {
                self.stage = Stage::After;
            }
            Stage::Before => self.follow(step),
            Stage::Inside => {
                let is_end = is(&self.to);
                self.ready.push_back(Ready::Step(step));
                self.follow(step);
                if is_end {
                    self.end();
                }
            }
            Stage::After => {}
        }
    }

    /// Keeps the open frames up to date.
    fn follow(&mut self, step: FlowStep<'_>) {
        match step {
            FlowStep::Enter { method, .. } => self.frames.push(method),
            FlowStep::Leave { .. } => {
                self.frames.pop();
            }
            _ => {}
        }
    }
}
