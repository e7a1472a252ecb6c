//! When the steps of a thread were, and how much processor time it used, as far as clock readings bound that.
//!
//! ```text
//! steps     0 1 2 3 4 5 6 7 8
//! readings       |     |          after 3 steps: from 5 ms to 6 ms     after 6 steps: from 9 ms to 10 ms
//! step 4    not before 5 ms, not after 10 ms
//! ```

use crate::Timestamp;
use crate::flow::ClockReading;

/// Readings that are held of a thread. Of more, each second one is dropped, so that bounds get wider.
const MOST: usize = 1 << 16;

/// One reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reading {
    /// How many steps the thread had taken.
    steps: u64,
    clock: ClockReading,
}

/// Readings, in the order of the steps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Readings(Vec<Reading>);

impl Readings {
    /// After so many steps the clock showed this.
    pub fn add(&mut self, steps: u64, clock: ClockReading) {
        // Of several at one place the first is the upper bound for what stands before it, the last the lower bound for
        // what follows.
        if let [.., before, last] = self.0.as_mut_slice()
            && [before.steps, last.steps] == [steps; 2]
            && [before.clock.used, last.clock.used] == [clock.used; 2]
        {
            last.clock = clock;
            return;
        }
        if self.0.len() >= MOST {
            let mut number = 0;
            self.0.retain(|_| {
                number += 1;
                number % 2 == 1
            });
        }
        self.0.push(Reading { steps, clock });
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first and the last moment at which the clock found the thread.
    pub fn span(&self) -> Option<(Timestamp, Timestamp)> {
        Some((self.0.first()?.clock.from, self.0.last()?.clock.to))
    }

    /// The moments between which the step with this number was; `None` where nothing bounds it.
    pub fn bounds(&self, step: u64) -> (Option<Timestamp>, Option<Timestamp>) {
        let later = self.0.partition_point(|reading| reading.steps <= step);
        let before = later.checked_sub(1).and_then(|at| self.0.get(at));
        (before.map(|reading| reading.clock.from), self.0.get(later).map(|reading| reading.clock.to))
    }

    /// For each of `parts` equal parts of the time from `from` to `to`, which share of it the thread was on a processor;
    /// `None` before the first reading with processor time and after the last.
    pub fn shares(&self, (from, to): (Timestamp, Timestamp), parts: usize) -> Vec<Option<f64>> {
        let used: Vec<(i64, f64)> = self
            .0
            .iter()
            .filter_map(|reading| Some((reading.clock.to.0, reading.clock.used? as f64)))
            .collect();
        // In between as if it had grown evenly from one reading to the next.
        let used_at = |time: i64| {
            let later = used.partition_point(|(read, _)| *read <= time);
            let (before, then) = *used.get(later.checked_sub(1)?)?;
            match used.get(later) {
                Some((next, now)) => {
                    let share = (time - before) as f64 / (next - before) as f64;
                    Some(then + share * (now - then))
                }
                None => (time == before).then_some(then),
            }
        };
        let length = to.0.saturating_sub(from.0) as f64;
        let borders = (0..=parts).map(|part| from.0 + (length * part as f64 / parts.max(1) as f64) as i64);
        let used: Vec<Option<(i64, f64)>> = borders.map(|border| Some((border, used_at(border)?))).collect();
        let share = |pair: &[Option<(i64, f64)>]| match pair {
            [Some((from, before)), Some((to, after))] if to > from => {
                Some(((after - before) / (to - from) as f64).clamp(0.0, 1.0))
            }
            _ => None,
        };
        used.windows(2).map(share).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(from: i64, to: i64) -> ClockReading {
        ClockReading { from: Timestamp(from), to: Timestamp(to), used: None }
    }

    fn bounds(readings: &Readings, step: u64) -> [Option<i64>; 2] {
        let (from, to) = readings.bounds(step);
        [from.map(|time| time.0), to.map(|time| time.0)]
    }

    #[test]
    fn a_step_lies_between_the_readings_around_it() {
        let mut readings = Readings::default();
        assert_eq!(bounds(&readings, 4), [None, None]);
        for (steps, from) in [(3, 5), (3, 6), (3, 7), (6, 9)] {
            readings.add(steps, reading(from, from + 1));
        }
        assert_eq!(bounds(&readings, 2), [None, Some(6)], "before the first reading at its place");
        assert_eq!(bounds(&readings, 3), [Some(7), Some(10)], "after the last one there");
        assert_eq!(bounds(&readings, 5), [Some(7), Some(10)]);
        assert_eq!(bounds(&readings, 6), [Some(9), None]);
        assert_eq!(readings.span(), Some((Timestamp(5), Timestamp(10))));
    }

    #[test]
    fn however_many_there_are_the_bounds_hold() {
        let mut readings = Readings::default();
        let count = 5 * MOST as i64;
        for step in 0..count {
            let clock =
                ClockReading { used: Some(5 * step.cast_unsigned()), ..reading(10 * step, 10 * step + 1) };
            readings.add(step.cast_unsigned() + 1, clock);
        }
        assert!(readings.0.len() <= MOST);
        for step in [0, 7, 1000, count / 2, count - 2] {
            let [from, to] = bounds(&readings, step.cast_unsigned());
            // The step ran between the readings after `step` and after `step + 1` steps.
            assert!(from.is_none_or(|from| from < 10 * step) && to.is_none_or(|to| to > 10 * step), "{step}");
            let width = to.unwrap_or(10 * count) - from.unwrap_or(0);
            assert!(width < 10 * count / 1000, "{step}: {width}");
        }
        let shares = readings.shares((Timestamp(1), Timestamp(10 * (count - 2))), 7);
        assert!(shares.iter().all(|share| (share.unwrap() - 0.5).abs() < 0.01), "{shares:?}");
    }

    #[test]
    fn a_thread_is_on_a_processor_as_long_as_its_time_grows() {
        // It runs from 100 to 200, waits until 300 and runs half of the time until 400.
        let mut readings = Readings::default();
        for (time, steps, used) in [(100, 0, 1000), (200, 8, 1100), (300, 9, 1100), (400, 20, 1150)] {
            readings.add(steps, ClockReading { used: Some(used), ..ClockReading::at(Timestamp(time)) });
        }
        let shares = readings.shares((Timestamp(0), Timestamp(500)), 5);
        assert_eq!(shares, [None, Some(1.0), Some(0.0), Some(0.5), None]);
    }

    #[test]
    fn readings_without_processor_time_are_passed_over() {
        let mut readings = Readings::default();
        let mut add = |time, steps, used| {
            readings.add(steps, ClockReading { used, ..ClockReading::at(Timestamp(time)) });
        };
        add(100, 5, Some(1000));
        add(190, 5, None);
        add(200, 6, Some(1000));
        assert_eq!(readings.shares((Timestamp(100), Timestamp(200)), 2), [Some(0.0), Some(0.0)]);
    }
}
