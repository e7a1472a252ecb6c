//! Who runs on a CPU over time, and which thread was woken by which event: what a thread that waits waits for.
//!
//! ```text
//! CPU 0    web ─────── nobody ── db ──── unknown (a loss) ── web
//! thread   waits ─────────────┤ ready ──┤ runs
//!                    woken here, by an event on a CPU, where somebody ran
//! ```

/// Who runs on a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runner {
    /// It is not known.
    Unknown,
    /// It is idle.
    Idle,
    /// The thread of a row.
    Row(u32),
}

impl Runner {
    /// As a number: 0 unknown, 1 idle, then rows.
    pub(super) fn number(self) -> u64 {
        match self {
            Runner::Unknown => 0,
            Runner::Idle => 1,
            Runner::Row(row) => u64::from(row) + 2,
        }
    }

    pub(super) fn of(number: u64) -> Option<Runner> {
        Some(match number {
            0 => Runner::Unknown,
            1 => Runner::Idle,
            row => Runner::Row(u32::try_from(row - 2).ok()?),
        })
    }
}

/// Who runs on one CPU over time.
#[derive(Debug, Default)]
pub struct OnCpu {
    times: Vec<i64>,
    runners: Vec<Runner>,
}

impl OnCpu {
    /// From `time` on it is `runner`. Times that run backwards are taken as the last one.
    pub fn change(&mut self, time: i64, runner: Runner) {
        if self.runners.last() != Some(&runner) {
            let last = self.times.last().copied();
            self.times.push(last.map_or(time, |last| time.max(last)));
            self.runners.push(runner);
        }
    }

    /// Who runs at `time`.
    pub fn at(&self, time: i64) -> Runner {
        let change = self.times.partition_point(|&change| change <= time).checked_sub(1);
        change.and_then(|change| self.runners.get(change)).copied().unwrap_or(Runner::Unknown)
    }

    /// Who ran right before `time`.
    pub fn before(&self, time: i64) -> Runner {
        let change = self.times.partition_point(|&change| change < time).checked_sub(1);
        change.and_then(|change| self.runners.get(change)).copied().unwrap_or(Runner::Unknown)
    }

    /// Who ran from `from` up to `to`, one after another, each with from when to when.
    pub fn between(&self, from: i64, to: i64) -> impl Iterator<Item = (i64, i64, Runner)> + '_ {
        let first = self.times.partition_point(|&change| change <= from);
        let before = (self.at(from), from);
        let rest = self.times.iter().zip(&self.runners).skip(first).map(|(&time, &runner)| (runner, time));
        let starts = std::iter::once(before).chain(rest).take_while(move |&(_, start)| start < to);
        let ends = self.times.iter().skip(first).copied().chain(std::iter::once(i64::MAX));
        starts.zip(ends).map(move |((runner, start), end)| (start, end.min(to), runner))
    }

    /// All changes.
    pub(super) fn changes(&self) -> impl Iterator<Item = (i64, Runner)> + Clone + '_ {
        self.times.iter().copied().zip(self.runners.iter().copied())
    }
}

/// A thread that waited was woken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wake {
    /// When it was ready: the moment at which its wait ends.
    pub time: i64,
    /// The row of the thread.
    pub row: u32,
    /// The event by which it began to be woken, and its CPU, where the trace names one.
    pub event: u32,
    /// See `event`.
    pub cpu: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_ran_between_two_moments_is_who_ran_at_each() {
        let mut lane = OnCpu::default();
        let runners = [Runner::Row(4), Runner::Idle, Runner::Unknown, Runner::Row(0), Runner::Row(4)];
        for (number, runner) in (0..).zip(runners) {
            lane.change(10 + number * 7, runner);
        }
        lane.change(40, Runner::Row(4));
        assert_eq!(
            (lane.at(9), lane.before(10), lane.at(10)),
            (Runner::Unknown, Runner::Unknown, runners[0])
        );
        for from in 0..60 {
            for to in from..60 {
                let mut plain = Vec::new();
                for time in from..to {
                    plain.push(lane.at(time));
                }
                let mut found = Vec::new();
                for (start, end, runner) in lane.between(from, to) {
                    assert!(start < end, "{from} {to}");
                    found.extend((start..end).map(|_| runner));
                }
                assert_eq!(found, plain, "{from} {to}");
            }
        }
    }

    #[test]
    fn every_runner_has_a_number_of_its_own() {
        for runner in [Runner::Unknown, Runner::Idle, Runner::Row(0), Runner::Row(u32::MAX)] {
            assert_eq!(Runner::of(runner.number()), Some(runner));
        }
        assert_eq!(Runner::of(u64::MAX), None);
    }
}
