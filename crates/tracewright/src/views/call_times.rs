//! How long calls took, in words: `12.3 ms, 10.1 ms of it waiting`.

use analyses::times::{ByKey, Known};

/// A length that is off by less than this part of it stands for itself.
const EXACT: i64 = 20;

/// The text after a line on how long calls of one call path took; empty where that is not known.
pub(super) fn sentence(times: &ByKey) -> String {
    if times.timed == 0 {
        return String::new();
    }
    let length = known(times.length);
    let waiting = times.waiting.filter(|waiting| is_worth_it(*waiting, times.length));
    let waiting = waiting.map_or(String::new(), |waiting| format!(", {} of it waiting", known(waiting)));
    let open = if times.is_open { "at least " } else { "" };
    match (times.calls, times.timed) {
        (1, _) => format!("{open}{length}{waiting}"),
        (calls, timed) => {
            let which = if calls == timed { "in all".to_owned() } else { format!("in {timed} of them") };
            let longest =
                if timed > 1 { format!(", the longest {}", rounded(times.longest)) } else { String::new() };
            format!("{open}{length} {which}{longest}{waiting}")
        }
    }
}

/// Whether it is sure that a twentieth of a length was waiting.
fn is_worth_it(waiting: Known, length: Known) -> bool {
    waiting.value - waiting.within > length.value / EXACT
}

/// `12.3 ms`, and `3.1 ± 0.9 ms` where it is not known as well as that.
pub(super) fn known(length: Known) -> String {
    if length.within.saturating_mul(EXACT) <= length.value {
        return rounded(length.value);
    }
    let (unit, name) = unit(length.value.max(length.within));
    let [value, within] = [length.value, length.within].map(|ns| digits(ns as f64 / unit));
    format!("{value} ± {within} {name}")
}

/// Nanoseconds with three digits: `12.3 ms`.
pub(super) fn rounded(ns: i64) -> String {
    let (unit, name) = unit(ns);
    format!("{} {name}", digits(ns as f64 / unit))
}

fn unit(ns: i64) -> (f64, &'static str) {
    match ns {
        // What would be rounded up to the next unit is given in that.
        ..999_500 => (1e3, "us"),
        999_500..999_500_000 => (1e6, "ms"),
        _ => (1e9, "s"),
    }
}

fn digits(value: f64) -> String {
    match value {
        value if value < 9.995 => format!("{value:.2}"),
        value if value < 99.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    fn ms(value: i64, within: i64) -> Known {
        Known { value: value * MS, within: within * MS }
    }

    #[test]
    fn lengths_have_three_digits_and_say_how_sure_they_are() {
        let all = [999_499, 999_500, 9_994_000, 9_996_000, 99_960_000, 999_600_000, 61_234_567_890];
        assert_eq!(
            all.map(rounded),
            ["999 us", "1.00 ms", "9.99 ms", "10.0 ms", "100 ms", "1.00 s", "61.2 s"]
        );
        assert_eq!(known(ms(20, 1)), "20.0 ms");
        assert_eq!(known(ms(19, 1)), "19.0 ± 1.00 ms");
        assert_eq!(known(ms(0, 2)), "0.00 ± 2.00 ms");
    }

    #[test]
    fn what_is_not_known_is_not_said() {
        let one = ByKey {
            calls: 1,
            timed: 1,
            length: ms(100, 1),
            waiting: Some(ms(90, 2)),
            longest: 100 * MS,
            is_open: false,
        };
        assert_eq!(sentence(&ByKey::default()), "");
        assert_eq!(sentence(&one), "100 ms, 90.0 ms of it waiting");
        assert_eq!(sentence(&ByKey { waiting: Some(ms(5, 1)), ..one }), "100 ms");
        assert_eq!(sentence(&ByKey { waiting: None, is_open: true, ..one }), "at least 100 ms");
        let many = ByKey { calls: 7, timed: 3, length: ms(300, 3), waiting: None, ..one };
        assert_eq!(sentence(&many), "300 ms in 3 of them, the longest 100 ms");
        assert_eq!(sentence(&ByKey { calls: 3, ..many }), "300 ms in all, the longest 100 ms");
    }
}
