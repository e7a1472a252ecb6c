//! Runs tools one after the other, while the client may go on to speak.

use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::child;
use super::protocol::{Asked, tool_result};

/// Calls that may wait. A client asks for one or a few at a time.
const WAITING: usize = 16;

/// How long calls may go on after standard input has ended: a client that ends wants us to end, and one that is a pipe wants its answers.
const GRACE: Duration = Duration::from_secs(5);

/// The answers' way out, one whole line at a time.
#[derive(Debug, Clone, Default)]
pub(super) struct Out {
    is_closed: Arc<AtomicBool>,
}

impl Out {
    pub(super) fn write(&self, answer: &Value) {
        let line = format!("{answer}\n");
        let mut stdout = std::io::stdout().lock();
        if stdout.write_all(line.as_bytes()).and_then(|()| stdout.flush()).is_err() {
            // Nobody reads any more: that is an end, not a failure.
            self.is_closed.store(true, Ordering::Relaxed);
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }
}

/// By id: whether the call was cancelled.
type Live = Arc<Mutex<HashMap<String, Arc<AtomicBool>>>>;

fn live(live: &Live) -> MutexGuard<'_, HashMap<String, Arc<AtomicBool>>> {
    live.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug)]
pub(super) struct Worker {
    calls: SyncSender<(Asked, Arc<AtomicBool>)>,
    live: Live,
    /// When standard input ended.
    ended: Arc<Mutex<Option<Instant>>>,
    out: Out,
    thread: JoinHandle<()>,
}

impl Worker {
    pub(super) fn start(executable: PathBuf, out: Out) -> Worker {
        let (calls, receiver) = sync_channel(WAITING);
        let (live, ended) = (Live::default(), Arc::default());
        let run =
            Running { executable, live: Arc::clone(&live), ended: Arc::clone(&ended), out: out.clone() };
        Worker { calls, live, ended, out, thread: std::thread::spawn(move || run.all(receiver)) }
    }

    pub(super) fn ask(&self, asked: Asked) {
        let (id, is_cancelled) = (asked.id.clone(), Arc::new(AtomicBool::new(false)));
        live(&self.live).insert(id.to_string(), Arc::clone(&is_cancelled));
        if let Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) =
            self.calls.try_send((asked, is_cancelled))
        {
            live(&self.live).remove(&id.to_string());
            let sentence = format!("{WAITING} calls wait already; ask again when one is answered");
            self.out
                .write(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32000, "message": sentence}}));
        }
    }

    pub(super) fn cancel(&self, id: &Value) {
        if let Some(is_cancelled) = live(&self.live).get(&id.to_string()) {
            is_cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// Answers what was asked, for as long as is left.
    pub(super) fn finish(self) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        drop(self.calls);
        // A panic there has been reported on standard error.
        let _ = self.thread.join();
    }
}

struct Running {
    executable: PathBuf,
    live: Live,
    ended: Arc<Mutex<Option<Instant>>>,
    out: Out,
}

impl Running {
    fn all(&self, calls: Receiver<(Asked, Arc<AtomicBool>)>) {
        for (asked, is_cancelled) in calls {
            let is_unwanted = || {
                let ended = *self.ended.lock().unwrap_or_else(PoisonError::into_inner);
                is_cancelled.load(Ordering::Relaxed)
                    || self.out.is_closed()
                    || ended.is_some_and(|since| since.elapsed() > GRACE)
            };
            let text = match is_unwanted() {
                true => None,
                false => child::run(&self.executable, &asked.call, &is_unwanted),
            };
            live(&self.live).remove(&asked.id.to_string());
            if let Some(text) = text.filter(|_| !is_unwanted()) {
                let result = tool_result(&text.text, text.is_error, asked.is_modern);
                self.out.write(&json!({"jsonrpc": "2.0", "id": asked.id, "result": result}));
            }
        }
    }
}
