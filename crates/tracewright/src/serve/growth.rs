//! `/api/growth`: whether what was opened has grown since, so that the page can offer to read it again.
//!
//! Nothing is followed byte by byte: what a tracer writes may change what was read before (an index, the head of a
//! packet), so that the input is read from its beginning, in the background, as when it was opened.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use viewer::api::input_growth::{INPUT_GROWTH, InputGrowth};
use viewer::api::{Handled, Parameters, Route};

use super::session::Session;
use crate::input_size;

pub(super) fn routes() -> Vec<Route<Session>> {
    vec![INPUT_GROWTH.answered_by(growth)]
}

/// What this part keeps in the session.
#[derive(Debug)]
pub(crate) struct Part {
    inputs: Vec<PathBuf>,
    /// Bytes in them before anything was read.
    size: u64,
}

impl Part {
    pub(crate) fn new(inputs: Vec<PathBuf>) -> Part {
        let size = size(&inputs);
        Part { inputs, size }
    }
}

fn growth(session: &Session, _: &Parameters<'_>) -> Handled<InputGrowth> {
    let part = &session.growth;
    let bytes = size(&part.inputs).cast_signed().saturating_sub(part.size.cast_signed());
    let is_being_recorded = part.inputs.iter().any(|input| is_being_recorded(session, input));
    Ok(InputGrowth { bytes, is_being_recorded, has_choices: session.inference.has_choices() })
}

/// Whether the program of a recording that was read still has its file in memory; `false` where that cannot be seen, as
/// from outside of its container.
fn is_being_recorded(session: &Session, input: &Path) -> bool {
    let recording = session.play.has_capture().then(|| session.play.recording()).flatten();
    let facts = recording.as_ref().map_or(&[][..], |recording| &recording.about.facts);
    let pid = facts.iter().find(|(what, _)| what == "pid").and_then(|(_, pid)| pid.parse::<u32>().ok());
    let (Some(pid), Ok(mapped)) = (pid, fs::symlink_metadata(input.join(capture::OPEN))) else {
        return false;
    };
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    // Address, rights, offset, device, inode, path: each process has its own devices, but hardly its own inodes.
    maps.lines().filter(|line| line.ends_with(capture::OPEN)).any(|line| {
        line.split_ascii_whitespace().nth(4).and_then(|inode| inode.parse().ok()) == Some(mapped.ino())
    })
}

/// Bytes of all inputs, but for what a recorder fills in memory: large from the beginning, and gone at the end.
fn size(inputs: &[PathBuf]) -> u64 {
    let of = |input: &PathBuf| {
        let mapped = fs::symlink_metadata(input.join(capture::OPEN)).map_or(0, |about| about.len());
        input_size::bytes(input).saturating_sub(mapped)
    };
    inputs.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::io::Write;
    use std::os::unix::fs::symlink;

    use viewer::{Readable, Request};

    use crate::serve::tests::session_of;
    use crate::serve::{Session, routes};

    fn bytes(session: &Session) -> i64 {
        let answer = routes().answer(session, &Request::get("/api/growth"));
        serde_json::from_slice::<serde_json::Value>(&answer.body).unwrap()["bytes"].as_i64().unwrap()
    }

    #[test]
    fn what_is_written_after_the_input_was_opened_is_growth_until_it_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let trace = folder.path().join("trace/stream.jsonl");
        std::fs::create_dir(trace.parent().unwrap()).unwrap();
        std::fs::write(&trace, "12345").unwrap();
        symlink("/proc/kmsg", folder.path().join("trace/link")).unwrap();
        symlink(folder.path(), folder.path().join("trace/circle")).unwrap();
        let session = session_of(&[folder.path().join("trace").to_str().unwrap()]);
        assert_eq!(bytes(&session), 0);
        OpenOptions::new().append(true).open(&trace).unwrap().write_all(b"678").unwrap();
        assert_eq!(bytes(&session), 3);
        assert_eq!(bytes(&session.again()), 0);
        std::fs::write(&trace, "1").unwrap();
        assert_eq!(bytes(&session), -4);
        std::fs::remove_dir_all(folder.path().join("trace")).unwrap();
        assert_eq!(bytes(&session), -5);
        // Nothing grows that is not in a file.
        assert_eq!(bytes(&session_of(&["-"])), 0);
        assert_eq!(bytes(&session_of(&["--symbols", "AB"])), 0);
    }
}
