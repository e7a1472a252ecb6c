//! The head of an HTTP request.

use formats::http_head::{Head, read};

/// Reads a head. A head that is whole must be the same whatever comes behind it.
///
/// # Panics
/// When it is not.
pub fn run(input: &[u8]) {
    if let Head::Whole(head) = read(input) {
        assert!(head.end <= input.len(), "the body begins behind what was read");
        assert!(read(&input[..head.end]) == Head::Whole(head), "what came behind a head changed it");
    }
}
