//! What of a program's classes is to be recorded, and how.

use capture::Encoding;
use classfile::filters::{Filters, Pattern};

use super::fingerprint::{self, Fingerprint};

/// All that preparing a class depends on besides the class.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wanted {
    pub(crate) filters: Filters,
    pub(crate) encoding: Encoding,
    /// The methods of whose calls arguments, results and exceptions are kept.
    pub(crate) values: Vec<Pattern>,
    /// The methods inside whose calls everything is recorded, and nothing elsewhere; if there are none, all is.
    pub(crate) inside: Vec<Pattern>,
    /// Whether tasks are followed from thread to thread where all is recorded; inside named calls they always are.
    pub(crate) tasks: bool,
    /// Whether methods may be throttled.
    pub(crate) throttles: bool,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            filters: Filters::default(),
            encoding: Encoding::Paths,
            values: Vec::new(),
            inside: Vec::new(),
            tasks: false,
            throttles: false,
        }
    }
}

impl Wanted {
    /// Whether the classes are changed by which tasks go from thread to thread. Recorded classes do not depend on it.
    pub(crate) fn follows_tasks(&self) -> bool {
        self.tasks || !self.inside.is_empty()
    }

    pub(crate) fn fingerprint(&self) -> Fingerprint {
        let Filters { include, exclude, generated } = &self.filters;
        let flags =
            u64::from(self.encoding.to_byte()) | u64::from(*generated) << 8 | u64::from(self.throttles) << 9;
        let mut all = fingerprint::with([0, 0], [flags, include.len() as u64]);
        for pattern in include.iter().chain(exclude) {
            all = fingerprint::with_bytes(all, pattern.text().as_bytes());
        }
        for (kind, patterns) in [("values", &self.values), ("inside", &self.inside)] {
            for pattern in patterns {
                let of_kind = fingerprint::with_bytes(all, kind.as_bytes());
                all = fingerprint::with_bytes(of_kind, pattern.text().as_bytes());
            }
        }
        all
    }
}
