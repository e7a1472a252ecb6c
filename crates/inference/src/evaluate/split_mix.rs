//! Random numbers that are the same for the same seed, in every version: figures that are documented rest on them.

/// SplitMix64. Good enough to draw cases and trials, and for nothing else.
#[derive(Debug)]
pub struct SplitMix(pub u64);

impl SplitMix {
    /// A number below `end`; none where there is no such number.
    pub fn below(&mut self, end: usize) -> Option<usize> {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        (end > 0).then(|| (mixed % end as u64) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of seed 0, as the authors of the generator have them.
    #[test]
    fn the_numbers_are_those_of_the_generator() {
        let mut random = SplitMix(0);
        let most = usize::MAX;
        let numbers = [(); 3].map(|()| random.below(most));
        assert_eq!(numbers, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f].map(Some));
        assert_eq!(random.below(0), None);
    }
}
