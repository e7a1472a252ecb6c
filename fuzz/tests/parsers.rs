//! Every public parser of bytes or text that we do not trust has a fuzz target.
// Clippy takes only the test functions for tests, not what helps them.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Files with parsers, what these are called, and the target that reaches them.
const PARSERS: &[(&str, &str, &str)] = &[
    ("crates/analyses/src/loops/serialized.rs", "from_bytes", "loops_serialized"),
    ("crates/analyses/src/replay/serialized.rs", "from_bytes", "replay_serialized"),
    ("crates/analyses/src/timeline/serialized.rs", "from_bytes", "timeline_serialized"),
    ("crates/busybeaver/src/history/events.rs", "program_of", "program_text"),
    ("crates/busybeaver/src/proof/certificate.rs", "from_line", "certificate"),
    ("crates/busybeaver/src/search/shares.rs", "read", "search_file"),
    ("crates/busybeaver/src/spec.rs", "read_cells", "program_text"),
    ("crates/classfile/src/class_builder.rs", "new", "class_file"),
    ("crates/classfile/src/class_file.rs", "parse", "class_file"),
    ("crates/classfile/src/descriptor.rs", "field method parts", "class_file"),
    ("crates/formats/src/archive.rs", "open read", "archive"),
    ("crates/capture/src/chunk.rs", "read", "capture"),
    ("crates/capture/src/frame.rs", "expand read", "capture"),
    ("crates/capture/src/open.rs", "open", "capture"),
    ("crates/capture/src/paths/numbering.rs", "read", "capture"),
    ("crates/capture/src/records/class.rs", "read", "capture"),
    ("crates/capture/src/records/method.rs", "from_bytes", "capture"),
    ("crates/capture/src/records/running.rs", "read_running read_running_samples", "capture"),
    ("crates/capture/src/records/side.rs", "read read_mark version", "capture"),
    ("crates/capture/src/records/stacks.rs", "read", "capture"),
    ("crates/capture/src/records/ticks.rs", "read_ticks", "capture"),
    ("crates/capture/src/records/throttled.rs", "read_throttled", "capture"),
    ("crates/capture/src/records/tasks.rs", "read_tasks", "capture"),
    ("crates/capture/src/records/values.rs", "read_values", "capture"),
    ("crates/formats/src/cases_json.rs", "read", "cases"),
    ("crates/formats/src/choices_text.rs", "read", "choices_text"),
    ("crates/capture/src/class_cache/instrumented.rs", "read", "class_cache"),
    ("crates/capture/src/class_cache/segment.rs", "read rows", "class_cache"),
    ("crates/formats/src/chrome/mod.rs", "read", "chrome"),
    ("crates/formats/src/compressed.rs", "of undo", "compressed"),
    ("crates/formats/src/control_text.rs", "answer decode pairs", "control_text"),
    ("crates/formats/src/ctf/reader.rs", "open", "ctf_stream"),
    ("crates/formats/src/history_text.rs", "read", "history_text"),
    ("crates/formats/src/hsperfdata.rs", "can_attach", "hsperfdata"),
    ("crates/formats/src/http_head.rs", "read", "http_head"),
    ("crates/formats/src/java_launcher.rs", "with_larger_stacks", "java_launcher"),
    ("crates/formats/src/loops_json.rs", "read", "loops_json"),
    ("crates/formats/src/model_xml/mod.rs", "read", "model_xml"),
    ("crates/formats/src/notes_json.rs", "read", "notes_json"),
    ("crates/formats/src/perf/reader.rs", "open", "perf"),
    ("crates/formats/src/perfetto/mod.rs", "read", "perfetto"),
    ("crates/formats/src/tar/mod.rs", "read", "tar"),
    ("crates/formats/src/trace_dat/reader.rs", "open", "trace_dat"),
    ("crates/formats/src/uftrace/open.rs", "open", "uftrace"),
];

/// A function that takes one of these ...
const UNTRUSTED: &[&str] =
    &["[u8", "impl Read", "dyn Source", "NamedSource", "text: &str", "line: &str", "value: &str", "Item = &"];
/// ... and may refuse it, or is called like this, is a parser.
const NAMES: &[&str] = &[
    "read",
    "open",
    "parse",
    "answer",
    "decode",
    "from_bytes",
    "from_json",
    "rows",
    "pairs",
    "undo",
    "can_attach",
];

/// Names of the public functions of a file that are parsers.
fn parsers(code: &str) -> BTreeSet<String> {
    let code = code.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let declared = code.split("pub fn ").skip(1).map(|rest| rest.split('{').next().unwrap_or_default());
    let is_parser = |declared: &&str| {
        let name = name_of(declared);
        let takes = UNTRUSTED.iter().any(|what| declared.contains(what));
        let (parameters, result) = declared.split_once("->").unwrap_or((declared, ""));
        let is_method = parameters.contains("&self") || parameters.contains("&mut self");
        let refuses = result.contains("Option<") || result.contains("Result<");
        takes && !is_method && (refuses || NAMES.contains(&name))
    };
    declared.filter(is_parser).map(|declared| name_of(declared).to_owned()).collect()
}

fn name_of(declared: &str) -> &str {
    declared.split(['(', '<']).next().unwrap_or_default()
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            files(&path, found);
        } else if name.ends_with(".rs") && !["tests.rs", "fixture.rs", "fuzz.rs"].contains(&name) {
            found.push(path);
        }
    }
}

#[test]
fn every_public_parser_has_a_target() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = vec![];
    for library in ["analyses", "busybeaver", "capture", "classfile", "formats", "inference", "source"] {
        files(&root.join("crates").join(library).join("src"), &mut found);
    }
    let of_code: BTreeMap<String, BTreeSet<String>> = found
        .iter()
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
            (name, parsers(&std::fs::read_to_string(path).unwrap()))
        })
        .filter(|(_, parsers)| !parsers.is_empty())
        .collect();
    let listed: BTreeMap<String, BTreeSet<String>> = PARSERS
        .iter()
        .map(|(file, names, _)| ((*file).to_owned(), names.split(' ').map(str::to_owned).collect()))
        .collect();
    assert_eq!(
        of_code, listed,
        "left: the code, right: the table above, which names a target for each parser"
    );
    for (file, _, target) in PARSERS {
        assert!(fuzz::TARGETS.iter().any(|(name, _)| name == target), "{file}: there is no target {target}");
    }
}

#[test]
fn a_parser_is_recognised() {
    let code = "pub fn read(bytes: &[u8]) -> u8 {}\npub fn f(a: &[u8; 4]) -> Option<u8> {}\npub fn of(n: u8) -> Option<u8> {}\n    pub fn sum(bytes: &[u8]) -> u64 {}\npub(crate) fn open(bytes: &[u8]) {}\n#[cfg(test)]\nmod tests {\npub fn read2(bytes: &[u8]) -> Option<u8> {}";
    assert_eq!(parsers(code), BTreeSet::from(["f".to_owned(), "read".to_owned()]));
}
