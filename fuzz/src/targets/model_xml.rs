//! A pattern file: machines as XML.

/// Reads it, holds it against a few names of events, and drops it.
pub fn run(input: &[u8]) {
    std::hint::black_box(formats::model_xml::fuzz::fuzz_pattern(input));
}
