//! A kept replay: what can be read of any bytes can be kept again, and every block of it can be looked for.

use analyses::replay::{Measure, Wanted, from_bytes, to_bytes};

/// Reads, keeps, reads and looks for blocks.
///
/// # Panics
/// When what was kept does not come back.
pub fn run(input: &[u8]) {
    let Some(replay) = from_bytes(input) else { return };
    let bytes = to_bytes(&replay);
    let again = from_bytes(&bytes).map(|again| to_bytes(&again));
    assert_eq!(again, Some(bytes), "what was kept does not come back");
    let wanted = Wanted { frame: &|_| false, block: Some(&|_, _| true), first_iterations: false };
    let blocks = Measure::of(&replay, &wanted);
    for thread in replay.threads.iter().take(20) {
        let total = blocks.of_node(thread.root);
        for at in [0, total / 2, total.saturating_sub(1), u64::MAX] {
            if let Some(path) = replay.select(thread.root, &blocks, &blocks, at) {
                std::hint::black_box(replay.frames(&blocks, &path).len());
            }
        }
    }
}
