//! Measures that were made for filters and searches, so that scrolling and "next" need not make them again.

use std::sync::{Arc, Mutex, PoisonError};

use analyses::replay::Measure;

/// So many are kept; the one that was not used for longest goes.
const KEPT: usize = 12;

/// See the module's head.
#[derive(Debug, Default)]
pub(super) struct Measures(Mutex<Vec<(String, Arc<Measure>)>>);

impl Measures {
    /// The measure of this name, made by `make` unless it is there.
    pub(super) fn get(&self, name: &str, make: impl FnOnce() -> Measure) -> Arc<Measure> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = kept.iter().position(|(known, _)| known == name) {
            let found = kept.remove(at);
            let measure = found.1.clone();
            kept.push(found);
            return measure;
        }
        let measure = Arc::new(make());
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((name.to_owned(), measure.clone()));
        measure
    }
}
