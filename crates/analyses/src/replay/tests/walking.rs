//! Steps forwards and backwards.

use model::code::*;
use model::flow::{Entered, Left};

use super::super::*;
use super::support::*;

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
