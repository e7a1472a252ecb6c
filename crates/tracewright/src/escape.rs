//! Text from a trace, made harmless for a terminal.
//!
//! Every text output passes through here; JSON has its own escapes ([`formats::event_lines`]).

use std::borrow::Cow;

use formats::harmless::{is_harmless, is_harmless_ascii};

/// `text` with every character that a terminal would obey written as `\u{1b}`.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_harmless) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_harmless(character) { out.push(character) } else { out.extend(character.escape_unicode()) }
    }
    Cow::Owned(out)
}

/// `text` of several lines: only the ends of its lines are kept as they are.
pub(crate) fn lines(text: &str) -> String {
    text.split_inclusive('\n')
        .flat_map(|line| match line.strip_suffix('\n') {
            Some(line) => [plain(line), Cow::Borrowed("\n")],
            None => [plain(line), Cow::Borrowed("")],
        })
        .collect()
}

/// Writes `text` in quotes, as it could stand in a program; bad UTF-8 becomes U+FFFD.
pub(crate) fn quoted(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    if text.iter().all(|&byte| is_harmless_ascii(byte) && byte != b'"' && byte != b'\\') {
        out.extend_from_slice(text);
    } else {
        for character in String::from_utf8_lossy(text).chars() {
            match character {
                '"' | '\\' | '\n' | '\r' | '\t' => out.extend(character.escape_default().map(|c| c as u8)),
                _ if is_harmless(character) => {
                    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                _ => out.extend(character.escape_unicode().map(|c| c as u8)),
            }
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_passes() {
        assert_eq!(plain("many-threads 1204"), "many-threads 1204");
        assert_eq!(plain("\x1b]52;c;AAAA\x07"), "\\u{1b}]52;c;AAAA\\u{7}");
        assert_eq!(plain("a\u{202e}b\u{9b}c\u{7f}\n"), "a\\u{202e}b\\u{9b}c\\u{7f}\\u{a}");
        let mut out = vec![];
        quoted(&mut out, b"a\"\\\n\x1b\xff z");
        assert_eq!(String::from_utf8(out).unwrap(), "\"a\\\"\\\\\\n\\u{1b}\u{fffd} z\"");
    }
}
