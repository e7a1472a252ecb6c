//! When the steps of a thread were, as far as a clock tells that looked at it from outside.
//!
//! ```text
//! steps     0 1 2 3 4 5 6 7 8
//! readings       |     |          behind 3 steps: from 5 ms to 6 ms     behind 6 steps: from 9 ms to 10 ms
//! step 4    not before 5 ms, not after 10 ms
//! ```

use crate::Timestamp;
use crate::flow::ClockReading;

/// Readings that are kept of a thread; of more each second one is dropped, so that bounds get wider.
const MOST: usize = 1 << 17;

/// Readings, in the order of the steps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepTimes {
    /// Steps before it, when it began, when it was over.
    readings: Vec<(u64, i64, i64)>,
}

impl StepTimes {
    /// Behind so many steps the clock looked.
    pub fn add(&mut self, steps: u64, reading: ClockReading) {
        let (from, to) = (reading.from.0, reading.to.0);
        // Of several at one place the first is the upper bound for what stands before it, the last the lower bound for what follows.
        if let [.., (before, _, _), last] = self.readings.as_mut_slice()
            && *before == steps
            && last.0 == steps
        {
            *last = (steps, from, to);
            return;
        }
        if self.readings.len() >= MOST {
            let mut number = 0;
            self.readings.retain(|_| {
                number += 1;
                number % 2 == 1
            });
        }
        self.readings.push((steps, from, to));
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.readings.is_empty()
    }

    /// The last reading.
    pub fn last(&self) -> Option<Timestamp> {
        self.readings.last().map(|(_, _, to)| Timestamp(*to))
    }

    /// The moments between which the step with this number was; `None` where nothing bounds it.
    pub fn bounds(&self, step: u64) -> (Option<Timestamp>, Option<Timestamp>) {
        let later = self.readings.partition_point(|(steps, ..)| *steps <= step);
        let before = later.checked_sub(1).and_then(|at| self.readings.get(at));
        let from = before.map(|(_, from, _)| Timestamp(*from));
        (from, self.readings.get(later).map(|(_, _, to)| Timestamp(*to)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(from: i64, to: i64) -> ClockReading {
        ClockReading { from: Timestamp(from), to: Timestamp(to), used: None }
    }

    fn bounds(times: &StepTimes, step: u64) -> [Option<i64>; 2] {
        let (from, to) = times.bounds(step);
        [from.map(|time| time.0), to.map(|time| time.0)]
    }

    #[test]
    fn a_step_lies_between_the_readings_around_it() {
        let mut times = StepTimes::default();
        assert_eq!(bounds(&times, 4), [None, None]);
        for (steps, from) in [(3, 5), (3, 6), (3, 7), (6, 9)] {
            times.add(steps, reading(from, from + 1));
        }
        assert_eq!(bounds(&times, 2), [None, Some(6)], "before the first reading at its place");
        assert_eq!(bounds(&times, 3), [Some(7), Some(10)], "behind the last one there");
        assert_eq!(bounds(&times, 5), [Some(7), Some(10)]);
        assert_eq!(bounds(&times, 6), [Some(9), None]);
        assert_eq!(times.last(), Some(Timestamp(10)));
    }

    #[test]
    fn however_many_there_are_the_bounds_hold() {
        let mut times = StepTimes::default();
        let count = 5 * MOST as i64;
        for step in 0..count {
            times.add(step.cast_unsigned() + 1, reading(10 * step, 10 * step + 1));
        }
        assert!(times.readings.len() <= MOST);
        for step in [0, 7, 1000, count / 2, count - 2] {
            let [from, to] = bounds(&times, step.cast_unsigned());
            // The step ran between the readings behind `step` and behind `step + 1` steps.
            assert!(from.is_none_or(|from| from < 10 * step) && to.is_none_or(|to| to > 10 * step), "{step}");
            let width = to.unwrap_or(10 * count) - from.unwrap_or(0);
            assert!(width < 10 * count / 1000, "{step}: {width}");
        }
    }
}
