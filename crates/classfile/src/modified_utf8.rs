//! The text encoding of class files, made readable. It differs from UTF-8 in two points: NUL is
//! written in two bytes, and a character above U+FFFF as two surrogates of three bytes each.
//!
//! Comparing names needs no decoding: the encoding is unique. Source: JVM specification 4.4.7.

/// The text, with `U+FFFD` for what is not proper text.
pub fn to_text(bytes: &[u8]) -> String {
    // Nearly every name is ASCII or plain UTF-8, and then both encodings agree.
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&first, after)) = rest.split_first() {
        let (unit, length) = match (first, after) {
            (0x00..=0x7f, _) => (u16::from(first), 1),
            (0xc0..=0xdf, [second, ..]) => (u16::from(first & 0x1f) << 6 | low6(*second), 2),
            (0xe0..=0xef, [second, third, ..]) => {
                (u16::from(first & 0x0f) << 12 | low6(*second) << 6 | low6(*third), 3)
            }
            _ => (0xfffd, 1),
        };
        units.push(unit);
        rest = rest.get(length..).unwrap_or_default();
    }
    String::from_utf16_lossy(&units)
}

fn low6(byte: u8) -> u16 {
    u16::from(byte & 0x3f)
}

#[cfg(test)]
mod tests {
    use super::to_text;

    #[test]
    fn nul_surrogates_and_garbage() {
        assert_eq!(to_text(b"run"), "run");
        assert_eq!(to_text(&[b'a', 0xc0, 0x80, b'b']), "a\0b");
        assert_eq!(to_text(&[0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]), "\u{1f600}");
        assert_eq!(to_text(&[0xff, b'x', 0xe1]), "\u{fffd}x\u{fffd}");
    }
}
