//! A whole capture: its three files in one input.

/// Reads everything and drops it.
pub fn run(input: &[u8]) {
    std::hint::black_box(capture::fuzz::fuzz_capture(input));
}
