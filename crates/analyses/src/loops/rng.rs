//! Chance for tests: xorshift64*, good enough, and the same everywhere.

/// A source of numbers.
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound
    }
}
