//! The cost of encoding a recorder's words, in this process: chunks of 128 KiB as threads fill them, beside LZ4
//! of the same bytes. A program's thread may have to do this by itself, see `crates/agent/src/writer/steps.rs`.

use capture::{ChunkHead, ChunkWriter, Encoding};
use serde_json::json;

use super::measure::{median, seconds};
use super::table::{Row, Table};
use super::words;
use crate::sh::Outcome;

/// Words of a chunk, and how many chunks are packed in a row: what fits into a processor's second cache.
const WORDS: usize = 32_000;
const CHUNKS: usize = 6;
const ROUNDS: usize = 31;

/// The first code of the method whose paths these would be.
const FIRST: u32 = 40_000;

/// How an input is made, what it is called, and how much of LZ4's time and bytes ours may take.
type Input = (&'static str, fn(usize) -> Vec<u32>, [f64; 2]);

const INPUTS: [Input; 4] = [
    ("twelve ways in turn", |len| (0..len as u32).map(|at| at % 12).collect(), [1.5, 1.3]),
    ("nine ways, two may follow each", two_may_follow, [0.5, 0.5]),
    ("seven ways as the data wants", |len| words::random(len, 7, 7), [0.5, 0.5]),
    ("500 ways as the data wants", |len| words::random(len, 500, 500), [1.3, 1.01]),
];

/// Words of which each is followed by one of two.
fn two_may_follow(len: usize) -> Vec<u32> {
    let mut variant = 0;
    let next = |choice: u32| {
        variant = (2 * variant + choice) % 9;
        variant
    };
    words::random(len, 2, 2).into_iter().map(next).collect()
}

/// A row for each input.
pub(crate) fn run(table: &mut Table) -> Outcome {
    for (name, make, [most_time, most_bytes]) in INPUTS {
        let variants = make(WORDS * CHUNKS);
        let chunks: Vec<Vec<u8>> = variants
            .chunks(WORDS)
            .map(|variants| variants.iter().flat_map(|variant| (FIRST + variant).to_le_bytes()).collect())
            .collect();
        let (mut writer, mut out) = (ChunkWriter::new(), Vec::new());
        writer.is_hurried = true;
        let mut packed = [0; 2];
        let (mut ours, mut lz4) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            ours.extend(seconds(1, || {
                packed[0] = 0;
                for chunk in &chunks {
                    out.clear();
                    writer.put(&mut out, HEAD, chunk);
                    packed[0] += out.len();
                }
            }));
            lz4.extend(seconds(1, || {
                packed[1] = 0;
                for chunk in &chunks {
                    out.resize(lz4_flex::block::get_maximum_output_size(chunk.len()), 0);
                    packed[1] += lz4_flex::block::compress_into(chunk, &mut out).unwrap_or(chunk.len());
                }
            }));
        }
        let count = variants.len() as f64;
        let [time, other_time] = [&ours, &lz4].map(|samples| median(samples) * 1e9 / count);
        let [bits, other_bits] = packed.map(|bytes| bytes as f64 * 8.0 / count);
        let reached = time <= most_time * other_time && bits <= most_bytes * other_bits;
        table.push(Row {
            what: format!("packing, {name}"),
            ours: format!("{time:.2} ns and {bits:.2} bits a word"),
            peer: format!("LZ4 {other_time:.2} ns and {other_bits:.2} bits"),
            ratio: Some(time / other_time),
            target: format!("<= {most_time} of its time, {most_bytes} of its bits"),
            reached: Some(reached),
            samples: json!({ "seconds": ours, "lz4_seconds": lz4, "words": variants.len(), "bytes": packed }),
        });
    }
    Ok(())
}

const HEAD: ChunkHead = ChunkHead {
    thread: 0,
    number: 0,
    words: 0,
    encoding: Encoding::Paths,
    last: false,
    lost_before: 0,
    time_first: 0,
    time_last: 0,
};
