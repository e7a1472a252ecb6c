//! What a command that prints something else says on standard error about its input.

use std::path::Path;

use model::{EventSource, Severity};

use crate::escape::plain;
use crate::losses::Total;
use crate::views::complaint;

/// Complaints that are shown; `info` shows more.
const SHOWN: usize = 3;

/// Tells of losses and complaints, and whether something is missing.
pub(super) fn warn(input: &Path, lost: Total, source: &dyn EventSource) -> bool {
    let shown = input.display().to_string();
    let shown = plain(&shown);
    if lost.gaps > 0 {
        eprintln!("tracewright: {shown}: {}; `tracewright info` says where", lost.sentence());
    }
    complain(input, source);
    is_incomplete(lost, source)
}

/// Tells of complaints alone, where losses stand in the output.
pub(super) fn complain(input: &Path, source: &dyn EventSource) {
    let shown = input.display().to_string();
    let shown = plain(&shown);
    let findings = source.findings();
    let file = input.file_name().map(|name| plain(&name.to_string_lossy()).into_owned());
    for finding in findings.iter().take(SHOWN) {
        let complaint = complaint(finding, source.streams());
        // A complaint about the input itself names it already; others name a file inside it.
        match file.as_ref().is_some_and(|file| complaint.starts_with(file)) {
            true => eprintln!("tracewright: {complaint}"),
            false => eprintln!("tracewright: {shown}: {complaint}"),
        }
    }
    if findings.len() > SHOWN {
        let more = findings.len() - SHOWN;
        eprintln!("tracewright: {shown}: and {more} more complaints; `tracewright info` lists them");
    }
}

/// Whether events were lost or the input is damaged.
pub(super) fn is_incomplete(lost: Total, source: &dyn EventSource) -> bool {
    lost.gaps > 0 || source.findings().iter().any(|finding| finding.severity == Severity::Damage)
}
