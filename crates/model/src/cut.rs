//! A part of a recording, from one of its marks to another.
//!
//! ```text
//! whole  Enter(main) 0 1 Enter(bake) 0 |login 1 2 Leave 2 |logout 3 Leave
//! cut                  Enter(main) Enter(bake) |login 1 2 Leave 2 |logout Leave
//!                      beginning not seen                         still open
//! ```
//!
//! Frames that are open where the cut begins begin there unseen; those that are open where it ends are left open.

use std::collections::VecDeque;

use crate::code::{ClassId, CodeMap, MethodId};
use crate::flow::{Entered, Left};
use crate::flow_source::{Anomalies, Course, Flow, Mark};
use crate::running::Running;
use crate::{Diagnostic, FlowSource, FlowStep, StackSamples, ThreadInfo, TraceInfo};

/// What lies between two marks of a recording, as a recording.
pub struct Cut<'a> {
    whole: &'a dyn FlowSource,
    from: Option<u32>,
    to: Option<u32>,
    threads: Vec<ThreadInfo>,
}

impl std::fmt::Debug for Cut<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cut").field("from", &self.from).field("to", &self.to).finish_non_exhaustive()
    }
}

impl<'a> Cut<'a> {
    /// From a mark, else from the beginning, to a mark, else to the end; marks by their indices.
    pub fn new(whole: &'a dyn FlowSource, from: Option<u32>, to: Option<u32>) -> Cut<'a> {
        let time = |mark: Option<u32>| Some(whole.marks().get(mark? as usize)?.time);
        let (begin, end) = (time(from), time(to));
        let mut threads = whole.threads().to_vec();
        for thread in &mut threads {
            thread.time = thread.time.map(|(first, last)| {
                let first = begin.map_or(first, |begin| first.max(begin));
                (first, end.map_or(last, |end| last.min(end)))
            });
        }
        Cut { whole, from, to, threads }
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
        let stage = if self.from.is_some() { Stage::Before } else { Stage::Inside };
        let whole = self.whole.flow(thread);
        let (from, to) = (self.from, self.to);
        Box::new(CutFlow { whole, from, to, stage, frames: vec![], ready: VecDeque::new() })
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

    /// They say where threads stood when recording ended, which is behind a cut that ends before.
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

struct CutFlow {
    whole: Box<dyn Flow>,
    from: Option<u32>,
    to: Option<u32>,
    stage: Stage,
    /// The open frames, outermost first.
    frames: Vec<MethodId>,
    /// What begins or ends the cut.
    ready: VecDeque<FlowStep<'static>>,
}

impl CutFlow {
    /// Passes over what lies before the cut.
    fn begin(&mut self) {
        self.stage = Stage::Inside;
        while let Some(step) = self.whole.next_step() {
            follow(&mut self.frames, step);
            if is(self.from, step) {
                let enter = |method: &MethodId| FlowStep::Enter { method: *method, how: Entered::Unseen };
                self.ready.extend(self.frames.iter().map(enter));
                self.ready.extend(self.from.map(FlowStep::Mark));
                return;
            }
        }
    }
}

impl Flow for CutFlow {
    fn next_step(&mut self) -> Option<FlowStep<'_>> {
        if self.stage == Stage::Before {
            self.begin();
        }
        if let Some(step) = self.ready.pop_front() {
            return Some(step);
        }
        if self.stage == Stage::After {
            return None;
        }
        let step = self.whole.next_step()?;
        follow(&mut self.frames, step);
        if is(self.to, step) {
            self.stage = Stage::After;
            let open = self.frames.drain(..).map(|_| FlowStep::Leave { how: Left::Open });
            self.ready.extend(open);
        }
        Some(step)
    }

    fn taken(&self) -> u64 {
        self.whole.taken()
    }

    fn anomalies(&self) -> Anomalies {
        self.whole.anomalies()
    }
}

/// Whether a step is this mark.
fn is(mark: Option<u32>, step: FlowStep<'_>) -> bool {
    mark.is_some_and(|mark| step == FlowStep::Mark(mark))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Timestamp;

    /// One thread: main calls bake; marks within bake and within main.
    struct Bakery {
        code: CodeMap,
        about: (TraceInfo, Course, Vec<ThreadInfo>, Vec<Mark>),
    }

    struct Steps(std::vec::IntoIter<FlowStep<'static>>);

    impl Flow for Steps {
        fn next_step(&mut self) -> Option<FlowStep<'_>> {
            self.0.next()
        }

        fn taken(&self) -> u64 {
            0
        }

        fn anomalies(&self) -> Anomalies {
            Anomalies::default()
        }
    }

    impl FlowSource for Bakery {
        fn code(&self) -> &CodeMap {
            &self.code
        }

        fn threads(&self) -> &[ThreadInfo] {
            &self.about.2
        }

        fn flow(&self, _: usize) -> Box<dyn Flow> {
            let enter = |method| FlowStep::Enter { method: MethodId(method), how: Entered::Call };
            let block = |blocks| FlowStep::Blocks { blocks, times: 1 };
            let leave = FlowStep::Leave { how: Left::Returned };
            let steps = vec![
                enter(0),
                block(&[0, 1]),
                enter(1),
                block(&[0]),
                FlowStep::Mark(0),
                block(&[1, 2]),
                leave,
                FlowStep::Mark(1),
                block(&[2]),
                leave,
            ];
            Box::new(Steps(steps.into_iter()))
        }

        fn trace(&self) -> &TraceInfo {
            &self.about.0
        }

        fn course(&self) -> &Course {
            &self.about.1
        }

        fn marks(&self) -> &[Mark] {
            &self.about.3
        }

        fn diagnostics(&self) -> &[Diagnostic] {
            &[]
        }
    }

    fn cut(from: Option<u32>, to: Option<u32>) -> String {
        let mark = |time| Mark { text: String::new(), time: Timestamp(time), positions: vec![] };
        let thread = ThreadInfo { time: Some((Timestamp(10), Timestamp(90))), ..ThreadInfo::default() };
        let about = (TraceInfo::default(), Course::default(), vec![thread], vec![mark(40), mark(60)]);
        let bakery = Bakery { code: CodeMap::default(), about };
        let cut = Cut::new(&bakery, from, to);
        let mut text = String::new();
        let mut flow = cut.flow(0);
        while let Some(step) = flow.next_step() {
            text += &match step {
                FlowStep::Enter { method, how } => format!("{how:?}({}) ", method.0),
                FlowStep::Blocks { blocks, .. } => format!("{blocks:?} "),
                FlowStep::Leave { how } => format!("{how:?} "),
                FlowStep::Mark(index) => format!("|{index} "),
                other => format!("{other:?} "),
            };
        }
        assert!(flow.next_step().is_none(), "the end is the end");
        let time = cut.threads()[0].time.map(|(first, last)| (first.0, last.0));
        format!("{text}{time:?}")
    }

    #[test]
    fn frames_that_are_open_at_a_cut_are_open_in_it() {
        for (from, to, expected) in [
            (None, None, "Call(0) [0, 1] Call(1) [0] |0 [1, 2] Returned |1 [2] Returned Some((10, 90))"),
            (Some(0), Some(1), "Unseen(0) Unseen(1) |0 [1, 2] Returned |1 Open Some((40, 60))"),
            (Some(1), None, "Unseen(0) |1 [2] Returned Some((60, 90))"),
            (None, Some(0), "Call(0) [0, 1] Call(1) [0] |0 Open Open Some((10, 40))"),
            (Some(7), None, "Some((10, 90))"),
        ] {
            assert_eq!(cut(from, to), expected, "{from:?} to {to:?}");
        }
    }
}
