//! The clock: looks every millisecond how far each thread has come, so that calls have times. No thread of the program
//! notices, and none waits for it.
//!
//! ```text
//! a look    where each thread writes (buffers/positions.rs), the words there, and of threads that have moved the
//!           processor time that they have used; no lock is taken
//! a tick    a look at which some had moved: about 8 bytes and 6 for each of them
//! pause     1 ms; 2 ms once no thread has moved for a second, 5 ms after ten
//!           at least a hundred times what looks have taken lately, of a processor
//!           at least what has passed since the beginning / 2^21: 1 ms up to 35 minutes, 41 ms after a day
//! ```
//!
//! So a recording of half an hour has at most two million looks, and one that lasts e times as long as many more. What is seen
//! is appended to `code` ten times a second. Of a program that is killed, up to a tenth of a second has no times.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use capture::{ThreadTick, Tick, TickWriter};

use crate::buffers::Buffers;
use crate::sys;
use crate::writer::output::Output;

/// Pauses, and how long it takes that nothing moves until each of them holds.
const PAUSES: [(Duration, Duration); 3] = [
    (Duration::from_secs(10), Duration::from_millis(5)),
    (Duration::from_secs(1), Duration::from_millis(2)),
    (Duration::ZERO, Duration::from_millis(1)),
];
/// Which part of a processor the clock may take.
const SHARE: u32 = 100;
/// So many looks in all, and then as many more whenever the time has grown e-fold.
const MOST_SAMPLES: u32 = 1 << 21;
/// Looks after which it is measured anew how long they take.
const MEASURED: u32 = 16;
/// What was seen waits so long, and until it has so many bytes.
const WAITS: Duration = Duration::from_millis(100);
const MOST_BYTES: usize = 16 << 10;

/// The thread that looks, of one recording.
#[derive(Debug)]
pub(crate) struct Clock {
    thread: JoinHandle<()>,
    is_over: Arc<AtomicBool>,
}

impl Clock {
    /// Starts it. Without it calls have no times.
    pub(crate) fn spawn(buffers: &'static Buffers, output: &Arc<Output>) -> Option<Clock> {
        let is_over = Arc::new(AtomicBool::new(false));
        let (output, ends) = (Arc::clone(output), Arc::clone(&is_over));
        let run = move || {
            sys::block_signals();
            Looking::new(buffers).run(&output, &ends);
        };
        let thread = std::thread::Builder::new().name("tracewright time".to_owned()).spawn(run).ok()?;
        Some(Clock { thread, is_over })
    }

    /// Waits until all that was seen is written and nothing more will be.
    pub(crate) fn end(self) {
        self.is_over.store(true, Ordering::Release);
        self.thread.thread().unpark();
        let _ = self.thread.join();
    }
}

/// What was last seen of a thread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Seen {
    serial: u32,
    chunk: u32,
    words: u32,
    /// Whether the last reading could not see how far it was, since it was about to take another slot.
    is_missed: bool,
}

/// What the clock knows.
struct Looking {
    buffers: &'static Buffers,
    /// By entry.
    seen: Vec<Seen>,
    tick: Tick,
    writer: TickWriter,
    /// The moment of both clocks at which it began: the system's may be set meanwhile.
    began: (Instant, i64),
    /// When something had last moved, and since when something waits to be written.
    moved: Instant,
    waits_since: Option<Instant>,
}

impl Looking {
    fn new(buffers: &'static Buffers) -> Looking {
        let now = Instant::now();
        Looking {
            buffers,
            seen: Vec::new(),
            tick: Tick { before: sys::now(), ..Tick::default() },
            writer: TickWriter::default(),
            began: (now, sys::now()),
            moved: now,
            waits_since: None,
        }
    }

    fn run(&mut self, output: &Output, is_over: &AtomicBool) {
        let mut out = Vec::new();
        let (mut readings, mut used, mut cost) = (0, sys::used(), Duration::ZERO);
        let is_over = || is_over.load(Ordering::Acquire);
        while !is_over() {
            std::thread::park_timeout(self.pause(cost));
            self.sample();
            readings += 1;
            if readings == MEASURED {
                let now = sys::used();
                cost = Duration::from_nanos(now.saturating_sub(used)) / MEASURED;
                (readings, used) = (0, now);
            }
            output.append_due();
            let is_due = self.waits_since.is_some_and(|since| since.elapsed() >= WAITS);
            if is_due || self.writer.length() >= MOST_BYTES || is_over() {
                self.waits_since = None;
                out.clear();
                self.writer.put(&mut out);
                if !out.is_empty() && !output.ticks(&out) {
                    return;
                }
            }
        }
    }

    /// How long until the next look. `cost`: what one takes.
    fn pause(&self, cost: Duration) -> Duration {
        let still = self.moved.elapsed();
        let pause =
            PAUSES.iter().find(|(least, _)| still >= *least).map_or(Duration::ZERO, |(_, pause)| *pause);
        pause.max(cost * SHARE).max(self.began.0.elapsed() / MOST_SAMPLES)
    }

    /// Nanoseconds since 1970.
    fn now(&self) -> i64 {
        let since = i64::try_from(self.began.0.elapsed().as_nanos()).unwrap_or(i64::MAX);
        self.began.1.saturating_add(since)
    }

    fn sample(&mut self) {
        let positions = &self.buffers.positions;
        let count = positions.count();
        self.seen.resize(count as usize, Seen::default());
        let from = self.now();
        self.tick.threads.clear();
        for (index, seen) in (0..count).zip(&mut self.seen) {
            let was_missed = std::mem::replace(&mut seen.is_missed, true);
            let writes = positions.writes(index);
            // Who has ended since the last look wrote the rest of its chunk meanwhile: what it waited for before is known.
            if seen.serial != 0 && writes.is_none_or(|writes| writes.serial != seen.serial) {
                let position = (seen.chunk.saturating_add(1), 0);
                self.tick.threads.push(ThreadTick { serial: seen.serial, position, was_missed, used: None });
                *seen = Seen { is_missed: true, ..Seen::default() };
            }
            let Some(writes) = writes else { continue };
            let is_known = (seen.serial, seen.chunk) == (writes.serial, writes.chunk);
            let known = if is_known { seen.words } else { 0 };
            let Some(words) = positions.words(index, &writes, known, &self.buffers.pool) else { continue };
            if is_known && words == seen.words {
                seen.is_missed = false;
                continue;
            }
            *seen = Seen { serial: writes.serial, chunk: writes.chunk, words, is_missed: false };
            let used = (writes.task != 0).then(|| sys::used_by(writes.task)).flatten();
            let position = (writes.chunk, words);
            self.tick.threads.push(ThreadTick { serial: writes.serial, position, was_missed, used });
        }
        self.tick.time = from;
        if !self.tick.threads.is_empty() {
            self.tick.until = self.now();
            self.writer.add(&self.tick);
            self.moved = Instant::now();
            self.waits_since.get_or_insert(self.moved);
        }
        self.tick.before = from;
    }
}
