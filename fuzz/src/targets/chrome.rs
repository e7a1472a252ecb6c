//! A file of trace events in JSON.

/// Reads everything and drops it.
pub fn run(input: &[u8]) {
    std::hint::black_box(formats::chrome::fuzz::fuzz_chrome(input));
}
