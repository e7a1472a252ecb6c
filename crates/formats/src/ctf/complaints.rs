//! What is wrong with a trace, bounded: the same thing said three times is counted from then on.

use std::collections::BTreeMap;

use model::{Finding, Place, Severity, StreamId};

use crate::limits;

/// Collects findings. Deterministic, and never longer than [`limits::FINDINGS`].
#[derive(Debug, Default)]
pub(super) struct Complaints {
    findings: Vec<Finding>,
    counts: BTreeMap<(StreamId, &'static str), u64>,
    dropped: u64,
}

/// One complaint about a place in a file.
#[derive(Debug)]
pub(super) struct Complaint {
    pub(super) code: &'static str,
    pub(super) severity: Severity,
    pub(super) offset: u64,
    pub(super) sentence: String,
}

impl Complaint {
    pub(super) fn damage(code: &'static str, offset: u64, sentence: String) -> Self {
        Complaint { code, severity: Severity::Damage, offset, sentence }
    }

    pub(super) fn note(code: &'static str, offset: u64, sentence: String) -> Self {
        Complaint { code, severity: Severity::Note, offset, sentence }
    }
}

impl Complaints {
    pub(super) fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// A complaint that comes at most once for each file.
    pub(super) fn file(&mut self, file: &str, complaint: Complaint) {
        let Complaint { code, severity, offset, sentence } = complaint;
        let place = Place::File { file: file.to_owned(), offset };
        let finding = Finding { code, severity, place, sentence };
        if self.findings.len() + 1 < limits::FINDINGS {
            self.findings.push(finding);
            return;
        }
        self.dropped += 1;
        let dropped = self.dropped;
        let place = finding.place;
        // The last place of the list says how many did not fit.
        self.findings.truncate(limits::FINDINGS - 1);
        self.findings.push(Finding {
            code: "ctf-findings-dropped",
            severity: Severity::Damage,
            place,
            sentence: format!(
                "{dropped} more findings were made up to here; {} are kept.",
                limits::FINDINGS - 1
            ),
        });
    }

    /// A complaint about a stream, which may come for each packet or event of it.
    pub(super) fn stream(&mut self, stream: StreamId, file: &str, complaint: Complaint) {
        let count = self.counts.entry((stream, complaint.code)).or_default();
        *count += 1;
        if *count <= limits::CTF_SAME_COMPLAINTS {
            self.file(file, complaint);
        }
    }

    /// Says how often what was said about a stream was found, now that it ends at `offset`.
    pub(super) fn end_of_stream(&mut self, stream: StreamId, file: &str, offset: u64) {
        let all: Vec<_> =
            self.counts.range((stream, "")..(StreamId(stream.0.saturating_add(1)), "")).collect();
        let more: Vec<(&'static str, u64)> = all
            .into_iter()
            .filter(|(_, count)| **count > limits::CTF_SAME_COMPLAINTS)
            .map(|(&(_, code), &count)| (code, count))
            .collect();
        for (code, count) in more {
            let sentence = format!("This was found {count} times in this stream; the first are listed.");
            let severity = self.findings.iter().find(|finding| finding.code == code).map(|f| f.severity);
            let severity = severity.unwrap_or(Severity::Damage);
            self.file(file, Complaint { code, severity, offset, sentence });
        }
    }
}
