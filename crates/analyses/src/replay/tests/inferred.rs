//! What is inferred where records were lost.

use fastrand::Rng;
use model::Lost;
use model::code::*;
use model::flow::{Entered, FlowStep, Left};

use super::super::*;
use super::support::*;

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
