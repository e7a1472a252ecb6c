//! Clocks: from the ticks in a trace to nanoseconds (CTF 1.8.3 specification, section 8).

use model::{ClockInfo, HostClock, Timestamp};

/// How ticks become nanoseconds.
#[derive(Debug, Clone)]
pub(super) struct Clock {
    frequency: u64,
    /// Ticks between the origin and value 0.
    offset: i128,
    /// The same in nanoseconds, for clocks of 1 GHz.
    fast: Option<i64>,
    /// How it is brought to the clock of another host.
    host: Option<HostClock>,
}

const SECOND: i128 = 1_000_000_000;

impl Clock {
    pub(super) fn new(info: &ClockInfo) -> Self {
        let frequency = info.frequency.max(1);
        // 64 by 64 bits: cannot overflow 128.
        let offset = i128::from(info.offset_s) * i128::from(frequency) + i128::from(info.offset);
        let fast = if i128::from(frequency) == SECOND { i64::try_from(offset).ok() } else { None };
        Clock { frequency, offset, fast, host: None }
    }

    /// The same clock, converted to that of another host.
    pub(super) fn on_host(self, host: HostClock) -> Clock {
        Clock { fast: None, host: Some(host), ..self }
    }

    /// The moment of `ticks`, and whether it had to be clamped to 64 bits. Parts of a nanosecond are
    /// cut off towards the past.
    #[inline]
    pub(super) fn moment(&self, ticks: u64) -> (Timestamp, bool) {
        if let Some(base) = self.fast
            && let Some(nanoseconds) = base.checked_add_unsigned(ticks)
        {
            return (Timestamp(nanoseconds), false);
        }
        self.slow_moment(ticks)
    }

    fn slow_moment(&self, ticks: u64) -> (Timestamp, bool) {
        let frequency = i128::from(self.frequency);
        let total = self.offset.saturating_add(i128::from(ticks));
        // Seconds and rest apart: the product of all ticks and 10^9 may leave 128 bits.
        let (seconds, rest) = (total.div_euclid(frequency), total.rem_euclid(frequency));
        let time = seconds.saturating_mul(SECOND).saturating_add(rest * SECOND / frequency);
        Timestamp::clamped(self.host.as_ref().map_or(time, |host| host.on_reference(time)))
    }
}

/// The full value of a clock after a field of `bits` bits read `value`: the field updates the low
/// bits, and a value below the current ones means that they wrapped once.
#[inline]
pub(super) fn extend(current: u64, value: u64, bits: u32) -> u64 {
    if bits >= 64 {
        return value;
    }
    let mask = (1u64 << bits) - 1;
    let extended = (current & !mask) | (value & mask);
    if value & mask < current & mask { extended.wrapping_add(mask.wrapping_add(1)) } else { extended }
}

/// The full value of a narrow `timestamp_begin` or `timestamp_end`: the one nearest to `current`.
/// Packets may overlap, so that a smaller value is not always a wrap; one that is smaller by more than
/// half of the range is.
pub(super) fn nearest(current: u64, value: u64, bits: u32) -> u64 {
    if bits >= 64 {
        return value;
    }
    let range = 1u64 << bits;
    let (half, low) = (range / 2, current & (range - 1));
    let same = current - low + value % range;
    match value % range {
        value if value < low && low - value > half => same.saturating_add(range),
        value if value > low && value - low > half => same.checked_sub(range).unwrap_or(same),
        _ => same,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(frequency: u64, offset_s: i64, offset: i64) -> Clock {
        Clock::new(&ClockInfo { name: String::new(), frequency, offset_s, offset })
    }

    #[test]
    fn ticks_become_nanoseconds() {
        assert_eq!(clock(1_000_000_000, 1, 5).moment(7), (Timestamp(1_000_000_012), false));
        assert_eq!(clock(1_000, 2, 1).moment(7), (Timestamp(2_008_000_000), false));
        assert_eq!(clock(3, 0, 0).moment(1), (Timestamp(333_333_333), false));
        assert_eq!(clock(3, 0, -1).moment(0), (Timestamp(-333_333_334), false));
    }

    #[test]
    fn extremes_are_clamped() {
        assert_eq!(clock(1, i64::MAX, i64::MAX).moment(u64::MAX), (Timestamp(i64::MAX), true));
        assert_eq!(clock(1, i64::MIN, i64::MIN).moment(0), (Timestamp(i64::MIN), true));
        assert_eq!(clock(u64::MAX, i64::MIN, i64::MIN).moment(0), (Timestamp(i64::MIN), true));
        assert_eq!(clock(1_000_000_000, 0, i64::MAX).moment(u64::MAX), (Timestamp(i64::MAX), true));
    }

    #[test]
    fn narrow_fields_wrap_once() {
        assert_eq!(extend(0x1_00, 0x05, 8), 0x1_05);
        assert_eq!(extend(0x1_06, 0x05, 8), 0x2_05);
        assert_eq!(extend(0x1_05, 0x05, 8), 0x1_05);
        assert_eq!(extend(7, 3, 64), 3);
        assert_eq!(extend(u64::MAX, 0, 63), 0);
    }

    #[test]
    fn narrow_packet_times_stay_near() {
        assert_eq!(nearest(0, 0xf0, 8), 0xf0);
        assert_eq!(nearest(0xf8, 0x05, 8), 0x1_05);
        assert_eq!(nearest(0x1_05, 0x03, 8), 0x1_03);
        assert_eq!(nearest(0x1_05, 0xf0, 8), 0xf0);
        assert_eq!(nearest(9, 3, 64), 3);
        assert_eq!(nearest(u64::MAX, 0, 63), u64::MAX);
    }
}
