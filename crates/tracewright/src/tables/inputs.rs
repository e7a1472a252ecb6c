//! Which inputs a table is made of: each one that is named, those that fit a pattern, those in a folder.

use std::path::{Path, PathBuf};

use formats::notes_json;

use crate::exit::{Result, Stop};
use crate::files;
use crate::pattern::Pattern;
use crate::recordings;

/// The inputs that `named` stand for, in their order; those of a folder or a pattern by name.
pub(crate) fn expand(named: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut all = vec![];
    for input in named {
        if input.as_os_str() == "-" || input.is_file() || is_trace(input) {
            all.push(input.clone());
        } else if input.is_dir() {
            let inside = children(input);
            if inside.is_empty() {
                return Stop::failed(format!("{} has no trace in it", input.display()));
            }
            all.extend(inside);
        } else if let Some(matches) = matching(input) {
            all.extend(matches);
        } else {
            // It becomes a row that says so.
            all.push(input.clone());
        }
    }
    Ok(all)
}

/// A folder that is a trace itself.
fn is_trace(folder: &Path) -> bool {
    if !folder.is_dir() || recordings::is_recording(folder) {
        return folder.is_dir();
    }
    // A session has its traces in folders of its own, each with its metadata.
    let is_metadata = |found: &files::Found| found.path.file_name().is_some_and(|name| name == "metadata");
    let sessions = files::below(folder).is_ok_and(|below| below.iter().any(is_metadata));
    let inside = children(folder);
    let are_whole = |child: &&PathBuf| recordings::is_recording(child) || child.join("metadata").is_file();
    folder.join("metadata").is_file() || sessions && !inside.iter().any(|child| are_whole(&child))
}

/// What lies in a folder, hidden files and notes on another one left out, and what is neither file nor folder: a pipe that somebody left there would
/// keep all others waiting.
fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_hidden =
        |path: &PathBuf| path.file_name().is_none_or(|name| name.to_string_lossy().starts_with('.'));
    let is_wanted = |path: &PathBuf| !is_hidden(path) && !is_notes(path) && (path.is_file() || path.is_dir());
    let mut inside: Vec<PathBuf> = entries.filter(is_wanted).collect();
    inside.sort();
    inside
}

/// Whether a file has the notes on the trace that it lies beside.
fn is_notes(path: &Path) -> bool {
    let trace = path.file_name().and_then(|name| name.to_str()?.strip_suffix(notes_json::ENDING));
    trace.is_some_and(|trace| path.with_file_name(trace).exists())
}

/// The files and folders whose names fit a pattern that a shell left as it is; `None`: it is none.
fn matching(input: &Path) -> Option<Vec<PathBuf>> {
    let pattern = input.file_name()?.to_string_lossy().into_owned();
    if !pattern.contains(['*', '?']) {
        return None;
    }
    let folder = input.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let pattern = Pattern::new(&pattern);
    let fits = |path: &PathBuf| path.file_name().is_some_and(|name| pattern.matches(&name.to_string_lossy()));
    let found: Vec<PathBuf> = children(folder).into_iter().filter(fits).collect();
    (!found.is_empty()).then_some(found)
}
