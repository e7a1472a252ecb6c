//! One CPU: the interval since the last event that changed who runs on it.

use std::collections::VecDeque;

use crate::estimate::cpus::quiet_intervals::QuietIntervals;
use crate::estimate::instances::costs::Cost;
use crate::estimate::instances::instance::{IDLE, Ix, NO_INSTANCE};
use crate::state_machines::rules::Rules;
use crate::state_machines::state_estimate::{ANY, StateEstimate};

/// An interval longer than this forgets its first half; what it forgot is known to have fitted.
pub(crate) const LONGEST: usize = 4_096;

/// A recorded event that is evidence of who runs on a CPU, or of who may come there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) time: i64,
    /// The instance that it concerns; [`NO_INSTANCE`]: whichever runs.
    pub(crate) who: Ix,
    /// It says that this one runs here.
    pub(crate) is_here: bool,
    pub(crate) row: u32,
}

/// Idle intervals that are remembered.
const MOST_IDLE: usize = 32;

#[derive(Debug)]
pub(crate) struct Cpu {
    /// Who came at the start.
    pub(crate) first: Ix,
    pub(crate) first_estimate: StateEstimate,
    pub(crate) start: i64,
    /// The instance that is estimated to run. While the CPU is uncertain it is only a guess.
    pub(crate) running: Ix,
    /// The state estimate of whichever instance runs, where that is not known.
    pub(crate) ghost: StateEstimate,
    pub(crate) seen: Vec<Seen>,
    /// The incoherence that made it uncertain.
    pub(crate) uncertainty: Option<usize>,
    /// The last event that ended an uncertainty.
    pub(crate) was_uncertain: u64,
    /// When another stream saw the first one elsewhere.
    pub(crate) left_by: i64,
    /// When another stream saw that it was off the CPU.
    pub(crate) woken: i64,
    /// How much that speaks for it, and against that it ran on.
    pub(crate) wakes: Cost,
    /// By what it was seen.
    pub(crate) woken_by: u32,
    /// Declared losses: their site, and how many were seen before them.
    pub(crate) gaps: Vec<(usize, usize)>,
    /// The last idle intervals, all of which fitted.
    pub(crate) idle_intervals: VecDeque<(i64, i64)>,
    /// Who may have come, as they were when the uncertainty began or something was lost.
    pub(crate) others: Vec<Other>,
    /// For how many of the gaps that was asked.
    pub(crate) asked: usize,
    pub(crate) quiet_intervals: QuietIntervals,
}

/// An instance that may have come.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Other {
    pub(crate) ix: Ix,
    pub(crate) since: i64,
    pub(crate) estimate: StateEstimate,
    /// What it costs that it is this one.
    pub(crate) cost: Cost,
}

impl Cpu {
    pub(crate) fn new(ghost: StateEstimate) -> Cpu {
        Cpu {
            first: NO_INSTANCE,
            first_estimate: ghost,
            start: i64::MIN,
            running: NO_INSTANCE,
            ghost,
            seen: Vec::new(),
            uncertainty: None,
            was_uncertain: u64::MAX,
            left_by: i64::MAX,
            woken: i64::MAX,
            wakes: 0,
            woken_by: u32::MAX,
            gaps: Vec::new(),
            idle_intervals: VecDeque::new(),
            others: Vec::new(),
            asked: 0,
            quiet_intervals: QuietIntervals::default(),
        }
    }

    /// Whether something may be missing in the interval.
    pub(crate) fn is_open(&self) -> bool {
        self.uncertainty.is_some() || !self.gaps.is_empty()
    }

    /// Nobody is seen to be off this CPU any more.
    pub(crate) fn forget_woken(&mut self) {
        (self.woken, self.wakes, self.woken_by) = (i64::MAX, 0, u32::MAX);
    }

    /// A new interval begins with this instance.
    pub(crate) fn begin(&mut self, who: Ix, estimate: StateEstimate, time: i64) {
        if self.first == IDLE && self.uncertainty.is_none() && self.gaps.is_empty() {
            if self.idle_intervals.len() >= MOST_IDLE {
                self.idle_intervals.pop_front();
            }
            self.idle_intervals.push_back((self.start, time));
        }
        (self.first, self.first_estimate, self.start) = (who, estimate, time);
        self.running = who;
        self.seen.clear();
        self.gaps.clear();
        self.others.clear();
        (self.uncertainty, self.asked) = (None, 0);
        self.left_by = i64::MAX;
        self.forget_woken();
    }

    pub(crate) fn push(&mut self, rules: &Rules, seen: Seen) {
        if self.running < IDLE && !self.is_open() {
            let last = self.seen.last().map_or(self.start, |seen| seen.time);
            self.quiet_intervals.add(seen.time.saturating_sub(last));
        }
        if self.seen.len() >= LONGEST && self.uncertainty.is_none() && self.gaps.is_empty() {
            // Everything fitted, so the middle of a long interval is as good a start as its start.
            let half = LONGEST / 2;
            self.start = self.seen.get(half - 1).map_or(self.start, |seen| seen.time);
            for seen in self.seen.iter().take(half).filter(|seen| seen.who == NO_INSTANCE) {
                if let Some(step) = rules.row(seen.row).and_then(|row| row.step(self.first_estimate, ANY)) {
                    self.first_estimate = step.after;
                }
            }
            self.seen.drain(..half);
        }
        if self.seen.len() < 16 * LONGEST {
            self.seen.push(seen);
        }
    }
}
