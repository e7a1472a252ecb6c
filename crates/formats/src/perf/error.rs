//! Why nothing at all could be read.

/// What makes [`Reader::open`](super::Reader::open) give up. Everything less is a diagnostic.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It does not begin as these files do.
    #[error("{file} is no perf.data: it does not begin with `PERFILE2`.")]
    NotPerf {
        /// The file.
        file: String,
    },
    /// A part without which nothing can be understood is damaged.
    #[error("{file} cannot be read (byte {offset}): {sentence}")]
    Damaged {
        /// The file.
        file: String,
        /// Bytes from its start.
        offset: u64,
        /// What is wrong.
        sentence: String,
    },
    /// It is sound, but of a kind that is not read here.
    #[error("{file} cannot be read (byte {offset}): {sentence}")]
    Unsupported {
        /// The file.
        file: String,
        /// Bytes from its start.
        offset: u64,
        /// What it is, and what to do.
        sentence: String,
    },
}
