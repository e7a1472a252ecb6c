//! Splits a stream of bytes into lines of bounded length.

use std::io::{self, Read};

use crate::limits;

/// Bytes asked for at once.
const CHUNK: usize = 64 * 1024;

/// The lines of `R`. Holds one line at a time, so memory is bounded by the longest allowed line.
pub(crate) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    /// The bytes of `buffer` that are read and not handed out yet.
    start: usize,
    end: usize,
    at_end: bool,
    /// Bytes taken from the input.
    bytes: u64,
    /// The number of the line handed out last, from 1.
    pub(crate) number: u64,
}

/// What [`Lines::next_line`] finds.
pub(crate) enum Line<'a> {
    /// A line without its end mark.
    Text(&'a [u8]),
    /// A line longer than the limit; it was skipped.
    TooLong,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Lines { input, buffer: vec![0; CHUNK], start: 0, end: 0, at_end: false, bytes: 0, number: 0 }
    }

    /// The byte of the input at which the next line begins.
    pub(crate) fn offset(&self) -> u64 {
        self.bytes - self.end.saturating_sub(self.start) as u64
    }

    pub(crate) fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        let mut scanned = 0;
        let mut too_long = false;
        loop {
            let found = self.buffer[self.start + scanned..self.end].iter().position(|&byte| byte == b'\n');
            let unread = self.end - self.start;
            let (length, taken) = match found {
                Some(offset) => (scanned + offset, scanned + offset + 1),
                None if self.at_end && unread == 0 && !too_long => return Ok(None),
                None if self.at_end => (unread, unread),
                None => {
                    scanned = unread;
                    if unread > limits::LINE_BYTES {
                        too_long = true;
                        self.start = self.end;
                        scanned = 0;
                    }
                    self.fill()?;
                    continue;
                }
            };
            self.number += 1;
            let line = self.start..self.start + length;
            self.start += taken;
            if too_long || length > limits::LINE_BYTES {
                return Ok(Some(Line::TooLong));
            }
            let text = &self.buffer[line];
            return Ok(Some(Line::Text(text.strip_suffix(b"\r").unwrap_or(text))));
        }
    }

    /// Reads once more, behind what is there.
    fn fill(&mut self) -> io::Result<()> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.buffer.len() - self.end < CHUNK {
            self.buffer.resize(self.end + CHUNK.max(self.end), 0);
        }
        let count = loop {
            match self.input.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // After an error there is no more: the caller reports it, and what follows is the end.
                Err(error) => {
                    self.at_end = true;
                    self.end = 0;
                    return Err(error);
                }
                Ok(count) => break count,
            }
        };
        self.at_end = count == 0;
        self.end += count;
        self.bytes += count as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &[u8]) -> Vec<String> {
        let mut lines = Lines::new(input);
        let mut seen = vec![];
        while let Some(line) = lines.next_line().unwrap() {
            seen.push(match line {
                Line::Text(text) => String::from_utf8_lossy(text).into_owned(),
                Line::TooLong => "too long".into(),
            });
        }
        assert_eq!(lines.number, seen.len() as u64);
        seen
    }

    #[test]
    fn lines_end_at_line_feeds_and_at_the_end() {
        assert_eq!(lines(b""), Vec::<String>::new());
        assert_eq!(lines(b"a\r\n\nb"), ["a", "", "b"]);
        assert_eq!(lines(b"a\n"), ["a"]);
    }

    #[test]
    fn a_line_beyond_the_limit_is_skipped_and_the_next_is_read() {
        let mut input = vec![b'x'; 3 * limits::LINE_BYTES];
        input.extend_from_slice(b"\nshort\n");
        input.extend(vec![b'y'; limits::LINE_BYTES + 1]);
        assert_eq!(lines(&input), ["too long", "short", "too long"]);
    }
}
