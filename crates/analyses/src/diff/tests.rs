//! Runs written by hand, held against each other.

use std::fmt::Write;

use expect_test::{Expect, expect};
use model::code::{Block, Class, CodeMap, Edge, EdgeKind, Ending, Loop, Method};
use model::flow::{Entered, FlowStep, Left};
use model::{ClassId, Lost, MethodId};

use super::*;
use crate::replay::{Builder, Replay};
use fastrand::Rng;

/// Methods `m0` to `m8`: six blocks each, block 1 the head of a loop of 1 and 2, 4 a handler; `m9` is `<clinit>`.
pub(super) fn code() -> CodeMap {
    let block = |at: u32| Block {
        start: at,
        end: at + 1,
        lines: vec![at as u16 * 10],
        ending: [
            Ending::FallThrough,
            Ending::Branch,
            Ending::Jump,
            Ending::Switch,
            Ending::Throw,
            Ending::Return,
        ][at as usize]
            .clone(),
        is_handler: at == 4,
    };
    let edge = |from, to| Edge { from, to, kind: EdgeKind::Next };
    let method = |id: u32| Method {
        class: ClassId(0),
        name: if id == 9 { "<clinit>".into() } else { format!("m{id}") },
        descriptor: "()V".into(),
        access_flags: 1,
        blocks: (0..6).map(block).collect(),
        edges: vec![edge(0, 1), edge(1, 2), edge(2, 1), edge(1, 3)],
        exception_edges: vec![(2, 4)],
        loops: vec![Loop { head: 1, blocks: vec![1, 2], parent: None }],
    };
    CodeMap {
        classes: vec![Class { name: "T".into(), source_file: None, origin: None }],
        methods: (0..10).map(method).collect(),
        ..CodeMap::default()
    }
}

/// `(3` enters method 3; a digit runs a block, `c` the handler; `)` returns, `!` throws, `?` loses five; `/` begins another
/// thread.
fn build(code: &CodeMap, runs: &str) -> Replay {
    let mut builder = Builder::new(code);
    for (serial, run) in (1..).zip(runs.split('/')) {
        let mut characters = run.chars().filter(|character| *character != ' ');
        while let Some(character) = characters.next() {
            let step = match character {
                '(' => {
                    let method = MethodId(characters.next().and_then(|digit| digit.to_digit(10)).unwrap());
                    FlowStep::Enter { method, how: Entered::Call }
                }
                ')' => FlowStep::Leave { how: Left::Returned },
                '!' => FlowStep::Leave { how: Left::Threw },
                '~' => FlowStep::Leave { how: Left::Unseen },
                'c' => FlowStep::Catch { block: 4 },
                '?' => FlowStep::Gap { lost: Lost::Events(5) },
                digit => {
                    let blocks = [digit.to_digit(10).unwrap()];
                    builder.observe(serial, FlowStep::Blocks { blocks: &blocks, times: 1 });
                    continue;
                }
            };
            builder.observe(serial, step);
        }
    }
    builder.finish()
}

pub(super) fn joint(sides: &[(&CodeMap, &str)]) -> Joint {
    let mut joint = Joint::default();
    for (code, runs) in sides {
        joint.add(code, &build(code, runs), |serial| (format!("thread {serial}"), 0));
    }
    joint
}

fn reported(joint: &Joint) -> String {
    let diff = Diff::of(joint, &Measure::blocks(&joint.replay), 0, 1, |_| true);
    let mut out = String::new();
    for thread in &diff.threads {
        let Some(parting) = &thread.parting else {
            if !thread.is_equal() {
                writeln!(out, "only one side has {:?}", thread.indices).unwrap();
            }
            continue;
        };
        let frames: Vec<String> = parting.frames.iter().map(|(id, at)| format!("m{}.{at:?}", id.0)).collect();
        writeln!(out, "parts after {} in {}: {:?}", parting.position, frames.join(" "), parting.next)
            .unwrap();
    }
    for one in &diff.differences {
        let change = match one.change {
            Change::Variant { index, .. } => format!("Variant {index:?}"),
            other => format!("{other:?}"),
        };
        let method = if one.method == THREAD { "thread".to_owned() } else { format!("m{}", one.method.0) };
        writeln!(out, "{method} {change} {:?} x{}", one.counts, one.times).unwrap();
    }
    out.replace("MethodId", "").replace("Some", "")
}

