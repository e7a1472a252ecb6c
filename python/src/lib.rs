//! The extension module of the Python package `tracewright`: answers as tables that other packages take without a copy.
//!
//! ```text
//! open(paths) -> Inputs ──events() gaps() states() ...──> Table ──__arrow_c_stream__──> pyarrow, pandas, Polars, DuckDB
//!                                                           each stream is a TableReader of the crate `tracewright`
//! ```
//!
//! All work is done by threads of Rust with the interpreter's lock released. `tracewright/__init__.pyi` has the types.
#![cfg(feature = "extension")]

mod inputs;
mod stream;
mod table;

use pyo3::prelude::*;

pyo3::create_exception!(
    tracewright,
    Error,
    pyo3::exceptions::PyException,
    "What cannot be done, with the sentence that the command line says."
);

#[pymodule]
fn _tracewright(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("Error", module.py().get_type::<Error>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("SCHEMA_VERSION", tracewright::VERSION)?;
    module.add_class::<inputs::Inputs>()?;
    module.add_class::<table::Table>()?;
    module.add_function(wrap_pyfunction!(inputs::open, module)?)
}
