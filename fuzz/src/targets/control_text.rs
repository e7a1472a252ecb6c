//! What the command line and the recorder say to each other: pairs of a line, and answers.

use formats::control_text::{answer, decode, encode, pairs};

/// Reads every line as pairs and as an answer; values must be written as they are read again.
///
/// # Panics
/// When another value comes back.
pub fn run(input: &[u8]) {
    for line in String::from_utf8_lossy(input).lines() {
        std::hint::black_box(answer(line));
        for (_, value) in pairs(line.split([' ', ','])).flatten() {
            assert_eq!(decode(&encode(&value)), Some(value));
        }
    }
}
