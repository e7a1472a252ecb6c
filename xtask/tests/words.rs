//! Names are the field's words: words of our own that were given up do not come back.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may stop at the first broken promise")]

mod common;

use common::{rust_files, text};

/// What we once said, and what the field says.
const GIVEN_UP: [(&str, &str); 8] = [
    ("finding", "diagnostic"),
    ("complaint", "diagnostic"),
    ("waste", "discard sink"),
    ("kit", "buffers"),
    ("stock", "free list"),
    ("dice", "rng"),
    ("maker", "fixture"),
    ("leftalone", "skipped"),
];

/// The code of a line: no comment, no text.
fn code(line: &str) -> String {
    let line = line.split("//").next().unwrap_or_default();
    line.split('"').step_by(2).collect::<Vec<_>>().join(" ")
}

/// The words of an identifier: `LeftAlone` and `left_alone` have the same.
fn words(identifier: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for letter in identifier.chars() {
        if letter == '_' || (letter.is_uppercase() && !words.last().unwrap().ends_with(char::is_uppercase)) {
            words.push(String::new());
        }
        if letter != '_' {
            words.last_mut().unwrap().push(letter);
        }
    }
    words.retain(|word| !word.is_empty());
    words.into_iter().map(|word| word.to_lowercase()).collect()
}

#[test]
fn words_that_were_given_up_name_nothing() {
    for file in rust_files() {
        for (number, line) in (1..).zip(text(&file).lines()) {
            for identifier in code(line).split(|c: char| !c.is_alphanumeric() && c != '_') {
                let words = words(identifier);
                let pairs = words.windows(2).map(<[String]>::concat);
                for word in words.iter().cloned().chain(pairs) {
                    let known = GIVEN_UP.iter().find(|(old, _)| *old == word);
                    assert!(known.is_none(), "{file}:{number}: `{identifier}`: {known:?}");
                }
            }
        }
    }
}

#[test]
fn identifiers_are_cut_into_words() {
    assert_eq!(words("LeftAlone"), ["left", "alone"]);
    assert_eq!(words("_left_alone2"), ["left", "alone2"]);
    assert_eq!(words("SKIPPED_CLASS"), ["skipped", "class"]);
    assert_eq!(code("let tin = 1; // can").trim(), "let tin = 1;");
}
