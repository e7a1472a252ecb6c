//! What is fuzzed: one target for each parser of untrusted bytes, and for the loop engine.
//!
//! A target is a function that takes any bytes and must come back: without a panic, within seconds
//! and in bounded memory. The same functions run in two ways:
//!
//! * `cargo xtask fuzz-minute` mutates kept inputs with [`mutate`] on the stable toolchain,
//! * `cargo +nightly fuzz run --features libfuzzer NAME` gives them to libFuzzer (`fuzz_targets/`).
//!
//! The crate reads no file and knows no clock; whoever runs a target brings inputs and limits.

pub mod corpus;
pub mod hostile;
pub mod mutate;
pub mod targets;

/// What every target is: it is given bytes and has to survive them.
pub type Target = fn(&[u8]);

/// All targets by name. The name is also that of the folder of kept inputs under `corpus/`.
pub const TARGETS: &[(&str, Target)] = &[
    ("archive", targets::archive::run),
    ("capture", targets::capture::run),
    ("cases", targets::cases::run),
    ("certificate", targets::certificate::run),
    ("choices_text", targets::choices_text::run),
    ("chrome", targets::chrome::run),
    ("class_cache", targets::class_cache::run),
    ("class_file", targets::class_file::run),
    ("compressed", targets::compressed::run),
    ("control_text", targets::control_text::run),
    ("ctf_metadata", targets::ctf_metadata::run),
    ("ctf_stream", targets::ctf_stream::run),
    ("event_lines", targets::event_lines::run),
    ("ftrace", targets::ftrace::run),
    ("history_text", targets::history_text::run),
    ("hsperfdata", targets::hsperfdata::run),
    ("http_head", targets::http_head::run),
    ("jar_directory", targets::jar_directory::run),
    ("java_launcher", targets::java_launcher::run),
    ("loops", targets::loops::run),
    ("loops_json", targets::loops_json::run),
    ("loops_serialized", targets::loops_serialized::run),
    ("model_xml", targets::model_xml::run),
    ("notes_json", targets::notes_json::run),
    ("perf", targets::perf::run),
    ("perfetto", targets::perfetto::run),
    ("program_text", targets::program_text::run),
    ("replay_serialized", targets::replay_serialized::run),
    ("search_file", targets::search_file::run),
    ("tar", targets::tar::run),
    ("timeline_serialized", targets::timeline_serialized::run),
    ("trace_dat", targets::trace_dat::run),
    ("trace_xml", targets::trace_xml::run),
    ("uftrace", targets::uftrace::run),
];

/// The most memory that a run may need on top of what was in use before it.
///
/// The house rule for damaged input: 64 MiB and four times the size of the input.
pub fn memory_bound(input_len: usize) -> usize {
    (64 << 20) + 4 * input_len
}
