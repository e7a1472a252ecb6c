//! The loop engine: any history must come back from its summary, at any moment.
//!
//! The input is a history. Its first byte chooses options and how many symbols there are, each
//! further byte is a unit, and 255 is a gap.

use analyses::loops::{LoopFinder, Options};
use model::Summary;

/// Longer inputs are cut: the property needs no long ones, and the loop wants many.
const LONGEST: usize = 1 << 14;

/// Feeds the history and holds the summary against it, in the middle and at the end.
///
/// # Panics
/// When the summary is not lossless; that is what a fuzzer looks for.
pub fn run(input: &[u8]) {
    let Some((&head, body)) = input.split_first() else { return };
    let body = &body[..body.len().min(LONGEST)];
    let symbols = u32::from(head % 16) + 1;
    let mut finder = LoopFinder::new(Options { short_loops: head & 16 != 0, ..Options::default() });
    let mut history = Vec::with_capacity(body.len());
    let mut gaps = Vec::new();
    for (index, &byte) in body.iter().enumerate() {
        if byte == u8::MAX {
            finder.gap();
            gaps.push(history.len() as u64);
        } else {
            let unit = u32::from(byte) % symbols;
            finder.push(unit);
            history.push(unit);
        }
        if index == body.len() / 2 {
            check(&finder.summary(), &history, &gaps);
        }
    }
    assert_eq!(finder.steps(), history.len() as u64);
    check(&finder.summary(), &history, &gaps);
}

/// Level 0 is the history, each level above is the runs of the level below, and no run crosses a gap.
fn check(summary: &Summary, history: &[u32], gaps: &[u64]) {
    let bottom = &summary.levels[0];
    assert!(bottom.units().eq(history.iter().copied()), "the summary is not the history");
    for run in &bottom.runs {
        let crossed = gaps.iter().find(|&&gap| run.start < gap && gap < run.start + run.len);
        assert_eq!(crossed, None, "the run {run:?} crosses a gap");
    }
    for (below, above) in summary.levels.iter().zip(&summary.levels[1..]) {
        let ids = below.runs.iter().map(|run| run.id.0);
        assert!(above.units().eq(ids), "a level is not the runs of the level below");
    }
}
