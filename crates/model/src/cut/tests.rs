//! One thread cut at marks, lines and calls.

use super::*;
use crate::FlowStep;
use crate::code::{Block, BlockId};
use crate::flow::{Entered, Left};
use crate::flow_source::Anomalies;

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

fn cut(from: Option<Boundary>, to: Option<Boundary>) -> String {
    described(&Cut::new(&bakery(), from, to))
}

fn bakery() -> Bakery {
    let mark = |time| Mark { text: String::new(), time: Timestamp(time), positions: vec![] };
    let thread = ThreadInfo { time: Some((Timestamp(10), Timestamp(90))), ..ThreadInfo::default() };
    let about = (TraceInfo::default(), Course::default(), vec![thread], vec![mark(40), mark(60)]);
    Bakery { code: CodeMap::default(), about }
}

fn described(cut: &Cut<'_>) -> String {
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

fn block(method: u32, block: BlockId) -> Option<Boundary> {
    Some(Boundary::Blocks([(MethodId(method), block)].into()))
}

#[test]
fn frames_that_are_open_at_a_cut_are_open_in_it() {
    let mark = |mark| Some(Boundary::Mark(mark));
    let call = |method| Some(Boundary::Calls([MethodId(method)].into()));
    for (from, to, expected) in [
        (None, None, "Call(0) [0, 1] Call(1) [0] |0 [1, 2] Returned |1 [2] Returned Some((10, 90))"),
        (mark(0), mark(1), "Unseen(0) Unseen(1) |0 [1, 2] Returned |1 Open Some((40, 60))"),
        (mark(1), None, "Unseen(0) |1 [2] Returned Some((60, 90))"),
        (None, mark(0), "Call(0) [0, 1] Call(1) [0] |0 Open Open Some((10, 40))"),
        (mark(7), None, "Some((10, 90))"),
        // In the middle of a row of blocks; the time is not known.
        (block(0, 1), block(1, 1), "Unseen(0) [1] Call(1) [0] |0 [1] Open Open None"),
        (block(1, 2), None, "Unseen(0) Unseen(1) [2] Returned |1 [2] Returned None"),
        (call(1), block(0, 2), "Unseen(0) Call(1) [0] |0 [1, 2] Returned |1 [2] Open None"),
        (block(5, 0), None, "None"),
        // Both kinds: the row of a boundary, then the other.
        (mark(0), block(1, 1), "Unseen(0) Unseen(1) |0 [1] Open Open None"),
        (block(1, 0), mark(1), "Unseen(0) Unseen(1) [0] |0 [1, 2] Returned |1 Open None"),
        (block(0, 2), mark(1), "None"),
    ] {
        assert_eq!(cut(from.clone(), to.clone()), expected, "{from:?} to {to:?}");
    }
}

#[test]
fn calls_that_only_forward_can_be_left_out() {
    let method = |name: &str, access_flags| Method {
        class: ClassId(0),
        name: name.into(),
        descriptor: "()V".into(),
        access_flags,
        blocks: vec![Block::body(None)],
        edges: vec![],
        exception_edges: vec![],
        loops: vec![],
    };
    let described_with = |flags: [u16; 2]| {
        let mut bakery = bakery();
        bakery.code.methods = vec![method("main", flags[0]), method("bake", flags[1])];
        let cut = Cut::new(&bakery, None, None).without_forwards();
        format!("{}, left out {}", described(&cut), cut.left_out()[0])
    };
    let whole = "Call(0) [0, 1] Call(1) [0] |0 [1, 2] Returned |1 [2] Returned Some((10, 90))";
    assert_eq!(described_with([1, 1]), format!("{whole}, left out 0"));
    // The flags of a bridge: what is lost or marked in it belongs to its caller.
    let bridge = "Call(0) [0, 1] |0 |1 [2] Returned Some((10, 90)), left out 1";
    assert_eq!(described_with([1, 0x1041]), bridge);
    assert_eq!(described_with([0x1041, 1]), "Call(1) [0] |0 [1, 2] Returned |1 Some((10, 90)), left out 1");
}

#[test]
fn of_library_calls_in_each_other_the_first_stays() {
    let described_with = |of_libraries: [bool; 2]| {
        let bakery = bakery();
        let cut = Cut::new(&bakery, None, None).with_libraries_as_one(of_libraries.into());
        format!("{}, left out {}", described(&cut), cut.left_out()[1])
    };
    let whole = "Call(0) [0, 1] Call(1) [0] |0 [1, 2] Returned |1 [2] Returned Some((10, 90))";
    for of_libraries in [[false, false], [false, true], [true, false]] {
        assert_eq!(described_with(of_libraries), format!("{whole}, left out 0"), "{of_libraries:?}");
    }
    let first = "Call(0) [0, 1] |0 |1 [2] Returned Some((10, 90)), left out 1";
    assert_eq!(described_with([true, true]), first);
}

#[test]
fn calls_stand_alone_with_all_that_ran_in_them() {
    for (calls, hidden, expected) in [
        (vec![1], None, "Call(1) [0] |0 [1, 2] Returned None"),
        // Of a call within another one the outer one is taken.
        (vec![0, 1], None, "Call(0) [0, 1] Call(1) [0] |0 [1, 2] Returned |1 [2] Returned None"),
        (vec![0], Some(1), "Call(0) [0, 1] |0 |1 [2] Returned None"),
        // What is asked for itself is not left out.
        (vec![1], Some(1), "Call(1) [0] |0 [1, 2] Returned None"),
        (vec![2], None, "None"),
        (vec![], None, "None"),
    ] {
        let chosen = vec![calls.iter().copied().collect()];
        let hidden = hidden.into_iter().map(MethodId).collect();
        assert_eq!(described(&Cut::of_calls(&bakery(), chosen, hidden)), expected, "{calls:?}");
    }
}
