//! How fast captures are read: step by step in this process, and by `tracewright calls --summary`.

use serde_json::json;

use super::java::{BLOCKS, PATHS, Program, folder, tracewright};
use super::{Size, data, row};
use crate::bench::measure::{Process, median, seconds};
use crate::bench::table::Table;
use crate::sh::{Outcome, Trouble};

/// What is recorded, and at least so many M blocks are to be read in a second.
const CAPTURES: [(&str, &[&str], f64); 2] = [
    ("loops", &["matrix 100", "sieve 100", "arithmetic 45", "sort 27", "crc 27", "interpreter 36"], 100.0),
    ("calls", &["fib 60", "virtual 20", "trees 40", "unwinding 20", "queens 200"], 20.0),
];
/// Blocks that must be decoded in so many seconds and MiB, from captures full of loops.
const MANY: (f64, f64, f64) = (1e9, 10.0, 1024.0);

/// Rows for a capture full of loops and one full of calls.
pub(super) fn run(table: &mut Table, program: &Program, size: Size) -> Outcome {
    for (name, kernels, least) in CAPTURES {
        let lines: String = kernels.iter().map(|kernel| format!("run {kernel}\n")).collect();
        for mode in [PATHS, BLOCKS] {
            // Block records of all of it would fill the disk.
            let lines = match mode == BLOCKS {
                true => lines.replace("0\n", "\n"),
                false => lines.clone(),
            };
            let path = folder().join(format!("decode-{}.capture", mode.name()));
            data::record(program, mode, &path, &lines, &["--when-full", "wait"])?;
            let capture = data::open(&path)?;
            let mut blocks = 0;
            let steps = seconds(size.rounds, || {
                blocks = capture.threads.iter().map(|thread| data::blocks_of(&capture, thread)).sum();
            });
            let shown = path.to_string_lossy();
            let summary = Process {
                program: &tracewright(),
                arguments: vec!["calls", "--summary", &shown],
                good: &[0],
            };
            let mut peak = 0.0_f64;
            let whole = seconds(size.rounds, || peak = peak.max(summary.peak_mib()));
            let (rate, whole_rate) =
                (blocks as f64 / median(&steps) / 1e6, blocks as f64 / median(&whole) / 1e6);
            if blocks == 0 {
                return Err(Trouble::Wrong(format!("{shown}: no blocks")));
            }
            let is_many = mode == PATHS && name == "loops";
            // A capture that has fewer does not show it.
            let shows = blocks as f64 >= MANY.0;
            let fits =
                !is_many || shows && median(&whole) / blocks as f64 * MANY.0 <= MANY.1 && peak <= MANY.2;
            let more = if is_many { ", of 10^9 in 10 s and 1 GiB" } else { "" };
            table.push(row(
                &format!("jvm, reading {name}, {}", mode.name()),
                format!(
                    "{rate:.0} M blocks/s; summary {whole_rate:.0} M/s: {:.0} M in {:.1} s, {peak:.0} MiB",
                    blocks as f64 / 1e6,
                    median(&whole)
                ),
                String::new(),
                None,
                format!(">= {least} M/s{more}"),
                Some(rate >= least && fits).filter(|_| mode == PATHS || name == "calls"),
                json!({ "blocks": blocks, "seconds": steps, "summary_seconds": whole, "peak_mib": peak }),
            ));
            let _ = std::fs::remove_dir_all(&path);
        }
    }
    Ok(())
}