fn check(a: &str, b: &str, expected: Expect) {
    let code = code();
    expected.assert_eq(&reported(&joint(&[(&code, a), (&code, b)])));
}

#[test]
fn equal_runs_have_no_difference() {
    check("(0 0 (1 0 1 2 1 2 1 3) 3 5)", "(0 0 (1 0 1 2 1 2 1 3) 3 5)", expect![[""]]);
}

#[test]
fn another_branch_is_told_where_it_is() {
    check(
        "(0 0 (1 0 1 3 5) 3)",
        "(0 0 (1 0 1 3) 3)",
        expect![[r#"
            parts after 4 in m0.(0) m1.(3): [Block(5), Left(Returned)]
            m1 Path { after: (3), next: [Block(5), Left(Returned)] } [1, 1] x1
        "#]],
    );
}

#[test]
fn calls_come_and_go_and_move() {
    check(
        "(0 0 (1 0) 3 (2 0) 5)",
        "(0 0 3 (3 0) 5)",
        expect![[r#"
            parts after 1 in m0.(0): [Call((1)), Block(3)]
            m0 Calls { at: (0), callee: (1) } [1, 0] x1
            m0 Calls { at: (3), callee: (2) } [1, 0] x1
            m0 Calls { at: (3), callee: (3) } [0, 1] x1
        "#]],
    );
    check(
        "(0 0 (1 0) (2 0) 3)",
        "(0 0 (2 0) (1 0) 3)",
        expect![[r#"
            parts after 1 in m0.(0): [Call((1)), Call((2))]
            m0 Moved { at: [(0), (0)], callee: (1) } [1, 1] x1
        "#]],
    );
}

#[test]
fn loops_differ_by_iterations_and_kinds() {
    check(
        "(0 0 1 2 1 2 1 2 1 3)",
        "(0 0 1 2 1 2 1 2 1 2 1 2 1 3)",
        expect![[r#"
            parts after 8 in m0.(1): [Block(3), Block(2)]
            m0 Iterations { index: (0), after: None } [4, 6] x1
            m0 Variant (0) [0, 2] x1
        "#]],
    );
    check(
        "(0 0 1 2 1 2 (1 0) 1 2 1 3)",
        "(0 0 1 2 (1 0) 1 2 1 2 1 3)",
        expect![[r#"
            parts after 3 in m0.(2): [Block(1), Call((1))]
            m0 Order { index: (0) } [1, 1] x1
        "#]],
    );
}

#[test]
fn an_exception_is_told_before_what_follows_from_it() {
    check(
        "(0 0 (1 0 3) 3 5)",
        "(0 0 (1 0 3! c )",
        expect![[r#"
            parts after 3 in m0.(0) m1.(3): [Left(Returned), Left(Threw)]
            m1 Ended { left: [Returned, Threw] } [1, 1] x1
            m0 Path { after: (0), next: [Block(3), Catch(4)] } [1, 1] x1
            m0 Caught { block: 4 } [0, 1] x1
        "#]],
    );
}

#[test]
fn recursion_deeper_by_one_is_one_difference_a_depth() {
    check(
        "(0 0 (0 0 (0 5) 3) 3)",
        "(0 0 (0 0 (0 0 (0 5) 3) 3) 3)",
        expect![[r#"
            parts after 2 in m0.(0) m0.(0) m0.None: [Block(5), Block(0)]
            m0 Path { after: None, next: [Block(5), Block(0)] } [1, 1] x1
            m0 Calls { at: (0), callee: (0) } [0, 1] x1
        "#]],
    );
}

#[test]
fn what_follows_a_loss_is_not_compared() {
    check(
        "(0 0 3 (1 0) 5)",
        "(0 0 ? 5)",
        expect![[r#"
        parts after 1 in m0.(0): [Block(3), Unseen]
    "#]],
    );
    check(
        "(0 0 ? 5)",
        "(0 0 3 (1 0) 5)",
        expect![[r#"
        parts after 1 in m0.(0): [Unseen, Block(3)]
    "#]],
    );
    // What was seen before it is.
    check(
        "(0 0 5 ?",
        "(0 0 3 3 3 5)",
        expect![[r#"
        parts after 1 in m0.(0): [Block(5), Block(3)]
        m0 Path { after: (0), next: [Block(5), Block(3)] } [1, 1] x1
    "#]],
    );
    // An iteration that was not finished is none that is missing.
    check(
        "(0 0 1 2 1 2",
        "(0 0 1 2 1 2 1 2 1 2 1 3)",
        expect![[r#"
        parts after 5 in m0.(2): [Unseen, Block(1)]
    "#]],
    );
}

#[test]
fn threads_are_matched_by_what_they_ran() {
    check(
        "(0 0)/(1 0)",
        "(0 0)/(1 0)/(2 0)",
        expect![[r#"
        only one side has (None, (2))
    "#]],
    );
    let code = code();
    let mut joint = Joint::default();
    joint.add(&code, &build(&code, "(0 0)/(0 3)"), |serial| (format!("pool-1-thread-{serial}"), 0));
    joint.add(&code, &build(&code, "(0 3)/(0 0)"), |serial| (format!("pool-2-thread-{serial}"), 0));
    assert_eq!(reported(&joint), "");
}

#[test]
fn class_initialisers_may_run_anywhere() {
    check("(0 0 (9 0 3) 3)/(1 0 0)", "(0 0 3)/(1 0 (9 0 3) 0)", expect![[""]]);
    check(
        "(0 0 (9 0 3) 3)",
        "(0 0 3 (9 0 5))",
        expect![[r#"
        m9 Path { after: (0), next: [Block(3), Block(5)] } [1, 1] x1
    "#]],
    );
}

/// Lines that were inserted move nothing, and a block that was is one difference.
#[test]
fn another_build_has_other_numbers() {
    let old = code();
    let mut new = code();
    new.methods.insert(0, Method { name: "new".into(), ..new.methods[3].clone() });
    for method in &mut new.methods {
        for block in &mut method.blocks {
            block.lines.iter_mut().for_each(|line| *line += 7);
        }
    }
    // Method 1 of the new code is `m0`.
    assert_eq!(reported(&joint(&[(&old, "(0 0 (1 0 1 2 1 3) 5)"), (&new, "(1 0 (2 0 1 2 1 3) 5)")])), "");
    let mut checked = code();
    let call = Ending::Jump;
    let block = Block { start: 9, end: 10, lines: vec![5], ending: call, is_handler: false };
    checked.methods[0].blocks.insert(1, block);
    expect![[r#"
        parts after 1 in m0.(0): [Block(3), Block(6)]
        m0 Path { after: (0), next: [Block(3), Block(6)] } [1, 1] x1
    "#]]
    .assert_eq(&reported(&joint(&[(&old, "(0 0 3 5)"), (&checked, "(0 0 1 4 6)")])));
}

#[test]
fn what_varies_by_itself_is_learned() {
    let code = code();
    let runs =
        ["(0 0 (1 0 3) (2 0))", "(0 0 (1 0 5) (2 0))", "(0 0 (1 0 3 5) (2 0))", "(0 0 (1 0 3) (2 0 3))"];
    let joint = joint(&runs.map(|run| (&code, run)));
    let blocks = Measure::blocks(&joint.replay);
    let left = |side: usize| {
        let varying = Varying::of(&joint, &blocks, &[0, 1], side, |_| true);
        let diff = Diff::of(&joint, &blocks, 0, side, |_| true);
        diff.differences.iter().filter(|one| !varying.explains(one.method, &one.change)).count()
    };
    assert_eq!([2, 3].map(left), [0, 1]);
}

/// A run of methods 0 to 3, nested up to four deep.
pub(super) fn random(rng: &mut Rng) -> String {
    let (mut text, mut depth) = ("(0 0".to_owned(), 1);
    for _ in 0..rng.u64(..30) {
        match rng.u64(..8) {
            0 | 1 if depth < 4 => {
                write!(text, "({} 0", rng.u64(..4)).unwrap();
                depth += 1;
            }
            2 if depth > 1 => {
                text.push(')');
                depth -= 1;
            }
            _ => write!(text, "{}", [1, 2, 1, 3, 5][rng.usize(..5)]).unwrap(),
        }
    }
    (0..depth).for_each(|_| text.push(')'));
    text
}

/// Whatever is changed in a run is found; nothing is where nothing is changed.
#[test]
fn differences_are_there_if_and_only_if_runs_differ() {
    let code = code();
    let mut rng = Rng::with_seed(7);
    for _ in 0..2_000 {
        let [a, b] = [random(&mut rng), random(&mut rng)];
        let joint = joint(&[(&code, &a), (&code, &b)]);
        let blocks = Measure::blocks(&joint.replay);
        let diff = Diff::of(&joint, &blocks, 0, 1, |_| true);
        let same = joint.sides[0].threads[0].root == joint.sides[1].threads[0].root;
        assert_eq!(diff.differences.is_empty(), same, "{a}\n{b}");
        assert_eq!(diff.threads[0].is_equal(), same);
        let back = Diff::of(&joint, &blocks, 1, 0, |_| true);
        assert_eq!(
            back.threads[0].parting.as_ref().map(|parting| parting.position),
            diff.threads[0].parting.as_ref().map(|parting| parting.position)
        );
        // Plain slow version of where they part: as many blocks as both lists begin with alike.
        let list = |text: &str| text.chars().filter(|c| *c != ' ').collect::<String>();
        let (a, b) = (list(&a), list(&b));
        let common: String = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect();
        let mut ran = 0;
        let mut characters = common.chars();
        while let Some(character) = characters.next() {
            match character {
                '(' => drop(characters.next()),
                ')' => {}
                _ => ran += 1,
            }
        }
        if let Some(parting) = &diff.threads[0].parting {
            assert_eq!(parting.position, ran, "{a}\n{b}");
        }
    }
}

/// `m0` calls `m1` so many times; how each of them goes on is a letter: `3` or `5`, `!` throws behind `3`.
fn calls_of_m1(ends: &str) -> String {
    let each = ends.chars().map(|end| if end == '!' { "(1 0 3!".to_owned() } else { format!("(1 0 {end})") });
    format!("(0 0 {} 5)", each.collect::<Vec<_>>().join(" 2 "))
}

#[test]
fn a_rate_far_out_of_the_range_of_the_baselines_is_a_difference() {
    let code = code();
    let found = |ends: &str| {
        let same = ["35353355335533553355", "33553355335335533553", "35533353355335533535"];
        let runs = same.iter().copied().chain([ends]).map(calls_of_m1).collect::<Vec<_>>();
        let sides: Vec<_> = runs.iter().map(|run| (&code, run.as_str())).collect();
        let joint = joint(&sides);
        let varying = Varying::of(&joint, &Measure::blocks(&joint.replay), &[0, 1, 2], 3, |_| true);
        varying.shifts().iter().map(|shift| (shift.method, shift.change)).collect::<Vec<_>>()
    };
    assert_eq!(found("35335335335533553355"), []);
    // One that none of them did may be chance.
    assert_eq!(found("3!335335335533553355"), []);
    let path = |after, next| (MethodId(1), Change::Path { after: Some(after), next });
    let found = found("!!!!!!!!!!!!!!!!!!!!");
    assert!(found.contains(&path(3, [Next::Left(Left::Returned), Next::Left(Left::Threw)])), "{found:?}");
}
