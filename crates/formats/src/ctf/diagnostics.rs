//! Diagnostics of a trace, bounded: after three of a kind, further ones are only counted.

use std::collections::BTreeMap;

use model::{Diagnostic, Location, Severity, StreamId};

use crate::limits;

/// Collects diagnostics. Deterministic, and never longer than [`limits::DIAGNOSTICS`].
#[derive(Debug, Default)]
pub(super) struct Diagnostics {
    diagnostics: Vec<Diagnostic>,
    counts: BTreeMap<(StreamId, &'static str), u64>,
    dropped: u64,
}

/// One defect about a place in a file.
#[derive(Debug)]
pub(super) struct Defect {
    pub(super) code: &'static str,
    pub(super) severity: Severity,
    pub(super) offset: u64,
    pub(super) sentence: String,
}

impl Defect {
    pub(super) fn damage(code: &'static str, offset: u64, sentence: String) -> Self {
        Defect { code, severity: Severity::Damage, offset, sentence }
    }

    pub(super) fn note(code: &'static str, offset: u64, sentence: String) -> Self {
        Defect { code, severity: Severity::Note, offset, sentence }
    }
}

impl Diagnostics {
    pub(super) fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// A defect that comes at most once for each file.
    pub(super) fn file(&mut self, file: &str, defect: Defect) {
        let Defect { code, severity, offset, sentence } = defect;
        let location = Location::File { file: file.to_owned(), offset };
        let diagnostic = Diagnostic { code, severity, location, sentence };
        if self.diagnostics.len() + 1 < limits::DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
            return;
        }
        self.dropped += 1;
        let dropped = self.dropped;
        let location = diagnostic.location;
        // The last place of the list says how many did not fit.
        self.diagnostics.truncate(limits::DIAGNOSTICS - 1);
        self.diagnostics.push(Diagnostic {
            code: "ctf-diagnostics-dropped",
            severity: Severity::Damage,
            location,
            sentence: format!(
                "{dropped} more diagnostics were made up to here; {} are kept.",
                limits::DIAGNOSTICS - 1
            ),
        });
    }

    /// A defect about a stream, which may come for each packet or event of it.
    pub(super) fn stream(&mut self, stream: StreamId, file: &str, defect: Defect) {
        let count = self.counts.entry((stream, defect.code)).or_default();
        *count += 1;
        if *count <= limits::CTF_SAME_DIAGNOSTICS {
            self.file(file, defect);
        }
    }

    /// Reports how often each diagnostic of a stream was found, now that it ends at `offset`.
    pub(super) fn end_of_stream(&mut self, stream: StreamId, file: &str, offset: u64) {
        let all: Vec<_> =
            self.counts.range((stream, "")..(StreamId(stream.0.saturating_add(1)), "")).collect();
        let more: Vec<(&'static str, u64)> = all
            .into_iter()
            .filter(|(_, count)| **count > limits::CTF_SAME_DIAGNOSTICS)
            .map(|(&(_, code), &count)| (code, count))
            .collect();
        for (code, count) in more {
            let sentence = format!("This was found {count} times in this stream; the first are listed.");
            let severity =
                self.diagnostics.iter().find(|diagnostic| diagnostic.code == code).map(|f| f.severity);
            let severity = severity.unwrap_or(Severity::Damage);
            self.file(file, Defect { code, severity, offset, sentence });
        }
    }
}
