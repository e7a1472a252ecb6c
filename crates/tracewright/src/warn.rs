//! Warnings about the input, on standard error, of a command that prints something else.

use std::path::Path;

use model::{EventSource, FlowSource, Severity};

use crate::escape::plain;
use crate::losses::Total;
use crate::process::note;
use crate::recordings;
use crate::views::diagnostic_text;

/// Diagnostics that are shown; `info` shows more.
const SHOWN: usize = 3;

/// Prints losses and diagnostics of a source; whether something is missing.
pub(crate) fn warn(input: &Path, lost: Total, source: &dyn EventSource) -> bool {
    let shown = input.display().to_string();
    let shown = plain(&shown);
    if lost.gaps > 0 {
        note(format_args!("{shown}: {}; `tracewright info` says where", lost.sentence()));
    }
    complain(input, source);
    is_incomplete(lost, source)
}

/// Prints diagnostics alone, where losses are in the output.
pub(crate) fn complain(input: &Path, source: &dyn EventSource) {
    let shown = input.display().to_string();
    let shown = plain(&shown);
    let diagnostics = source.diagnostics();
    let file = input.file_name().map(|name| plain(&name.to_string_lossy()).into_owned());
    for diagnostic in diagnostics.iter().take(SHOWN) {
        let text = diagnostic_text(diagnostic, source.streams());
        // A diagnostic about the input itself names it already; others name a file inside it.
        match file.as_ref().is_some_and(|file| text.starts_with(file)) {
            true => note(format_args!("{text}")),
            false => note(format_args!("{shown}: {text}")),
        }
    }
    if diagnostics.len() > SHOWN {
        let more = diagnostics.len() - SHOWN;
        note(format_args!("{shown}: and {more} more diagnostics; `tracewright info` lists them"));
    }
}

/// Whether events were lost or the input is damaged.
pub(crate) fn is_incomplete(lost: Total, source: &dyn EventSource) -> bool {
    lost.gaps > 0 || source.diagnostics().iter().any(|diagnostic| diagnostic.severity == Severity::Damage)
}

/// Prints losses and diagnostics of a recording; whether something is missing.
pub(crate) fn warn_of(shown: &Path, recording: &dyn FlowSource) -> bool {
    let shown = shown.display().to_string();
    let shown = plain(&shown);
    let missing = recordings::missing(recording);
    missing.iter().for_each(|sentence| note(format_args!("{shown}: {sentence}")));
    for diagnostic in recording.diagnostics().iter().take(SHOWN) {
        note(format_args!("{shown}: {}", diagnostic_text(diagnostic, &[])));
    }
    if recording.diagnostics().len() > SHOWN {
        let more = recording.diagnostics().len() - SHOWN;
        note(format_args!("{shown}: and {more} more diagnostics; `tracewright info` lists them"));
    }
    !missing.is_empty()
        || recording.diagnostics().iter().any(|diagnostic| diagnostic.severity == Severity::Damage)
}
