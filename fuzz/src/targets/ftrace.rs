//! A text of ftrace.

/// Reads everything and drops it.
pub fn run(input: &[u8]) {
    std::hint::black_box(formats::ftrace::fuzz::fuzz_ftrace(input));
}
