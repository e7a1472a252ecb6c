//! Whose process this is: our own, or that of a program that uses the library.
//!
//! In a process of our own notes go to standard error, a terminal may get a progress bar, and signals remove what is half
//! written. In somebody else's process none of that is done. A [`Guest`] is a job there: it collects the notes, can be
//! ended from outside, and has the folders that archives were unpacked to, which go with it.

use std::cell::RefCell;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::{Adapter, EventSource, Item};

use crate::atomic::TemporaryFolder;

/// Whether `main` of the program runs here.
static IS_OURS: AtomicBool = AtomicBool::new(false);

thread_local! {
    static GUEST: RefCell<Option<Arc<Guest>>> = const { RefCell::new(None) };
}

/// Notes that are kept of a job; damaged inputs without end make no list without end.
const NOTES: usize = 1_000;

/// Inputs and where they were unpacked to.
pub(crate) type Unpacked = Vec<(PathBuf, TemporaryFolder)>;

/// The messages of a job beside its answer.
#[derive(Debug, Clone, Default)]
pub struct Notes(Arc<Mutex<Vec<String>>>);

/// A job in a process that is not ours.
#[derive(Debug, Default)]
pub(crate) struct Guest {
    notes: Notes,
    is_over: AtomicBool,
    unpacked: Mutex<Unpacked>,
}

/// Marks this process as ours.
pub(crate) fn claim() {
    IS_OURS.store(true, Ordering::Relaxed);
}

/// See [`claim`].
pub(crate) fn is_ours() -> bool {
    IS_OURS.load(Ordering::Relaxed)
}

/// The job that the current thread works for.
pub(crate) fn guest() -> Option<Arc<Guest>> {
    GUEST.with_borrow(Option::clone)
}

/// Does some work for a job; a thread that helps another one works for the same.
pub(crate) fn within<T>(guest: Option<Arc<Guest>>, work: impl FnOnce() -> T) -> T {
    let before = GUEST.replace(guest);
    let done = work();
    GUEST.set(before);
    done
}

/// Prints a message beside the answer: `tracewright: SENTENCE` on standard error, or to the job.
pub(crate) fn note(sentence: fmt::Arguments<'_>) {
    match guest() {
        Some(guest) => guest.notes.add(sentence.to_string()),
        None if is_ours() => eprintln!("tracewright: {sentence}"),
        None => {}
    }
}

impl Notes {
    fn add(&self, note: String) {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if notes.len() < NOTES {
            notes.push(note);
        }
    }

    /// The sentences up to now.
    pub fn all(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Guest {
    /// See [`note`].
    #[cfg(any(feature = "columnar", test))]
    pub(crate) fn notes(&self) -> &Notes {
        &self.notes
    }

    /// Nobody wants the answer any more: inputs end at their next item.
    #[cfg(any(feature = "columnar", test))]
    pub(crate) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// What was unpacked for it.
    pub(crate) fn unpacked(&self) -> MutexGuard<'_, Unpacked> {
        self.unpacked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the job of the current thread was ended.
pub(crate) fn is_over() -> bool {
    guest().is_some_and(|guest| guest.is_over())
}

/// A source that ends when the job does that reads it.
pub(crate) fn ending(source: Box<dyn EventSource>) -> Box<dyn EventSource> {
    match guest() {
        Some(guest) => Box::new(Ending { source, guest }),
        None => source,
    }
}

struct Ending {
    source: Box<dyn EventSource>,
    guest: Arc<Guest>,
}

impl Adapter for Ending {
    fn inner(&self) -> &dyn EventSource {
        self.source.as_ref()
    }

    fn next_adapted(&mut self) -> Option<Item<'_>> {
        if self.guest.is_over() { None } else { self.source.next_item() }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Guest, guest, is_over, note, within};

    #[test]
    fn a_job_has_the_notes_of_its_threads_and_no_others() {
        let [one, other] = [Arc::new(Guest::default()), Arc::new(Guest::default())];
        within(Some(Arc::clone(&one)), || {
            note(format_args!("a"));
            within(Some(Arc::clone(&other)), || note(format_args!("b")));
            let helped = guest();
            std::thread::scope(|scope| scope.spawn(|| within(helped, || note(format_args!("c")))).join())
                .unwrap_or_default();
            assert!(!is_over());
            one.end();
            assert!(is_over());
        });
        assert_eq!(one.notes().all(), ["a", "c"]);
        assert_eq!(other.notes().all(), ["b"]);
        assert!(guest().is_none() && !is_over());
    }
}
