//! How the clock of one host stands to that of another.

use crate::Timestamp;

/// The clock of a host relative to that of the reference host, which all times are given on: a straight line.
///
/// ```text
/// time there + ahead + (time there - from) * drift  =  time on the reference
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct HostClock {
    /// The host whose clock all times are given on.
    pub reference: String,
    /// Where the line begins, on the clock of this host.
    pub from: Timestamp,
    /// Nanoseconds that the reference was ahead at that moment.
    pub ahead: f64,
    /// By how much the reference runs faster, as a share: 1e-6 is a microsecond a second.
    pub drift: f64,
    /// The least and the most that messages allow for how far the reference was ahead, in nanoseconds, at the
    /// middle one of them, where the line is known best.
    pub ahead_between: (f64, f64),
    /// The same of the drift.
    pub drift_between: (f64, f64),
    /// How many messages between the hosts that rests on.
    pub messages: u64,
}

impl HostClock {
    /// A moment on the clock of the reference; both in nanoseconds.
    pub fn on_reference(&self, time: i128) -> i128 {
        let passed = time.saturating_sub(i128::from(self.from.0));
        time.saturating_add((self.ahead + passed as f64 * self.drift).round() as i128)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_keep_their_order() {
        let clock = HostClock {
            reference: "a".into(),
            from: Timestamp(1_000),
            ahead: -250.4,
            drift: -3e-4,
            ahead_between: (0.0, 0.0),
            drift_between: (0.0, 0.0),
            messages: 2,
        };
        assert_eq!(clock.on_reference(1_000), 750);
        assert_eq!(clock.on_reference(1_001_000), 1_000_450);
        let mut last = i128::MIN;
        for time in -20_000..20_000 {
            let now = clock.on_reference(time);
            assert!(now >= last, "{time}");
            last = now;
        }
    }
}
