//! Bytes to model and back. Every parser of untrusted bytes lives here, and each is fuzzed.
//!
//! The caller opens files and gives bytes ([`source::Source`]); nothing in here opens, locks,
//! sleeps or asks the clock. A parser never panics, never loops for ever and never allocates by a
//! size that it has not checked against [`limits`]; what is wrong becomes a `model::Diagnostic` and
//! the rest is still read.
#![deny(missing_docs)]

pub mod archive;

pub mod cases_json;
pub mod choices_text;

pub mod chrome;
pub mod compressed;
pub mod control_text;
pub mod ctf;
pub mod event_lines;
pub mod export;
pub mod ftrace;
mod fuzzing;
pub mod harmless;
pub mod history_text;
pub mod hsperfdata;
pub mod http_head;
pub mod java_launcher;
mod kernel_names;
pub mod limits;
mod lines;
pub mod loops_json;
pub mod model_xml;
pub mod notes_json;
pub mod perf;
pub mod perfetto;
pub mod proc_text;
#[cfg(test)]
mod shown;
mod slices;
mod syscalls;
pub mod tar;
pub mod trace_dat;
pub mod trace_xml;
mod tracepoint;
pub mod uftrace;
