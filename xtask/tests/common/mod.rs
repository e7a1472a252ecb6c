//! What the tests of the repository itself share: where it is, and the files in it.

#![allow(dead_code, reason = "each test file uses its own part of this")]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first broken promise")]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// The text of a file, by its path from the root.
pub(crate) fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every Rust file of the repository, by its path from the root, in order.
pub(crate) fn rust_files() -> Vec<String> {
    let mut files = Vec::new();
    for folder in ["crates", "fuzz", "python", "xtask"] {
        collect(&root().join(folder), &mut files);
    }
    let root = root();
    let relative = |file: &PathBuf| file.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
    let mut names: Vec<String> =
        files.iter().filter(|file| file.extension().is_some_and(|end| end == "rs")).map(relative).collect();
    names.sort();
    names
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}

/// What `cargo metadata` says, for this platform only: it needs no other packages than a build does.
pub(crate) fn metadata() -> Value {
    metadata_with(&[])
}

/// The same with further options, features for instance.
pub(crate) fn metadata_with(options: &[&str]) -> Value {
    let rustc = Command::new("rustc").arg("-vV").output().unwrap();
    let version = String::from_utf8(rustc.stdout).unwrap();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--locked", "--filter-platform", host])
        .args(options)
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The lines of the first fenced block after the line `heading`.
pub(crate) fn block_after<'a>(text: &'a str, heading: &str) -> Vec<&'a str> {
    let after = text.lines().skip_while(|line| *line != heading);
    after.skip_while(|line| !line.starts_with("```")).skip(1).take_while(|line| *line != "```").collect()
}
