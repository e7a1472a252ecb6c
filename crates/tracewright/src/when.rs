//! Moments as they are typed: `--from`, `--to`.

use std::str::FromStr;

use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;
use model::Timestamp;

const SECOND: i64 = 1_000_000_000;
const DAY: i64 = 86_400 * SECOND;

/// A moment, perhaps one that only the trace can complete.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum When {
    /// Nanoseconds since the epoch.
    At(i64),
    /// Nanoseconds after the first event.
    After(i64),
    /// A time of day, on the day of the first event.
    TimeOfDay(i64),
}

impl When {
    /// The moment, in a trace whose first event is at `start`.
    pub(crate) fn resolve(self, start: Timestamp) -> Timestamp {
        Timestamp(match self {
            When::At(time) => time,
            When::After(time) => start.0.saturating_add(time),
            When::TimeOfDay(time) => (start.0 - start.0.rem_euclid(DAY)).saturating_add(time),
        })
    }
}

impl FromStr for When {
    type Err = String;

    fn from_str(text: &str) -> Result<When, String> {
        if let Some(rest) = text.strip_prefix('+') {
            return duration(rest).map(When::After).ok_or_else(|| wrong(text));
        }
        if let Ok(time) = text.parse() {
            return Ok(When::At(time));
        }
        if let Ok(moment) = text.parse::<jiff::Timestamp>() {
            return nanoseconds(moment).ok_or_else(|| wrong(text));
        }
        if text.contains('-')
            && let Ok(moment) = text.parse::<DateTime>()
            && let Ok(moment) = moment.to_zoned(TimeZone::UTC)
        {
            return nanoseconds(moment.timestamp()).ok_or_else(|| wrong(text));
        }
        match text.parse::<Time>() {
            Ok(time) if text.contains(':') => Ok(When::TimeOfDay(
                (i64::from(time.hour()) * 3600 + i64::from(time.minute()) * 60 + i64::from(time.second()))
                    * SECOND
                    + i64::from(time.subsec_nanosecond()),
            )),
            _ => Err(wrong(text)),
        }
    }
}

fn nanoseconds(moment: jiff::Timestamp) -> Option<When> {
    moment.as_nanosecond().try_into().ok().map(When::At)
}

/// `1.5s`, `20ms`, `3us`, `7ns`; without a unit it is seconds.
pub(crate) fn duration(text: &str) -> Option<i64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" | "s" => 9,
        "ms" => 6,
        "us" => 3,
        "ns" => 0,
        _ => return None,
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(fraction) || fraction.len() > unit || digits.is_empty() {
        return None;
    }
    // Digits, not floats: a moment given to the nanosecond has to be met.
    format!("{whole}{fraction:0<unit$}").parse().ok()
}

fn wrong(text: &str) -> String {
    format!(
        "`{text}` is no moment; write nanoseconds since 1970, 2026-11-21T07:25:08.5 (UTC), \
         07:25:08.5 (on the first day of the trace) or +1.5s (after its start)"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_say_a_moment() {
        let start = Timestamp(1_795_245_908_000_000_000);
        let at = |text: &str| text.parse::<When>().unwrap().resolve(start).0;
        assert_eq!(at("17"), 17);
        assert_eq!(at("-17"), -17);
        assert_eq!(at("2026-11-21T07:25:08.5Z"), start.0 + SECOND / 2);
        assert_eq!(at("2026-11-21T08:25:08.5+01:00"), start.0 + SECOND / 2);
        assert_eq!(at("2026-11-21T07:25:08.5"), start.0 + SECOND / 2);
        assert_eq!(at("2026-11-21 07:25:08"), start.0);
        assert_eq!(at("07:25:09.000000001"), start.0 + SECOND + 1);
        assert_eq!(at("+1.5s"), start.0 + 3 * SECOND / 2);
        assert_eq!(at("+0.000000001"), start.0 + 1);
        assert_eq!(at("+20ms"), start.0 + 20_000_000);
    }

    #[test]
    fn nonsense_is_refused_with_the_ways_to_say_it() {
        for text in
            ["", "noon", "+", "+1.5h", "+-1s", "+0.1ns", "25:00:00", "2026-13-01T00:00:00", "+99999999999s"]
        {
            assert!(text.parse::<When>().is_err(), "{text}");
        }
    }
}
