//! One file for each target, each with one function `run`.

pub mod archive;
pub mod capture;
pub mod choices_text;
pub mod ctf_metadata;
pub mod ctf_stream;
pub mod event_lines;
pub mod history_text;
pub mod loops;
pub mod loops_kept;
pub mod pattern_xml;
pub mod perf;
pub mod replay_kept;
pub mod timeline_kept;
