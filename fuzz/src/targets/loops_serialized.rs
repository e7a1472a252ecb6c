//! Cached loops: what can be read of any bytes can be written again, and how each track ends can be determined.

use analyses::hangs::ending;
use analyses::loops::{from_bytes, to_bytes};

/// Reads, writes, reads again and asks for the ends.
///
/// # Panics
/// When what was kept does not come back.
pub fn run(input: &[u8]) {
    let Some(summaries) = from_bytes(input) else { return };
    let bytes = to_bytes(&summaries);
    let again = from_bytes(&bytes).map(|again| to_bytes(&again));
    assert_eq!(again, Some(bytes), "what was kept does not come back");
    for (_, summary) in summaries.tracks.iter().take(50) {
        std::hint::black_box(ending(summary).loops.len());
    }
}
