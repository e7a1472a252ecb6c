//! A history as plain text: tokens split by white space, each the name of one unit.
//!
//! ```text
//! read write write <gap> read      three kinds of units; something is missing before the last one
//! ```
//!
//! The token `<gap>` marks a place where something was lost, as the text output of a summary does.
//! Bytes that are not UTF-8 read as U+FFFD. Lines mean nothing.

use std::io::{self, Read};

use model::{Alphabet, Symbol};

use crate::limits;

/// How the text names a loss.
pub const GAP: &str = "<gap>";

/// One token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// A unit.
    Unit(Symbol),
    /// Something is missing here.
    Gap,
    /// White space, byte by byte: no token, but to write a text again as it was it takes that, too.
    Space(u8),
}

/// Why a history cannot be read to its end. What was handed out before stays right.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A token is longer than [`limits::TOKEN_BYTES`].
    #[error("a token is longer than {} bytes", limits::TOKEN_BYTES)]
    LongToken,
    /// More different tokens than [`limits::TOKENS`].
    #[error("there are more than {} different tokens", limits::TOKENS)]
    ManyTokens,
}

/// Calls `each` for every token of `input`, in order; names are added to `alphabet`. Memory is that
/// of the alphabet, one chunk and one token.
pub fn read(mut input: impl Read, alphabet: &mut Alphabet, mut each: impl FnMut(Token)) -> Result<(), Error> {
    let mut chunk = vec![0; 64 * 1024];
    let mut token = vec![];
    loop {
        let count = match input.read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Error::Io(error)),
            Ok(count) => count,
        };
        for word in chunk[..count].split_inclusive(u8::is_ascii_whitespace) {
            let text = word.trim_ascii_end();
            if token.len() + text.len() > limits::TOKEN_BYTES {
                return Err(Error::LongToken);
            }
            let ends = text.len() < word.len();
            match (ends, token.is_empty()) {
                (false, _) => token.extend_from_slice(text),
                (true, true) => hand_out(text, alphabet, &mut each)?,
                (true, false) => {
                    token.extend_from_slice(text);
                    hand_out(&token, alphabet, &mut each)?;
                    token.clear();
                }
            }
            word[text.len()..].iter().for_each(|&byte| each(Token::Space(byte)));
        }
        if count == 0 {
            return hand_out(&token, alphabet, &mut each);
        }
    }
}

fn hand_out(token: &[u8], alphabet: &mut Alphabet, each: &mut impl FnMut(Token)) -> Result<(), Error> {
    let name = String::from_utf8_lossy(token);
    if name.is_empty() {
    } else if name == GAP {
        each(Token::Gap);
    } else {
        if alphabet.len() >= limits::TOKENS && alphabet.find(&name).is_none() {
            return Err(Error::ManyTokens);
        }
        each(Token::Unit(alphabet.intern(&name)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out one byte at a time, as a slow pipe does.
    struct Drip<'a>(&'a [u8]);

    impl Read for Drip<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(1).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn tokens(input: &[u8]) -> String {
        let shown = |input: &mut dyn Read| {
            let (mut alphabet, mut seen) = (Alphabet::default(), vec![]);
            read(input, &mut alphabet, |token| seen.push(token)).unwrap();
            let name = |token: &Token| match token {
                Token::Unit(symbol) => format!("{}={}", symbol.0, alphabet.name(*symbol)),
                Token::Gap => "gap".into(),
                Token::Space(_) => String::new(),
            };
            seen.retain(|token| !matches!(token, Token::Space(_)));
            seen.iter().map(name).collect::<Vec<_>>().join(" ")
        };
        let at_once = shown(&mut &input[..]);
        assert_eq!(at_once, shown(&mut Drip(input)));
        at_once
    }

    #[test]
    fn tokens_are_split_by_white_space() {
        assert_eq!(tokens(b" read\n\twrite  read <gap> x"), "0=read 1=write 0=read gap 2=x");
        assert_eq!(tokens(b""), "");
        assert_eq!(tokens(b"a\xff "), "0=a\u{fffd}");
    }

    #[test]
    fn a_text_can_be_written_again() {
        let text = "\n read  write\t<gap>\r\n<gap> read";
        let (mut alphabet, mut seen, mut again) = (Alphabet::default(), vec![], String::new());
        read(text.as_bytes(), &mut alphabet, |token| seen.push(token)).unwrap();
        for token in seen {
            match token {
                Token::Unit(symbol) => again += alphabet.name(symbol),
                Token::Gap => again += GAP,
                Token::Space(byte) => again.push(char::from(byte)),
            }
        }
        assert_eq!(again, text);
    }

    #[test]
    fn an_endless_token_is_refused() {
        let input = vec![b'x'; limits::TOKEN_BYTES + 1];
        assert!(matches!(read(&input[..], &mut Alphabet::default(), |_| ()), Err(Error::LongToken)));
    }
}
