//! How long CPUs are silent.

/// How long it took from event to event while somebody ran and all fitted, by powers of two.
#[derive(Debug)]
pub(crate) struct QuietIntervals([u32; 64]);

impl Default for QuietIntervals {
    fn default() -> QuietIntervals {
        QuietIntervals([0; 64])
    }
}

impl QuietIntervals {
    #[inline]
    pub(crate) fn add(&mut self, nanoseconds: i64) {
        let index = 63 - (nanoseconds.max(1) as u64).leading_zeros();
        if let Some(times) = self.0.get_mut(index as usize) {
            *times += 1;
        }
    }

    /// How many were longer, and how many there were.
    pub(crate) fn longer(&self, nanoseconds: i64) -> (u64, u64) {
        let index = 63 - (nanoseconds.max(1) as u64).leading_zeros() as usize;
        let longer = self.0.iter().skip(index + 1).map(|times| u64::from(*times)).sum::<u64>();
        let alike = self.0.get(index).map_or(0, |times| u64::from(*times));
        (longer + alike / 2, self.0.iter().map(|times| u64::from(*times)).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silence_is_as_usual_as_it_was_heard() {
        let mut quiet_intervals = QuietIntervals([0; 64]);
        (0..98).for_each(|_| quiet_intervals.add(1_000));
        (0..2).for_each(|_| quiet_intervals.add(1_000_000));
        assert_eq!(quiet_intervals.longer(4_000), (2, 100));
        assert_eq!(quiet_intervals.longer(1_000), (2 + 49, 100));
        assert_eq!(quiet_intervals.longer(900_000), (1, 100));
        assert_eq!(quiet_intervals.longer(i64::MAX), (0, 100));
        // What two streams say of one moment is no time at all.
        quiet_intervals.add(-5);
        assert_eq!(quiet_intervals.longer(0), (100, 101));
    }
}
