//! A segment file of the class cache that the recorder keeps from run to run.

/// Reads everything in it and drops it.
pub fn run(input: &[u8]) {
    std::hint::black_box(capture::class_cache::fuzz::fuzz_segment(input));
}
