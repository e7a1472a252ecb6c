//! The tree against a plain list of everything that ran.

use fastrand::Rng;
use model::Lost;
use model::code::*;
use model::flow::{Entered, FlowStep, Left};

use super::*;

/// `main` (0) loops over blocks 1 2 around a call of `bake` (1) in block 2; `bake` has two nested
/// loops; `each` (2) is called back by a library from block 3 of `main`.
fn code() -> CodeMap {
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
enum Step {
    Enter(u32, Entered),
    Blocks(Vec<u32>, u64),
    Leave(Left),
    Gap,
}

/// What is true at a position: the open calls with the position of their beginning, and the block.
#[derive(Debug, Clone, PartialEq)]
struct Moment {
    calls: Vec<(u32, u64)>,
    block: u32,
}

struct Slow {
    moments: Vec<Moment>,
    /// Each call in order: method, position, depth.
    calls: Vec<(u32, u64, usize)>,
    /// Each chain of methods in the order of its first call.
    chains: Vec<Vec<u32>>,
}

fn slow(steps: &[Step]) -> Slow {
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

fn build(code: &CodeMap, steps: &[Step]) -> Replay {
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

fn bake(rng: &mut Rng, steps: &mut Vec<Step>) {
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

fn random(seed: u64) -> Vec<Step> {
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

#[test]
fn every_position_and_every_call_is_found() {
    let code = code();
    for seed in 0..200 {
        let steps = random(seed);
        let (replay, slow) = (build(&code, &steps), slow(&steps));
        let root = replay.threads[0].root;
        let (blocks, calls) = (Measure::blocks(&replay), Measure::calls(&replay));
        assert_eq!(blocks.of_node(root), slow.moments.len() as u64, "seed {seed}");
        assert_eq!(calls.of_node(root), slow.calls.len() as u64, "seed {seed}");
        for (position, moment) in slow.moments.iter().enumerate() {
            let path = replay.seek(root, &blocks, position as u64).unwrap();
            assert_eq!(path.position, position as u64);
            assert_eq!(replay.block(&path).unwrap().0, moment.block, "seed {seed} at {position}");
            let frames = replay.frames(&blocks, &path);
            let open: Vec<_> = frames.iter().map(|frame| (frame.method.0, frame.begin)).collect();
            assert_eq!(open, moment.calls, "seed {seed} at {position}");
            assert_eq!(replay.rank(&blocks, &path), position as u64);
            let begun = slow.calls.iter().filter(|call| call.1 <= position as u64).count();
            assert_eq!(replay.rank(&calls, &path), begun as u64, "seed {seed} at {position}");
        }
        assert_eq!(replay.seek(root, &blocks, slow.moments.len() as u64), None);
        for (number, &(method, position, depth)) in slow.calls.iter().enumerate() {
            let path = replay.select(root, &blocks, &calls, number as u64).unwrap();
            let frames = replay.frames(&blocks, &path);
            let last = frames.last().unwrap();
            assert_eq!((last.method.0, path.position, frames.len()), (method, position, depth));
            assert_eq!(replay.rank(&calls, &path), number as u64);
        }
    }
}

/// Methods of which nothing is known but that they ran: each has one block.
fn whole_methods() -> CodeMap {
    let mut code = code();
    for method in &mut code.methods {
        (method.blocks, method.loops) = (vec![Block::body(None)], vec![]);
    }
    code
}

/// A frame of a random method with random calls in it.
fn whole_call(rng: &mut Rng, depth: u64, steps: &mut Vec<Step>) {
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

#[test]
fn calls_that_repeat_are_put_together_and_none_is_moved() {
    let code = whole_methods();
    let mut loops = 0;
    for seed in 0..200 {
        let (mut rng, mut steps) = (Rng::with_seed(seed), vec![]);
        (0..4).for_each(|_| whole_call(&mut rng, 0, &mut steps));
        let (replay, slow) = (build(&code, &steps), slow(&steps));
        loops += (0..replay.len())
            .filter(|at| matches!(replay.kind(NodeId(*at as u32)), Kind::Loop { .. }))
            .count();
        let root = replay.threads[0].root;
        let blocks = Measure::blocks(&replay);
        assert_eq!(blocks.of_node(root), slow.moments.len() as u64, "seed {seed}");
        for (position, moment) in slow.moments.iter().enumerate() {
            let path = replay.seek(root, &blocks, position as u64).unwrap();
            let frames = replay.frames(&blocks, &path);
            let open: Vec<_> = frames.iter().map(|frame| (frame.method.0, frame.begin)).collect();
            assert_eq!(open, moment.calls, "seed {seed} at {position}");
        }
        let gaps = Measure::gaps(&replay);
        assert_eq!(gaps.of_node(root), steps.iter().filter(|step| matches!(step, Step::Gap)).count() as u64);
    }
    assert!(loops > 100, "{loops}");
}

#[test]
fn an_iteration_of_calls_begins_with_the_method_that_is_called_again() {
    let called = |methods: &[u32]| {
        let mut steps = vec![Step::Enter(9, Entered::Outermost), Step::Blocks(vec![0], 1)];
        for method in methods {
            steps.extend([
                Step::Enter(*method, Entered::Call),
                Step::Blocks(vec![0], 1),
                Step::Leave(Left::Returned),
            ]);
        }
        steps.push(Step::Leave(Left::Returned));
        let method = whole_methods().methods.remove(0);
        let code = CodeMap { methods: vec![method; 10], ..CodeMap::default() };
        let replay = build(&code, &steps);
        let main = replay.items(replay.threads[0].root)[0].node().unwrap();
        replay.items(main)[1..].iter().map(|item| shown(&replay, *item)).collect::<Vec<_>>().join(" ")
    };
    fn shown(replay: &Replay, item: Item) -> String {
        let Some(node) = item.node() else { return String::new() };
        let inside =
            || replay.items(node).iter().map(|item| shown(replay, *item)).collect::<Vec<_>>().join(" ");
        let text = match replay.kind(node) {
            Kind::Frame { method, .. } => method.0.to_string(),
            Kind::Loop { .. } => format!("[{}]", inside()),
            _ => format!("({})", inside()),
        };
        if item.times > 1 { format!("{text}*{}", item.times) } else { text }
    }
    assert_eq!(called(&[5, 1, 2, 1, 1, 2, 1, 6]), "5 [(1 2) ((1*2) 2) (1)] 6");
    assert_eq!(called(&[1, 2, 3, 1, 2, 3, 4]), "[(1 2 3)*2] 4");
    // The second time is longer, so the last call may be its end or what comes after it: it is not known again.
    assert_eq!(called(&[1, 2, 1, 3]), "[(1 2) (1)] 3");
    assert_eq!(called(&[1, 2, 3, 2, 3, 1, 2, 3]), "[(1 [(2 3)*2]) (1 2 3)]");
    assert_eq!(called(&[1, 2, 3]), "1 2 3");
    assert_eq!(called(&[1, 1, 1, 2]), "(1*3) 2");
}

#[test]
fn the_caller_is_the_block_before_the_call() {
    let code = code();
    let steps = random(11);
    let replay = build(&code, &steps);
    let (blocks, calls) = (Measure::blocks(&replay), Measure::calls(&replay));
    let root = replay.threads[0].root;
    for number in 0..calls.of_node(root) {
        let path = replay.select(root, &blocks, &calls, number).unwrap();
        let frame = *replay.frames(&blocks, &path).last().unwrap();
        let expected = match frame.method.0 {
            0 => None,
            1 => Some(2),
            _ => Some(3),
        };
        assert_eq!(frame.caller_block, expected);
    }
}

#[test]
fn matches_are_counted_and_found_like_in_the_list() {
    let code = code();
    for seed in 0..60 {
        let steps = random(seed);
        let (replay, slow) = (build(&code, &steps), slow(&steps));
        let root = replay.threads[0].root;
        let blocks = Measure::blocks(&replay);
        let wanted = Wanted {
            frame: &|method| method == MethodId(2),
            block: Some(&|method, block| method == MethodId(1) && block == 3),
            first_iterations: false,
        };
        let measure = Measure::of(&replay, &wanted);
        let mut expected: Vec<u64> = slow
            .calls
            .iter()
            .filter(|call| call.0 == 2)
            .map(|call| call.1)
            .chain((0..).zip(&slow.moments).filter_map(|(position, moment)| {
                (moment.block == 3 && moment.calls.last().unwrap().0 == 1).then_some(position)
            }))
            .collect();
        expected.sort_unstable();
        let found: Vec<u64> = (0..measure.of_node(root))
            .map(|k| replay.select(root, &blocks, &measure, k).unwrap().position)
            .collect();
        assert_eq!(found, expected, "seed {seed}");
    }
}

#[test]
fn every_loss_is_found_where_it_is() {
    let code = code();
    let mut some = 0;
    for seed in 0..60 {
        let steps = random(seed);
        let replay = build(&code, &steps);
        let root = replay.threads[0].root;
        let (blocks, gaps) = (Measure::blocks(&replay), Measure::gaps(&replay));
        let (mut expected, mut ran) = (Vec::new(), 0);
        for step in &steps {
            match step {
                Step::Blocks(blocks, times) => ran += blocks.len() as u64 * times,
                Step::Gap => expected.push(ran),
                _ => {}
            }
        }
        let path = |k| replay.select(root, &blocks, &gaps, k).unwrap();
        let found: Vec<u64> = (0..gaps.of_node(root)).map(|k| path(k).position).collect();
        assert_eq!(found, expected, "seed {seed}");
        for &position in &expected {
            let path = replay.seek(root, &blocks, position).unwrap();
            assert_eq!(replay.lost_before(&path), Some(3), "seed {seed} at {position}");
        }
        for position in (0..ran).filter(|position| !expected.contains(position)) {
            let path = replay.seek(root, &blocks, position).unwrap();
            assert_eq!(replay.lost_before(&path), None, "seed {seed} at {position}");
        }
        some += expected.len();
    }
    assert!(some > 10);
}

#[test]
fn equal_calls_are_kept_once() {
    let code = code();
    let mut steps = vec![Step::Enter(0, Entered::Outermost), Step::Blocks(vec![0], 1)];
    for _ in 0..1000 {
        steps.push(Step::Blocks(vec![1, 2], 1));
        steps.push(Step::Enter(1, Entered::Call));
        steps.push(Step::Blocks(vec![0, 1], 1));
        steps.push(Step::Blocks(vec![2, 3], 1_000_000_000));
        steps.push(Step::Blocks(vec![4, 5], 1));
        steps.push(Step::Leave(Left::Returned));
    }
    let replay = build(&code, &steps);
    assert!(replay.len() < 12, "{} nodes", replay.len());
    let blocks = Measure::blocks(&replay);
    let root = replay.threads[0].root;
    assert_eq!(blocks.of_node(root), 1 + 1000 * 2_000_000_006);
    let path = replay.seek(root, &blocks, 1 + 500 * 2_000_000_006 + 1_000_000_005).unwrap();
    let loops = replay.loops(&blocks, &path);
    let iterations: Vec<_> = loops.iter().map(|one| (one.iteration, one.iterations)).collect();
    assert_eq!(iterations, [(500, 1000), (0, 1), (500_000_000, 1_000_000_000)]);
}

/// All stops of a thread, forward.
fn stops(walker: &Walker<'_>) -> Vec<u64> {
    let mut found = vec![0];
    while let Some(moved) = walker.go(*found.last().unwrap(), Go::Next) {
        found.push(moved.path.position);
    }
    found
}

#[test]
fn a_step_back_leads_to_where_the_step_came_from() {
    let code = code();
    for seed in 0..80 {
        let steps = random(seed);
        let replay = build(&code, &steps);
        let blocks = Measure::blocks(&replay);
        let root = replay.threads[0].root;
        let some = Folds { all_open: false, open: vec![(MethodId(0), Some(0))] };
        for folds in [Folds::default(), some, Folds { all_open: true, open: vec![] }] {
            let walker = Walker::new(&replay, &blocks, &code, root, &folds);
            let forward = stops(&walker);
            let mut backward = vec![*forward.last().unwrap()];
            while let Some(moved) = walker.go(*backward.last().unwrap(), Go::Back) {
                backward.push(moved.path.position);
            }
            backward.reverse();
            assert_eq!(forward, backward, "seed {seed} {folds:?}");
        }
    }
}

#[test]
fn a_folded_loop_is_gone_through_once_and_what_is_left_out_is_told() {
    let code = code();
    let mut steps = vec![Step::Enter(0, Entered::Outermost), Step::Blocks(vec![0], 1)];
    for _ in 0..160 {
        steps.push(Step::Blocks(vec![1, 2], 1));
        steps.push(Step::Enter(1, Entered::Call));
        steps.push(Step::Blocks(vec![0, 5], 1));
        steps.push(Step::Leave(Left::Returned));
    }
    steps.push(Step::Blocks(vec![1, 3], 1));
    steps.push(Step::Leave(Left::Returned));
    let replay = build(&code, &steps);
    let blocks = Measure::blocks(&replay);
    let root = replay.threads[0].root;
    let folds = Folds::default();
    let walker = Walker::new(&replay, &blocks, &code, root, &folds);
    assert_eq!(stops(&walker), [0, 1, 2, 3, 4, 642]);
    let moved = walker.go(4, Go::Next).unwrap();
    let left_out: Vec<_> = moved.skipped.iter().map(|skipped| skipped.iterations).collect();
    assert_eq!(left_out, [160]);
    assert_eq!(walker.go(2, Go::Over).unwrap().path.position, 642);
    assert_eq!(walker.go(3, Go::Out).unwrap().path.position, 642);
    // Inside a later iteration one may walk about, and leaves the loop at its end.
    assert_eq!(walker.go(5, Go::Next).unwrap().path.position, 6);
    assert_eq!(walker.go(8, Go::Next).unwrap().path.position, 642);
    assert_eq!(walker.go(5, Go::Back).unwrap().path.position, 4);
    let path = replay.seek(root, &blocks, 3).unwrap();
    let node = replay.loops(&blocks, &path)[0].node;
    let (variants, all) = replay.variants(&blocks, node, 9);
    let found: Vec<_> = variants.iter().map(|one| (one.times, one.first_iteration, one.offset)).collect();
    assert_eq!((found, all), (vec![(160, 0, 0), (1, 160, 640)], 2));
}

#[test]
fn counts_are_those_of_the_call_so_far() {
    let code = code();
    for seed in 0..60 {
        let steps = random(seed);
        let (replay, slow) = (build(&code, &steps), slow(&steps));
        let blocks = Measure::blocks(&replay);
        let root = replay.threads[0].root;
        let mut counts = Counts::default();
        for (position, moment) in slow.moments.iter().enumerate() {
            let path = replay.seek(root, &blocks, position as u64).unwrap();
            for (depth, frame) in replay.frames(&blocks, &path).iter().enumerate() {
                let mut expected = std::collections::BTreeMap::new();
                for other in &slow.moments[frame.begin as usize..=position] {
                    if other.calls.len() == depth + 1 && other.calls[depth] == moment.calls[depth] {
                        *expected.entry(other.block).or_insert(0u64) += 1;
                    }
                }
                let found = counts.up_to(&replay, &path, frame.step);
                assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "seed {seed} {position}");
            }
        }
    }
}

#[test]
fn the_profile_is_that_of_the_list_when_each_pixel_is_a_block() {
    let code = code();
    for seed in 0..60 {
        let steps = random(seed);
        let (replay, slow) = (build(&code, &steps), slow(&steps));
        let blocks = Measure::blocks(&replay);
        let heights = Heights::of(&replay);
        let root = replay.threads[0].root;
        let profile = heights.profile(&replay, &blocks, root, slow.moments.len());
        for (moment, pixel) in slow.moments.iter().zip(&profile) {
            let depth = moment.calls.len() as u32;
            assert_eq!(*pixel, Some(Pixel { min: depth, max: depth }), "seed {seed}");
        }
        let all = heights.profile(&replay, &blocks, root, 1);
        let depths = slow.moments.iter().map(|moment| moment.calls.len() as u32);
        let pixel = Pixel { min: depths.clone().min().unwrap(), max: depths.max().unwrap() };
        assert_eq!(all, [Some(pixel)]);
    }
}

#[test]
fn contexts_come_in_the_order_of_their_first_call() {
    let code = code();
    for seed in 0..60 {
        let steps = random(seed);
        let (replay, slow) = (build(&code, &steps), slow(&steps));
        let blocks = Measure::blocks(&replay);
        let contexts = Contexts::of(&replay, &blocks, replay.threads[0].root, 100);
        assert!(contexts.complete);
        let mut found: Vec<Vec<u32>> = Vec::new();
        for context in &contexts.list {
            let mut chain = context.parent.map_or(Vec::new(), |parent| found[parent].clone());
            chain.push(context.method.0);
            found.push(chain);
        }
        // In this code a method is called from one block only, so methods distinguish chains.
        assert_eq!(found, slow.chains, "seed {seed}");
        let keys = contexts.keys();
        let chain = [(None, MethodId(0)), (Some(2), MethodId(1))];
        let bake = contexts.list.iter().position(|one| one.method == MethodId(1) && one.parent == Some(0));
        assert_eq!(contexts.find(&keys, &chain), [Some(0), bake]);
    }
}

#[test]
fn bytes_give_the_same_replay_and_damaged_ones_none_or_a_sound_one() {
    let code = code();
    let replay = build(&code, &random(5));
    let bytes = to_bytes(&replay);
    let again = from_bytes(&bytes).unwrap();
    assert_eq!(to_bytes(&again), bytes);
    assert_eq!(again.threads, replay.threads);
    for cut in 0..bytes.len() {
        assert!(from_bytes(&bytes[..cut]).is_none(), "cut at {cut}");
    }
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x55;
        let Some(read) = from_bytes(&damaged) else { continue };
        let blocks = Measure::blocks(&read);
        for thread in &read.threads {
            let total = blocks.of_node(thread.root);
            for position in [0, 5, total / 2, total.saturating_sub(1), u64::MAX] {
                if let Some(path) = read.seek(thread.root, &blocks, position) {
                    read.frames(&blocks, &path);
                    read.loops(&blocks, &path);
                }
            }
        }
    }
}

#[test]
fn steps_that_do_not_fit_are_counted_and_do_no_harm() {
    let code = code();
    let mut builder = Builder::new(&code);
    builder.observe(1, FlowStep::Leave { how: Left::Returned });
    builder.observe(1, FlowStep::Blocks { blocks: &[1, 2], times: 5 });
    builder.observe(1, FlowStep::Enter { method: MethodId(99), how: Entered::Unseen });
    builder.observe(1, FlowStep::Blocks { blocks: &[7, 8], times: u64::MAX });
    builder.observe(1, FlowStep::Gap { lost: Lost::Unknown });
    let replay = builder.finish();
    let blocks = Measure::blocks(&replay);
    assert!(replay.threads[0].inconsistent > 0);
    assert!(blocks.of_node(replay.threads[0].root) > 1 << 47);
}

#[test]
fn what_was_inferred_is_kept_as_it_is() {
    use model::Certainty;
    let likely = |probability| Inferred::new(7, Certainty::Likely { probability });
    for inferred in [Inferred::new(3, Certainty::OnlyWay), likely(0.5), likely(1.0), likely(0.0)] {
        assert_eq!(Item::new(What::Inferred(inferred), 1).what(), What::Inferred(inferred));
    }
    assert!(!likely(1.0).is_only_way(), "what was weighed is never certain");
    assert_eq!(Inferred::new(u64::MAX, Certainty::OnlyWay).records, Inferred::MOST);
    assert_eq!(Item::new(What::Observed, 1).what(), What::Observed);
    assert_eq!(Item::new(What::Gap(12), 1).what(), What::Gap(12));
    assert!(matches!(Item::new(What::Gap(u32::MAX), 1).what(), What::Gap(_)));
}

/// A random run in which some steps in a row are inferred; by position, whether that block was, and the ranges.
fn with_inferred(seed: u64, code: &CodeMap) -> (Replay, Vec<bool>, Vec<(u64, u64, u32)>) {
    let mut rng = Rng::with_seed(seed ^ 0x5eed);
    let mut builder = Builder::new(code);
    let (mut is_inferred, mut ranges, mut until) = (vec![], vec![], None);
    let steps = random(seed);
    for (at, step) in steps.iter().enumerate() {
        if until == Some(at) {
            until = None;
            builder.observe(7, FlowStep::Observed);
            let (_, end, _): &mut (u64, u64, u32) = ranges.last_mut().unwrap();
            *end = is_inferred.len() as u64;
        }
        if until.is_none() && rng.u8(..12) == 0 {
            let records = rng.u32(1..9);
            let (length, lost) = (rng.usize(1..7), u64::from(records));
            until = Some(at + length).filter(|until| *until < steps.len());
            if until.is_some() {
                builder.observe(7, FlowStep::Inferred { lost, certainty: model::Certainty::OnlyWay });
                ranges.push((is_inferred.len() as u64, 0, records));
            }
        }
        let step = match step {
            Step::Enter(method, how) => FlowStep::Enter { method: MethodId(*method), how: *how },
            Step::Blocks(blocks, times) => {
                let count = blocks.len() as u64 * times;
                is_inferred.resize(is_inferred.len() + count as usize, until.is_some());
                FlowStep::Blocks { blocks, times: *times }
            }
            Step::Leave(how) => FlowStep::Leave { how: *how },
            Step::Gap => FlowStep::Gap { lost: Lost::Events(3) },
        };
        builder.observe(7, step);
    }
    (builder.finish(), is_inferred, ranges)
}

#[test]
fn what_is_inferred_is_known_at_each_position_and_in_each_call() {
    let code = code();
    let mut sums = 0;
    for seed in 0..60 {
        let (replay, is_inferred, ranges) = with_inferred(seed, &code);
        let (blocks, inferences) = (Measure::blocks(&replay), Inferences::of(&replay));
        let (root, mut counts) = (replay.threads[0].root, Counts::default());
        assert_eq!(inferences.len(root), ranges.len() as u64, "seed {seed}");
        for (number, range) in (0..).zip(&ranges) {
            let found = inferences.get(&replay, &blocks, root, number).unwrap();
            assert_eq!((found.begin, found.end, found.inferred.records), *range, "seed {seed}");
        }
        assert_eq!(blocks.of_node(root), is_inferred.len() as u64);
        for at in 0..is_inferred.len() as u64 {
            let path = replay.seek(root, &blocks, at).unwrap();
            let around = inferences.around(&replay, &blocks, root, &path);
            let own = ranges.iter().find(|(from, to, _)| (*from..*to).contains(&at));
            assert_eq!(around.map(|range| (range.begin, range.end)), own.map(|own| (own.0, own.1)));
            let before = inferences.last_before(&replay, &blocks, root, &path);
            let last = ranges.iter().rfind(|(_, to, _)| *to <= at);
            assert_eq!(before.map(|range| range.end), last.map(|own| own.1), "seed {seed}, {at}");
            if at % 7 > 0 {
                continue;
            }
            // In each open call, against a look at each of its blocks.
            for frame in replay.frames(&blocks, &path) {
                let slow = |end: u64| {
                    let mut sum = std::collections::BTreeMap::new();
                    for at in (frame.begin..end).filter(|at| is_inferred[*at as usize]) {
                        let path = replay.seek(root, &blocks, at).unwrap();
                        let last = *replay.frames(&blocks, &path).last().unwrap();
                        if (last.begin, last.step) == (frame.begin, frame.step) {
                            *sum.entry(replay.block(&path).unwrap().0).or_insert(0) += 1;
                        }
                    }
                    sum.into_iter().collect::<Vec<_>>()
                };
                let found = inferences.up_to(&replay, &mut counts, &path, frame.step);
                assert_eq!(found, slow(at + 1), "seed {seed}, up to {at}");
                let all = inferences.of_call(&replay, &mut counts, &path, frame.step);
                assert_eq!(all, slow(frame.end), "seed {seed}, call at {at}");
                sums += found.len();
            }
        }
    }
    assert!(sums > 1_000, "{sums}");
}

/// What was wrong: a boundary between two calls of a library was dropped, as a row of calls has room for calls only.
#[test]
fn a_row_of_calls_ends_where_something_is_inferred() {
    let code = code();
    let mut builder = Builder::new(&code);
    let mut call = |before: Option<FlowStep<'static>>| {
        before.into_iter().for_each(|step| builder.observe(7, step));
        builder.observe(7, FlowStep::Enter { method: MethodId(2), how: Entered::Library });
        builder.observe(7, FlowStep::Blocks { blocks: &[0], times: 1 });
        builder.observe(7, FlowStep::Leave { how: Left::Returned });
    };
    let inferred = FlowStep::Inferred { lost: 1, certainty: model::Certainty::OnlyWay };
    for before in [None, None, None, Some(inferred), None, Some(FlowStep::Observed), None] {
        call(before);
    }
    let replay = builder.finish();
    let (blocks, inferences) = (Measure::blocks(&replay), Inferences::of(&replay));
    let range = inferences.get(&replay, &blocks, replay.threads[0].root, 0).unwrap();
    assert_eq!((range.begin, range.end), (3, 5));
    assert_eq!(Measure::inferred(&replay).of_node(replay.threads[0].root), 1);
}

/// What was wrong: blocks of one line were one stop, whatever was lost between them.
#[test]
fn a_loss_and_the_begin_and_the_end_of_what_is_inferred_are_stops() {
    let code = code();
    let mut builder = Builder::new(&code);
    let inferred = FlowStep::Inferred { lost: 1, certainty: model::Certainty::OnlyWay };
    let gap = FlowStep::Gap { lost: Lost::Events(1) };
    builder.observe(7, FlowStep::Enter { method: MethodId(1), how: Entered::Outermost });
    for (block, after) in
        [(3, None), (4, Some(inferred)), (3, None), (4, Some(FlowStep::Observed)), (3, Some(gap)), (4, None)]
    {
        builder.observe(7, FlowStep::Blocks { blocks: &[block], times: 1 });
        after.into_iter().for_each(|step| builder.observe(7, step));
    }
    let replay = builder.finish();
    let (blocks, folds) = (Measure::blocks(&replay), Folds { all_open: true, open: vec![] });
    let walker = Walker::new(&replay, &blocks, &code, replay.threads[0].root, &folds);
    // Blocks 3 and 4 stand on one line.
    assert_eq!(stops(&walker), [0, 2, 4, 5]);
}
