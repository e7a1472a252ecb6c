//! The folder of a recording of uftrace, all files in one input.

/// Reads everything and drops it.
pub fn run(input: &[u8]) {
    std::hint::black_box(formats::uftrace::fuzz::fuzz_uftrace(input));
}
