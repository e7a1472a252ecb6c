//! Moments as people read them: `2026-11-21 07:25:08.123456789`, in UTC.

use model::Timestamp;

const SECOND: i64 = 1_000_000_000;

/// Writes moments; it remembers the last second, because most events share theirs with the one
/// before and the calendar costs more than the rest of a line.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    second: Option<i64>,
    text: String,
}

impl Clock {
    /// Appends `time`; what no calendar holds is written as nanoseconds.
    pub(crate) fn write(&mut self, time: Timestamp, out: &mut Vec<u8>) {
        let second = time.0.div_euclid(SECOND);
        if self.second != Some(second) {
            self.second = Some(second);
            self.text = jiff::Timestamp::from_second(second)
                .map(|moment| moment.strftime("%Y-%m-%d %H:%M:%S").to_string())
                .unwrap_or_default();
        }
        if self.text.is_empty() {
            out.extend_from_slice(format!("{} ns", time.0).as_bytes());
            return;
        }
        out.extend_from_slice(self.text.as_bytes());
        let mut digits = *b".000000000";
        let mut rest = time.0.rem_euclid(SECOND);
        for digit in digits[1..].iter_mut().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        out.extend_from_slice(&digits);
    }
}

/// `time` as text.
pub(crate) fn text(time: Timestamp) -> String {
    let mut out = vec![];
    Clock::default().write(time, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// `to` as text, without the date if `from` has the same.
pub(crate) fn text_after(to: Timestamp, from: Timestamp) -> String {
    let (from, to) = (text(from), text(to));
    match (from.split_once(' '), to.split_once(' ')) {
        (Some((day, _)), Some((same, time))) if day == same => time.to_owned(),
        _ => to,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_have_nine_digits_and_work_before_1970() {
        assert_eq!(text(Timestamp(1_795_245_908_123_456_789)), "2026-11-21 07:25:08.123456789");
        assert_eq!(text(Timestamp(-1)), "1969-12-31 23:59:59.999999999");
        assert_eq!(text(Timestamp(i64::MIN)), "1677-09-21 00:12:43.145224192");
        assert_eq!(text_after(Timestamp(5), Timestamp(1)), "00:00:00.000000005");
    }
}
