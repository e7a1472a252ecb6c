//! Measures that were made for filters and searches, so that scrolling and "next" need not make them again.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use analyses::replay::Measure;

/// So many are kept; the one that was not used for longest goes.
const KEPT: usize = 12;

/// See the module's head.
#[derive(Debug, Default)]
pub(super) struct Measures(Mutex<Vec<Named>>);

/// Its name, and the measure once it is made.
type Named = (String, Arc<OnceLock<Arc<Measure>>>);

impl Measures {
    /// The measure of this name, made by `make` unless it is there. Who wants another need not wait for it.
    pub(super) fn get(&self, name: &str, make: impl FnOnce() -> Measure) -> Arc<Measure> {
        self.place(name).get_or_init(|| Arc::new(make())).clone()
    }

    fn place(&self, name: &str) -> Arc<OnceLock<Arc<Measure>>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = match kept.iter().position(|(known, _)| known == name) {
            Some(at) => kept.remove(at).1,
            None => Arc::default(),
        };
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((name.to_owned(), place.clone()));
        place
    }
}
