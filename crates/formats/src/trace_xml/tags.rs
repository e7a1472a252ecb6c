//! The tags of an XML text, one after the other, of bounded length.

use std::io::{self, Read};

use crate::limits::XML_TAG_BYTES;

const CHUNK: usize = 64 << 10;

/// Reads tags.
pub(super) struct Tags<R> {
    input: R,
    buffer: Vec<u8>,
    at: usize,
    end: usize,
    /// Bytes taken from the input.
    taken: u64,
    /// The line of the next byte, from 1.
    line: u64,
    text: Vec<u8>,
}

/// One tag.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tag {
    pub(super) kind: Kind,
    pub(super) name: String,
    /// Names and values, entities replaced.
    pub(super) attributes: Vec<(String, String)>,
    /// The line in which it begins.
    pub(super) line: u64,
    /// What is wrong with it, if anything is.
    pub(super) wrong: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Open,
    Close,
    /// It has no content.
    Empty,
}

impl Tag {
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }
}

impl<R: Read> Tags<R> {
    pub(super) fn new(input: R) -> Tags<R> {
        Tags { input, buffer: vec![0; CHUNK], at: 0, end: 0, taken: 0, line: 1, text: Vec::new() }
    }

    /// The line of what comes next.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Bytes that were handed out.
    pub(super) fn offset(&self) -> u64 {
        self.taken - (self.end - self.at) as u64
    }

    fn byte(&mut self) -> io::Result<Option<u8>> {
        while self.at == self.end {
            let count = match self.input.read(&mut self.buffer) {
                Ok(0) => return Ok(None),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            (self.at, self.end) = (0, count.min(self.buffer.len()));
            self.taken += count as u64;
        }
        let byte = self.buffer.get(self.at).copied();
        self.at += 1;
        self.line += u64::from(byte == Some(b'\n'));
        Ok(byte)
    }

    /// The next tag; `None` at the end. Comments, instructions and sections of text are passed over.
    pub(super) fn next(&mut self) -> io::Result<Option<Tag>> {
        while let Some(byte) = self.byte()? {
            if byte == b'<'
                && let Some(tag) = self.tag()?
            {
                return Ok(Some(tag));
            }
        }
        Ok(None)
    }

    /// The tag behind a `<`; `None`: it was a comment or the like.
    fn tag(&mut self) -> io::Result<Option<Tag>> {
        let line = self.line;
        self.text.clear();
        let (mut quote, mut is_long) = (None, false);
        loop {
            let Some(byte) = self.byte()? else {
                return Ok(Some(Tag::broken(line, "the file ends within a tag")));
            };
            // These end with a mark of their own, and hold anything before it.
            if self.text.len() < 8 && quote.is_none() {
                let is_next = |mark: &[u8]| self.text.as_slice() == mark;
                let end: Option<&[u8]> = match byte {
                    b'-' if is_next(b"!-") => Some(b"-->"),
                    b'[' if is_next(b"![CDATA") => Some(b"]]>"),
                    b'?' if is_next(b"") => Some(b"?>"),
                    _ => None,
                };
                if let Some(end) = end {
                    return match self.skip(end)? {
                        true => Ok(None),
                        false => Ok(Some(Tag::broken(line, "the file ends within a comment"))),
                    };
                }
            }
            match (quote, byte) {
                (None, b'>') => break,
                (None, b'"' | b'\'') => quote = Some(byte),
                (Some(open), _) if open == byte => quote = None,
                _ => {}
            }
            if self.text.len() < XML_TAG_BYTES {
                self.text.push(byte);
            } else {
                is_long = true;
            }
        }
        if is_long {
            return Ok(Some(Tag::broken(line, "the tag is too long")));
        }
        if self.text.starts_with(b"!") {
            return Ok(Some(Tag::broken(line, "document types and entities are not read")));
        }
        Ok(Some(Tag::parse(&self.text, line)))
    }

    /// Passes over everything up to a mark; whether there is one.
    fn skip(&mut self, mark: &[u8]) -> io::Result<bool> {
        let mut last: Vec<u8> = Vec::with_capacity(mark.len());
        while let Some(byte) = self.byte()? {
            if last.len() == mark.len() {
                last.remove(0);
            }
            last.push(byte);
            if last == mark {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Tag {
    fn broken(line: u64, wrong: &'static str) -> Tag {
        Tag { kind: Kind::Empty, name: String::new(), attributes: Vec::new(), line, wrong: Some(wrong) }
    }

    /// What stands between `<` and `>`.
    fn parse(text: &[u8], line: u64) -> Tag {
        let is_utf8 = std::str::from_utf8(text).is_ok();
        let text = String::from_utf8_lossy(text);
        let (kind, inside) = match (text.strip_prefix('/'), text.strip_suffix('/')) {
            (Some(rest), _) => (Kind::Close, rest),
            (None, Some(rest)) => (Kind::Empty, rest),
            (None, None) => (Kind::Open, &*text),
        };
        let end = inside.find(|letter: char| letter.is_whitespace()).unwrap_or(inside.len());
        let (name, mut rest) = inside.split_at(end);
        let mut tag = Tag { kind, name: name.to_owned(), attributes: Vec::new(), line, wrong: None };
        if !is_utf8 {
            tag.wrong = Some("it has bytes that are not UTF-8, shown as U+FFFD");
        }
        if name.is_empty() {
            return Tag::broken(line, "a tag has no name");
        }
        loop {
            rest = rest.trim_start();
            if rest.is_empty() {
                return tag;
            }
            let Some((name, following)) = rest.split_once('=') else {
                return Tag { wrong: Some("an attribute has no value"), ..tag };
            };
            let following = following.trim_start();
            let Some(quote) = following.chars().next().filter(|quote| matches!(quote, '"' | '\'')) else {
                return Tag { wrong: Some("a value is not in quotes"), ..tag };
            };
            // The tag ended outside of quotes, so each has its second.
            let inside = following.get(1..).unwrap_or("");
            let Some((value, following)) = inside.split_once(quote) else {
                return Tag { wrong: Some("a value does not end"), ..tag };
            };
            if tag.attributes.len() < crate::limits::MODEL_ATTRIBUTES {
                tag.attributes.push((name.trim().to_owned(), unescape(value)));
            }
            rest = following;
        }
    }
}

/// The text that a value means: `&lt;` is `<`, `&#65;` is `A`. What is no entity stays as it is.
fn unescape(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, following)) = rest.split_once('&') {
        text.push_str(before);
        match following.split_once(';').and_then(|(name, following)| Some((entity(name)?, following))) {
            Some((letter, following)) => {
                text.push(letter);
                rest = following;
            }
            None => {
                text.push('&');
                rest = following;
            }
        }
    }
    text + rest
}

fn entity(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let digits = name.strip_prefix('#')?;
            let number = match digits.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
                None => digits.parse(),
            };
            char::from_u32(number.ok()?)
        }
    }
}
