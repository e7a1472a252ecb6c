//! The file of a search through all programs of a size.

/// Reads it and drops it.
pub fn run(input: &[u8]) {
    if let Ok(search) = busybeaver::search::Search::read(&String::from_utf8_lossy(input)) {
        std::hint::black_box((search.plan(), search.done(), search.first_line()));
    }
}
