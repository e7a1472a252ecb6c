//! Inputs compressed with gzip or zstd.

use std::io::Read;

use formats::compressed::Compression;

/// Bytes that are decompressed; how many there are is for the reader to bound.
const BYTES: u64 = 4 << 20;

/// Decompresses the beginning and drops it.
pub fn run(input: &[u8]) {
    if let Some(compression) = Compression::of(input) {
        let bytes = std::io::Cursor::new(input.to_vec());
        std::hint::black_box(
            std::io::copy(&mut compression.undo(bytes).take(BYTES), &mut std::io::sink()).ok(),
        );
    }
}
