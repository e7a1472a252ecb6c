//! The page of the viewer: whatever `cargo xtask web` left in `web/dist`, or nothing.
//!
//! Node is never started from here: a build must not depend on what else is installed.

use std::fs;
use std::path::{Path, PathBuf};

/// Writes the list of files that `src/assets.rs` includes.
fn main() {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).unwrap_or_default();
    let dist = variable("CARGO_MANIFEST_DIR").join("../../web/dist");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", dist.display());
    let mut lines = String::new();
    for path in files(&dist) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let absolute = fs::canonicalize(&path).unwrap_or(path);
        lines.push_str(&format!(
            "    ({:?}, include_bytes!({:?})),\n",
            format!("/{name}"),
            absolute.display().to_string()
        ));
    }
    let text = format!("static FILES: &[(&str, &[u8])] = &[\n{lines}];\n");
    let target = variable("OUT_DIR").join("web.rs");
    if let Err(error) = fs::write(&target, text) {
        println!("cargo::error=cannot write {}: {error}", target.display());
    }
}

fn files(dist: &Path) -> Vec<PathBuf> {
    let ends = ["html", "js", "css", "svg"];
    let entries = fs::read_dir(dist).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries
        .filter(|path| path.extension().is_some_and(|end| ends.iter().any(|known| end == *known)))
        .collect();
    files.sort();
    // A page without its script is no page.
    if files.iter().any(|file| file.ends_with("index.html")) { files } else { Vec::new() }
}
