//! Measures that were made for filters and searches, so that scrolling and "next" need not make them again.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use analyses::replay::Measure;

/// So many are cached; the one that was not used for longest goes.
const CACHED: usize = 12;

/// See the module's head.
#[derive(Debug, Default)]
pub(super) struct Measures(Mutex<Vec<Named>>);

/// Its name, and the measure once it is made.
type Named = (String, Arc<OnceLock<Arc<Measure>>>);

impl Measures {
    /// The measure of this name, made by `make` unless it is there. Who wants another need not wait for it.
    pub(super) fn get(&self, name: &str, make: impl FnOnce() -> Measure) -> Arc<Measure> {
        self.slot(name).get_or_init(|| Arc::new(make())).clone()
    }

    fn slot(&self, name: &str) -> Arc<OnceLock<Arc<Measure>>> {
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = match cached.iter().position(|(known, _)| known == name) {
            Some(at) => cached.remove(at).1,
            None => Arc::default(),
        };
        if cached.len() >= CACHED {
            cached.remove(0);
        }
        cached.push((name.to_owned(), slot.clone()));
        slot
    }
}
