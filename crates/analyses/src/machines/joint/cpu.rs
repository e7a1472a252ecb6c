//! One CPU: the stretch since the last switch that was seen on it.

use super::names::UNKNOWN;
use super::solve::Seen;
use super::thread::{NOBODY, ThreadIx};

/// A stretch longer than this forgets its first half; what it forgot is known to have fitted.
pub(super) const LONGEST: usize = 4_096;

#[derive(Debug)]
pub(super) struct Cpu {
    /// Who was switched in at the start.
    pub(super) first: ThreadIx,
    pub(super) first_call: u32,
    /// Whether all since the start of the call was seen in this stretch or before it.
    pub(super) start: i64,
    /// Who is believed to run, and in which call. During doubt both are only a guess.
    pub(super) running: ThreadIx,
    pub(super) call: u32,
    pub(super) seen: Vec<Seen>,
    /// The incoherence that made it doubtful.
    pub(super) doubt: Option<usize>,
    /// When another stream saw the first thread elsewhere.
    pub(super) left_by: i64,
    /// When another stream saw it being woken.
    pub(super) woken: i64,
    /// Declared losses: their window, and how many were seen before them.
    pub(super) gaps: Vec<(usize, usize)>,
    /// Threads that may have come, as they were when the doubt began.
    pub(super) others: Vec<Other>,
}

/// A thread that may have come.
#[derive(Debug, Clone, Copy)]
pub(super) struct Other {
    pub(super) thread: ThreadIx,
    pub(super) since: i64,
    pub(super) call: u32,
}

impl Cpu {
    pub(super) fn new() -> Cpu {
        Cpu {
            first: NOBODY,
            first_call: UNKNOWN,
            start: i64::MIN,
            running: NOBODY,
            call: UNKNOWN,
            seen: Vec::new(),
            doubt: None,
            left_by: i64::MAX,
            woken: i64::MAX,
            gaps: Vec::new(),
            others: Vec::new(),
        }
    }

    /// A new stretch begins with this thread.
    pub(super) fn begin(&mut self, thread: ThreadIx, call: u32, time: i64) {
        (self.first, self.first_call, self.start) = (thread, call, time);
        (self.running, self.call) = (thread, call);
        self.seen.clear();
        self.gaps.clear();
        self.others.clear();
        self.doubt = None;
        (self.left_by, self.woken) = (i64::MAX, i64::MAX);
    }

    pub(super) fn push(&mut self, seen: Seen) {
        if self.seen.len() >= LONGEST && self.doubt.is_none() && self.gaps.is_empty() {
            // Everything fitted, so the middle of a long stretch is as good a start as its start.
            let half = LONGEST / 2;
            self.start = self.seen.get(half - 1).map_or(self.start, |seen| seen.time);
            for seen in self.seen.iter().take(half) {
                self.first_call = super::solve::next_call(self.first_call, seen.role).unwrap_or(UNKNOWN);
            }
            self.seen.drain(..half);
        }
        if self.seen.len() < 16 * LONGEST {
            self.seen.push(seen);
        }
    }
}
