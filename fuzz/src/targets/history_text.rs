//! Histories as text: the tokens that were read, written one after the other, read the same.

use formats::history_text::{GAP, Token, read};
use model::Alphabet;

/// Reads, writes and reads.
///
/// # Panics
/// When the second reading differs.
pub fn run(input: &[u8]) {
    let (tokens, alphabet) = tokens_of(input);
    let mut text = String::new();
    for token in &tokens {
        text.push_str(match token {
            Token::Unit(symbol) => alphabet.name(*symbol),
            Token::Gap => GAP,
            Token::Space(_) => "",
        });
        text.push(' ');
    }
    // Bytes that are not UTF-8 grow when they are read, so a token near the limit may now be too long.
    let (again, names) = tokens_of(text.as_bytes());
    assert!(tokens.starts_with(&again), "another history came back");
    assert!(alphabet.names().zip(names.names()).all(|(a, b)| a == b), "other names came back");
}

fn tokens_of(input: &[u8]) -> (Vec<Token>, Alphabet) {
    let (mut tokens, mut alphabet) = (Vec::new(), Alphabet::default());
    // An error ends the reading; what was handed out before it stays right.
    let _ = read(input, &mut alphabet, |token| {
        if !matches!(token, Token::Space(_)) {
            tokens.push(token);
        }
    });
    (tokens, alphabet)
}
