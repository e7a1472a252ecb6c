//! The directory of a jar, as the recorder looks for classes in it.

use formats::archive::Directory;

/// Entries whose content is unpacked; each may stand for all bytes of the input.
const UNPACKED: usize = 8;

/// Reads the directory and some contents, and drops them.
pub fn run(input: &[u8]) {
    let Some(directory) = Directory::read(&input) else { return };
    let names: usize = directory.entries().map(|entry| entry.name.len()).sum();
    let contents = directory.entries().take(UNPACKED).filter_map(|entry| entry.content(&input, 1 << 20));
    std::hint::black_box((names, contents.map(|bytes| bytes.len()).sum::<usize>()));
}
