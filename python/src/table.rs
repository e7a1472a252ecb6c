//! Tables: what was asked of which inputs, read anew for each that takes it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_schema::ffi::FFI_ArrowSchema;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use tracewright::{Notes, Request};

use crate::Error;
use crate::stream::{Opened, Slot, Stream};

/// A table. ``pyarrow.table``, ``pandas.DataFrame.from_arrow``, ``polars.DataFrame`` and DuckDB take it as it is, by
/// ``__arrow_c_stream__``; each time it is read anew, some thousand rows at a time.
#[pyclass(frozen, module = "tracewright")]
#[derive(Debug)]
pub(crate) struct Table {
    request: Request,
    inputs: Vec<PathBuf>,
    raises: bool,
    /// A stream that was begun and of which nothing was taken.
    slot: Slot,
    notes: Mutex<Notes>,
}

impl Table {
    pub(crate) fn new(request: Request, inputs: Vec<PathBuf>, raises: bool) -> Table {
        Table { request, inputs, raises, slot: Slot::default(), notes: Mutex::default() }
    }

    /// A stream that has begun, so that what cannot be read is an exception here.
    fn open(&self, py: Python<'_>) -> PyResult<Stream> {
        let waiting = self.slot.lock().unwrap_or_else(PoisonError::into_inner).take();
        let opened = match waiting {
            Some(opened) => opened,
            None => py.detach(|| Opened::begin(self.request.clone(), self.inputs.clone(), self.raises))?,
        };
        *self.notes.lock().unwrap_or_else(PoisonError::into_inner) = opened.notes();
        Ok(Stream::new(opened, Arc::clone(&self.slot)))
    }
}

#[pymethods]
impl Table {
    /// The columns: name, kind and what each holds.
    #[getter]
    fn columns(&self, py: Python<'_>) -> Vec<(String, &'static str, &'static str)> {
        py.detach(|| self.request.columns(&self.inputs))
    }

    /// What the command line says beside the answer, of the stream that was begun last: losses, damage, remarks about a
    /// model. It is complete when the stream was read to its end.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).all()
    }

    /// The Arrow C schema of the table, as a capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let stream = self.open(py)?;
        let schema = FFI_ArrowSchema::try_from(stream.columns().as_ref());
        let schema = schema.map_err(|error| Error::new_err(format!("cannot state the columns: {error}")))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The rows as an Arrow C stream, in a capsule. ``requested_schema`` is not regarded, as the interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let stream = FFI_ArrowArrayStream::new(Box::new(self.open(py)?));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    fn __repr__(&self) -> String {
        format!("<tracewright.Table {} of {} inputs>", self.request.name(), self.inputs.len())
    }
}
