//! Inputs: traces and recordings that tables are made of.

use std::num::NonZero;
use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tracewright::{Part, Request, TableReader, What};

use crate::Error;
use crate::table::Table;

/// One path or several.
#[derive(FromPyObject)]
pub(crate) enum Paths {
    One(PathBuf),
    Several(Vec<PathBuf>),
}

/// One name or several.
#[derive(FromPyObject)]
pub(crate) enum Names {
    One(String),
    Several(Vec<String>),
}

/// Open one or many traces or recordings of control flow.
///
/// ``paths`` is a path or a list of paths; folders stand for what is in them, patterns with ``*`` and ``?`` for what fits.
/// Nothing is read yet but the names.
///
/// ``expand``: with ``False`` each path is one input, whatever is in it.
/// ``jobs``: how many inputs to read at a time; one for each core unless given.
/// ``errors``: an input that cannot be read is a row whose ``error`` says why. Where none can be read, ``"raise"`` raises
/// ``Error`` and ``"rows"`` gives the rows.
/// ``part``: ``(3, 8)`` is the third of eight parts of the one input. Parts one after the other are the table.
/// ``before``: with ``part``, the sums of ``events_by_stream`` of all parts before it, where they are known.
#[pyfunction]
#[pyo3(signature = (paths, *, expand=true, jobs=None, errors="raise", part=None, before=None))]
pub(crate) fn open(
    py: Python<'_>,
    paths: Paths,
    expand: bool,
    jobs: Option<u32>,
    errors: &str,
    part: Option<(u32, u32)>,
    before: Option<Vec<u64>>,
) -> PyResult<Inputs> {
    let named = match paths {
        Paths::One(path) => vec![path],
        Paths::Several(paths) => paths,
    };
    let raises = match errors {
        "raise" => true,
        "rows" => false,
        other => {
            return Err(PyValueError::new_err(format!("errors is \"raise\" or \"rows\", not {other:?}")));
        }
    };
    let jobs = match jobs {
        None => None,
        Some(jobs @ 1..=1024) => NonZero::new(jobs as usize),
        Some(jobs) => return Err(PyValueError::new_err(format!("jobs is from 1 to 1024, not {jobs}"))),
    };
    let part = match part {
        None => None,
        Some((number, of)) => Some(Part::new(number, of).map_err(PyValueError::new_err)?.after(before)),
    };
    let paths = py.detach(|| TableReader::inputs(&named, expand)).map_err(Error::new_err)?;
    Ok(Inputs { paths, jobs, raises, part })
}

/// Traces or recordings that were opened; each method is a table of ``docs/tables.md``.
#[pyclass(frozen, module = "tracewright")]
#[derive(Debug)]
pub(crate) struct Inputs {
    paths: Vec<PathBuf>,
    jobs: Option<NonZero<usize>>,
    raises: bool,
    part: Option<Part>,
}

impl Inputs {
    fn request(&self, what: What) -> Request {
        let request = Request::new(what).part(self.part.clone());
        match self.jobs {
            Some(jobs) => request.jobs(jobs),
            None => request,
        }
    }

    fn table(&self, request: Request) -> PyResult<Table> {
        request.check(self.paths.len()).map_err(PyValueError::new_err)?;
        Ok(Table::new(request, self.paths.clone(), self.raises))
    }

    fn by_track(&self, what: What, track_by: &str) -> PyResult<Table> {
        let request = self.request(what).track_by(track_by).map_err(PyValueError::new_err)?;
        self.table(request)
    }
}

#[pymethods]
impl Inputs {
    /// The inputs that the paths stand for.
    #[getter]
    fn paths(&self) -> Vec<PathBuf> {
        self.paths.clone()
    }

    /// How many events each stream has in the part; ``None`` where they cannot be counted without a look at all that is before.
    fn events_by_stream(&self, py: Python<'_>) -> PyResult<Option<Vec<u64>>> {
        let (Some(part), [path]) = (&self.part, &self.paths[..]) else {
            return Err(PyValueError::new_err("give one input and a part of it"));
        };
        py.detach(|| Request::events_by_stream(path, part)).map_err(Error::new_err)
    }

    /// Events of a trace, or of a recording the blocks that ran.
    ///
    /// ``name``: only events with such a name, and a column for each of their fields; a pattern with ``*`` and ``?``, or a
    /// list of them.
    /// ``fields``: with ``name``, the names and kinds of those columns; those that the first events carry unless given.
    #[pyo3(signature = (*, name=None, fields=None))]
    fn events(&self, name: Option<Names>, fields: Option<Vec<(String, String)>>) -> PyResult<Table> {
        let names = match name {
            None => vec![],
            Some(Names::One(name)) => vec![name],
            Some(Names::Several(names)) => names,
        };
        let request = self.request(What::Events).names(names);
        let request = match fields {
            None => request,
            Some(fields) => request.fields(fields).map_err(PyValueError::new_err)?,
        };
        self.table(request)
    }

    /// Places where something was lost.
    fn gaps(&self) -> PyResult<Table> {
        self.table(self.request(What::Gaps))
    }

    /// States of threads, CPUs and whatever else a model knows.
    ///
    /// ``model``: a built-in one or a file; ``kernel-2018`` unless given.
    #[pyo3(signature = (*, model=None))]
    fn states(&self, model: Option<String>) -> PyResult<Table> {
        self.table(self.request(What::States).model(model))
    }

    /// Events that the machines of a model do not take: something before them is missing.
    ///
    /// ``model``: a built-in one or a file; ``kernel`` unless given.
    #[pyo3(signature = (*, model=None))]
    fn incoherences(&self, model: Option<String>) -> PyResult<Table> {
        self.table(self.request(What::Incoherences).model(model))
    }

    /// Events that were lost and are inferred, each with its interval and its probability.
    ///
    /// ``model``: a built-in one or a file; ``kernel`` unless given.
    #[pyo3(signature = (*, model=None))]
    fn inferred(&self, model: Option<String>) -> PyResult<Table> {
        self.table(self.request(What::Inferred).model(model))
    }

    /// Runs of every level: loops, and what lies between them.
    ///
    /// ``track_by``: ``"thread"``, ``"cpu"`` or ``"stream"``.
    #[pyo3(signature = (*, track_by="thread"))]
    fn loops(&self, track_by: &str) -> PyResult<Table> {
        self.by_track(What::Loops, track_by)
    }

    /// Who called whom from which line, how often, by thread.
    fn calls(&self) -> PyResult<Table> {
        self.table(self.request(What::Calls))
    }

    /// Blocks that ran, with their lines and counts.
    fn blocks(&self) -> PyResult<Table> {
        self.table(self.request(What::Blocks))
    }

    /// Tests, requests and tasks that ran, and marks.
    fn sections(&self) -> PyResult<Table> {
        self.table(self.request(What::Sections))
    }

    /// With which arguments methods were called, and what came of it.
    fn values(&self) -> PyResult<Table> {
        self.table(self.request(What::Values))
    }

    /// Loops that tracks end in, and what threads were in the middle of.
    ///
    /// ``track_by``: ``"thread"``, ``"cpu"`` or ``"stream"``.
    #[pyo3(signature = (*, track_by="thread"))]
    fn hangs(&self, track_by: &str) -> PyResult<Table> {
        self.by_track(What::Hangs, track_by)
    }

    fn __len__(&self) -> usize {
        self.paths.len()
    }

    fn __repr__(&self) -> String {
        match &self.paths[..] {
            [one] => format!("<tracewright.Inputs {}>", one.display()),
            several => format!("<tracewright.Inputs of {}>", several.len()),
        }
    }
}
