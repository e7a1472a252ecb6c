//! Where what was made of an input is cached: one entry for all of its files.

use std::hash::Hash;
use std::path::Path;

use viewer::{Cache, Entry};

use crate::files;

/// The entry for what is made of all that lies at or below `input`. `what` it is and whatever else it depends on is
/// part of the name.
pub(super) fn entry_of_all(cache: &Cache, input: &Path, what: impl Hash) -> Option<Entry> {
    let found = if input.is_dir() { files::below(input).ok()? } else { vec![] };
    let files = found.iter().map(|found| found.path.as_path());
    let files: Vec<&Path> = if input.is_dir() { files.collect() } else { vec![input] };
    cache.entry(input, files, what)
}
