//! Tracepoints of the Linux kernel: what one writes, as the text of its `format` says it.
//!
//! perf.data and trace.dat carry these texts, and what was written by them, in the same form.

pub(crate) mod decode;
mod format;
mod print_format;

pub(crate) use format::{Field, Format, parse};
