//! Reports as JSON: one line, in which no character does anything to a terminal.

use std::io::{self, Write};

use formats::harmless::is_harmless;
use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

/// A report as one line of JSON.
pub(crate) fn json(report: &impl Serialize) -> Vec<u8> {
    let mut line = vec![];
    write(report, &mut line);
    line.push(b'\n');
    line
}

/// A report as a text in JSON.
pub(crate) fn json_text(report: &impl Serialize) -> String {
    let mut out = vec![];
    write(report, &mut out);
    // It is text by construction.
    String::from_utf8(out).unwrap_or_default()
}

/// Appends a report as one value.
pub(crate) fn write(report: &impl Serialize, out: &mut Vec<u8>) {
    // Only a key that is no text or a writer that fails could stop this, and there is neither.
    let _ = report.serialize(&mut Serializer::with_formatter(out, Harmless));
}

/// Compact, with escapes for what serde_json leaves as it is and a terminal obeys.
struct Harmless;

impl Formatter for Harmless {
    fn write_string_fragment<W: Write + ?Sized>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut written = 0;
        for (at, character) in fragment.char_indices().filter(|(_, character)| !is_harmless(*character)) {
            let (before, rest) = (fragment.get(written..at), at + character.len_utf8());
            writer.write_all(before.unwrap_or_default().as_bytes())?;
            for unit in character.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            written = rest;
        }
        writer.write_all(fragment.get(written..).unwrap_or_default().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_escaped_and_comes_back() {
        let text = "a\u{1b}[2J\u{9b}\u{202e}\u{7f}ü\"\\\n\u{1f600}z";
        let line = String::from_utf8(json(&text)).unwrap();
        assert_eq!(line, "\"a\\u001b[2J\\u009b\\u202e\\u007fü\\\"\\\\\\n\u{1f600}z\"\n");
        assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text);
    }
}
