//! Rows as CSV (RFC 4180). Moments are nanoseconds since 1970, empty cells are empty, and so is an empty text.

use super::column::{Cell, Column};
use crate::exit::Result;

/// The lines of a batch.
pub(crate) struct CsvBatch {
    lines: csv::Writer<Vec<u8>>,
    number: itoa::Buffer,
}

impl Default for CsvBatch {
    fn default() -> Self {
        CsvBatch { lines: csv::Writer::from_writer(vec![]), number: itoa::Buffer::new() }
    }
}

impl CsvBatch {
    pub(crate) fn row<'a>(&mut self, cells: impl Iterator<Item = Cell<'a>>) -> Result<()> {
        for cell in cells {
            let written = match cell {
                Cell::Empty => self.lines.write_field(""),
                Cell::Text(text) => self.lines.write_field(text),
                Cell::Count(count) => self.lines.write_field(self.number.format(count)),
                Cell::Number(number) | Cell::Moment(number) => {
                    self.lines.write_field(self.number.format(number))
                }
                Cell::Real(number) => self.lines.write_field(number.to_string()),
                Cell::Flag(flag) => self.lines.write_field(if flag { "true" } else { "false" }),
            };
            written.map_err(std::io::Error::from)?;
        }
        self.lines.write_record(None::<&[u8]>).map_err(std::io::Error::from)?;
        Ok(())
    }

    /// How much is written, but for the last few KB.
    pub(crate) fn bytes(&self) -> usize {
        self.lines.get_ref().len()
    }

    pub(crate) fn take(&mut self) -> Vec<u8> {
        let lines = std::mem::replace(&mut self.lines, csv::Writer::from_writer(vec![]));
        lines.into_inner().unwrap_or_default()
    }
}

/// The line with the names of the columns.
pub(crate) fn head(columns: &[Column]) -> Result<Vec<u8>> {
    let mut batch = CsvBatch::default();
    batch.row(columns.iter().map(|column| Cell::Text(&column.name)))?;
    Ok(batch.take())
}
