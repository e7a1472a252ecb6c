//! A whole perf.data.

/// Reads everything and drops it.
pub fn run(input: &[u8]) {
    std::hint::black_box(formats::perf::fuzz::fuzz_perf(input));
}
