//! Where a table is written: a file that is there when it is whole, or standard output.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::Path;

use super::batch::Batch;
use super::column::Column;
use super::csv;
use super::format::Format;
use crate::atomic::{AtomicFile, Existing};
use crate::exit::{Result, Stop};
use crate::output::Output;

/// A table that is being written.
pub(crate) struct TableFile<'a> {
    encoder: Encoder,
    /// What is written to, for messages.
    shown: std::borrow::Cow<'a, str>,
}

enum Encoder {
    Lines(Sink),
    #[cfg(feature = "columnar")]
    Stream(Box<arrow_ipc::writer::StreamWriter<Sink>>),
    #[cfg(feature = "columnar")]
    Parquet(Box<parquet::arrow::ArrowWriter<Sink>>),
}

enum Sink {
    File(AtomicFile),
    /// Standard output of columns, past that of lines, which would search them for the last newline.
    Stdout(io::BufWriter<File>),
    /// Standard output of lines, which may have a bound.
    Lines(Output),
}

impl<'a> TableFile<'a> {
    /// Begins a table; without a file it goes to standard output.
    pub(crate) fn create(file: Option<&'a Path>, columns: &[Column], format: Format) -> Result<Self> {
        let shown = file.map_or("standard output".into(), |file| file.to_string_lossy());
        if cfg!(not(feature = "columnar")) && format != Format::Csv {
            return Stop::failed(
                "this build writes tables as CSV only; one with the feature `columnar` writes Arrow and Parquet",
            );
        }
        let mut sink = match file {
            Some(file) => Sink::File(AtomicFile::create(file, Existing::Replace)?),
            None if format == Format::Csv => Sink::Lines(Output::default()),
            None => {
                let stdout = io::stdout().as_fd().try_clone_to_owned();
                let stdout = stdout.or_else(|error| cannot(&shown, error))?;
                Sink::Stdout(io::BufWriter::with_capacity(1 << 16, stdout.into()))
            }
        };
        let encoder = match format {
            Format::Csv => {
                sink.write_all(&csv::head(columns)?).or_else(|error| cannot(&shown, error))?;
                Encoder::Lines(sink)
            }
            #[cfg(feature = "columnar")]
            Format::Arrow => {
                let schema = super::arrow::schema(columns);
                let writer = arrow_ipc::writer::StreamWriter::try_new(sink, &schema);
                Encoder::Stream(Box::new(writer.or_else(|error| cannot(&shown, from_arrow(error)))?))
            }
            #[cfg(feature = "columnar")]
            Format::Parquet => {
                let level = parquet::basic::ZstdLevel::default();
                let properties = parquet::file::properties::WriterProperties::builder()
                    .set_compression(parquet::basic::Compression::ZSTD(level))
                    .build();
                let schema = super::arrow::schema(columns);
                let writer = parquet::arrow::ArrowWriter::try_new(sink, schema, Some(properties));
                Encoder::Parquet(Box::new(writer.or_else(|error| cannot(&shown, error.into()))?))
            }
            #[cfg(not(feature = "columnar"))]
            Format::Arrow | Format::Parquet => Encoder::Lines(sink),
        };
        Ok(TableFile { encoder, shown })
    }

    pub(crate) fn write(&mut self, batch: &Batch) -> Result<()> {
        let written = match (&mut self.encoder, batch) {
            (Encoder::Lines(sink), Batch::Lines(lines)) => sink.write_all(lines),
            #[cfg(feature = "columnar")]
            (Encoder::Stream(writer), Batch::Columns(columns)) => writer.write(columns).map_err(from_arrow),
            #[cfg(feature = "columnar")]
            (Encoder::Parquet(writer), Batch::Columns(columns)) => {
                writer.write(columns).map_err(from_parquet)
            }
            // Batches are made for the format that is written.
            _ => Ok(()),
        };
        written.or_else(|error| cannot(&self.shown, error))
    }

    /// Writes what is left; a file then has its name.
    pub(crate) fn finish(self) -> Result<()> {
        let TableFile { encoder, shown } = self;
        let sink = match encoder {
            Encoder::Lines(sink) => Ok(sink),
            #[cfg(feature = "columnar")]
            Encoder::Stream(writer) => writer.into_inner().map_err(from_arrow),
            #[cfg(feature = "columnar")]
            Encoder::Parquet(writer) => writer.into_inner().map_err(from_parquet),
        };
        match sink.or_else(|error| cannot(&shown, error))? {
            Sink::File(file) => file.commit(),
            Sink::Stdout(mut stdout) => Ok(stdout.flush()?),
            Sink::Lines(mut output) => Ok(output.flush()?),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Sink::File(file) => file.write(bytes),
            Sink::Stdout(stdout) => stdout.write(bytes),
            Sink::Lines(output) => {
                output.buffer.extend_from_slice(bytes);
                output.pass()?;
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::File(file) => file.flush(),
            Sink::Stdout(stdout) => stdout.flush(),
            Sink::Lines(output) => output.flush(),
        }
    }
}

#[cfg(feature = "columnar")]
fn from_arrow(error: arrow_schema::ArrowError) -> io::Error {
    match error {
        arrow_schema::ArrowError::IoError(_, error) => error,
        other => io::Error::other(other),
    }
}

/// The library hides an error of writing in one of its own, with its source.
#[cfg(feature = "columnar")]
fn from_parquet(error: parquet::errors::ParquetError) -> io::Error {
    match error {
        parquet::errors::ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}

/// Whoever reads our output may have seen enough.
fn cannot<T>(shown: &str, error: io::Error) -> Result<T> {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Err(Stop::Unread),
        _ => Stop::failed(format!("cannot write {shown}: {error}")),
    }
}
