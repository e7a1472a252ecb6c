//! Numbers as people read them.

/// `1234567` as `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count and its noun: `1 event`, `2,000 events`. The plural is the noun with an `s`.
pub(crate) fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// Nanoseconds in the unit that suits them: `35 ns`, `1.500 ms`, `12.346 s`.
pub(crate) fn duration(nanoseconds: i128) -> String {
    let size = nanoseconds.unsigned_abs();
    let (unit, name) = match size {
        0..1_000 => return format!("{nanoseconds} ns"),
        1_000..1_000_000 => (1e3, "us"),
        1_000_000..1_000_000_000 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    format!("{:.3} {name}", nanoseconds as f64 / unit)
}

/// A share in percent, with one digit.
pub(crate) fn share(part: u64, whole: u64) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([0, 999, 1000, 1234567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(counted(1, "gap") + ", " + &counted(20, "gap"), "1 gap, 20 gaps");
        assert_eq!(duration(35), "35 ns");
        assert_eq!(duration(-1_500_000), "-1.500 ms");
        assert_eq!(duration(12_345_678_901), "12.346 s");
        assert_eq!(share(1, 3), "33.3 %");
    }
}
