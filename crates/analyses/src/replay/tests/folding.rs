//! What repeats is kept once, and nothing is moved.

use fastrand::Rng;
use model::code::*;
use model::flow::{Entered, Left};

use super::super::*;
use super::support::*;

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
