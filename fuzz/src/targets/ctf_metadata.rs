//! CTF metadata, and a stream that is read by it.
//!
//! The first four bytes (little endian) are the length of the metadata; the stream follows.

/// Reads everything and drops it.
pub fn run(input: &[u8]) {
    std::hint::black_box(formats::ctf::fuzz::fuzz_metadata(input));
}
