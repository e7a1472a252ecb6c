//! Entry for fuzzing: bytes in, and nothing may go wrong but diagnostics.

use super::Reader;
use crate::fuzzing::{OF_KERNEL, read_all};
use source::NamedSource;

/// Reads the bytes of a file to the end. Gives back a number that depends on all that was read.
pub fn fuzz_perf(bytes: &[u8]) -> u64 {
    let file = NamedSource { name: "perf.data".into(), source: Box::new(bytes.to_vec()) };
    Reader::open(file).map_or(1, |mut reader| read_all(&mut reader, OF_KERNEL))
}
