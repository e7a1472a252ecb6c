//! Streams: a table on its way to another package, batch by batch.
//!
//! Whoever waits for a batch looks for Ctrl-C meanwhile. Only the thread that began the stream does: another one might be
//! waited for by the thread that holds the interpreter's lock.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use tracewright::{Message, Notes, Request, TableReader};

use crate::Error;

/// How long Ctrl-C may go unseen.
const PATIENCE: Duration = Duration::from_millis(50);
/// The place of the column `error`.
const ERROR: usize = 1;

/// A stream that was begun and of which nothing was taken yet.
pub(crate) type Slot = Arc<Mutex<Option<Opened>>>;

/// A table that is being read.
#[derive(Debug)]
pub(crate) struct Opened {
    /// `None` after the end.
    reader: Option<TableReader>,
    columns: SchemaRef,
    /// Rows that were read to see whether any input can be.
    held: VecDeque<RecordBatch>,
    notes: Notes,
    home: ThreadId,
}

impl Opened {
    /// Begins to read. With `raises` it is an error when none of the inputs can be read.
    pub(crate) fn begin(request: Request, inputs: Vec<PathBuf>, raises: bool) -> PyResult<Opened> {
        let (count, home) = (inputs.len(), thread::current().id());
        let reader = TableReader::start(request, inputs);
        let columns = match wait(&reader, home)? {
            Message::Columns(columns) => columns,
            Message::Failed(sentence) => return Err(Error::new_err(sentence)),
            Message::Rows(_) | Message::End | Message::NoInput => {
                return Err(Error::new_err("the table has no columns; please report it"));
            }
        };
        let notes = reader.notes();
        let mut opened = Opened { reader: Some(reader), columns, held: VecDeque::new(), notes, home };
        while raises && opened.held.back().is_none_or(is_error) {
            match opened.read()? {
                Some(Message::Rows(rows)) => opened.held.push_back(rows),
                Some(Message::NoInput) => return Err(opened.no_input(count)),
                Some(_) | None => break,
            }
        }
        Ok(opened)
    }

    /// What the command line says beside the answer.
    pub(crate) fn notes(&self) -> Notes {
        self.notes.clone()
    }

    /// The next that is read; a last message is handed out once.
    fn read(&mut self) -> PyResult<Option<Message>> {
        let Some(reader) = &self.reader else { return Ok(None) };
        let message = wait(reader, self.home);
        if !matches!(message, Ok(Message::Rows(_))) {
            self.reader = None;
        }
        match message? {
            Message::Failed(sentence) => Err(Error::new_err(sentence)),
            message => Ok(Some(message)),
        }
    }

    fn no_input(&self, count: usize) -> PyErr {
        let first = self.held.front().map(|rows| rows.column(ERROR).as_string::<i32>().value(0));
        let first = first.unwrap_or("nothing is known of them");
        Error::new_err(match count {
            1 => first.to_owned(),
            _ => format!("none of the inputs could be read; of the first: {first}"),
        })
    }
}

/// Whether the rows are of inputs that could not be read.
fn is_error(rows: &RecordBatch) -> bool {
    rows.column(ERROR).null_count() == 0
}

/// Waits for what comes next, or for Ctrl-C.
fn wait(reader: &TableReader, home: ThreadId) -> PyResult<Message> {
    loop {
        if let Some(message) = reader.wait(PATIENCE) {
            return Ok(message);
        }
        if thread::current().id() == home {
            Python::try_attach(|py| py.check_signals()).unwrap_or(Ok(()))?;
        }
    }
}

/// A stream that another package takes.
#[derive(Debug)]
pub(crate) struct Stream {
    opened: Option<Opened>,
    columns: SchemaRef,
    is_begun: bool,
    slot: Slot,
}

impl Stream {
    /// `slot`: where it is left for the next, when whoever has it takes nothing of it: DuckDB asks for the columns first.
    pub(crate) fn new(opened: Opened, slot: Slot) -> Stream {
        Stream { columns: Arc::clone(&opened.columns), opened: Some(opened), is_begun: false, slot }
    }

    pub(crate) fn columns(&self) -> SchemaRef {
        Arc::clone(&self.columns)
    }
}

impl Iterator for Stream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.is_begun = true;
        let opened = self.opened.as_mut()?;
        if let Some(rows) = opened.held.pop_front() {
            return Some(Ok(rows));
        }
        match opened.read() {
            Ok(Some(Message::Rows(rows))) => Some(Ok(rows)),
            Ok(_) => None,
            Err(error) => Some(Err(ArrowError::ExternalError(again(&error).into()))),
        }
    }
}

impl RecordBatchReader for Stream {
    fn schema(&self) -> SchemaRef {
        self.columns()
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let opened = self.opened.take().filter(|_| !self.is_begun);
        let mut slot = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        if slot.is_none() {
            *slot = opened;
        }
    }
}

/// What to say of an exception to a reader that knows none. Ctrl-C is raised again, to be seen by Python when the reader
/// has returned.
fn again(error: &PyErr) -> String {
    let sentence = Python::try_attach(|py| {
        if error.is_instance_of::<PyKeyboardInterrupt>(py) {
            let interrupted = py.import("_thread").and_then(|module| module.call_method0("interrupt_main"));
            return interrupted.map_or_else(|error| error.to_string(), |_| "interrupted".to_owned());
        }
        error.value(py).to_string()
    });
    sentence.unwrap_or_else(|| "the interpreter ends".to_owned())
}
