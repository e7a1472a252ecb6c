//! What `loops --json` prints: whatever it is, what is read can be expanded.

use formats::loops_json::read;

/// Reads, and expands what is short.
///
/// # Panics
/// When a history is not as long as it says.
pub fn run(input: &[u8]) {
    for track in read(input).unwrap_or_default() {
        if track.history.len() < 10_000 && track.history.rules.len() < 100 {
            let units = track.history.expand().filter(|what| *what != model::grammar::What::Gap);
            assert_eq!(units.count() as u64, track.history.len());
        }
    }
}
