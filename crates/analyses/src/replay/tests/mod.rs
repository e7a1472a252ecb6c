//! The tree against a plain list of everything that ran.

mod folding;
mod inferred;
mod support;
mod walking;

use model::Lost;
use model::code::*;
use model::flow::{Entered, FlowStep, Left};

use self::support::*;
use super::*;

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
