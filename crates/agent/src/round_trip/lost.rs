//! What is lost costs what was lost: what came before is recorded exactly, the loss is counted exactly, and
//! reading goes on with the first record behind it. Whatever is recorded behind a loss did run, in this order
//! and as often; of each frame that was open meanwhile a few blocks more may be missing.
//!
//! All of it for methods that record paths, and for those among which some record their blocks.

use capture::paths::{CODE as CODE_OF, FOLLOWING, NO_STATE};
use capture::{CODE, Capture, ChunkHead, ChunkWriter, Encoding, STEPS, fixture};
use model::Lost;
use model::flow::{FlowStep, Left};
use model::flow_source::Anomalies;

use super::generated;
use super::program::Program;
use super::simulator::{Simulator, Step};

/// Words in a chunk, more or less: a record never goes over its end.
const CHUNK: usize = 60;

/// A block that ran, with its method.
type Ran = (u32, u32);

/// The words cut into chunks; `ends` is given how long a chunk is and the word that its next record begins with.
fn chunks(words: &[u32], mut ends: impl FnMut(usize, u32) -> bool) -> Vec<&[u32]> {
    let (mut chunks, mut begin, mut at) = (Vec::new(), 0, 0);
    while at < words.len() {
        at += 1 + (words[at] >> FOLLOWING) as usize;
        if at >= words.len() || ends(at - begin, words[at]) {
            chunks.push(&words[begin..at.min(words.len())]);
            begin = at;
        }
    }
    chunks
}

/// What is read of these chunks; some were lost, and the recorder has counted their words.
struct Read {
    blocks: Vec<Ran>,
    /// What was recorded before the first loss.
    before_gap: usize,
    gaps: Vec<Lost>,
    anomalies: Anomalies,
}

fn read(program: &Program, chunks: &[&[u32]], is_lost: impl Fn(usize) -> bool) -> Read {
    let (mut steps, mut writer, mut lost_before, mut number) = (Vec::new(), ChunkWriter::new(), 0, 0);
    for (index, words) in chunks.iter().enumerate() {
        if is_lost(index) {
            lost_before += words.len() as u64;
            continue;
        }
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let head = ChunkHead {
            thread: 1,
            number,
            words: 0,
            encoding: Encoding::Paths,
            last: index + 1 == chunks.len(),
            lost_before: std::mem::take(&mut lost_before),
            time_first: 0,
            time_last: 0,
        };
        writer.put(&mut steps, head, &bytes);
        number += 1;
    }
    let files = fixture::sources(&[(CODE, program.code_file(1)), (STEPS, steps)]);
    let capture = Capture::open(files).unwrap();
    assert_eq!(capture.diagnostics, []);
    let mut flow = capture.flow(&capture.threads[0]);
    let mut read = Read { blocks: vec![], before_gap: 0, gaps: vec![], anomalies: Anomalies::default() };
    let mut open: Vec<u32> = Vec::new();
    while let Some(step) = flow.next_step() {
        match step {
            FlowStep::Enter { method, .. } => open.push(method.0),
            FlowStep::Blocks { blocks, times } => {
                let method = *open.last().unwrap();
                let ran = blocks.iter().map(|&block| (method, block));
                (0..super::iterations(times)).for_each(|_| read.blocks.extend(ran.clone()));
            }
            FlowStep::Catch { block } => read.blocks.push((*open.last().unwrap(), block)),
            FlowStep::Gap { lost } => {
                if read.gaps.is_empty() {
                    read.before_gap = read.blocks.len();
                }
                read.gaps.push(lost);
            }
            // What was open to the end is recorded no further here.
            FlowStep::Leave { how: Left::Open } => break,
            FlowStep::Leave { .. } => drop(open.pop()),
            FlowStep::Inferred { .. }
            | FlowStep::Observed
            | FlowStep::Moment(_)
            | FlowStep::Clock(_)
            | FlowStep::Mark(_)
            | FlowStep::Values(_)
            | FlowStep::Task(_) => {}
        }
    }
    read.anomalies = flow.anomalies();
    read
}

/// The blocks that a walk ran through.
fn ran(walk: &Simulator<'_>) -> Vec<Ran> {
    let (mut open, mut ran) = (Vec::new(), Vec::new());
    for step in walk.steps() {
        match step {
            Step::Enter(method, _) => open.push(method),
            Step::Block(block) | Step::Catch(block) => ran.push((*open.last().unwrap(), block)),
            Step::Leave(_) => drop(open.pop()),
        }
    }
    ran
}

/// That all that was recorded ran, none of it twice, in this order: up to the first loss exactly.
fn check(found: &Read, truth: &[Ran], case: &str) {
    assert_eq!(found.anomalies.unknown_records, 0, "{case}");
    let (before, after) = found.blocks.split_at(found.before_gap);
    assert_eq!(before, &truth[..before.len()], "{case}");
    let mut left = truth[before.len()..].iter();
    for (at, recorded) in after.iter().enumerate() {
        assert!(
            left.any(|ran| ran == recorded),
            "{case}: {recorded:?}, number {at} of {} after it",
            after.len()
        );
    }
}

