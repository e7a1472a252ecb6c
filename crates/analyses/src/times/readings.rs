//! The readings of a thread's clock, thinned so that their number is bounded: how far it was when, and how much processor
//! time it had used.

/// Readings that are kept. Once there are more, every second one goes, and only every second one comes in.
const MOST: usize = 1 << 15;

/// One reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// When, ns since 1970.
    pub time: i64,
    /// How many blocks the thread had run.
    pub position: u64,
    /// The processor time that it had used, ns.
    pub used: Option<u64>,
}

/// Readings in the order of time.
#[derive(Debug, Clone, Default)]
pub struct Readings {
    readings: Vec<Reading>,
    /// The newest, where it is not among them.
    last: Option<Reading>,
    /// Of so many that come, one is kept: 2 to the power of this.
    thinned: u32,
    count: u64,
}

impl Readings {
    pub(super) fn push(&mut self, reading: Reading) {
        let is_taken = self.count.is_multiple_of(1 << self.thinned);
        self.count += 1;
        if !is_taken {
            self.last = Some(reading);
            return;
        }
        self.last = None;
        self.readings.push(reading);
        if self.readings.len() > MOST {
            let mut number = 0;
            self.last = self.readings.last().copied();
            self.readings.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.thinned += 1;
        }
    }

    fn all(&self) -> impl DoubleEndedIterator<Item = &Reading> {
        self.readings.iter().chain(&self.last)
    }

    /// The first and the last moment at which the thread was seen to have come further.
    pub fn span(&self) -> Option<(i64, i64)> {
        Some((self.all().next()?.time, self.all().next_back()?.time))
    }

    /// The last reading at which the thread had not run more blocks than this.
    pub fn before(&self, position: u64) -> Option<Reading> {
        let after = self.readings.partition_point(|reading| reading.position <= position);
        self.last
            .filter(|last| last.position <= position)
            .or_else(|| self.readings.get(after.checked_sub(1)?).copied())
    }

    /// For each of `parts` equal parts of the time from `from` to `to`, which share of it the thread was on a processor;
    /// `None` before the first reading and after the last, and where no processor time was read.
    pub fn shares(&self, from: i64, to: i64, parts: usize) -> Vec<Option<f64>> {
        let borders = (0..=parts).map(|part| {
            let share = part as f64 / parts.max(1) as f64;
            from + ((to - from) as f64 * share) as i64
        });
        let used: Vec<Option<(i64, f64)>> =
            borders.map(|border| Some((border, self.used_at(border)?))).collect();
        let share = |pair: &[Option<(i64, f64)>]| match pair {
            [Some((from, before)), Some((to, after))] if to > from => {
                Some(((after - before) / (to - from) as f64).clamp(0.0, 1.0))
            }
            _ => None,
        };
        used.windows(2).map(share).collect()
    }

    /// The processor time used by a moment, in between as if it had grown evenly from one reading to the next.
    fn used_at(&self, time: i64) -> Option<f64> {
        let after = self.readings.partition_point(|reading| reading.time <= time);
        let before = *self.readings.get(after.checked_sub(1)?)?;
        let next = self.readings.get(after).or(self.last.as_ref());
        let (from, used) = (before.time, before.used? as f64);
        match next {
            Some(next) if next.time > from && time <= next.time => {
                let share = (time - from) as f64 / (next.time - from) as f64;
                Some(used + share * (next.used? as f64 - used))
            }
            _ => (time == from).then_some(used),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(all: impl IntoIterator<Item = (i64, u64, u64)>) -> Readings {
        let mut readings = Readings::default();
        for (time, position, used) in all {
            readings.push(Reading { time, position, used: Some(used) });
        }
        readings
    }

    #[test]
    fn a_thread_is_on_a_processor_as_long_as_its_time_grows() {
        // It runs from 100 to 200, waits until 300 and runs half of the time until 400.
        let readings = readings([(100, 0, 1000), (200, 8, 1100), (300, 9, 1100), (400, 20, 1150)]);
        let shares = readings.shares(0, 500, 5);
        assert_eq!(shares, [None, Some(1.0), Some(0.0), Some(0.5), None]);
        assert_eq!(readings.span(), Some((100, 400)));
        assert_eq!(readings.before(8).map(|reading| reading.time), Some(200));
        assert_eq!(readings.before(1 << 40).map(|reading| reading.time), Some(400));
    }

    #[test]
    fn many_readings_are_thinned_and_say_the_same() {
        let many = 5 * MOST as i64;
        let readings = readings((0..many).map(|at| (at * 10, at as u64, 5 * at as u64)));
        assert!(readings.readings.len() <= MOST);
        assert_eq!(readings.span(), Some((0, (many - 1) * 10)));
        let shares = readings.shares(0, (many - 1) * 10, 7);
        assert!(shares.iter().all(|share| (share.unwrap() - 0.5).abs() < 0.01), "{shares:?}");
    }
}
