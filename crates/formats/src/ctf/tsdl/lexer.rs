//! Tokens of TSDL (CTF 1.8.3 specification, appendix C.1), read from bytes without allocation.

use super::Refusal;
use crate::limits;

/// One token. Keywords are words: only the parser knows where a word is a keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'t> {
    Word(&'t str),
    /// A natural number; a sign is a token of its own. Characters (`'a'`) are numbers too.
    Number(u128),
    /// What stands between the quotes, escapes unresolved.
    Literal(&'t [u8]),
    Sign(u8),
    /// `:=`
    Becomes,
    /// `...`
    Ellipsis,
    End,
}

/// Whether `word` is a keyword of TSDL's own (CTF 1.8.3 specification, appendix C.1.2). Those of C's types are
/// left out: tracers have fields called `int`, and after a type they can be nothing but a name.
pub(super) fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "align"
            | "callsite"
            | "clock"
            | "enum"
            | "env"
            | "event"
            | "floating_point"
            | "integer"
            | "stream"
            | "string"
            | "struct"
            | "trace"
            | "typealias"
            | "typedef"
            | "variant"
    )
}

/// Where we are in the text. Copy it to look ahead.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lexer<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        Lexer { text, at: 0 }
    }

    fn peek(&self, offset: usize) -> u8 {
        self.text.get(self.at + offset).copied().unwrap_or(0)
    }

    fn take_while(&mut self, keep: impl Fn(u8) -> bool) -> &'t [u8] {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let len = rest.iter().position(|&byte| !keep(byte)).unwrap_or(rest.len());
        self.at += len;
        rest.get(..len).unwrap_or_default()
    }

    /// Spaces and comments. NUL counts as space: tracers that are killed leave some behind.
    fn skip_blank(&mut self) -> Result<(), Refusal> {
        loop {
            self.take_while(|byte| byte.is_ascii_whitespace() || byte == 0 || byte == 0x0b);
            match (self.peek(0), self.peek(1)) {
                (b'/', b'/') => {
                    self.take_while(|byte| byte != b'\n');
                }
                (b'/', b'*') => {
                    let rest = self.text.get(self.at + 2..).unwrap_or_default();
                    let Some(len) = memchr::memmem::find(rest, b"*/") else {
                        return Err(Refusal::new(self.at, "A comment is not closed."));
                    };
                    self.at += len + 4;
                }
                _ => return Ok(()),
            }
        }
    }

    /// The next token and where it starts.
    pub(super) fn next(&mut self) -> Result<(usize, Token<'t>), Refusal> {
        self.skip_blank()?;
        let start = self.at;
        let Some(&first) = self.text.get(start) else { return Ok((start, Token::End)) };
        let token = match first {
            b'L' if self.peek(1) == b'"' => {
                self.at += 1;
                Token::Literal(self.quoted(b'"')?)
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let word = self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                // Only ASCII was taken, so this cannot fail.
                Token::Word(std::str::from_utf8(word).unwrap_or_default())
            }
            b'0'..=b'9' => Token::Number(self.number()?),
            b'"' => Token::Literal(self.quoted(b'"')?),
            b'\'' => match unescape(self.quoted(b'\'')?).as_slice() {
                &[one] => Token::Number(u128::from(one)),
                _ => return Err(Refusal::new(start, "A character constant is not one character.")),
            },
            b':' if self.peek(1) == b'=' => {
                self.at += 2;
                Token::Becomes
            }
            b'.' if self.peek(1) == b'.' && self.peek(2) == b'.' => {
                self.at += 3;
                Token::Ellipsis
            }
            b'{' | b'}' | b'(' | b')' | b'[' | b']' | b'<' | b'>' | b'=' | b':' | b';' | b',' | b'.'
            | b'*' | b'/' | b'%' | b'+' | b'-' | b'~' => {
                self.at += 1;
                Token::Sign(first)
            }
            other => {
                let what = format!("The byte 0x{other:02x} starts no word, number or sign.");
                return Err(Refusal::new(start, what));
            }
        };
        Ok((start, token))
    }

    fn number(&mut self) -> Result<u128, Refusal> {
        let start = self.at;
        let word = self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let digits = word.len()
            - word.iter().rev().take_while(|byte| matches!(byte, b'u' | b'U' | b'l' | b'L')).count();
        let digits = std::str::from_utf8(word.get(..digits).unwrap_or_default()).unwrap_or_default();
        let parsed = match digits.as_bytes() {
            [b'0', b'x' | b'X', ..] => u128::from_str_radix(digits.get(2..).unwrap_or_default(), 16),
            [b'0', b'b' | b'B', ..] => u128::from_str_radix(digits.get(2..).unwrap_or_default(), 2),
            [b'0', _, ..] => u128::from_str_radix(digits, 8),
            _ => digits.parse(),
        };
        parsed.map_err(|_| Refusal::new(start, format!("`{}` is no number.", shown(word))))
    }

    fn quoted(&mut self, quote: u8) -> Result<&'t [u8], Refusal> {
        let start = self.at;
        self.at += 1;
        let inside = self.at;
        loop {
            self.take_while(|byte| byte != quote && byte != b'\\');
            if self.at - inside > limits::CTF_LITERAL {
                let limit = limits::CTF_LITERAL;
                let what = format!("A literal is longer than {limit} bytes, the most that is read.");
                return Err(Refusal::new(start, what));
            }
            match self.text.get(self.at) {
                None => return Err(Refusal::new(start, "A literal is not closed.")),
                Some(b'\\') => self.at += 2,
                Some(_) => break,
            }
        }
        let found = self.text.get(inside..self.at).unwrap_or_default();
        self.at += 1;
        Ok(found)
    }
}

/// Bytes of the metadata as they may stand in a sentence.
pub(super) fn shown(bytes: &[u8]) -> String {
    let mut text: String = String::from_utf8_lossy(bytes.get(..40).unwrap_or(bytes)).into_owned();
    if bytes.len() > 40 {
        text.push('…');
    }
    text
}

/// Resolves the escapes of C literals; an escape that C does not know stands for its character.
pub(super) fn unescape(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len());
    let mut rest = raw.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some(escape) = rest.next() else { break };
        let digit = |byte: u8, radix| char::from(byte).to_digit(radix);
        out.push(match escape {
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            b'x' => {
                let mut value = 0u32;
                while let Some(next) = rest.peek().and_then(|&byte| digit(byte, 16)) {
                    value = (value << 4 | next) & 0xff;
                    rest.next();
                }
                value as u8
            }
            b'0'..=b'7' => {
                let mut value = u32::from(escape - b'0');
                for _ in 0..2 {
                    let Some(next) = rest.peek().and_then(|&byte| digit(byte, 8)) else { break };
                    value = (value << 3 | next) & 0xff;
                    rest.next();
                }
                value as u8
            }
            other => other,
        });
    }
    out
}
