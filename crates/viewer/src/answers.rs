//! Answers that take long. Nobody waits for one on its connection: whoever asks is asked to come back, and finds it then.
//!
//! ```text
//! GET ── a thread works it out ──┬── it is there soon: 200
//!                                └── it is not: 202 {"finished": 7} ─┐
//! GET /api/finished?after=7 ── held until another one is there ── {"finished": 8} ── the same GET again: 200
//! ```
//!
//! So a request is answered at once whatever it costs, and a page that waits for ten answers holds one connection: a
//! browser has six of them for all of its pages. An answer that nobody comes back for is forgotten, and so are all
//! when something was changed.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::api::about::Finished;
use crate::http::Reply;

/// How long a request waits for its answer: well below what people notice.
const WAIT: Duration = Duration::from_millis(30);
/// How long a question for what is finished is held, and how often is looked whether its page is still there.
const HOLD: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(500);
/// Answers that are worked out, or wait to be fetched, at a time.
const MOST: usize = 16;
/// How long an answer waits to be fetched.
const FRESH: Duration = Duration::from_secs(2);

/// The answers that are not fetched yet.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    all: Mutex<Vec<Arc<Work>>>,
    count: Arc<Count>,
}

/// Counts answers that somebody was asked to come back for, once they are there.
#[derive(Debug)]
struct Count {
    finished: Mutex<u64>,
    grows: Condvar,
}

impl Default for Count {
    /// One, so that there is a number below it.
    fn default() -> Count {
        Count { finished: Mutex::new(1), grows: Condvar::new() }
    }
}

impl Count {
    fn get(&self) -> MutexGuard<'_, u64> {
        self.finished.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn grow(&self) {
        *self.get() += 1;
        self.grows.notify_all();
    }
}

#[derive(Debug)]
struct Work {
    target: String,
    state: Mutex<State>,
    is_there: Condvar,
}

#[derive(Debug)]
enum State {
    /// `is_awaited`: somebody was asked to come back.
    Running {
        is_awaited: bool,
    },
    There(Reply, Instant),
}

impl State {
    fn is_running(&self) -> bool {
        matches!(self, State::Running { .. })
    }
}

impl Work {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stale(&self) -> bool {
        matches!(&*self.state(), State::There(_, since) if since.elapsed() > FRESH)
    }

    fn is_running(&self) -> bool {
        self.state().is_running()
    }

    /// Notes that somebody comes back for it; `false` where it is there already.
    fn is_awaited_from_now(&self) -> bool {
        match &mut *self.state() {
            State::Running { is_awaited } => {
                *is_awaited = true;
                true
            }
            State::There(..) => false,
        }
    }
}

/// Hands over what was worked out, also when working it out broke off.
struct Handing {
    work: Arc<Work>,
    count: Arc<Count>,
    reply: Option<Reply>,
}

impl Drop for Handing {
    fn drop(&mut self) {
        let reply = self.reply.take();
        let broke_off = || Reply::refusal(500, "This is a mistake in Tracewright: the answer broke off.\n");
        let there = State::There(reply.unwrap_or_else(broke_off), Instant::now());
        let before = std::mem::replace(&mut *self.work.state(), there);
        self.work.is_there.notify_all();
        if matches!(before, State::Running { is_awaited: true }) {
            self.count.grow();
        }
    }
}

impl Answers {
    /// The answer to `target`, by `work` unless that is under way already; 202 if that takes long.
    pub(crate) fn answer(&self, target: &str, work: impl FnOnce() -> Reply + Send + 'static) -> Reply {
        let Some(known) = self.begin(target, work) else { return self.too_many() };
        let state = known.is_there.wait_timeout_while(known.state(), WAIT, |state| state.is_running());
        let (mut state, _) = state.unwrap_or_else(PoisonError::into_inner);
        let reply = match &mut *state {
            State::There(reply, _) => reply.clone(),
            State::Running { is_awaited } => {
                *is_awaited = true;
                // It cannot be finished as long as we hold its lock, so it will count as one more than these.
                return again(*self.count.get());
            }
        };
        drop(state);
        self.all().retain(|other| !Arc::ptr_eq(other, &known));
        reply
    }

