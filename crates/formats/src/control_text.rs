//! What the command line and the recorder say to each other: pairs `key=value` in a line.
//!
//! ```text
//! start dir=/tmp/a%20b include=shop.*       split by commas where the recorder is loaded, by spaces on its socket
//! ok dir=/tmp/a%20b words=17                an answer, or `error` and a sentence
//! ```
//!
//! In values, every byte but letters, digits and `/._-*$#:` is written as `%` and two hex digits, so neither commas
//! nor spaces nor the quirks of a command line matter.

use std::collections::BTreeMap;

/// An answer of the recorder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It did what it was asked; what it says of that, by key.
    Ok(BTreeMap<String, String>),
    /// It did not; a sentence.
    Refused(String),
    /// This is no answer.
    Nonsense,
}

/// Reads the pairs of a line, whose key is left as it is. An error is a sentence.
pub fn pairs<'a>(
    pairs: impl Iterator<Item = &'a str>,
) -> impl Iterator<Item = Result<(&'a str, String), String>> {
    pairs.filter(|pair| !pair.is_empty()).map(|pair| {
        let (key, value) = pair.split_once('=').ok_or_else(|| format!("{pair:?} is no key=value"))?;
        let value = decode(value).ok_or_else(|| format!("{pair:?} is not encoded well"))?;
        Ok((key, value))
    })
}

/// Reads an answer. What is no pair is left out, and what is not encoded well stays as it is: another version of the
/// recorder may say more.
pub fn answer(line: &str) -> Answer {
    let line = line.trim_end();
    if let Some(sentence) = line.strip_prefix("error ") {
        return Answer::Refused(sentence.to_owned());
    }
    let Some(pairs) = line.strip_prefix("ok") else { return Answer::Nonsense };
    let pairs = pairs.split(' ').filter_map(|pair| pair.split_once('='));
    let decoded = |value: &str| decode(value).unwrap_or_else(|| value.to_owned());
    Answer::Ok(pairs.map(|(key, value)| (key.to_owned(), decoded(value))).collect())
}

/// Undoes the `%` of a value; `None` if it is cut off or gives no UTF-8.
pub fn decode(value: &str) -> Option<String> {
    let mut out = Vec::new();
    let mut bytes = value.bytes();
    while let Some(byte) = bytes.next() {
        let digit =
            |byte: Option<u8>| char::from(byte?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        match byte {
            b'%' => out.push(digit(bytes.next())? << 4 | digit(bytes.next())?),
            _ => out.push(byte),
        }
    }
    String::from_utf8(out).ok()
}

/// A value as it may stand in a line.
pub fn encode(value: &str) -> String {
    let mut out = String::new();
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-*$#:".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out += &format!("%{byte:02x}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back() {
        for value in ["", "a b,c=d%e\nf", "/tmp/ä", "shop.Baker$1#bake*"] {
            assert_eq!(decode(&encode(value)).as_deref(), Some(value));
        }
        for bad in ["%", "%2", "%zz", "%ff"] {
            assert_eq!(decode(bad), None, "{bad}");
        }
    }

    #[test]
    fn answers_are_read_and_nonsense_is_kept() {
        let of = |pairs: &[(&str, &str)]| {
            Answer::Ok(pairs.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect())
        };
        assert_eq!(answer("ok dir=/a%20b words=7 more\n"), of(&[("dir", "/a b"), ("words", "7")]));
        assert_eq!(answer("ok"), of(&[]));
        assert_eq!(answer("ok a=%2 b=%c3%a4"), of(&[("a", "%2"), ("b", "ä")]));
        assert_eq!(answer("error no folder was named\n"), Answer::Refused("no folder was named".into()));
        assert_eq!(answer("hello"), Answer::Nonsense);
    }
}
