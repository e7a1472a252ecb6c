//! Why nothing at all could be read.

/// What makes [`Reader::open`](super::Reader::open) give up. Everything less is a diagnostic.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No file is called `metadata`.
    #[error("There is no CTF trace here: none of the {files} files is called `metadata`.")]
    NoMetadata {
        /// How many files there were.
        files: usize,
    },
    /// The metadata of the only trace cannot be used.
    #[error("The metadata cannot be used ({file}, {location}): {sentence}")]
    Metadata {
        /// The metadata file.
        file: String,
        /// Line and column of its text, or the byte.
        location: String,
        /// What is wrong with it.
        sentence: String,
    },
    /// None of several traces has metadata that can be used.
    #[error(
        "None of the {traces} traces has metadata that can be used; \
         the first is wrong at {file}, {location}: {sentence}"
    )]
    NoUsableTrace {
        /// How many traces there were.
        traces: usize,
        /// The first metadata file.
        file: String,
        /// Line and column of its text, or the byte.
        location: String,
        /// What is wrong with it.
        sentence: String,
    },
}
