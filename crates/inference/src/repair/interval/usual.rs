//! Whether a CPU was silent for so long that more was lost in it.

use crate::estimate::cpus::monitor::CpuMonitor;
use crate::estimate::instances::instance::{IDLE, NO_INSTANCE};
use crate::explain::lost_event::What;
use crate::repair::interval::Interval;
use crate::repair::interval::hypothesis::Hypothesis;
use crate::repair::interval::idle::Planned;

impl CpuMonitor {
    /// How usual the longest silence of a CPU is in an interval, while somebody ran there for all that is
    /// believed: the share of intervals like it that have one. Where it is small, more was lost in it.
    pub(crate) fn usual(&self, interval: &Interval<'_>, best: &Hypothesis, planned: &[Planned]) -> f64 {
        let is_idle = |slot: usize| {
            let mut enclosing =
                planned.iter().filter(|planned| (planned.range.0..=planned.range.1).contains(&slot));
            enclosing.any(|planned| planned.subject == IDLE || planned.what == What::Switch(IDLE))
        };
        let mut running = interval.first;
        let mut moves = best.moves.iter().peekable();
        let (mut last, mut longest, mut count) = (interval.start, 0, 0u32);
        for slot in 0..=interval.seen.len() {
            let seen = interval.seen.get(slot);
            if seen.is_some_and(|seen| seen.who != NO_INSTANCE && !seen.is_here) {
                continue;
            }
            let time = seen.map_or(interval.end, |seen| seen.time);
            let began = running;
            while let Some(step) = moves.next_if(|step| step.slot <= slot) {
                if let What::Switch(next) = step.what {
                    running = next;
                }
            }
            if began != IDLE && running != IDLE && !is_idle(slot) {
                (longest, count) = (longest.max(time.saturating_sub(last)), count + 1);
            }
            last = time;
        }
        if count == 0 {
            return 1.0;
        }
        let (mut longer, mut all) = (1u64, 2u64);
        for cpu in &self.cpus {
            let (of_cpu, of_all) = cpu.quiet_intervals.longer(longest);
            (longer, all) = (longer + of_cpu, all + of_all);
        }
        (f64::from(count) * longer as f64 / all as f64).min(1.0)
    }
}
