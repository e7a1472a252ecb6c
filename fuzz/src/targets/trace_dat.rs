//! A trace.dat of trace-cmd.

/// Reads everything and drops it.
pub fn run(input: &[u8]) {
    std::hint::black_box(formats::trace_dat::fuzz::fuzz_trace_dat(input));
}
