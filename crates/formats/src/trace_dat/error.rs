//! Why nothing of a file can be read.

/// Everything less is a diagnostic.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It is another kind of file.
    #[error("it is no trace.dat")]
    Other,
    /// It is one of a kind that is not read, or what all depends on is damaged.
    #[error("{sentence} (byte {offset})")]
    Unusable {
        /// Where.
        offset: u64,
        /// Why, without a full stop.
        sentence: String,
    },
}
