//! From when to when a lost event may have been.

use crate::estimate::cpus::monitor::CpuMonitor;
use crate::estimate::instances::costs::UNHEARD_OF;
use crate::estimate::instances::instance::{IDLE, Ix};
use crate::explain::lost_event::What;
use crate::repair::interval::Interval;
use crate::repair::interval::hypothesis::Hypothesis;
use crate::repair::interval::idle::Planned;
use crate::state_machines::state_estimate::{ANY, StateEstimate};

impl CpuMonitor {
    /// From when to when a lost event may have been, and on which CPU.
    pub(crate) fn times(
        &self,
        interval: &Interval<'_>,
        best: &Hypothesis,
        planned: &Planned,
        woken: i64,
        number: u32,
    ) -> (i64, i64, u32) {
        let Planned { index, what, subject, range: (early, late), .. } = *planned;
        let (mut from, mut to, mut cpu) = (interval.before(early), interval.after(late), number);
        let first = interval.first;
        match what {
            What::Switch(next) => {
                let (since, _) = interval.ready(next, late);
                let is_back = best.subjects.iter().take(index).any(|&by| by == next);
                if next != IDLE && !is_back && since <= to && next != first {
                    from = from.max(since);
                }
                if is_back && next == first && woken != i64::MAX {
                    from = from.max(woken.min(to));
                }
                if !best.moves.iter().take(index).any(|step| matches!(step.what, What::Switch(_))) {
                    let left_by = self.cpus.get(number as usize).map_or(i64::MAX, |cpu| cpu.left_by);
                    let limit = if left_by.min(woken) >= from { left_by.min(woken) } else { left_by };
                    to = to.min(limit.max(from));
                }
            }
            What::Own { arc, stem } => {
                if early == 0
                    && subject == first
                    && let Some((earliest, latest, on)) = self.on_the_hypothesis(first, arc, stem)
                {
                    from = from.min(earliest);
                    if let Some((latest, on)) = latest.zip(on) {
                        (to, cpu) = (latest.max(from), on);
                    }
                }
            }
        }
        (from, to, cpu)
    }

    /// What was lost of an instance may have been before it came here: from when on; and the last
    /// moment and CPU, if it cannot have left there otherwise than after it.
    fn on_the_hypothesis(&self, ix: Ix, arc: usize, stem: u32) -> Option<(i64, Option<i64>, Option<u32>)> {
        let one = self.monitor.instances.get(ix)?;
        let rules = &self.monitor.rules;
        let arc = rules.lost.get(arc)?;
        let (mut estimate, mut inside) = (one.trail_estimate, None);
        let mut latest = None;
        for step in &one.trail {
            let row = rules.row(step.row)?;
            // The lost event before this one: in another state, which may be the likelier one.
            if inside.is_none() && estimate.set.has(arc.from) {
                let open = if arc.opens { stem } else { crate::state_machines::state_estimate::NOTHING };
                inside = Some(StateEstimate { set: arc.to, open });
            }
            let often = |estimate: Option<StateEstimate>| {
                let state = estimate.and_then(|estimate| estimate.set.only());
                state.map_or(0, |state| self.monitor.often(state, step.row))
            };
            if latest.is_none() && often(inside) > UNHEARD_OF * (often(Some(estimate)) + 1) {
                latest = Some((step.time, step.cpu));
            }
            estimate = row.step(estimate, ANY)?.after;
            inside = inside.and_then(|with| row.step(with, ANY)).map(|step| step.after);
        }
        Some((one.trail_from.0, latest.map(|latest| latest.0), latest.map(|latest| latest.1)))
    }
}
