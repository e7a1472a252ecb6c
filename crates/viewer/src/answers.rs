//! Answers that take long. Nobody waits for them: whoever asks is told to ask again, and finds the answer then.
//!
//! ```text
//! GET ── a thread works it out ──┬── it is there soon: 200
//!                                └── it is not: 202 ── the same GET a moment later ── 200, or 202 once more
//! ```
//!
//! So a request is answered at once whatever it costs, and the page goes on meanwhile. An answer that nobody comes
//! back for is forgotten, and so are all when something was changed.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::http::Reply;

/// How long a request waits for its answer: well below what people notice.
const WAIT: Duration = Duration::from_millis(30);
/// Answers that are worked out, or wait to be fetched, at a time.
const MOST: usize = 16;
/// How long an answer waits to be fetched.
const FRESH: Duration = Duration::from_secs(2);

/// The answers that are not fetched yet.
#[derive(Debug, Default)]
pub(crate) struct Answers(Mutex<Vec<Arc<Work>>>);

#[derive(Debug)]
struct Work {
    target: String,
    state: Mutex<State>,
    is_there: Condvar,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Running,
    There(Reply, Instant),
}

impl Work {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stale(&self) -> bool {
        matches!(&*self.state(), State::There(_, since) if since.elapsed() > FRESH)
    }

    fn is_running(&self) -> bool {
        matches!(&*self.state(), State::Running)
    }
}

/// Hands over what was worked out, also when working it out broke off.
struct Handing(Arc<Work>, Option<Reply>);

impl Drop for Handing {
    fn drop(&mut self) {
        let reply = self.1.take();
        let broke_off = || Reply::refusal(500, "This is a mistake in Tracewright: the answer broke off.\n");
        *self.0.state() = State::There(reply.unwrap_or_else(broke_off), Instant::now());
        self.0.is_there.notify_all();
    }
}

impl Answers {
    /// The answer to `target`, by `work` unless that is under way already; 202 if that takes long.
    pub(crate) fn answer(&self, target: &str, work: impl FnOnce() -> Reply + Send + 'static) -> Reply {
        let Some(known) = self.begin(target, work) else { return again() };
        let state =
            known.is_there.wait_timeout_while(known.state(), WAIT, |state| matches!(state, State::Running));
        let (state, _) = state.unwrap_or_else(PoisonError::into_inner);
        let State::There(reply, _) = &*state else { return again() };
        let reply = reply.clone();
        drop(state);
        self.all().retain(|other| !Arc::ptr_eq(other, &known));
        reply
    }

    /// The work that is under way, or a new one; `None` where too much is.
    fn begin(&self, target: &str, work: impl FnOnce() -> Reply + Send + 'static) -> Option<Arc<Work>> {
        let mut all = self.all();
        all.retain(|known| !known.is_stale());
        if let Some(known) = all.iter().find(|known| known.target == target) {
            return Some(known.clone());
        }
        if all.len() >= MOST {
            // What nobody fetched makes room; what runs cannot.
            let old = all.iter().position(|known| !known.is_running())?;
            all.remove(old);
        }
        let state = Mutex::default();
        let new = Arc::new(Work { target: target.to_owned(), state, is_there: Condvar::new() });
        let handing = Handing(new.clone(), None);
        let spawned = std::thread::Builder::new().name("answer".into()).spawn(move || {
            let mut handing = handing;
            handing.1 = Some(work());
        });
        // Without a thread the answer says so: `handing` was dropped.
        drop(spawned);
        all.push(new.clone());
        Some(new)
    }

    /// Something was changed: what was worked out before may be wrong now.
    pub(crate) fn forget(&self) {
        self.all().clear();
    }

    fn all(&self) -> MutexGuard<'_, Vec<Arc<Work>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn again() -> Reply {
    Reply::new(202, "text/plain; charset=utf-8", b"This takes a moment; ask again.\n".as_slice())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use super::*;

    fn text(reply: &Reply) -> (u16, String) {
        (reply.status, String::from_utf8_lossy(&reply.body).into_owned())
    }

    /// Asks until there is an answer; a busy machine may take its time.
    fn answered(ask: impl Fn() -> Reply) -> Reply {
        loop {
            let reply = ask();
            if reply.status != 202 {
                return reply;
            }
            std::thread::yield_now();
        }
    }

    #[test]
    fn what_takes_long_is_worked_out_once_and_found_later() {
        let (later, runs) = (Answers::default(), Arc::new(AtomicUsize::new(0)));
        let (go, wait) = mpsc::channel::<()>();
        let wait = Arc::new(Mutex::new(wait));
        let ask = || {
            let (runs, wait) = (runs.clone(), wait.clone());
            later.answer("/slow", move || {
                runs.fetch_add(1, Ordering::SeqCst);
                wait.lock().unwrap().recv().unwrap();
                Reply::json(&7)
            })
        };
        // Whoever waited for it would wait for ever.
        assert_eq!(ask().status, 202);
        assert_eq!(ask().status, 202);
        let quick = answered(|| later.answer("/quick", || Reply::json(&1)));
        assert_eq!(text(&quick), (200, "1".into()), "others are answered meanwhile");
        go.send(()).unwrap();
        let found = answered(ask);
        assert_eq!((text(&found), runs.load(Ordering::SeqCst)), ((200, "7".into()), 1));
        assert!(later.all().is_empty(), "what was fetched is not kept");
    }

    #[test]
    fn an_answer_that_breaks_off_says_so_and_harms_no_other() {
        let later = Answers::default();
        let broken = answered(|| later.answer("/broken", || std::panic::panic_any(())));
        assert_eq!(broken.status, 500);
        assert_ne!(later.answer("/broken", || Reply::json(&())).status, 500);
    }

    #[test]
    fn too_much_at_a_time_waits_and_what_nobody_fetches_makes_room() {
        let later = Answers::default();
        let (go, wait) = mpsc::channel::<()>();
        let wait = Arc::new(Mutex::new(wait));
        let started = Arc::new(AtomicUsize::new(0));
        let ask = |number: usize| {
            let (wait, started) = (wait.clone(), started.clone());
            later.answer(&format!("/{number}"), move || {
                started.fetch_add(1, Ordering::SeqCst);
                let _ = wait.lock().unwrap().recv();
                Reply::json(&())
            })
        };
        for number in 0..MOST + 4 {
            assert_eq!(ask(number).status, 202);
        }
        while started.load(Ordering::SeqCst) < MOST {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(ask(MOST + 4).status, 202);
        assert_eq!(started.load(Ordering::SeqCst), MOST);
        drop(go);
        while later.all().iter().any(|work| work.is_running()) {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(answered(|| ask(MOST + 2)).status, 200, "there is room again");
        later.forget();
        assert!(later.all().is_empty());
    }
}
