//! One file for each target, each with one function `run`.

pub mod capture;
pub mod ctf_metadata;
pub mod ctf_stream;
pub mod event_lines;
pub mod history_text;
pub mod loops;
pub mod perf;
