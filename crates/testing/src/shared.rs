//! What some tests need and not every machine has. Each function skips the calling test where it is missing.

use std::path::{Path, PathBuf};

use crate::skip::skip;

/// A file or folder of the larger test data, by its path from there. The data lie in `../shared` beside the
/// repository, or where `TRACEWRIGHT_SHARED` says.
pub fn shared(path: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder = std::env::var_os("TRACEWRIGHT_SHARED").map_or(beside, PathBuf::from);
    let found = std::fs::canonicalize(folder.join(path)).ok();
    if found.is_none() {
        skip(format_args!("no ../shared/{path}"));
    }
    found
}

/// The JDK in `JAVA_HOME`, or the one whose `javac` is first in the path.
pub fn jdk() -> Option<PathBuf> {
    let named = std::env::var_os("JAVA_HOME").map(PathBuf::from);
    let home = named.or_else(jdk_in_path).filter(|home| home.join("bin/javac").exists());
    if home.is_none() {
        skip("no JDK");
    }
    home
}

fn jdk_in_path() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let javac =
        std::env::split_paths(&folders).map(|folder| folder.join("javac")).find(|path| path.exists())?;
    Some(std::fs::canonicalize(javac).ok()?.parent()?.parent()?.to_owned())
}
