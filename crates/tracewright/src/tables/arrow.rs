//! Rows as columns in memory, in the format of Apache Arrow.

use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Float64Builder, Int64Builder, StringBuilder, TimestampNanosecondBuilder,
    UInt64Builder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};

use super::column::{Cell, Column, Kind};
use crate::exit::{Result, Stop};

/// Columns that every table begins with: `trace` and `error`.
const LEADING: usize = 2;

/// What the columns are, for whoever reads them.
pub(crate) fn schema(columns: &[Column]) -> SchemaRef {
    let field = |column: &Column| {
        let kind = match column.kind {
            Kind::Text => DataType::Utf8,
            Kind::Count => DataType::UInt64,
            Kind::Number => DataType::Int64,
            Kind::Real => DataType::Float64,
            Kind::Flag => DataType::Boolean,
            Kind::Moment => DataType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into())),
        };
        Field::new(&column.name, kind, true)
    };
    Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
}

/// The columns of a batch of rows of one input.
pub(crate) struct ArrowBatch {
    schema: SchemaRef,
    trace: Arc<str>,
    rows: usize,
    /// Of all texts.
    bytes: usize,
    /// Why the input cannot be read, and in which row that stands.
    errors: Vec<(usize, String)>,
    /// Those after `trace` and `error`.
    columns: Vec<Building>,
}

enum Building {
    Text(StringBuilder),
    Count(UInt64Builder),
    Number(Int64Builder),
    Real(Float64Builder),
    Flag(BooleanBuilder),
    Moment(TimestampNanosecondBuilder),
}

impl ArrowBatch {
    pub(crate) fn new(trace: &str, columns: &[Column]) -> ArrowBatch {
        let building = |column: &Column| match column.kind {
            Kind::Text => Building::Text(StringBuilder::new()),
            Kind::Count => Building::Count(UInt64Builder::new()),
            Kind::Number => Building::Number(Int64Builder::new()),
            Kind::Real => Building::Real(Float64Builder::new()),
            Kind::Flag => Building::Flag(BooleanBuilder::new()),
            Kind::Moment => Building::Moment(TimestampNanosecondBuilder::new().with_timezone("UTC")),
        };
        ArrowBatch {
            schema: schema(columns),
            trace: trace.into(),
            rows: 0,
            bytes: 0,
            errors: vec![],
            columns: columns.iter().skip(LEADING).map(building).collect(),
        }
    }

    /// The row of an input that cannot be read.
    pub(crate) fn error(&mut self, sentence: &str) {
        self.errors.push((self.rows, sentence.to_owned()));
        self.row(&[]);
    }

    /// A cell that does not suit its column, or is not there, is empty.
    pub(crate) fn row(&mut self, cells: &[Cell<'_>]) {
        self.rows += 1;
        for (index, column) in self.columns.iter_mut().enumerate() {
            match (column, cells.get(index).copied().unwrap_or(Cell::Empty)) {
                (Building::Text(text), Cell::Text(cell)) => {
                    self.bytes += cell.len();
                    text.append_value(cell);
                }
                (Building::Text(text), _) => text.append_null(),
                (Building::Count(count), cell) => {
                    count.append_option(if let Cell::Count(cell) = cell { Some(cell) } else { None });
                }
                (Building::Number(number), cell) => {
                    number.append_option(if let Cell::Number(cell) = cell { Some(cell) } else { None });
                }
                (Building::Real(real), cell) => {
                    real.append_option(if let Cell::Real(cell) = cell { Some(cell) } else { None });
                }
                (Building::Flag(flag), cell) => {
                    flag.append_option(if let Cell::Flag(cell) = cell { Some(cell) } else { None });
                }
                (Building::Moment(moment), cell) => {
                    moment.append_option(if let Cell::Moment(cell) = cell { Some(cell) } else { None });
                }
            }
        }
    }

    /// How much text there is.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn take(&mut self) -> Result<RecordBatch> {
        self.bytes = 0;
        let mut columns = self.leading().to_vec();
        columns.extend(self.columns.iter_mut().map(Building::finish));
        RecordBatch::try_new(Arc::clone(&self.schema), columns)
            .or_else(|error| Stop::failed(format!("cannot make columns: {error}")))
    }

    /// `trace` and `error`: the same in nearly all rows, so they are made for all at once.
    fn leading(&mut self) -> [ArrayRef; LEADING] {
        let rows = std::mem::take(&mut self.rows);
        let mut trace = StringBuilder::with_capacity(rows, rows * self.trace.len());
        trace.append_value_n(&self.trace, rows);
        let mut error = StringBuilder::with_capacity(rows, 0);
        for (row, sentence) in self.errors.drain(..) {
            error.append_nulls(row - error.len());
            error.append_value(sentence);
        }
        error.append_nulls(rows - error.len());
        [Arc::new(trace.finish()), Arc::new(error.finish())]
    }
}

impl Building {
    /// The column so far. The next batch will be as large: what it needs is taken at once, as growing copies.
    fn finish(&mut self) -> ArrayRef {
        match self {
            Building::Text(text) => {
                let (rows, bytes) = (text.len(), text.values_slice().len());
                // Texts differ in length.
                let next = StringBuilder::with_capacity(rows, bytes + bytes / 8);
                Arc::new(std::mem::replace(text, next).finish())
            }
            Building::Count(count) => sized(count, UInt64Builder::with_capacity),
            Building::Number(number) => sized(number, Int64Builder::with_capacity),
            Building::Real(real) => sized(real, Float64Builder::with_capacity),
            Building::Flag(flag) => sized(flag, BooleanBuilder::with_capacity),
            Building::Moment(moment) => {
                let new = |rows| TimestampNanosecondBuilder::with_capacity(rows).with_timezone("UTC");
                sized(moment, new)
            }
        }
    }
}

fn sized<B: ArrayBuilder>(builder: &mut B, new: impl Fn(usize) -> B) -> ArrayRef {
    let next = new(builder.len());
    ArrayBuilder::finish(&mut std::mem::replace(builder, next))
}
