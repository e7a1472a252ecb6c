//! Between two lost events the CPU may have rested: two lost events then, instead of one.

use crate::estimate::cpus::monitor::CpuMonitor;
use crate::estimate::instances::costs::{Cost, DECLARED, SECOND};
use crate::estimate::instances::instance::{IDLE, Ix, NO_INSTANCE};
use crate::explain::lost_event::What;
use crate::repair::interval::Interval;
use crate::repair::interval::hypothesis::Hypothesis;

/// A lost event that is ready to be reported.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Planned {
    pub(crate) index: usize,
    pub(crate) what: What,
    pub(crate) subject: Ix,
    pub(crate) range: (usize, usize),
    pub(crate) share: f64,
}

impl CpuMonitor {
    /// Between the moves of the best way the CPU may have rested: two lost events instead of one.
    /// `left_over` of the declared ones are not accounted for.
    pub(crate) fn plan(
        &self,
        interval: &Interval<'_>,
        best: &Hypothesis,
        left_over: Option<u64>,
    ) -> Vec<Planned> {
        let idle: Vec<Option<Cost>> =
            (0..best.moves.len()).map(|index| self.idle(interval, best, index)).collect();
        let mut likely: Vec<Cost> = idle.iter().copied().flatten().collect();
        likely.sort_unstable_by(|one, other| other.cmp(one));
        // With all that was declared to be placed, as many rests as there are events left.
        let exact = left_over.map(|count| count as usize).filter(|count| *count <= likely.len());
        let price = match exact {
            Some(0) => Cost::MAX,
            Some(count) => likely.get(count - 1).map_or(SECOND, |least| least.saturating_sub(1)),
            None if left_over.is_some() => DECLARED,
            None => SECOND,
        };
        let mut planned = Vec::new();
        for (index, (step, (&subject, &range))) in
            best.moves.iter().zip(best.subjects.iter().zip(&best.ranges)).enumerate()
        {
            let cost = idle.get(index).copied().flatten();
            let is_idle = cost
                .is_some_and(|cost| cost > price || exact.is_some_and(|count| count > 0) && cost == price);
            let share = match (exact, cost) {
                (Some(_), _) | (_, None) => 1.0,
                (None, Some(cost)) => {
                    let share = 1.0 / (1.0 + ((f64::from(price) - f64::from(cost)) / 1000.0).exp());
                    if is_idle { share } else { 1.0 - share }
                }
            };
            if is_idle {
                let range_of_rest = (interval.idle_since(best, index, range.0), range.1);
                let what = What::Switch(IDLE);
                planned.push(Planned { index, what, subject, range: range_of_rest, share });
                planned.push(Planned { index, what: step.what, subject: IDLE, range, share });
            } else {
                planned.push(Planned { index, what: step.what, subject, range, share });
            }
        }
        planned
    }

    /// What it costs that the CPU did not rest before the one who comes by a move: who comes was not
    /// ready yet when the other one is likely to have left.
    fn idle(&self, interval: &Interval<'_>, best: &Hypothesis, index: usize) -> Option<Cost> {
        let (step, subject) = (best.moves.get(index)?, *best.subjects.get(index)?);
        let What::Switch(next) = step.what else { return None };
        if next == IDLE || subject == IDLE || next == NO_INSTANCE || subject == NO_INSTANCE {
            return None;
        }
        if best.subjects.iter().take(index).any(|&by| by == next) {
            return Some(0);
        }
        let (since, _) = interval.ready(next, step.slot);
        let now = interval.replay(best.moves.get(..index)?, step.slot)?;
        let early = best.ranges.get(index).map_or(step.slot, |range| range.0);
        let early = interval.idle_since(best, index, early);
        Some(self.monitor.costs.stays(now.estimate, since.saturating_sub(interval.before(early))))
    }
}
