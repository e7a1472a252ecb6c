//! Estimate: who ran while events of a CPU were lost, with how probable that is.
//!
//! The model, in short (`docs/internals/certainty.md` has all of it): on one CPU those that run are a chain. Its state
//! is who runs and who is ready, its hidden steps are switches that were lost, and what is seen meanwhile (wake-ups,
//! other CPUs, what the one who runs does, who is next seen where) weighs its histories. All of them are summed
//! (forward and backward), given that exactly as many events were lost as the tracer says; how a step weighs is counted
//! over the same trace.
//!
//! * [`marks`]: what events show, held for a while; `habits`: what usually follows what
//! * `segment`, `items`: one CPU between two recorded switches, as a problem; [`chain`]: the sum
//!
//! * `long`: of losses whose events are not listed, what is usual in as many events; `bands`: who ran when in them
//!
//! The caller gives marks in the order of time, and settles now and then.

mod bands;
pub(crate) mod chain;
mod habits;
mod items;
mod long;
pub(crate) mod marks;
mod segment;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

pub(crate) use long::Long;
pub(crate) use segment::{Loss, LostSwitch};

use self::habits::{Habits, Known};
use self::long::Intervals;
use self::marks::{LATER, Marks, What, Who};
use self::segment::{Context, Segment};

/// A segment that was estimated: other lost switches reported in it are not part of its histories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Settled {
    /// Its CPU.
    pub(crate) cpu: u32,
    /// The switches at its ends.
    pub(crate) from: i64,
    /// See `from`.
    pub(crate) to: i64,
}

/// What was estimated.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Estimates {
    /// Lost switches.
    pub(crate) switches: Vec<LostSwitch>,
    /// The segments that these are of.
    pub(crate) settled: Vec<Settled>,
    /// Losses whose events are not listed.
    pub(crate) long: Vec<Long>,
}

/// What is declared to be lost.
pub(crate) trait Losses {
    /// The loss with this number.
    fn of(&self, window: u32) -> Option<Loss>;
    /// Whether one may be on this CPU between two moments.
    fn may_be(&self, cpu: u32, from: i64, to: i64) -> bool;
}

/// Estimates all segments with losses whose end, and enough after it, is among the marks, and forgets what is not
/// needed any more. Where the previous thread of a switch is not the next one of the switch before, something was lost
/// without being declared.
/// `is_over`: nothing comes any more.
pub(crate) fn settle(marks: &mut Marks, losses: &dyn Losses, is_over: bool) -> Estimates {
    let until = if is_over { marks.len() } else { marks.len().saturating_sub(LATER) };
    let mut found = Estimates::default();
    let mut segments = segments(marks, losses, until);
    if !segments.is_empty() {
        segments.retain(|segment| segment.end >= marks.done);
        segments.sort_by_key(|segment| segment.start);
        let habits = Habits::learn(marks);
        let mut known = Known::default();
        let mut intervals = Intervals::new(marks);
        let mut at = 0;
        for segment in &segments {
            for mark in marks.from(at).take((segment.start + 1).saturating_sub(at)) {
                known.take(mark.cpu, mark.symbol, mark.what);
            }
            at = at.max(segment.start + 1);
            let context = Context { marks, habits: &habits, known: &known, losses };
            match segment.estimate(&context, found.settled.len()) {
                Some(switches) => {
                    found.switches.extend(switches);
                    if let (Some(from), Some(to)) = (marks.get(segment.start), marks.get(segment.end)) {
                        let settled = Settled { cpu: segment.cpu, from: from.time, to: to.time };
                        found.settled.push(settled);
                    }
                }
                None => found.long.extend(intervals.of(segment, losses)),
            }
        }
    }
    if !is_over {
        marks.done = until;
        // The marks before it are evidence for the segments to come.
        marks.forget(until.saturating_sub(LATER));
    }
    found
}

/// The segments with losses that end before a position.
fn segments(marks: &Marks, losses: &dyn Losses, until: usize) -> Vec<Segment> {
    // By CPU the segment that lasts, when it began and who came.
    let mut open: HashMap<u32, (Segment, i64, Who)> = HashMap::new();
    let mut found = Vec::new();
    for (index, mark) in marks.iter().enumerate().take(until) {
        match mark.what {
            What::Switch { prev, next, .. } => {
                let start = Segment { cpu: mark.cpu, start: index, end: index, windows: Vec::new() };
                let Some((mut done, from, came)) = open.insert(mark.cpu, (start, mark.time, next)) else {
                    continue;
                };
                let is_broken = || came != prev && !losses.may_be(mark.cpu, from, mark.time);
                if !done.windows.is_empty() || is_broken() {
                    done.end = index;
                    found.push(done);
                }
            }
            What::Gap { window } => {
                if let Some((segment, ..)) = open.get_mut(&mark.cpu) {
                    segment.windows.push(window);
                }
            }
            _ => {}
        }
    }
    found
}
