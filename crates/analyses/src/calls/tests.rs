//! Runs written by hand, and what is reported of them.

mod by_hand;
mod recursion;

use expect_test::{Expect, expect};
use model::code::{Block, Class, CodeMap, Edge, EdgeKind, Ending, Loop, Method};
use model::flow::{Entered, FlowStep, Left};
use model::{BlockId, ClassId, Lost, MethodId};

use super::recursion::LEVELS;
use super::{Entry, Figures, Options, Report, Search, Visitor, What};
use crate::replay::{Builder, Measure, NodeId, Replay};
use fastrand::Rng;

/// Methods `m0`, `m1`, ...: five blocks each, block 1 the head of a loop of 1 and 2, 4 a handler.
pub(crate) fn code() -> CodeMap {
    let block = |at: u32| Block {
        start: at,
        end: at + 1,
        lines: vec![at as u16 * 10],
        ending: Ending::FallThrough,
        is_handler: at == 4,
    };
    let edge = |from, to| Edge { from, to, kind: EdgeKind::Next };
    let method = |id: u32| Method {
        class: ClassId(0),
        name: format!("m{id}"),
        descriptor: "()V".into(),
        access_flags: 1,
        blocks: (0..5).map(block).collect(),
        edges: vec![edge(0, 1), edge(1, 2), edge(2, 1), edge(1, 3)],
        exception_edges: vec![(2, 4)],
        loops: vec![Loop { head: 1, blocks: vec![1, 2], parent: None }],
    };
    CodeMap {
        classes: vec![Class { name: "T".into(), source_file: None, origin: None }],
        methods: (0..40).map(method).collect(),
        ..CodeMap::default()
    }
}

/// `(3` enters method 3 by a call, `l3` by a library; a digit runs a block, `c` the handler; `)` returns,
/// `!` throws, `?` loses five.
pub(crate) fn build(code: &CodeMap, run: &str) -> Replay {
    let mut builder = Builder::new(code);
    let mut characters = run.chars().filter(|character| *character != ' ');
    while let Some(character) = characters.next() {
        let mut method = || MethodId(characters.next().and_then(|digit| digit.to_digit(10)).unwrap());
        let step = match character {
            '(' => FlowStep::Enter { method: method(), how: Entered::Call },
            'l' => FlowStep::Enter { method: method(), how: Entered::Library },
            ')' => FlowStep::Leave { how: Left::Returned },
            '!' => FlowStep::Leave { how: Left::Threw },
            'c' => FlowStep::Catch { block: 4 },
            '?' => FlowStep::Gap { lost: Lost::Events(5) },
            digit => {
                let blocks = [digit.to_digit(10).unwrap()];
                builder.observe(1, FlowStep::Blocks { blocks: &blocks, times: 1 });
                continue;
            }
        };
        builder.observe(1, step);
    }
    builder.finish()
}

/// One line for each entry.
#[derive(Default)]
struct Written {
    text: String,
    depth: usize,
    most: usize,
}

impl Visitor for Written {
    fn open(&mut self, entry: &Entry<'_>) -> bool {
        let at = entry.at.map_or(String::new(), |(method, block)| format!("m{}.{block} ", method.0));
        let what = match entry.what {
            What::Call { method, entered, left, blocks } => {
                format!("m{} {entered:?} {left:?} {blocks:?}", method.0)
            }
            What::Within { method } => format!("m{} within", method.0),
            What::AsBefore { method, .. } => format!("m{} as before", method.0),
            What::Loop { entered, blocks, .. } => format!("loop, come by {entered}, {blocks:?}"),
            What::Variant { left, blocks, .. } => format!("variant {left:?} {blocks:?}"),
            What::Recursion { method, depth } => format!("recursion of m{}, {depth} deep", method.0),
            What::Caught { block } => format!("caught {block}"),
            What::Gap { lost } => format!("gap {lost}"),
            What::Inferred { inferred } => format!("inferred {} of {} %", inferred.records, inferred.percent),
            What::Observed => "observed".to_owned(),
            What::More { calls, blocks } => format!("more: {calls} calls, {blocks} blocks"),
        };
        self.text += &format!("{}{at}{what} x{}\n", "  ".repeat(self.depth), entry.times);
        self.depth += 1;
        self.most -= 1;
        self.most > 0
    }

    fn close(&mut self) {
        self.depth -= 1;
    }
}

fn check_with(run: &str, options: Options<'_>, most: usize, expected: Expect) {
    let code = code();
    let replay = build(&code, run);
    let (blocks, calls) = (Measure::blocks(&replay), Measure::calls(&replay));
    let mut written = Written { most, ..Written::default() };
    Report::new(&replay, &blocks, &calls, options).thread(replay.threads[0].root, &mut written);
    assert_eq!(written.depth, 0, "each entry is closed");
    expected.assert_eq(&written.text);
}

