//! Diagnostics of a file, bounded: after three of a kind, further ones are only counted.

use std::collections::BTreeMap;

use model::{Diagnostic, Location, Severity};

use crate::limits;

/// Collects diagnostics about one file. Deterministic, and never longer than [`limits::DIAGNOSTICS`]: there
/// are far fewer codes than that.
#[derive(Debug, Default)]
pub(super) struct Diagnostics {
    file: String,
    diagnostics: Vec<Diagnostic>,
    counts: BTreeMap<&'static str, Count>,
}

#[derive(Debug)]
struct Count {
    count: u64,
    severity: Severity,
    last: u64,
}

impl Diagnostics {
    pub(super) fn new(file: &str) -> Self {
        Diagnostics { file: file.to_owned(), ..Diagnostics::default() }
    }

    pub(super) fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    pub(super) fn damage(&mut self, code: &'static str, offset: u64, sentence: impl FnOnce() -> String) {
        self.add(code, Severity::Damage, offset, sentence);
    }

    pub(super) fn note(&mut self, code: &'static str, offset: u64, sentence: impl FnOnce() -> String) {
        self.add(code, Severity::Note, offset, sentence);
    }

    fn add(
        &mut self,
        code: &'static str,
        severity: Severity,
        offset: u64,
        sentence: impl FnOnce() -> String,
    ) {
        let count = self.counts.entry(code).or_insert(Count { count: 0, severity, last: 0 });
        count.count += 1;
        count.last = offset;
        if count.count <= limits::PERF_SAME_DIAGNOSTICS && self.diagnostics.len() < limits::DIAGNOSTICS {
            self.push(code, severity, offset, sentence());
        }
    }

    fn push(&mut self, code: &'static str, severity: Severity, offset: u64, sentence: String) {
        let location = Location::File { file: self.file.clone(), offset };
        self.diagnostics.push(Diagnostic { code, severity, location, sentence });
    }

    /// Reports how often each diagnostic was found, now that all is read.
    pub(super) fn end(&mut self) {
        for (code, count) in std::mem::take(&mut self.counts) {
            if count.count > limits::PERF_SAME_DIAGNOSTICS && self.diagnostics.len() < limits::DIAGNOSTICS {
                let what = format!(
                    "This was found {} times in this file, here the last time; the first are listed.",
                    count.count
                );
                self.push(code, count.severity, count.last, what);
            }
        }
    }
}
