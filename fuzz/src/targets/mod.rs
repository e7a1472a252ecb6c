//! One file for each target, each with one function `run`.

pub mod archive;
pub mod capture;
pub mod cases;
pub mod certificate;
pub mod choices_text;
pub mod class_cache;
pub mod class_file;
pub mod compressed;
pub mod control_text;
pub mod ctf_metadata;
pub mod ctf_stream;
pub mod event_lines;
pub mod history_text;
pub mod hsperfdata;
pub mod http_head;
pub mod jar_directory;
pub mod java_launcher;
pub mod loops;
pub mod loops_kept;
pub mod model_xml;
pub mod perf;
pub mod program_text;
pub mod replay_kept;
pub mod search_file;
pub mod timeline_kept;
pub mod trace_xml;
