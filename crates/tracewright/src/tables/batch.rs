//! Batches: rows of one input on their way to the output, some thousand at a time.

use std::sync::mpsc::SyncSender;

#[cfg(feature = "columnar")]
use super::arrow::ArrowBatch;
use super::column::{Cell, Column};
use super::csv::CsvBatch;
use super::format::Format;
use crate::exit::{Result, Stop};

/// Rows of a batch: large enough for columns to pay, and about a MB.
const ROWS: usize = 8192;
/// Bytes of text in a batch from which it is sent all the same.
const BYTES: usize = 1 << 20;

/// Encoded rows.
#[derive(Debug)]
pub(crate) enum Batch {
    /// Lines of CSV.
    Lines(Vec<u8>),
    #[cfg(feature = "columnar")]
    Columns(arrow_array::RecordBatch),
    /// What follows comes after a block of another reader.
    BlockEnd,
}

/// Where the rows of a table go.
pub(crate) trait Rows {
    /// Takes a row: a cell for each column after `trace` and `error`.
    fn row(&mut self, cells: &[Cell<'_>]) -> Result<()>;

    /// Ends a block: further rows come after the blocks of others who read the same input.
    fn end_block(&mut self) -> Result<()>;
}

/// Collects the rows of one input and sends them on.
pub(crate) struct Batcher<'a> {
    trace: &'a str,
    rows: usize,
    encoder: Encoder,
    out: SyncSender<Batch>,
}

enum Encoder {
    Lines(Box<CsvBatch>),
    #[cfg(feature = "columnar")]
    Columns(Box<ArrowBatch>),
}

impl<'a> Batcher<'a> {
    pub(crate) fn new(trace: &'a str, columns: &[Column], format: Format, out: SyncSender<Batch>) -> Self {
        let encoder = match format {
            Format::Csv => Encoder::Lines(Box::default()),
            #[cfg(feature = "columnar")]
            Format::Arrow | Format::Parquet => Encoder::Columns(Box::new(ArrowBatch::new(trace, columns))),
            #[cfg(not(feature = "columnar"))]
            Format::Arrow | Format::Parquet => Encoder::Lines(Box::default()),
        };
        let _ = columns;
        Batcher { trace, rows: 0, encoder, out }
    }

    /// The row of an input that cannot be read.
    pub(crate) fn error(&mut self, sentence: &str, columns: usize) -> Result<()> {
        match &mut self.encoder {
            Encoder::Lines(lines) => {
                let empty = std::iter::repeat_n(Cell::Empty, columns.saturating_sub(2));
                lines.row([Cell::Text(self.trace), Cell::Text(sentence)].into_iter().chain(empty))?;
            }
            #[cfg(feature = "columnar")]
            Encoder::Columns(columns) => columns.error(sentence),
        }
        self.count()
    }

    /// Sends what is there.
    pub(crate) fn finish(&mut self) -> Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        self.rows = 0;
        let batch = match &mut self.encoder {
            Encoder::Lines(lines) => Batch::Lines(lines.take()),
            #[cfg(feature = "columnar")]
            Encoder::Columns(columns) => Batch::Columns(columns.take()?),
        };
        self.out.send(batch).or(Err(Stop::Unread))
    }

    /// Counts a row, and sends what is there once it is enough.
    fn count(&mut self) -> Result<()> {
        self.rows += 1;
        let bytes = match &self.encoder {
            Encoder::Lines(lines) => lines.bytes(),
            #[cfg(feature = "columnar")]
            Encoder::Columns(columns) => columns.bytes(),
        };
        if self.rows >= ROWS || bytes >= BYTES { self.finish() } else { Ok(()) }
    }
}

impl Rows for Batcher<'_> {
    fn row(&mut self, cells: &[Cell<'_>]) -> Result<()> {
        match &mut self.encoder {
            Encoder::Lines(lines) => {
                let leading = [Cell::Text(self.trace), Cell::Empty];
                lines.row(leading.into_iter().chain(cells.iter().copied()))?;
            }
            #[cfg(feature = "columnar")]
            Encoder::Columns(columns) => columns.row(cells),
        }
        self.count()
    }

    fn end_block(&mut self) -> Result<()> {
        self.finish()?;
        self.out.send(Batch::BlockEnd).or(Err(Stop::Unread))
    }
}
