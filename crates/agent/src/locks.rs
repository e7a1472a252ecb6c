//! Locks, and the one order in which they may be taken.
//!
//! ```text
//! session -> samples -> code -> threads -> output -> mapping -> steps -> waiting jobs -> any other
//! ```
//!
//! [`Rank`] describes what each of them guards. A thread that holds one takes only those after it, so no two
//! can wait for each other; of the last kind it holds one at a time. No Java code runs while one is held: the calls
//! into the virtual machine that are made under them only read and write fields, names and tags. The one exception
//! is `session`: classes are put back under it, and the hooks that this calls never take it.
//!
//! Where debug assertions are on, and in tests, a lock that is taken out of order panics.

use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

/// The place of a lock in the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// Held while a recording is started or stopped.
    Session,
    /// What the stack samples of a recording have shown so far.
    Samples,
    /// The end of `code`.
    Code,
    /// The traced threads and their slots.
    Threads,
    /// Where slots are written to.
    Output,
    /// The file that the slots are mapped from.
    Mapping,
    /// The end of `steps`.
    Steps,
    /// What is to be appended there by whoever has that.
    Waiting,
    /// Whatever is held for a few instructions, in which no other lock is taken.
    Leaf,
}

/// A mutex with a place in the order. One that was poisoned by a panic is as good as any: the recording is about to
/// end.
#[derive(Debug)]
pub(crate) struct Lock<T> {
    rank: Rank,
    mutex: Mutex<T>,
}

impl<T> Lock<T> {
    pub(crate) const fn new(rank: Rank, value: T) -> Lock<T> {
        Lock { rank, mutex: Mutex::new(value) }
    }

    pub(crate) fn lock(&self) -> Guard<'_, T> {
        let held = held::Held::in_order(self.rank);
        Guard { guard: self.mutex.lock().unwrap_or_else(PoisonError::into_inner), held }
    }

    /// Takes it if nobody has it. Nobody waits for this, so the order does not matter.
    pub(crate) fn try_lock(&self) -> Option<Guard<'_, T>> {
        let guard = match self.mutex.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        Some(Guard { guard, held: held::Held::at_once(self.rank) })
    }
}

/// A lock that is held.
pub(crate) struct Guard<'l, T> {
    guard: MutexGuard<'l, T>,
    held: held::Held,
}

impl<T> Guard<'_, T> {
    /// Gives the lock up until somebody reports a change.
    pub(crate) fn wait(self, change: &Condvar) -> Self {
        let Guard { guard, held } = self;
        Guard { guard: change.wait(guard).unwrap_or_else(PoisonError::into_inner), held }
    }

    /// The same, for so long at most.
    pub(crate) fn wait_timeout(self, change: &Condvar, most: Duration) -> Self {
        let Guard { guard, held } = self;
        let (guard, _) = change.wait_timeout(guard, most).unwrap_or_else(PoisonError::into_inner);
        Guard { guard, held }
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

#[cfg(not(any(test, debug_assertions)))]
mod held {
    use super::Rank;

    /// Nothing is counted.
    pub(super) struct Held;

    impl Held {
        pub(super) fn in_order(_: Rank) -> Held {
            Held
        }

        pub(super) fn at_once(_: Rank) -> Held {
            Held
        }
    }
}

#[cfg(any(test, debug_assertions))]
mod held {
    use std::cell::Cell;

    use super::Rank;

    thread_local! {
        /// A bit for each rank of which this thread holds a lock.
        static HELD: Cell<u16> = const { Cell::new(0) };
    }

    /// Gives the rank up again; which locks were held before it.
    pub(super) struct Held(u16);

    impl Held {
        pub(super) fn in_order(rank: Rank) -> Held {
            let before = HELD.get();
            assert!(before >> rank as u32 == 0, "{rank:?} is taken after a lock behind it: {before:#b}");
            Held::at_once(rank)
        }

        pub(super) fn at_once(rank: Rank) -> Held {
            let before = HELD.get();
            HELD.set(before | 1 << rank as u32);
            Held(before ^ HELD.get())
        }
    }

    impl Drop for Held {
        fn drop(&mut self) {
            HELD.set(HELD.get() & !self.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn whoever_takes_locks_out_of_order_panics_and_nobody_else_does() {
        use Rank::{Code, Leaf, Mapping, Output, Samples, Session, Steps, Threads, Waiting};
        let order = [Session, Samples, Code, Threads, Output, Mapping, Steps, Waiting, Leaf];
        let locks = order.map(|rank| Lock::new(rank, rank));
        for (first, one) in locks.iter().enumerate() {
            for (second, other) in locks.iter().enumerate() {
                let both = || {
                    let held = one.lock();
                    // Two of the same kind are two locks.
                    let same = Lock::new(*held, *held);
                    assert_eq!(*if first == second { &same } else { other }.lock(), order[second]);
                };
                let is_refused = catch_unwind(AssertUnwindSafe(both)).is_err();
                assert_eq!(is_refused, second <= first, "{:?} then {:?}", order[first], order[second]);
                // Whatever became of it, nothing is held any more.
                assert_eq!(*locks[0].lock(), Session);
            }
        }
        let all: Vec<_> = locks.iter().map(Lock::lock).collect();
        assert!(locks[0].try_lock().is_none());
        drop(all);
        let _last = locks[8].lock();
        assert!(locks[0].try_lock().is_some(), "who does not wait may try in any order");
    }

    #[test]
    fn a_guard_may_be_given_up_in_any_order() {
        let (threads, output) = (Lock::new(Rank::Threads, 1), Lock::new(Rank::Output, 2));
        let (first, second) = (threads.lock(), output.lock());
        drop(first);
        assert!(catch_unwind(AssertUnwindSafe(|| drop(threads.lock()))).is_err(), "output is still held");
        drop(second);
        let waited = threads.lock().wait_timeout(&Condvar::new(), Duration::from_millis(1));
        assert_eq!(*waited, 1);
    }
}
