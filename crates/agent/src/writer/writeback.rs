//! How much of a long capture the system keeps in memory while it grows: the end of `steps`, and not the rest.
//!
//! Left to itself the system keeps all that was written until memory is short, and then what the recorded program
//! has read of its own files goes as well. Up to then each byte takes memory that nobody has used lately: where
//! a virtual machine's host has to find that first it costs two nanoseconds, ten times as much as memory that was
//! let go just before. So what was written goes to the disk while the recording goes on:
//!
//! ```text
//!   0                    16 MiB before the end         4 MiB before the end           the end
//!   | on the disk alone  | on its way there, or arrived | in memory, as the system likes |
//! ```
//!
//! All this is advice: where the system does not take it nothing is lost. To be asked may take as long as the disk
//! takes to write, so a thread does it that nobody waits for.

use std::fs::File;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::output::Output;
use crate::sys;

/// Bytes that are advised on at once.
const STEP: u64 = 4 << 20;

/// So many bytes before the end it goes to the disk, and so many before it leaves memory.
const TO_DISK: u64 = 4 << 20;
const OUT_OF_MEMORY: u64 = 16 << 20;

/// When the thread looks again whether there is something to do: while the file grows, and while it does not.
const SOON: Duration = Duration::from_millis(50);
const LATER: Duration = Duration::from_millis(500);

/// What a part of the file is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Advice {
    ToDisk(Range<u64>),
    OutOfMemory(Range<u64>),
}

/// Up to where there was advice of each kind.
#[derive(Debug, Default)]
struct Advised {
    to_disk: u64,
    out_of_memory: u64,
}

impl Advised {
    /// The next piece of advice for a file of so many bytes, which counts as given.
    fn next(&mut self, end: u64) -> Option<Advice> {
        step(&mut self.out_of_memory, end.saturating_sub(OUT_OF_MEMORY))
            .map(Advice::OutOfMemory)
            .or_else(|| step(&mut self.to_disk, end.saturating_sub(TO_DISK)).map(Advice::ToDisk))
    }
}

/// The next step behind `given`, if it ends before `end`.
fn step(given: &mut u64, end: u64) -> Option<Range<u64>> {
    let from = *given;
    let to = from.checked_add(STEP).filter(|&to| to <= end)?;
    *given = to;
    Some(from..to)
}

/// The thread that advises on one recording.
#[derive(Debug)]
pub(crate) struct Writeback(JoinHandle<()>);

impl Writeback {
    /// Starts it. Where that cannot be, the system does as it likes.
    pub(crate) fn spawn(output: &Arc<Output>) -> Option<Writeback> {
        let file = output.steps.twin().ok()?;
        let output = Arc::clone(output);
        let run = move || {
            sys::block_signals();
            let length = || (!output.is_over.load(Ordering::Acquire)).then(|| output.steps.length());
            follow(length, |advice| give(&file, advice), std::thread::park_timeout);
        };
        std::thread::Builder::new().name("tracewright disk".to_owned()).spawn(run).ok().map(Writeback)
    }

    /// Waits until it has ended, of a recording that is over: for one piece of advice at most.
    pub(crate) fn end(self) {
        self.0.thread().unpark();
        let _ = self.0.join();
    }
}

fn give(file: &File, advice: Advice) {
    let _ = match advice {
        Advice::ToDisk(part) => sys::to_disk(file, part),
        Advice::OutOfMemory(part) => sys::out_of_memory(file, part),
    };
}

/// Advises on a file until it has no `length` any more. Where a piece of advice takes long there is a pause as long
/// as that: others may want the disk.
fn follow(length: impl Fn() -> Option<u64>, mut give: impl FnMut(Advice), mut sleep: impl FnMut(Duration)) {
    let (mut advised, mut before) = (Advised::default(), 0);
    while let Some(end) = length() {
        let began = Instant::now();
        match advised.next(end) {
            Some(advice) => {
                give(advice);
                sleep(began.elapsed());
            }
            None => {
                sleep(if end > before { SOON } else { LATER });
                before = end;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use super::Advice::{OutOfMemory, ToDisk};
    use super::*;

    fn mebibytes(from: u64, to: u64) -> Range<u64> {
        from << 20..to << 20
    }

    /// All advice for a file that has grown so far.
    fn all(advised: &mut Advised, mebibytes: u64) -> Vec<Advice> {
        std::iter::from_fn(|| advised.next(mebibytes << 20)).collect()
    }

    #[test]
    fn each_part_goes_to_the_disk_and_then_out_of_memory_and_the_end_stays() {
        let mut advised = Advised::default();
        assert_eq!(all(&mut advised, 7), []);
        assert_eq!(advised.next((8 << 20) - 1), None);
        assert_eq!(all(&mut advised, 8), [ToDisk(mebibytes(0, 4))]);
        assert_eq!(all(&mut advised, 19), [ToDisk(mebibytes(4, 8)), ToDisk(mebibytes(8, 12))]);
        assert_eq!(
            all(&mut advised, 24),
            [
                OutOfMemory(mebibytes(0, 4)),
                OutOfMemory(mebibytes(4, 8)),
                ToDisk(mebibytes(12, 16)),
                ToDisk(mebibytes(16, 20))
            ]
        );
        assert_eq!(all(&mut advised, 1), []);
    }

    #[test]
    fn a_slow_disk_is_skipped_as_long_as_it_was_busy_and_the_thread_ends_with_the_file() {
        const SLOW: Duration = Duration::from_millis(15);
        let (calls, given, slept) = (Cell::new(0), RefCell::new(vec![]), RefCell::new(vec![]));
        let length = || {
            calls.set(calls.get() + 1);
            [1, 8, 9, 9].get(calls.get() - 1).map(|end: &u64| end << 20)
        };
        let give = |advice| {
            std::thread::sleep(SLOW);
            given.borrow_mut().push(advice);
        };
        follow(length, give, |time| slept.borrow_mut().push(time));
        assert_eq!(*given.borrow(), [ToDisk(mebibytes(0, 4))]);
        assert_eq!(calls.get(), 5);
        let slept = slept.borrow();
        assert!(matches!(slept[..], [SOON, busy, SOON, LATER] if busy >= SLOW), "{slept:?}");
    }
}
