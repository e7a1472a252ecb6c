//! Lines of a stream, none of them longer than a bound.

use std::io::{self, BufRead};

/// Maximum length of a message. Ours are a few hundred bytes; a client that wants more wants to fill the memory.
pub(super) const LONGEST: usize = 1 << 20;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Without its end.
    Whole(Vec<u8>),
    /// Longer than the bound; it was passed over.
    TooLong,
    /// There is no other line.
    End,
}

/// The next line. What follows the last end of line is a line too.
pub(super) fn next(input: &mut impl BufRead) -> io::Result<Line> {
    let (mut line, mut is_too_long) = (vec![], false);
    loop {
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if chunk.is_empty() && line.is_empty() && !is_too_long {
            return Ok(Line::End);
        }
        let end = chunk.iter().position(|&byte| byte == b'\n');
        let (is_end, taken) = (end.is_some() || chunk.is_empty(), end.unwrap_or(chunk.len()));
        is_too_long |= line.len() + taken > LONGEST;
        match is_too_long {
            true => line = vec![],
            false => line.extend_from_slice(&chunk[..taken]),
        }
        input.consume(taken + usize::from(end.is_some()));
        if is_end {
            return Ok(if is_too_long { Line::TooLong } else { Line::Whole(line) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_a_bound_and_what_follows_a_long_one_is_read() {
        let mut text = b"a\n\n".to_vec();
        text.extend(std::iter::repeat_n(b'x', LONGEST));
        text.push(b'\n');
        text.extend(std::iter::repeat_n(b'y', LONGEST + 1));
        text.extend(b"\nlast");
        let mut input = io::BufReader::with_capacity(1000, text.as_slice());
        let all: Vec<Line> = std::iter::from_fn(|| match next(&mut input) {
            Ok(Line::End) | Err(_) => None,
            Ok(line) => Some(line),
        })
        .collect();
        let whole = |text: &[u8]| Line::Whole(text.to_vec());
        assert_eq!(
            all,
            [whole(b"a"), whole(b""), whole(&vec![b'x'; LONGEST]), Line::TooLong, whole(b"last")]
        );
    }
}
