//! Something that one thread at a time may touch, and that no thread waits for: who finds it taken leaves what is
//! to be done to the one who has it. (Known as flat combining: Hendler, Incze, Shavit and Tzafrir, 2010.)
//!
//! ```text
//! a job ---> left ---> nobody is there:  does all that was left, and looks once more after it
//!                 `--> somebody is:      goes; that one looks once more after what it does
//! ```
//!
//! Where too much is left, and where the caller says so, it waits after all. Then the one who does the jobs of all
//! others goes, and who has waited goes on with them. Where somebody panics, the jobs in its hands are dropped, and
//! so are those that others have left to it.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::locks::{Guard, Lock, Rank};

/// With so many jobs left, who brings another one waits.
const MOST_LEFT: usize = 4;

/// What one thread at a time may touch, and what is left to be done with it.
#[derive(Debug)]
pub(crate) struct Combining<S, J> {
    state: Lock<S>,
    left: Lock<Vec<J>>,
    /// How many wait for the state: each will look what is left.
    waiting: AtomicU32,
}

impl<S, J> Combining<S, J> {
    pub(crate) fn new(state: S) -> Self {
        Self {
            state: Lock::new(Rank::Steps, state),
            left: Lock::new(Rank::Waiting, Vec::new()),
            waiting: AtomicU32::new(0),
        }
    }

    /// The state alone, once nobody brings jobs any more.
    pub(crate) fn lock(&self) -> Guard<'_, S> {
        self.state.lock()
    }

    /// Has a job done, by whoever has the state. `waits`: by nobody else. `act` does one with the state, and what
    /// `after` does needs none; both are given jobs of others, too, and bring no new ones.
    pub(crate) fn put(
        &self,
        job: J,
        waits: bool,
        mut act: impl FnMut(&mut S, &mut J),
        mut after: impl FnMut(J),
    ) {
        let _forsaken = Forsaken(&self.left);
        let mut jobs = Vec::new();
        let mut taken = if waits || self.left.lock().len() >= MOST_LEFT {
            jobs.push(job);
            Some(self.wait())
        } else {
            self.left.lock().push(job);
            self.take()
        };
        while let Some(mut state) = taken {
            jobs.append(&mut self.left.lock());
            jobs.iter_mut().for_each(|job| act(&mut state, job));
            drop(state);
            jobs.drain(..).for_each(&mut after);
            // Who left a job found the state taken: by us, or by one who comes after us.
            let is_done = self.left.lock().is_empty() || self.waiting.load(Ordering::SeqCst) > 0;
            taken = if is_done { None } else { self.take() };
        }
    }

    fn take(&self) -> Option<Guard<'_, S>> {
        self.state.try_lock()
    }

    fn wait(&self) -> Guard<'_, S> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let state = self.state.lock();
        // Before it looks what is left: who still sees it wait may leave that to it.
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        state
    }
}

/// Drops what was left to somebody who panics; that one has let go of the state before.
struct Forsaken<'c, J>(&'c Lock<Vec<J>>);

impl<J> Drop for Forsaken<'_, J> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Not under the lock: jobs may have locks of their own to take.
            let left = std::mem::take(&mut *self.0.lock());
            drop(left);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::sync::{Mutex, MutexGuard};
    use std::thread::{scope, yield_now};

    use super::*;

    fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap()
    }

    #[test]
    fn each_job_is_done_once_and_none_stays_behind() {
        for round in 0..300u32 {
            let (done, finished) = (Combining::new(Vec::new()), Mutex::new(Vec::new()));
            let bring = |first: u32| {
                for job in first..first + 40 {
                    let act = |state: &mut Vec<u32>, job: &mut u32| {
                        state.push(*job);
                        if (*job ^ round).is_multiple_of(3) {
                            yield_now();
                        }
                    };
                    done.put(job, (job + round) % 7 == 0, act, |job| lock(&finished).push(job));
                }
            };
            scope(|scope| {
                for thread in 0..6 {
                    scope.spawn(move || bring(thread * 40));
                }
            });
            let (mut done, mut finished) = (done.lock().clone(), lock(&finished).clone());
            done.sort_unstable();
            finished.sort_unstable();
            let all: Vec<u32> = (0..240).collect();
            assert_eq!((done, finished), (all.clone(), all), "{round}");
        }
    }

    /// Does a job that lasts until `go_on`, and then all that is left.
    fn hold(done: &Combining<Vec<u32>, u32>, is_there: &Sender<()>, go_on: &Receiver<()>) {
        let act = |state: &mut Vec<u32>, job: &mut u32| {
            if *job == 0 {
                is_there.send(()).unwrap();
                go_on.recv().unwrap();
            }
            state.push(*job);
        };
        done.put(0, false, act, drop);
    }

    #[test]
    fn who_finds_it_taken_goes_unless_much_is_left_or_it_shall_wait() {
        for (left, waits) in [(MOST_LEFT as u32, false), (2, true)] {
            let done = Combining::new(Vec::new());
            let ((is_there, there), (go_on, goes_on)) = (channel(), channel());
            let ((late, is_late), done) = (channel(), &done);
            scope(|scope| {
                scope.spawn(move || hold(done, &is_there, &goes_on));
                there.recv().unwrap();
                (1..=left).for_each(|job| done.put(job, false, |_, _| panic!("it is taken"), drop));
                scope.spawn(move || {
                    done.put(99, waits, |state, job| state.push(*job), drop);
                    late.send(()).unwrap();
                });
                while done.waiting.load(Ordering::SeqCst) == 0 {
                    yield_now();
                }
                assert!(is_late.try_recv().is_err());
                go_on.send(()).unwrap();
            });
            let mut all = done.lock().clone();
            assert_eq!(all.first(), Some(&0));
            all.sort_unstable();
            assert_eq!(all, (0..=left).chain([99]).collect::<Vec<u32>>());
        }
    }

    #[test]
    fn who_panics_drops_what_it_had_and_the_others_go_on() {
        struct Job<'d>(u32, &'d Mutex<Vec<u32>>);
        impl Drop for Job<'_> {
            fn drop(&mut self) {
                lock(self.1).push(self.0);
            }
        }
        let dropped = Mutex::default();
        let done = Combining::new(Vec::new());
        let put = |job: u32| {
            let act = |state: &mut Vec<u32>, job: &mut Job<'_>| {
                if job.0 == 13 {
                    // Somebody else, meanwhile.
                    done.put(Job(4, &dropped), false, |_, _| unreachable!("it is taken"), drop);
                    panic!("13");
                }
                state.push(job.0);
            };
            done.put(Job(job, &dropped), false, act, drop);
        };
        put(1);
        done.left.lock().push(Job(2, &dropped));
        assert!(catch_unwind(AssertUnwindSafe(|| put(13))).is_err());
        assert_eq!(*lock(&dropped), [1, 2, 13, 4]);
        put(3);
        assert_eq!((done.lock().clone(), lock(&dropped).len()), (vec![1, 2, 3], 5));
    }
}
