//! The formats in which a table is written.

use std::path::Path;

use clap::ValueEnum;

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Comma-separated values with a line of names
    Csv,
    /// A stream of Apache Arrow's inter-process format
    Arrow,
    /// Apache Parquet, compressed with zstd
    Parquet,
}

impl Format {
    /// What a file's ending asks for.
    pub(crate) fn of(file: &Path) -> Option<Format> {
        Some(match file.extension()?.to_str()? {
            "csv" => Format::Csv,
            "arrow" | "arrows" | "ipc" => Format::Arrow,
            "parquet" => Format::Parquet,
            _ => return None,
        })
    }
}
