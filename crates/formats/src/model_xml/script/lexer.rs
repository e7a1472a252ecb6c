//! The signs of an expression.

/// One sign.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Whole(i64),
    Number(f64),
    Text(String),
    Word(String),
    /// An operator or a bracket.
    Sign(&'static str),
}

/// Longest first: the first that fits is taken.
const SIGNS: &[&str] = &[
    "===", "!==", ">>>", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "+", "-", "*", "/", "%", "<", ">",
    "!", "~", "&", "|", "^", "?", ":", "(", ")", ",", ".", ";",
];

/// The signs of a text; the error says what is none.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            '\'' | '"' => quoted(rest, first)?,
            '0'..='9' => number(rest)?,
            _ if first.is_alphabetic() || first == '_' || first == '$' => word(rest),
            _ => match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                Some(sign) => (Token::Sign(sign), sign.len()),
                None => return Err(format!("`{first}` is not part of an expression")),
            },
        };
        tokens.push(token);
        rest = rest.get(length..).unwrap_or("").trim_start();
    }
    Ok(tokens)
}

fn word(text: &str) -> (Token, usize) {
    let is_inside = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    let length = text.find(|letter| !is_inside(letter)).unwrap_or(text.len());
    (Token::Word(text.get(..length).unwrap_or("").to_owned()), length)
}

fn number(text: &str) -> Result<(Token, usize), String> {
    let is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    let is_inside = |letter: char| letter.is_ascii_alphanumeric() || letter == '.';
    let mut length = text.find(|letter| !is_inside(letter)).unwrap_or(text.len());
    // `1e-9`: the sign belongs to it.
    if !is_hexadecimal
        && text.get(..length).is_some_and(|digits| digits.ends_with(['e', 'E']))
        && text.get(length..).is_some_and(|rest| rest.starts_with(['-', '+']))
    {
        let more = text.get(length + 1..).unwrap_or("");
        length += 1 + more.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(more.len());
    }
    let digits = text.get(..length).unwrap_or("");
    let whole = match digits.get(2..).filter(|_| is_hexadecimal) {
        Some(hexadecimal) => i64::from_str_radix(hexadecimal, 16).ok(),
        None => digits.parse().ok(),
    };
    let token = whole.map(Token::Whole).or_else(|| Some(Token::Number(digits.parse().ok()?)));
    token.map(|token| (token, length)).ok_or_else(|| format!("`{digits}` is not a number"))
}

fn quoted(text: &str, quote: char) -> Result<(Token, usize), String> {
    let mut content = String::new();
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            _ if letter == quote => return Ok((Token::Text(content), at + 1)),
            '\\' => match letters.next() {
                Some((_, 'n')) => content.push('\n'),
                Some((_, 't')) => content.push('\t'),
                Some((_, other)) => content.push(other),
                None => break,
            },
            _ => content.push(letter),
        }
    }
    Err("a text in quotes does not end".to_owned())
}
