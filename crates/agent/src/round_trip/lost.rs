//! One chunk that is lost costs one chunk: what came before is told exactly, the loss is counted
//! exactly, and reading goes on with the first record behind it.

use formats::capture::paths::FOLLOWING;
use formats::capture::{CODE, Capture, ChunkHead, ChunkWriter, Doubts, Encoding, STEPS, maker};
use model::Lost;
use model::flow::{FlowStep, Left};

use super::generated;
use super::program::Program;
use super::simulator::{Simulator, Step};

/// Words in a chunk, more or less: a record never goes over its end.
const CHUNK: usize = 60;

/// The words cut into chunks.
fn chunks(words: &[u32]) -> Vec<&[u32]> {
    let (mut chunks, mut begin, mut at) = (Vec::new(), 0, 0);
    while at < words.len() {
        at += 1 + (words[at] >> FOLLOWING) as usize;
        if at - begin >= CHUNK || at >= words.len() {
            chunks.push(&words[begin..at.min(words.len())]);
            begin = at;
        }
    }
    chunks
}

/// What is read of these chunks; an empty one was lost, and the recorder has counted its words.
struct Read {
    blocks: Vec<u32>,
    before_gap: usize,
    gaps: Vec<Lost>,
    doubts: Doubts,
}

fn read(program: &Program, chunks: &[&[u32]], lost: Option<usize>) -> Read {
    let (mut steps, mut writer, mut lost_before, mut number) = (Vec::new(), ChunkWriter::new(), 0, 0);
    for (index, words) in chunks.iter().enumerate() {
        if lost == Some(index) {
            lost_before = words.len() as u64;
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
    let files = maker::sources(&[(CODE, program.code_file(1)), (STEPS, steps)]);
    let capture = Capture::open(files).unwrap();
    assert_eq!(capture.findings, []);
    let mut flow = capture.flow(&capture.threads[0]);
    let mut read = Read { blocks: vec![], before_gap: 0, gaps: vec![], doubts: Doubts::default() };
    while let Some(step) = flow.next_step() {
        match step {
            FlowStep::Blocks { blocks, times } => {
                (0..super::turns(times)).for_each(|_| read.blocks.extend(blocks));
            }
            FlowStep::Catch { block } => read.blocks.push(block),
            FlowStep::Gap { lost } => {
                read.gaps.push(lost);
                read.before_gap = read.blocks.len();
            }
            // What was open to the end is told no further here.
            FlowStep::Leave { how: Left::Open } => break,
            _ => {}
        }
    }
    read.doubts = flow.doubts();
    read
}

#[test]
fn one_lost_chunk_costs_one_chunk() {
    let (mut tried, mut read_again, mut more, mut all_more, mut all) = (0, 0, 0, 0, 0);
    let (mut twice, mut all_twice) = (0, 0);
    for seed in 0..60 {
        let program = Program::of(&[generated::class(seed)], seed, false);
        let mut walk = Simulator::new(&program, seed, 3000);
        walk.run();
        let words = walk.words();
        let chunks = chunks(&words);
        if chunks.len() < 6 || walk.killed() {
            continue;
        }
        let is_block = |step: &Step| match step {
            Step::Block(block) | Step::Catch(block) => Some(*block),
            _ => None,
        };
        let truth: Vec<u32> = walk.steps().iter().filter_map(is_block).collect();
        for lost in 1..chunks.len() - 1 {
            let told = |count: usize| read(&program, &chunks[..count], None).blocks.len();
            let (before, with) = (told(lost), told(lost + 1));
            let found = read(&program, &chunks, Some(lost));
            // The frame on top may be told a block further where nothing follows.
            assert!(found.before_gap + 1 >= before && found.before_gap <= before, "seed {seed}, {lost}");
            assert_eq!(found.blocks[..found.before_gap], truth[..found.before_gap], "seed {seed}, {lost}");
            assert_eq!(found.gaps, [Lost::Events(chunks[lost].len() as u64)], "seed {seed}, {lost}");
            assert_eq!(found.doubts.unknown_words, 0, "seed {seed}, {lost}");
            // Where a method calls itself, frames that began meanwhile are taken for those further out, and for
            // the outermost none is left: of it a record tells the whole stretch, with what was told before the
            // gap. A record tells more blocks than it did when every return had one of its own.
            let over = found.blocks.len().saturating_sub(truth.len());
            twice = twice.max(over);
            all_twice += over;
            // A frame that was open may have left its stretch and entered it again meanwhile: blocks
            // of it that were told before the gap are not told twice.
            let missing = truth.len().saturating_sub(found.blocks.len());
            let chunk = with.saturating_sub(before);
            more = more.max(missing.saturating_sub(chunk));
            all_more += missing.saturating_sub(chunk);
            all += chunk;
            read_again += found.blocks.len() - found.before_gap;
            tried += 1;
        }
    }
    eprintln!(
        "{tried} chunks of {all} blocks lost, {all_more} more missing, at most {more} at once, \
         {all_twice} told twice, at most {twice} at once, {read_again} read behind"
    );
    assert!(tried > 1_000 && read_again > 1_000_000, "{tried} {read_again}");
    assert!(more <= 16 && all_more * 100 < all, "{more} {all_more} {all}");
    assert!(twice <= 16 && all_twice * 1000 < all, "{twice} {all_twice} {all}");
}
