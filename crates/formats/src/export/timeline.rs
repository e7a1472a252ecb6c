//! Puts calls on a clock: a recording knows the time only here and there.

use model::flow::{ClockReading, Entered, FlowStep, Left};
use model::{Lost, MethodId};

/// Nanoseconds that a block takes where nothing is known: a microsecond.
const BLOCK: i64 = 1_000;

/// Events that wait for the next known moment. Beyond it they are given the pace up to then.
const WAITING: usize = 1 << 20;

/// What an export shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    Begin(MethodId, Entered),
    End(Left),
    Lost(Lost),
}

/// The clock of one thread.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    /// Blocks up to now.
    position: u64,
    /// The last known moment and its position.
    known: Option<(i64, u64)>,
    waiting: Vec<(u64, Shown)>,
    /// The last time that was given: time never runs backwards.
    given: i64,
    /// Nanoseconds a block took between the last two known moments.
    pace: f64,
}

impl Timeline {
    pub(super) fn new() -> Timeline {
        Timeline { given: i64::MIN, pace: BLOCK as f64, ..Timeline::default() }
    }

    /// Takes the next step; `show` gets what can be dated now.
    pub(super) fn step(&mut self, step: &FlowStep<'_>, show: &mut impl FnMut(i64, Shown)) {
        match *step {
            FlowStep::Enter { method, how } => self.waiting.push((self.position, Shown::Begin(method, how))),
            FlowStep::Leave { how } => self.waiting.push((self.position, Shown::End(how))),
            FlowStep::Gap { lost } => self.waiting.push((self.position, Shown::Lost(lost))),
            FlowStep::Blocks { blocks, times } => {
                self.position = self.position.saturating_add(times.saturating_mul(blocks.len() as u64));
            }
            FlowStep::Catch { .. } => self.position = self.position.saturating_add(1),
            FlowStep::Inferred { .. }
            | FlowStep::Observed
            | FlowStep::Mark(_)
            | FlowStep::Values(_)
            | FlowStep::Task(_) => {}
            FlowStep::Moment(now) | FlowStep::Clock(ClockReading { from: now, .. }) => {
                let now = now.0;
                if let Some((then, from)) = self.known.filter(|(_, from)| *from < self.position) {
                    self.pace = (now - then).max(0) as f64 / (self.position - from) as f64;
                } else if self.known.is_none() {
                    // What ran before the first known moment is dated back from it.
                    let before = (self.position as i64).saturating_mul(BLOCK);
                    self.known = Some((now.saturating_sub(before), 0));
                }
                self.date(show);
                self.known = Some((now, self.position));
            }
        }
        if self.waiting.len() >= WAITING {
            self.date(show);
        }
    }

    /// No further step comes.
    pub(super) fn finish(mut self, show: &mut impl FnMut(i64, Shown)) {
        self.date(show);
    }

    fn date(&mut self, show: &mut impl FnMut(i64, Shown)) {
        let (then, from) = self.known.unwrap_or((0, 0));
        for (position, shown) in self.waiting.drain(..) {
            let after = (position.saturating_sub(from) as f64 * self.pace) as i64;
            self.given = self.given.max(then.saturating_add(after));
            show(self.given, shown);
        }
    }
}

#[cfg(test)]
mod tests {
    use model::Timestamp;

    use super::*;

    fn dated(steps: &[FlowStep<'_>]) -> Vec<(i64, Shown)> {
        let (mut timeline, mut out) = (Timeline::new(), vec![]);
        let mut show = |time, shown| out.push((time, shown));
        steps.iter().for_each(|step| timeline.step(step, &mut show));
        timeline.finish(&mut show);
        out
    }

    const BEGIN: FlowStep<'_> = FlowStep::Enter { method: MethodId(1), how: Entered::Call };
    const END: FlowStep<'_> = FlowStep::Leave { how: Left::Returned };
    const TEN: FlowStep<'_> = FlowStep::Blocks { blocks: &[0, 1], times: 5 };

    fn moment(time: i64) -> FlowStep<'static> {
        FlowStep::Moment(Timestamp(time))
    }

    fn times(steps: &[FlowStep<'_>]) -> Vec<i64> {
        dated(steps).iter().map(|(time, _)| *time).collect()
    }

    #[test]
    fn blocks_are_spread_between_moments() {
        assert_eq!(times(&[BEGIN, TEN, END]), [0, 10_000]);
        assert_eq!(
            times(&[moment(500), BEGIN, TEN, BEGIN, TEN, END, END, moment(700)]),
            [500, 600, 700, 700]
        );
        assert_eq!(times(&[moment(500), TEN, moment(700), TEN, END]), [900], "the pace goes on");
        assert_eq!(times(&[moment(500), BEGIN, TEN, moment(400), END]), [500, 500], "never backwards");
        assert_eq!(times(&[TEN, END, moment(50_000)]), [50_000]);
    }
}
