//! Rows as CSV (RFC 4180). Moments are nanoseconds since 1970, empty cells are empty, and so is an empty text.

use std::io::Write;

use super::column::{Cell, Column};
use crate::exit::Result;

/// The lines of a batch.
pub(crate) struct CsvBatch {
    lines: csv::Writer<Vec<u8>>,
    number: Vec<u8>,
}

impl Default for CsvBatch {
    fn default() -> Self {
        CsvBatch { lines: csv::Writer::from_writer(vec![]), number: vec![] }
    }
}

impl CsvBatch {
    pub(crate) fn row<'a>(&mut self, cells: impl Iterator<Item = Cell<'a>>) -> Result<()> {
        for cell in cells {
            self.number.clear();
            // Writing into memory does not fail.
            let _ = match cell {
                Cell::Empty => Ok(()),
                Cell::Text(text) => {
                    self.lines.write_field(text).map_err(std::io::Error::from)?;
                    continue;
                }
                Cell::Count(count) => write!(self.number, "{count}"),
                Cell::Number(number) | Cell::Moment(number) => write!(self.number, "{number}"),
                Cell::Real(number) => write!(self.number, "{number}"),
                Cell::Flag(flag) => write!(self.number, "{flag}"),
            };
            self.lines.write_field(&self.number).map_err(std::io::Error::from)?;
        }
        self.lines.write_record(None::<&[u8]>).map_err(std::io::Error::from)?;
        Ok(())
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
