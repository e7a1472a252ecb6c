//! Work that takes longer than a request may: done in a thread of its own, asked about meanwhile.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::exit::{Result, Stop};
use crate::views::json::Json;

/// One piece of work and what it came to.
#[derive(Debug)]
pub(crate) struct Job<T> {
    state: Mutex<State<T>>,
    progress: Arc<Progress>,
}

/// How far the input has been read.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    read: AtomicU64,
    total: AtomicU64,
}

#[derive(Debug)]
enum State<T> {
    Idle,
    Running,
    Done(Arc<T>),
    Failed(String),
}

impl<T> Default for Job<T> {
    fn default() -> Self {
        Job { state: Mutex::new(State::Idle), progress: Arc::default() }
    }
}

impl Progress {
    /// Notes bytes read and bytes in all.
    pub(crate) fn set(&self, (read, total): (u64, u64)) {
        self.read.store(read, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    /// A share in 0..=1; `None` while it is not known.
    pub(crate) fn share(&self) -> Option<f64> {
        let (read, total) = (self.read.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        (total > 0).then(|| (read as f64 / total as f64).min(1.0))
    }
}

impl<T: Send + Sync + 'static> Job<T> {
    /// Starts `work`, unless it was started before. A thread that cannot be had is a failure of the job.
    pub(crate) fn start(self: &Arc<Self>, work: impl FnOnce(&Progress) -> Result<T> + Send + 'static) {
        {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            if !matches!(*state, State::Idle) {
                return;
            }
            *state = State::Running;
        }
        let job = self.clone();
        let spawned = std::thread::Builder::new().name("job".into()).spawn(move || {
            // What a broken input could make of an analysis must not leave the page waiting for ever.
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&job.progress)));
            job.set(match caught {
                Ok(Ok(value)) => State::Done(Arc::new(value)),
                Ok(Err(Stop::Failed(sentence))) => State::Failed(sentence),
                Ok(Err(Stop::Unread)) => State::Failed("It was stopped.".into()),
                Err(_) => {
                    State::Failed("This is a mistake in Tracewright: the work on the trace broke off.".into())
                }
            });
        });
        if let Err(error) = spawned {
            self.set(State::Failed(format!("no thread could be started: {error}")));
        }
    }

    fn set(&self, state: State<T>) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }

    /// What it came to, once it is done.
    pub(crate) fn done(&self) -> Option<Arc<T>> {
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Done(value) => Some(value.clone()),
            _ => None,
        }
    }

    /// Writes the members `phase` (`idle`, `running`, `done`, `failed`), `progress` and `failure`.
    pub(crate) fn describe(&self, json: &mut Json) {
        let (phase, failure) = match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Idle => ("idle", None),
            State::Running => ("running", None),
            State::Done(_) => ("done", None),
            State::Failed(sentence) => ("failed", Some(sentence.clone())),
        };
        json.key("phase").text(phase);
        json.key("progress").number_or_null(self.progress.share().filter(|_| phase == "running"));
        json.key("failure").text_or_null(failure.as_deref());
    }
}