fn check(run: &str, expected: Expect) {
    check_with(run, Options::default(), usize::MAX, expected);
}

#[test]
fn iterations_that_call_the_same_are_told_together_with_what_their_calls_did() {
    // Four iterations; m1 went the one way, the other way, and threw in the last one.
    check(
        "(0 0 1 2(1 0 1 3) 1 2(1 0 1 2 1 3) 1 2(1 0 1 3) 1 2(1 0 ! c )",
        expect![[r#"
            m0 Call Some(Returned) [0, 4] x1
              m0.0 loop, come by 1, [] x4
                variant None [1, 2] x3
                  m0.2 m1 Call Some(Returned) [0, 3] x3
                    m1.0 loop, come by 3, [1, 2] x1
                variant None [1, 2] x1
                  m0.2 m1 Call Some(Threw) [0] x1
              m0.0 caught 4 x1
        "#]],
    );
}

#[test]
fn a_iteration_that_only_leaves_is_none() {
    check(
        "(0 0 12 12 12 1 3 )",
        expect![[r#"
        m0 Call Some(Returned) [0, 3] x1
          m0.0 loop, come by 1, [1, 2] x3
    "#]],
    );
}

#[test]
fn a_loop_without_a_whole_iteration_has_none() {
    let comes_round = |_: MethodId, _: u32, block: BlockId| block == 2;
    let options = Options { comes_round: Some(&comes_round), ..Options::default() };
    check_with(
        "(0 0 1 3 0 12 3 )",
        options,
        usize::MAX,
        expect![[r#"
        m0 Call Some(Returned) [0, 3] x1
          m0.0 loop, come by 1, [1] x0
          m0.0 loop, come by 1, [1, 2] x1
    "#]],
    );
}

/// Though all of it is one line, and the iteration that leaves looks like any other.
#[test]
fn iterations_on_one_line_are_counted_without_the_one_that_leaves() {
    let comes_round = |_: MethodId, _: u32, block: BlockId| block == 2;
    let lines = |_: MethodId, _: BlockId| 7;
    let options = Options { comes_round: Some(&comes_round), lines: Some(&lines), ..Options::default() };
    check_with(
        "(0 0 12 12 12 1 3 )",
        options,
        usize::MAX,
        expect![[r#"
            m0 Call Some(Returned) [0, 3] x1
              m0.0 loop, come by 1, [1, 2] x3
        "#]],
    );
}

#[test]
fn recursion_is_told_once_with_its_depth() {
    check(
        "(0 0 (0 0 (0 0 3) 3) (0 0 3) 3 )",
        expect![[r#"
            m0 Call Some(Returned) [0, 3] x1
              m0.0 m0 within x2
              recursion of m0, 3 deep x3
                variant Some(Returned) [0, 3] x1
                  m0.0 m0 within x1
                variant Some(Returned) [0, 3] x2
        "#]],
    );
}

#[test]
fn rows_of_calls_by_a_library_and_equal_calls() {
    check(
        "(0 0 l1 0) l1 0) l1 03) 1 (2 0 (1 0) 3) 3 (2 0 (1 0) 3) )",
        expect![[r#"
        m0 Call Some(Returned) [0, 3] x1
          m0.0 m1 Library None [] x3
            variant Some(Returned) [0] x2
            variant Some(Returned) [0, 3] x1
          m0.0 loop, come by 1, [1] x1
            m0.1 m2 Call Some(Returned) [0, 3] x1
              m2.0 m1 Call Some(Returned) [0] x1
          m0.3 m2 as before x1
    "#]],
    );
}

#[test]
fn a_gap_is_told_in_its_place() {
    check(
        "(0 0 1 2 ? 1 3 )",
        expect![[r#"
        m0 Call Some(Returned) [0, 3] x1
          m0.0 loop, come by 1, [1, 2] x1
          m0.0 gap 5 x1
          m0.0 loop, come by 1, [1] x1
    "#]],
    );
}

#[test]
fn what_is_too_deep_is_counted() {
    let options = Options { depth: Some(1), ..Options::default() };
    check_with(
        "(0 0 (1 0 (2 0) 3) 3 )",
        options,
        usize::MAX,
        expect![[r#"
        m0 Call Some(Returned) [0, 3] x1
          m0.0 m1 Call Some(Returned) [0, 3] x1
            more: 1 calls, 3 blocks x1
    "#]],
    );
}

#[test]
fn whoever_has_heard_enough_is_told_no_more() {
    check_with(
        "(0 0 (1 0) 1 (2 0) 3 )",
        Options::default(),
        2,
        expect![[r#"
        m0 Call Some(Returned) [0, 3] x1
          m0.0 m1 Call Some(Returned) [0] x1
    "#]],
    );
}

#[test]
fn unfolded_iterations_come_in_their_order() {
    let options = Options { unfold: true, ..Options::default() };
    check_with(
        "(0 0 12 12 1 2(1 0) 12 1 3 )",
        options,
        usize::MAX,
        expect![[r#"
        m0 Call Some(Returned) [0, 3] x1
          m0.0 loop, come by 1, [] x4
            variant None [1, 2] x2
            variant None [1, 2] x1
              m0.2 m1 Call Some(Returned) [0] x1
            variant None [1, 2] x1
            variant None [1] x1
    "#]],
    );
}

#[test]
fn only_what_leads_to_what_is_searched_is_told() {
    let search = |method: MethodId, _: &[BlockId]| method == MethodId(2);
    let options = Options { search: Some(&search), ..Options::default() };
    check_with(
        "(0 0 (1 0 3) 12 12(3 0 (2 0 (4 0)) 3) 1 3 (1 0 3) )",
        options,
        usize::MAX,
        expect![[r#"
        m0 Call Some(Returned) [0, 3] x1
          m0.0 loop, come by 1, [] x2
            variant None [1, 2] x1
              m0.2 m3 Call Some(Returned) [0, 3] x1
                m3.0 m2 Call Some(Returned) [0] x1
                  m2.0 m4 Call Some(Returned) [0] x1
    "#]],
    );
}

#[test]
fn blocks_on_the_same_lines_make_no_variants() {
    let lines = |_: MethodId, block: BlockId| if block == 3 { 0 } else { block };
    let options = Options { lines: Some(&lines), ..Options::default() };
    check_with(
        "(0 0 (1 0 3) l1 0) l1 0 3 3) )",
        options,
        usize::MAX,
        expect![[r#"
            m0 Call Some(Returned) [0] x1
              m0.0 m1 Call Some(Returned) [0, 3] x3
        "#]],
    );
}

#[test]
fn all_calls_of_a_method_are_found_wherever_they_are() {
    let code = code();
    let replay = build(&code, "(0 0 (1 0 3) 12(1 0 3) 12(1 0 3) 1 (2 0 (1 0)) 3 )");
    let (blocks, calls) = (Measure::blocks(&replay), Measure::calls(&replay));
    let mut written = Written { most: usize::MAX, ..Written::default() };
    let roots: Vec<NodeId> = replay.threads.iter().map(|thread| thread.root).collect();
    Report::new(&replay, &blocks, &calls, Options::default()).methods(
        &roots,
        &|id| id == MethodId(1),
        &mut written,
    );
    expect![[r#"
        m1 Call None [] x4
          variant Some(Returned) [0, 3] x3
          variant Some(Returned) [0] x1
    "#]]
    .assert_eq(&written.text);
}

#[test]
fn figures_say_what_folding_saves() {
    let code = code();
    // 1 + 3 * (2 + 2) + 1 + 1 blocks; of the iterations one is left, and the one that leaves.
    let replay = build(&code, "(0 0 12(1 03) 12(1 03) 12(1 03) 1 3 )");
    let (blocks, calls) = (Measure::blocks(&replay), Measure::calls(&replay));
    let root = replay.threads[0].root;
    let (figures, each) = Figures::of(&replay, &blocks, &calls, &[root]);
    assert_eq!(each, [figures]);
    assert_eq!((figures.blocks, figures.calls, figures.without_loops, figures.shown), (15, 4, 7, 7));
    assert!((figures.reduction() - 100.0 * 8.0 / 15.0).abs() < 1e-9);
}

#[test]
fn figures_of_several_threads_add_up_and_equal_calls_are_told_once_in_all_of_them() {
    let code = code();
    let mut builder = Builder::new(&code);
    for (serial, method) in [(1, 1), (2, 1), (3, 2)] {
        builder.observe(serial, FlowStep::Enter { method: MethodId(method), how: Entered::Outermost });
        builder.observe(serial, FlowStep::Blocks { blocks: &[0], times: 1 });
        builder.observe(serial, FlowStep::Enter { method: MethodId(3), how: Entered::Call });
        builder.observe(serial, FlowStep::Blocks { blocks: &[0, 3], times: 1 });
    }
    let replay = builder.finish();
    let (blocks, calls) = (Measure::blocks(&replay), Measure::calls(&replay));
    let roots: Vec<NodeId> = replay.threads.iter().map(|thread| thread.root).collect();
    let (all, each) = Figures::of(&replay, &blocks, &calls, &roots);
    let one = Figures { blocks: 3, calls: 2, without_loops: 3, shown: 3 };
    assert_eq!(each, [one; 3]);
    // Block 0 of m1 and of m2, and what m3 ran.
    assert_eq!(all, Figures { blocks: 9, calls: 6, without_loops: 9, shown: 4 });
}
