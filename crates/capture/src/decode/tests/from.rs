//! A thread read from one of its words on: against a recording that has no more than that.

use super::{capture, random_run};
use crate::fixture;
use crate::frame::Frame;
use crate::{CODE, STEPS};

const CHUNK: usize = 60;

/// All steps of a flow, as text.
fn steps(mut flow: crate::decode::Flow) -> Vec<String> {
    let mut out = vec![];
    while let Some(step) = flow.next_step() {
        out.push(format!("{step:?}"));
    }
    out
}

/// The chunks from this one on.
fn without_first(steps: &[u8], chunks: usize) -> Vec<u8> {
    let mut rest = steps;
    for _ in 0..chunks {
        let frame = Frame::read(rest).unwrap();
        rest = &rest[frame.before_body + frame.body as usize..];
    }
    rest.to_vec()
}

#[test]
fn what_comes_is_what_a_recording_without_the_chunks_before_tells() {
    let mut compared = 0;
    for seed in (0..60).filter(|seed| seed % 3 == 0) {
        let (code, steps_of, threads) = random_run(seed, 700, CHUNK);
        let words = threads[0].words.len();
        let whole = capture(&[(CODE, code.clone()), (STEPS, steps_of.clone())]);
        for word in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, words / 2, words - 1, words, words + 10_000] {
            let first = word.min(words - 1) / CHUNK;
            let cut = capture(&[(CODE, code.clone()), (STEPS, without_first(&steps_of, first))]);
            let got = steps(whole.flow_from(&whole.threads[0], word as u64));
            assert_eq!(got, steps(cut.flow(&cut.threads[0])), "seed {seed}, word {word}");
            assert_eq!(got.first().is_some_and(|step| step.starts_with("Gap")), first > 0);
            compared += got.len();
        }
    }
    assert!(compared > 10_000, "{compared}");
}

#[test]
fn chunks_that_take_much_or_little_room_are_unusual() {
    let (code, _, threads) = random_run(3, 8 * CHUNK, CHUNK);
    // All chunks are the first one but for two: of one word alone, and of words that have nothing in common.
    let usual = &threads[0].words[..CHUNK];
    let (dull, wild) =
        (vec![usual[0]; CHUNK], (0..CHUNK as u32).map(|at| at.wrapping_mul(0x9e37_79b9)).collect());
    let chunks = [usual, usual, &dull, usual, usual, &Vec::<u32>::clone(&wild), usual];
    let mut steps = vec![];
    fixture::steps_file(&mut steps, 1, &chunks.concat(), CHUNK);
    let capture = capture(&[(CODE, code), (STEPS, steps)]);
    let unusual = |from, most| capture.threads[0].unusual_words(from, most);
    let [dull, wild] = [2, 5].map(|chunk| (chunk * CHUNK) as u64);
    assert_eq!(unusual(0, 2), [dull, wild]);
    assert_eq!(unusual(dull + 1, 1), [wild]);
    assert_eq!(unusual(wild + 1, 9).len(), 1, "no chunk twice");
    assert_eq!(unusual(0, 0), []);
}
