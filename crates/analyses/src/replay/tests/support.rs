//! Random runs of a small program, and a plain list of everything that ran in them.

use fastrand::Rng;
use model::Lost;
use model::code::*;
use model::flow::{Entered, FlowStep, Left};

use super::super::*;

/// `main` (0) loops over blocks 1 2 around a call of `bake` (1) in block 2; `bake` has two nested
/// loops; `each` (2) is called back by a library from block 3 of `main`.
pub(super) fn code() -> CodeMap {
    let call = |name: &str| {
        Ending::Call(CallSite {
            class: "shop.Main".into(),
            name: name.into(),
            descriptor: "()V".into(),
            kind: CallKind::Static,
        })
    };
    let block =
        |line: u16, ending: Ending| Block { start: 0, end: 1, lines: vec![line], ending, is_handler: false };
    let method = |name: &str, blocks: Vec<Block>, loops: Vec<Loop>| Method {
        class: ClassId(0),
        name: name.into(),
        descriptor: "()V".into(),
        access_flags: 9,
        blocks,
        edges: Vec::new(),
        exception_edges: Vec::new(),
        loops,
    };
    let plain = |line| block(line, Ending::FallThrough);
    let around = |head, blocks: &[u32], parent| Loop { head, blocks: blocks.to_vec(), parent };
    CodeMap {
        classes: vec![Class {
            name: "shop.Main".into(),
            source_file: Some("Main.java".into()),
            origin: None,
        }],
        methods: vec![
            method(
                "main",
                vec![plain(3), plain(4), block(5, call("bake")), plain(6), plain(8), plain(9)],
                vec![around(1, &[1, 2], None)],
            ),
            method(
                "bake",
                vec![plain(12), plain(13), plain(14), plain(15), plain(15), plain(17)],
                vec![around(1, &[1, 2, 3, 4], None), around(2, &[2, 3], Some(0))],
            ),
            method("each", vec![plain(21), plain(22)], vec![]),
        ],
        ..CodeMap::default()
    }
}

/// A thing that happened, as the tests feed it.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Enter(u32, Entered),
    Blocks(Vec<u32>, u64),
    Leave(Left),
    Gap,
}

/// What is true at a position: the open calls with the position of their beginning, and the block.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Moment {
    pub(super) calls: Vec<(u32, u64)>,
    pub(super) block: u32,
}

pub(super) struct Slow {
    pub(super) moments: Vec<Moment>,
    /// Each call in order: method, position, depth.
    pub(super) calls: Vec<(u32, u64, usize)>,
    /// Each chain of methods in the order of its first call.
    pub(super) chains: Vec<Vec<u32>>,
}

pub(super) fn slow(steps: &[Step]) -> Slow {
    let mut slow = Slow { moments: Vec::new(), calls: Vec::new(), chains: Vec::new() };
    let mut open: Vec<(u32, u64)> = Vec::new();
    for step in steps {
        let now = slow.moments.len() as u64;
        match step {
            Step::Enter(method, _) => {
                open.push((*method, now));
                slow.calls.push((*method, now, open.len()));
                let chain: Vec<u32> = open.iter().map(|call| call.0).collect();
                if !slow.chains.contains(&chain) {
                    slow.chains.push(chain);
                }
            }
            Step::Blocks(blocks, times) => {
                for _ in 0..*times {
                    for &block in blocks {
                        slow.moments.push(Moment { calls: open.clone(), block });
                    }
                }
            }
            Step::Leave(_) => drop(open.pop()),
            Step::Gap => {}
        }
    }
    slow
}

pub(super) fn build(code: &CodeMap, steps: &[Step]) -> Replay {
    let mut builder = Builder::new(code);
    for step in steps {
        let step = match step {
            Step::Enter(method, how) => FlowStep::Enter { method: MethodId(*method), how: *how },
            Step::Blocks(blocks, times) => FlowStep::Blocks { blocks, times: *times },
            Step::Leave(how) => FlowStep::Leave { how: *how },
            Step::Gap => FlowStep::Gap { lost: Lost::Events(3) },
        };
        builder.observe(7, step);
    }
    builder.finish()
}

pub(super) fn bake(rng: &mut Rng, steps: &mut Vec<Step>) {
    steps.push(Step::Enter(1, Entered::Call));
    steps.push(Step::Blocks(vec![0], 1));
    for _ in 0..rng.u64(..4) {
        steps.push(Step::Blocks(vec![1], 1));
        if rng.u64(..3) == 0 {
            steps.push(Step::Blocks(vec![2, 3], 1 + rng.u64(..5)));
        } else {
            for _ in 0..rng.u64(..4) {
                steps.push(Step::Blocks(vec![2], 1));
                steps.push(Step::Blocks(vec![3], 1));
            }
        }
        if rng.u64(..8) == 0 {
            steps.push(Step::Gap);
        }
        steps.push(Step::Blocks(vec![4], 1));
    }
    if rng.u64(..3) == 0 {
        steps.push(Step::Blocks(vec![1, 2, 3, 4], 1 + rng.u64(..4)));
    }
    let how = if rng.u64(..5) == 0 { Left::Threw } else { Left::Returned };
    steps.push(Step::Blocks(vec![5], 1));
    steps.push(Step::Leave(how));
}

pub(super) fn random(seed: u64) -> Vec<Step> {
    let mut rng = Rng::with_seed(seed);
    let mut steps = Vec::new();
    for _ in 0..1 + rng.u64(..2) {
        steps.push(Step::Enter(0, Entered::Outermost));
        steps.push(Step::Blocks(vec![0], 1));
        for _ in 0..rng.u64(..6) {
            steps.push(Step::Blocks(vec![1, 2], 1));
            bake(&mut rng, &mut steps);
        }
        steps.push(Step::Blocks(vec![1, 3], 1));
        for _ in 0..rng.u64(..5) {
            steps.push(Step::Enter(2, Entered::Library));
            steps.push(Step::Blocks(vec![0], 1));
            if rng.u64(..3) == 0 {
                steps.push(Step::Blocks(vec![1], 1));
            }
            steps.push(Step::Leave(Left::Returned));
        }
        steps.push(Step::Blocks(vec![4], 1));
        if rng.u64(..4) > 0 {
            steps.push(Step::Leave(Left::Returned));
        }
    }
    steps
}

/// Methods of which nothing is known but that they ran: each has one block.
pub(super) fn whole_methods() -> CodeMap {
    let mut code = code();
    for method in &mut code.methods {
        (method.blocks, method.loops) = (vec![Block::body(None)], vec![]);
    }
    code
}

/// A frame of a random method with random calls in it.
pub(super) fn whole_call(rng: &mut Rng, depth: u64, steps: &mut Vec<Step>) {
    steps.push(Step::Enter(rng.u32(..3), Entered::Call));
    steps.push(Step::Blocks(vec![0], 1));
    for _ in 0..rng.u64(..9).saturating_sub(2 * depth) {
        whole_call(rng, depth + 1, steps);
        if rng.u64(..9) == 0 {
            steps.push(Step::Gap);
        }
    }
    steps.push(Step::Leave(Left::Returned));
}

/// All stops of a thread, forward.
pub(super) fn stops(walker: &Walker<'_>) -> Vec<u64> {
    let mut found = vec![0];
    while let Some(moved) = walker.go(*found.last().unwrap(), Go::Next) {
        found.push(moved.path.position);
    }
    found
}
