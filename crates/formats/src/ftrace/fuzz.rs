//! Entry for fuzzing: bytes in, and nothing may go wrong but diagnostics.

use crate::fuzzing::{OF_KERNEL, read_all};

/// Reads a text with all its fields. Gives back a number that depends on all that was read.
pub fn fuzz_ftrace(bytes: &[u8]) -> u64 {
    let count = u64::from(super::may_be(bytes));
    count + read_all(&mut super::Reader::new("trace", bytes, bytes.len() as u64), OF_KERNEL)
}