/// What the loss of each chunk costs, the first one included, in walks with frames up to this depth.
#[derive(Debug, Default)]
struct Costs {
    tried: usize,
    /// Blocks of the chunks that were lost.
    lost: usize,
    read_after: usize,
    /// What is missing besides: in all, and at most at once.
    more: usize,
    most: usize,
}

fn costs(mixed: bool, deepest: usize) -> Costs {
    let mut costs = Costs::default();
    for seed in 0..60 {
        let program = Program::of(&[generated::class(seed)], seed, mixed);
        let mut walk = Simulator::new(&program, seed, 3000).deep(deepest);
        walk.run();
        let words = walk.words();
        let chunks = chunks(&words, |length, _| length >= CHUNK);
        if chunks.len() < 6 || walk.killed() {
            continue;
        }
        let truth = ran(&walk);
        let recorded = |count: usize| read(&program, &chunks[..count], |_| false).blocks.len();
        for lost in 0..chunks.len() - 1 {
            let case = format!("seed {seed}, chunk {lost}, mixed {mixed}");
            let (before, with) = (recorded(lost), recorded(lost + 1));
            let found = read(&program, &chunks, |index| index == lost);
            // The frame on top may be recorded a block further where nothing follows.
            assert!(found.before_gap + 1 >= before && found.before_gap <= before, "{case}");
            assert_eq!(found.gaps, [Lost::Events(chunks[lost].len() as u64)], "{case}");
            check(&found, &truth, &case);
            let chunk = with.saturating_sub(before);
            let more = (truth.len() - found.blocks.len()).saturating_sub(chunk);
            costs.tried += 1;
            costs.lost += chunk;
            costs.read_after += found.blocks.len() - found.before_gap;
            costs.more += more;
            costs.most = costs.most.max(more);
        }
    }
    eprintln!("mixed {mixed}, {deepest} deep: {costs:?}");
    assert!(costs.tried > 1_000 && costs.read_after > 1_000_000);
    costs
}

#[test]
fn one_lost_chunk_costs_one_chunk() {
    for mixed in [false, true] {
        let costs = costs(mixed, 12);
        // What is in doubt is not recorded: less than a block for each loss, however long the chunk, and at most
        // some blocks of each frame that was open.
        assert!(costs.most <= 3 * 12 && costs.more < costs.tried);
    }
}

/// Of each open frame the rest of its segment may be in doubt, and no more.
#[test]
fn one_lost_chunk_in_a_deep_recursion_costs_one_chunk() {
    for mixed in [false, true] {
        let costs = costs(mixed, 400);
        assert!(costs.most <= 400 && costs.more < 10 * costs.tried);
    }
}

/// Chunks of any length, many of them lost, several in a row, at the start as well, and often in front
/// of an exception that was noted late, of iterations that one record cannot hold, and of handlers.
#[test]
fn whatever_is_lost_nothing_is_told_that_did_not_run() {
    let (mut losses, mut after) = (0, 0);
    for seed in 0..160_u64 {
        let mixed = seed % 2 == 1;
        let program = Program::of(&[generated::class(seed)], seed, mixed);
        let mut walk = Simulator::new(&program, seed, 1500).deep(if seed % 8 < 6 { 12 } else { 200 });
        walk.run();
        if walk.killed() {
            continue;
        }
        let (words, truth) = (walk.words(), ran(&walk));
        for round in 0..8 {
            let mut random = fastrand::Rng::with_seed(seed * 1000 + round);
            let mut one_in = |count: u64| random.u64(..count) == 0;
            let usual = [3, 10, 40, 100][round as usize % 4];
            let chunks = chunks(&words, |_, next| {
                let is_special = next & CODE_OF == NO_STATE || next >> FOLLOWING > 1;
                one_in(if is_special { 2 } else { usual })
            });
            let often = 2 + round / 2;
            let lost: Vec<bool> = chunks.iter().map(|_| one_in(often)).collect();
            let is_lost = |index: usize| lost[index] && index + 1 < chunks.len();
            let found = read(&program, &chunks, is_lost);
            check(&found, &truth, &format!("seed {seed}, round {round}"));
            let counted = found.gaps.iter().map(|gap| match gap {
                Lost::Events(words) => *words,
                other => panic!("seed {seed}, round {round}: {other:?}"),
            });
            let gone =
                (0..chunks.len()).filter(|&index| is_lost(index)).map(|index| chunks[index].len() as u64);
            assert_eq!(counted.sum::<u64>(), gone.sum::<u64>(), "seed {seed}, round {round}");
            losses += found.gaps.len();
            after += found.blocks.len() - found.before_gap;
        }
    }
    eprintln!("{losses} losses, {after} blocks read after the first");
    assert!(losses > 20_000 && after > 500_000, "{losses} {after}");
}
