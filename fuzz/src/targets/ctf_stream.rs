//! A CTF stream file, read by metadata with every kind of field that there is.

/// Reads everything and drops it.
pub fn run(input: &[u8]) {
    std::hint::black_box(formats::ctf::fuzz::fuzz_stream(input));
}
