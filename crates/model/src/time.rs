//! A moment on the clock of a trace.

/// Nanoseconds since the Unix epoch, or since the zero of a clock that knows no epoch.
///
/// Order comes before time: two steps of a track are ordered by their sequence number, and a
/// timestamp may run backwards or be missing. Readers compute in 128 bits and clamp to this range
/// with a diagnostic, so arithmetic on it must be checked or saturating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// The timestamp of `nanoseconds`, clamped to what 64 bits hold; `true` if it had to be clamped.
    pub fn clamped(nanoseconds: i128) -> (Timestamp, bool) {
        match i64::try_from(nanoseconds) {
            Ok(value) => (Timestamp(value), false),
            Err(_) if nanoseconds < 0 => (Timestamp(i64::MIN), true),
            Err(_) => (Timestamp(i64::MAX), true),
        }
    }

    /// Nanoseconds from `earlier` to `self`; negative when time ran backwards, never overflowing.
    pub fn since(self, earlier: Timestamp) -> i128 {
        i128::from(self.0) - i128::from(earlier.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_are_clamped_and_subtract_without_overflow() {
        assert_eq!(Timestamp::clamped(i128::MAX), (Timestamp(i64::MAX), true));
        assert_eq!(Timestamp::clamped(i128::MIN), (Timestamp(i64::MIN), true));
        assert_eq!(Timestamp::clamped(-5), (Timestamp(-5), false));
        assert_eq!(Timestamp(i64::MIN).since(Timestamp(i64::MAX)), -i128::from(u64::MAX));
    }
}
