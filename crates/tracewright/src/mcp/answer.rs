//! What a command printed, cut to a bound, with what was left out.
//!
//! ```text
//! what the command printed, from the offset on, cut at the end of a line
//! --
//! the command, how it ended, and what of its output is observed
//! its sentences on standard error
//! what was left out and how to get it
//! ```

use super::child::{End, Printed};
use super::tools::Call;
use crate::escape;
use crate::numbers::grouped;

/// What is kept of the bound for the message around the text, its id included.
const ENVELOPE: usize = 450;

/// The most that the lines below the text may cost.
const NOTES: usize = 1_100;

/// The most of it for the sentences on standard error.
const SENTENCES: usize = 400;

/// The most of it for the command.
const TYPED: usize = 160;

/// A text for the client.
#[derive(Debug)]
pub(super) struct ToolText {
    pub(super) text: String,
    pub(super) is_error: bool,
}

impl ToolText {
    pub(super) fn failed(sentence: String) -> ToolText {
        ToolText { text: sentence, is_error: true }
    }
}

/// The whole message with this text has at most `call.limit` bytes.
pub(super) fn describe(call: &Call, end: &End, printed: &Printed) -> ToolText {
    // No character costs less than its bytes, so the budget ends before the window does, and no character that was cut there is seen.
    let (body, taken) = cut(&printed.window, call.limit - ENVELOPE - NOTES);
    let next = call.offset + taken as u64;
    let is_whole = matches!(end, End::Status(_));
    let left = printed.read.saturating_sub(next);
    let mut text = body;
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let has_failed = match end {
        End::Status(status) => !matches!(status.code(), Some(0 | 1)),
        End::Enough => false,
        End::TooSlow => printed.window.is_empty(),
    };
    let ground = if has_failed { "" } else { call.ground };
    let typed = call.typed();
    let (shown, taken) = cut(typed.as_bytes(), TYPED);
    let dots = if taken < typed.len() { ".." } else { "" };
    text.push_str(&format!("--\n{shown}{dots}: {}. {ground}\n", ended(call, end)));
    let sentences = escape::lines(&String::from_utf8_lossy(&printed.sentences));
    let (within, taken) = cut(sentences.as_bytes(), SENTENCES);
    text.push_str(&within);
    if taken < sentences.len() {
        text.push_str("(and further sentences)");
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&left_out(call, printed, next, left, is_whole));
    ToolText { text, is_error: has_failed }
}

fn left_out(call: &Call, printed: &Printed, next: u64, left: u64, is_whole: bool) -> String {
    let before = match call.offset {
        0 => String::new(),
        offset => format!("{} bytes before this; ", grouped(offset.min(printed.read))),
    };
    let more = if is_whole { "" } else { "at least " };
    if printed.window.is_empty() && call.offset > 0 {
        return format!(
            "Left out: nothing is at offset {}, the text has {more}{} bytes.",
            call.offset,
            grouped(printed.read)
        );
    }
    match (left, is_whole) {
        (0, true) if before.is_empty() => "Left out: nothing.".into(),
        (0, true) => format!("Left out: {before}nothing behind it."),
        (0, false) => format!("Left out: {before}whatever would have come behind this. {}", call.narrower),
        _ if !call.is_repeatable => format!("Left out: {more}{} bytes behind this.", grouped(left)),
        _ => format!(
            "Left out: {before}{more}{} bytes behind this; ask again with \"offset\": {next}. {}",
            grouped(left),
            call.narrower
        ),
    }
}

fn ended(call: &Call, end: &End) -> String {
    match end {
        End::Enough => "there was more to print, so it was not run to its end".into(),
        End::TooSlow => "stopped after 50 seconds, before its end".into(),
        End::Status(status) => match status.code() {
            Some(0) => "exit code 0, done".into(),
            Some(1) if call.compares() => "exit code 1, done: they differ".into(),
            Some(1) => "exit code 1, done, but the input is damaged or events were lost".into(),
            Some(2) => "exit code 2, it could not do it".into(),
            _ => format!("it ended unexpectedly ({status})"),
        },
    }
}

/// The bytes that a character takes in a text of JSON.
fn cost(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => character.len_utf8(),
    }
}

/// What of `bytes` costs at most `budget`, to the end of a line if there is one; and how many of the bytes these are.
fn cut(bytes: &[u8], budget: usize) -> (String, usize) {
    let (mut text, mut taken, mut spent) = (String::new(), 0, 0);
    let mut line = None;
    for chunk in bytes.utf8_chunks() {
        let broken = chunk.invalid();
        let characters = chunk.valid().chars().map(|character| (character, character.len_utf8()));
        let replaced = (!broken.is_empty()).then_some((char::REPLACEMENT_CHARACTER, broken.len()));
        for (character, length) in characters.chain(replaced) {
            spent += cost(character);
            if spent > budget {
                if let Some((text_end, taken_end)) = line {
                    text.truncate(text_end);
                    taken = taken_end;
                }
                return (text, taken);
            }
            text.push(character);
            taken += length;
            if character == '\n' {
                line = Some((text.len(), taken));
            }
        }
    }
    (text, taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_a_line_or_else_between_characters() {
        assert_eq!(cut(b"one\ntwo\nthree\n", 12), ("one\ntwo\n".into(), 8));
        assert_eq!(cut(b"one\ntwo\n", 10), ("one\ntwo\n".into(), 8));
        assert_eq!(cut("ääää".as_bytes(), 5), ("ää".into(), 4));
        assert_eq!(cut(b"\"\"\"\"", 5), ("\"\"".into(), 2));
        assert_eq!(cut(b"\x01\x01", 11), ("\u{1}".into(), 1));
        assert_eq!(cut(b"a\xffb", 99), ("a\u{fffd}b".into(), 3));
        assert_eq!(cut(&"aä".as_bytes()[..2], 99), ("a\u{fffd}".into(), 2));
        assert_eq!(cut(b"", 9), (String::new(), 0));
    }
}
