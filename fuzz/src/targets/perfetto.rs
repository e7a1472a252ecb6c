//! A trace of Perfetto.

/// Reads everything and drops it.
pub fn run(input: &[u8]) {
    std::hint::black_box(formats::perfetto::fuzz::fuzz_perfetto(input));
}
