//! Records that were lost, and what is inferred of them from the code and from what ran before and after.

use serde::Serialize;

/// Records that were lost in a row, and how certain their inferred content is.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InferredPart {
    /// How many.
    pub records: u32,
    /// How likely it is, in percent. 100 only where nothing else fits.
    pub percent: u8,
    /// Whether nothing else fits.
    pub only_way: bool,
    /// The same as a sentence.
    pub text: String,
    /// Position of the first inferred block.
    pub begin: u64,
    /// Position from which on blocks were recorded again; the same where only the end of a call was lost.
    pub end: u64,
}

/// How many records were lost, and of how many the content is inferred.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InferredRecords {
    pub records: u64,
    /// Those for which nothing else fits.
    pub only_way: u64,
}
