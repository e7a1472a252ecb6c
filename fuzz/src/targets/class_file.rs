//! A Java class: read, listed, instrumented in every way and written.

/// Reads a class and everything in it, and drops it.
pub fn run(input: &[u8]) {
    std::hint::black_box(classfile::fuzz::fuzz_class(input));
}
