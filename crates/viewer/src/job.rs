//! Work that takes longer than a request may: done in a thread of its own, asked about meanwhile.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::api::{JobStatus, Phase};

/// One piece of work and what it came to.
#[derive(Debug)]
pub struct Job<T> {
    state: Mutex<State<T>>,
    progress: Arc<Progress>,
}

/// How far the input has been read.
#[derive(Debug, Default)]
pub struct Progress {
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
    pub fn set(&self, (read, total): (u64, u64)) {
        self.read.store(read, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    /// A share in 0..=1; `None` while it is not known.
    pub fn share(&self) -> Option<f64> {
        let (read, total) = (self.read.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        (total > 0).then(|| (read as f64 / total as f64).min(1.0))
    }
}

impl<T: Send + Sync + 'static> Job<T> {
    /// Starts `work`, unless it was started before; if it fails it returns the reason as a sentence. A thread that cannot
    /// be had is a failure of the job.
    pub fn start(self: &Arc<Self>, work: impl FnOnce(&Progress) -> Result<T, String> + Send + 'static) {
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
                Ok(Err(sentence)) => State::Failed(sentence),
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
    pub fn done(&self) -> Option<Arc<T>> {
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Done(value) => Some(value.clone()),
            _ => None,
        }
    }

    /// Where it stands.
    pub fn status(&self) -> JobStatus {
        let (phase, failure) = match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Idle => (Phase::Idle, None),
            State::Running => (Phase::Running, None),
            State::Done(_) => (Phase::Done, None),
            State::Failed(sentence) => (Phase::Failed, Some(sentence.clone())),
        };
        let progress = self.progress.share().filter(|_| phase == Phase::Running);
        JobStatus { phase, progress, failure }
    }
}
