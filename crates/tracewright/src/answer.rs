//! An engine's answer for a trace, in one form for all engines: inconsistencies, uncertain states, what is
//! concluded to be missing, and which declared loss may be the cause.
//!
//! It is plain data that can leave the thread in which it was made. Lists of alternatives are cut:
//! a switch may have been to any of thousands of threads, and thousands of events may be missing.

use std::sync::Arc;

use inference::evaluate::Calibration;
use inference::model::{Inconsistency, InferredEvent, LongLoss};
use model::{Gap, Lost};

use crate::losses::Losses;

/// Alternatives that are kept for a field; all of them are counted.
pub(crate) const ALTERNATIVES: usize = 16;

/// All that was found.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// Which engine it was.
    pub(crate) engine: &'static str,
    pub(crate) model: String,
    pub(crate) events: u64,
    pub(crate) losses: Losses,
    /// The losses that the trace declares, in the order of reading.
    pub(crate) windows: Vec<Window>,
    /// In the order of finding.
    pub(crate) inconsistencies: Vec<Inconsistency>,
    /// In the order of the machines and their scenarios.
    pub(crate) uncertain: Vec<Uncertainty>,
    /// By time.
    pub(crate) inferred: Vec<InferredEvent>,
    /// Declared losses whose events are not listed.
    pub(crate) long_losses: Vec<LongLoss>,
    /// What was learned of the engine on this trace; `None`: nothing, so what it states is not calibrated.
    pub(crate) calibration: Option<Calibration>,
}

/// A declared loss.
#[derive(Debug, Clone)]
pub(crate) struct Window {
    pub(crate) stream: String,
    pub(crate) cpu: Option<u32>,
    pub(crate) lost: Lost,
    /// From when to when it may have been; several intervals where the trace leaves it open.
    pub(crate) intervals: Vec<(Option<i64>, Option<i64>)>,
    /// How many inconsistencies may come from it.
    pub(crate) inconsistencies: u64,
}

/// A time in which nobody knows the state of an instance for sure.
#[derive(Debug, Clone)]
pub(crate) struct Uncertainty {
    pub(crate) machine: Arc<str>,
    pub(crate) instance: String,
    pub(crate) from: i64,
    /// `None`: to the end.
    pub(crate) to: Option<i64>,
}

impl Window {
    pub(crate) fn new(gap: &Gap, stream: String, cpu: Option<u32>) -> Window {
        Window { stream, cpu, lost: gap.lost, intervals: vec![interval(gap)], inconsistencies: 0 }
    }

    /// Another interval in which it may be.
    pub(crate) fn may_be_at(&mut self, gap: &Gap) {
        if !self.intervals.contains(&interval(gap)) {
            self.intervals.push(interval(gap));
        }
    }
}

fn interval(gap: &Gap) -> (Option<i64>, Option<i64>) {
    (gap.from.map(|time| time.0), gap.to.map(|time| time.0))
}

impl Answer {
    /// Notes for each incoherence which of these declared losses lies in the time before it.
    pub(crate) fn link(&mut self, windows: &[Window]) {
        let mut intervals: Vec<(i64, i64, usize)> = Vec::new();
        for (number, window) in windows.iter().enumerate() {
            let ends = |&(from, to): &(Option<i64>, Option<i64>)| {
                (from.unwrap_or(i64::MIN), to.unwrap_or(i64::MAX), number)
            };
            intervals.extend(window.intervals.iter().map(ends));
        }
        intervals.sort_unstable();
        // How far anything reaches that begins no later: beyond that, looking back is of no use.
        let mut reach: Vec<i64> = Vec::with_capacity(intervals.len());
        for &(_, to, _) in &intervals {
            reach.push(reach.last().map_or(to, |last| to.max(*last)));
        }
        for found in &mut self.inconsistencies {
            let since = found.previous.map_or(i64::MIN, |time| time.0);
            let end = intervals.partition_point(|&(from, _, _)| from <= found.time.0);
            let back = intervals.iter().zip(&reach).take(end).rev();
            let near = back.take_while(|(_, reach)| **reach >= since);
            found.window =
                near.map(|(interval, _)| interval).find(|(_, to, _)| *to >= since).map(|interval| interval.2);
        }
    }

    /// Counts for each declared loss the incoherences that may come from it.
    pub(crate) fn count(&mut self) {
        for found in &self.inconsistencies {
            if let Some(window) = found.window.and_then(|window| self.windows.get_mut(window)) {
                window.inconsistencies += 1;
            }
        }
    }

    /// How many incoherences no declared loss explains.
    pub(crate) fn unexplained(&self) -> usize {
        self.inconsistencies.iter().filter(|found| found.window.is_none()).count()
    }
}

#[cfg(test)]
mod tests {
    use model::Timestamp;

    use super::*;

    fn inconsistency(previous: Option<i64>, time: i64) -> Inconsistency {
        Inconsistency {
            machine: "x".into(),
            instance: "1".into(),
            time: Timestamp(time),
            event: "x".into(),
            ordinal: 0,
            cpu: None,
            states: vec![],
            accepted_by: vec![],
            previous: previous.map(Timestamp),
            window: None,
            sentence: None,
            is_explained: false,
        }
    }

    #[test]
    fn an_incoherence_is_linked_to_the_last_loss_before_it() {
        let window = |intervals: &[(Option<i64>, Option<i64>)]| Window {
            stream: String::new(),
            cpu: None,
            lost: Lost::Unknown,
            intervals: intervals.to_vec(),
            inconsistencies: 0,
        };
        let windows = vec![
            window(&[(Some(10), Some(90))]),
            window(&[(Some(20), Some(30)), (Some(50), Some(55))]),
            window(&[(Some(200), None)]),
        ];
        let cases = [
            (Some(56), 60, Some(0)),
            (Some(52), 60, Some(1)),
            (Some(22), 40, Some(1)),
            (Some(91), 120, None),
            (None, 5, None),
            (None, 15, Some(0)),
            (Some(900), 1000, Some(2)),
        ];
        let inconsistencies =
            cases.iter().map(|&(previous, time, _)| inconsistency(previous, time)).collect();
        let mut answer = Answer { inconsistencies, ..Answer::default() };
        answer.link(&windows);
        let found: Vec<_> = answer.inconsistencies.iter().map(|found| found.window).collect();
        assert_eq!(found, cases.map(|case| case.2));
        assert_eq!(answer.unexplained(), 2);
    }
}
