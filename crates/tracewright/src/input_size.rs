//! How large an input is.

use std::fs;
use std::path::Path;

/// Files that are counted: a trace has a few for each processor or thread.
const MOST: usize = 100_000;

/// Bytes of a file, or of the files below a folder. What is gone or may not be read counts as nothing; links in it are
/// not followed.
pub(crate) fn bytes(input: &Path) -> u64 {
    fs::metadata(input).map_or(0, |about| below(input, &about, &mut { MOST }))
}

fn below(path: &Path, about: &fs::Metadata, left: &mut usize) -> u64 {
    if about.is_file() {
        return about.len();
    }
    let mut sum = 0;
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        let Some(fewer) = left.checked_sub(1) else { break };
        *left = fewer;
        if let Ok(about) = entry.metadata()
            && (about.is_file() || about.is_dir())
        {
            sum += below(&entry.path(), &about, left);
        }
    }
    sum
}
