//! What is decoded of words that were really recorded, when some of them are lost.

use model::{BlockId, FlowStep, Lost, MethodId};

use crate::{
    CODE, Capture, ChunkHead, ChunkWriter, Encoding, STEPS, fixture, fuzz, thread_words::Part,
    thread_words::ThreadWords,
};

/// A block that ran, with its method. Iterations beyond the third of one record are left out: there may be billions.
type Ran = (MethodId, BlockId);

/// The blocks that were recorded, how many of them before something was lost, and what was.
fn decode(code: &[u8], steps: &[u8]) -> (Vec<Ran>, usize, Vec<Lost>) {
    let files = fixture::sources(&[(CODE, code.to_vec()), (STEPS, steps.to_vec())]);
    let capture = Capture::open(files).unwrap();
    let mut flow = capture.flow(&capture.threads[0]);
    let (mut ran, mut before, mut gaps, mut open) = (vec![], None, vec![], vec![]);
    while let Some(step) = flow.next_step() {
        match step {
            FlowStep::Enter { method, .. } => open.push(method),
            FlowStep::Blocks { blocks, times } => {
                for _ in 0..times.min(3) {
                    ran.extend(blocks.iter().map(|&block| (*open.last().unwrap(), block)));
                }
            }
            FlowStep::Catch { block } => ran.push((*open.last().unwrap(), block)),
            FlowStep::Leave { .. } => drop(open.pop()),
            FlowStep::Gap { lost } => {
                before.get_or_insert(ran.len());
                gaps.push(lost);
            }
            FlowStep::Inferred { .. }
            | FlowStep::Observed
            | FlowStep::Moment(_)
            | FlowStep::Clock(_)
            | FlowStep::Mark(_)
            | FlowStep::Values(_)
            | FlowStep::Task(_) => {}
        }
    }
    assert_eq!(flow.anomalies().unknown_records, 0);
    let before = before.unwrap_or(ran.len());
    (ran, before, gaps)
}

/// The words of a thread without some of them, which were counted.
fn without(words: &[u32], lost: std::ops::Range<usize>) -> Vec<u8> {
    let (mut steps, mut writer) = (vec![], ChunkWriter::new());
    let parts = [(&words[..lost.start], 0), (&words[lost.end..], lost.len() as u64)];
    for (number, (part, lost_before)) in (0..).zip(parts) {
        let bytes: Vec<u8> = part.iter().flat_map(|word| word.to_le_bytes()).collect();
        let head = ChunkHead {
            thread: 1,
            number,
            words: 0,
            encoding: Encoding::Paths,
            last: false,
            lost_before,
            time_first: 0,
            time_last: 0,
        };
        writer.put(&mut steps, head, &bytes);
    }
    steps
}

/// The kept capture: a method that records its blocks, one that is in the middle of a call,
/// and loops with more iterations than a word can hold.
#[test]
fn wherever_recorded_words_are_lost_nothing_is_told_that_did_not_run() {
    let corpus =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/capture/blocks-and-paths");
    let [code, steps, _] = fuzz::split(&std::fs::read(corpus).unwrap());
    let files = fixture::sources(&[(CODE, code.clone()), (STEPS, steps.clone())]);
    let capture = Capture::open(files).unwrap();
    let (mut reading, mut words) = (ThreadWords::new(&capture, &capture.threads[0]), vec![]);
    while let Some(next_part) = reading.next() {
        if next_part == Part::Words {
            words.append(&mut reading.words);
        }
    }
    let (truth, ..) = decode(&code, &steps);
    let mut ends = vec![0];
    while let Some(&at) = ends.last().filter(|&&at| at < words.len()) {
        ends.push(at + 1 + (words[at] >> crate::paths::FOLLOWING) as usize);
    }
    let (mut tried, mut after) = (0, 0);
    for length in [1, 3, 20, 150] {
        for (&start, &end) in ends.iter().zip(&ends[length..]).step_by(3 + length / 8) {
            if end >= words.len() {
                continue;
            }
            let (decoded, before, gaps) = decode(&code, &without(&words, start..end));
            assert_eq!(gaps, [Lost::Events((end - start) as u64)]);
            // There is no record any more of what the frame on top is about to do.
            let same = decoded.iter().zip(&truth).take_while(|(decoded, ran)| decoded == ran).count();
            assert!(same >= before, "{start}..{end}: {same} of {before}");
            let mut left = truth[before..].iter();
            for (at, step) in decoded.iter().enumerate().skip(before) {
                assert!(left.any(|ran| ran == step), "{start}..{end}: {step:?}, number {at}");
            }
            (tried, after) = (tried + 1, after + decoded.len() - before);
        }
    }
    assert!(tried > 500 && after > 100_000, "{tried} {after}");
}
