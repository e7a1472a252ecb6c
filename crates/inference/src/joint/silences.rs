//! How long CPUs are silent, and whether a silence is so long that more was lost in it.

use super::instances::{NOBODY, REST};
use super::rests::Planned;
use super::runner::Runner;
use super::stretch::{Stretch, What};
use super::way::Way;

/// How long it took from event to event while somebody ran and all fitted, by powers of two.
#[derive(Debug)]
pub(super) struct Silences([u32; 64]);

impl Default for Silences {
    fn default() -> Silences {
        Silences([0; 64])
    }
}

impl Silences {
    #[inline]
    pub(super) fn add(&mut self, nanoseconds: i64) {
        let place = 63 - (nanoseconds.max(1) as u64).leading_zeros();
        if let Some(times) = self.0.get_mut(place as usize) {
            *times += 1;
        }
    }

    /// How many were longer, and how many there were.
    pub(super) fn longer(&self, nanoseconds: i64) -> (u64, u64) {
        let place = 63 - (nanoseconds.max(1) as u64).leading_zeros() as usize;
        let longer = self.0.iter().skip(place + 1).map(|times| u64::from(*times)).sum::<u64>();
        let alike = self.0.get(place).map_or(0, |times| u64::from(*times));
        (longer + alike / 2, self.0.iter().map(|times| u64::from(*times)).sum())
    }
}

impl Runner {
    /// How usual the longest silence of a CPU is in a stretch, while somebody ran there for all that is
    /// believed: the share of stretches like it that have one. Where it is small, more was lost in it.
    pub(super) fn usual(&self, stretch: &Stretch<'_>, best: &Way, planned: &[Planned]) -> f64 {
        let rests = |slot: usize| {
            let mut around =
                planned.iter().filter(|planned| (planned.range.0..=planned.range.1).contains(&slot));
            around.any(|planned| planned.mover == REST || planned.what == What::Switch(REST))
        };
        let mut running = stretch.first;
        let mut moves = best.moves.iter().peekable();
        let (mut last, mut longest, mut count) = (stretch.start, 0, 0u32);
        for slot in 0..=stretch.seen.len() {
            let seen = stretch.seen.get(slot);
            if seen.is_some_and(|seen| seen.who != NOBODY && !seen.is_here) {
                continue;
            }
            let time = seen.map_or(stretch.end, |seen| seen.time);
            let began = running;
            while let Some(step) = moves.next_if(|step| step.slot <= slot) {
                if let What::Switch(next) = step.what {
                    running = next;
                }
            }
            if began != REST && running != REST && !rests(slot) {
                (longest, count) = (longest.max(time.saturating_sub(last)), count + 1);
            }
            last = time;
        }
        if count == 0 {
            return 1.0;
        }
        let (mut longer, mut all) = (1u64, 2u64);
        for cpu in &self.cpus {
            let (of_cpu, of_all) = cpu.silences.longer(longest);
            (longer, all) = (longer + of_cpu, all + of_all);
        }
        (f64::from(count) * longer as f64 / all as f64).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silence_is_as_usual_as_it_was_heard() {
        let mut silences = Silences([0; 64]);
        (0..98).for_each(|_| silences.add(1_000));
        (0..2).for_each(|_| silences.add(1_000_000));
        assert_eq!(silences.longer(4_000), (2, 100));
        assert_eq!(silences.longer(1_000), (2 + 49, 100));
        assert_eq!(silences.longer(900_000), (1, 100));
        assert_eq!(silences.longer(i64::MAX), (0, 100));
        // What two streams say of one moment is no time at all.
        silences.add(-5);
        assert_eq!(silences.longer(0), (100, 101));
    }
}