    /// The number of answers that were finished, as soon as it is above `after`; after a while, or once `is_gone`
    /// is true, whatever it is.
    pub(crate) fn finished(&self, after: u64, is_gone: impl FnMut() -> bool) -> Reply {
        self.finished_within(HOLD, after, is_gone)
    }

    fn finished_within(&self, hold: Duration, after: u64, mut is_gone: impl FnMut() -> bool) -> Reply {
        let end = Instant::now() + hold;
        let mut count = self.count.get();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if *count > after || left.is_zero() {
                return Reply::json(&Finished { finished: *count });
            }
            let waited = self.count.grows.wait_timeout(count, left.min(POLL));
            count = waited.unwrap_or_else(PoisonError::into_inner).0;
            if *count <= after {
                drop(count);
                if is_gone() {
                    return again(after);
                }
                count = self.count.get();
            }
        }
    }

    /// Whoever asks comes back when one of those that run is there.
    fn too_many(&self) -> Reply {
        let before = *self.count.get();
        let runs = self.all().iter().filter(|work| work.is_awaited_from_now()).count();
        // Where all were finished meanwhile there is room at once.
        again(if runs > 0 { before } else { before - 1 })
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
        let state = Mutex::new(State::Running { is_awaited: false });
        let new = Arc::new(Work { target: target.to_owned(), state, is_there: Condvar::new() });
        let handing = Handing { work: new.clone(), count: self.count.clone(), reply: None };
        let spawned = std::thread::Builder::new().name("answer".into()).spawn(move || {
            let mut handing = handing;
            handing.reply = Some(work());
        });
        // Without a thread the answer says so: `handing` was dropped.
        drop(spawned);
        all.push(new.clone());
        Some(new)
    }

    /// Something was changed: what was worked out before may be wrong now, and whoever waits for it asks anew.
    pub(crate) fn forget(&self) {
        self.all().clear();
        self.count.grow();
    }

    fn all(&self) -> MutexGuard<'_, Vec<Arc<Work>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// It takes a moment: to be asked again once more answers than `finished` are there.
fn again(finished: u64) -> Reply {
    Reply { status: 202, ..Reply::json(&Finished { finished }) }
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
        assert!(later.all().is_empty(), "what was fetched is forgotten");
    }

    /// How many answers a reply says are finished.
    fn count(reply: &Reply) -> u64 {
        serde_json::from_slice::<serde_json::Value>(&reply.body).unwrap()["finished"].as_u64().unwrap()
    }

    #[test]
    fn whoever_was_told_to_come_back_hears_when_it_is_there_and_of_nothing_else() {
        let answers = Answers::default();
        let (go, wait) = mpsc::channel::<()>();
        let slow = answers.answer("/slow", move || {
            let _ = wait.recv();
            Reply::json(&7)
        });
        assert_eq!((slow.status, count(&slow)), (202, 1));
        for number in 0..5 {
            let target = format!("/{number}");
            let quick = answers.answer(&target, || Reply::json(&1));
            assert!(
                quick.status == 200 || answered(|| answers.answer(&target, || Reply::json(&1))).status == 200
            );
        }
        let before = *answers.count.get();
        std::thread::scope(|scope| {
            let held = scope.spawn(|| answers.finished_within(Duration::from_secs(60), before, || false));
            std::thread::sleep(Duration::from_millis(20));
            assert!(!held.is_finished());
            drop(go);
            assert_eq!(count(&held.join().unwrap()), before + 1);
        });
        assert_eq!(text(&answers.answer("/slow", || Reply::json(&0))), (200, "7".into()));
        // What is known already is answered at once, and a change is reported.
        assert_eq!(count(&answers.finished(before, || false)), before + 1);
        answers.forget();
        assert_eq!(count(&answers.finished(before + 1, || false)), before + 2);
    }

    #[test]
    fn a_held_question_ends_after_a_while_and_with_its_page() {
        let answers = Answers::default();
        let stored = answers.finished_within(Duration::from_millis(30), 9, || false);
        assert_eq!((stored.status, count(&stored)), (200, 1));
        let start = Instant::now();
        assert_eq!(answers.finished_within(Duration::from_secs(600), 9, || true).status, 202);
        assert!(start.elapsed() < Duration::from_secs(300));
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
