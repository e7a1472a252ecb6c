//! Names are the field's words: words of our own that were given up do not come back.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may stop at the first broken promise")]

mod common;

use std::collections::HashSet;

use common::{rust_files, text};

/// What we once said, what the field says, and where a name that programs read in JSON still has the old word.
type GivenUp = (&'static str, &'static str, &'static [&'static str]);

const GIVEN_UP: [GivenUp; 26] = [
    ("finding", "diagnostic", &[]),
    ("complaint", "diagnostic", &[]),
    ("waste", "discard sink", &[]),
    ("kit", "buffers", &[]),
    ("stock", "free list", &[]),
    ("dice", "rng", &[]),
    ("maker", "fixture", &[]),
    ("leftalone", "skipped", &[]),
    ("place", "position, location, index, slot", &[API, PAGE, REPORTS, "crates/tracewright/tests/serve/"]),
    ("told", "reported, recorded, described", &[]),
    ("said", "stated, message", &[]),
    ("tell", "report, describe, send", &[]),
    ("tells", "visitor, records", &[]),
    ("say", "print, record", &[]),
    ("says", "text, expects", &[API, PAGE]),
    ("kept", "cached, stored, serialized", &[]),
    ("room", "capacity, space, buffers", &[]),
    ("piece", "part, chunk, segment", &[]),
    ("pieces", "parts, chunks, segments", &[]),
    ("news", "declarations, state", &[]),
    ("nowhere", "none, undefined", &[]),
    ("misfit", "inconsistency, mismatch", &[]),
    ("stretch", "interval, segment", &[]),
    ("guess", "prediction, value", &[]),
    ("chance", "probability, rng", &[]),
    ("mend", "repair", &[]),
];

/// What the page is given; its TypeScript reads these names.
const API: &str = "crates/viewer/src/api/";
/// Where that is filled in.
const PAGE: &str = "crates/tracewright/src/serve/";
/// What `--json` prints.
const REPORTS: &str = "crates/tracewright/src/reports/";

/// The code of a file, line by line: no comment, no text.
fn code(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        let plain = rest.find(['/', '"', '\'', 'r']).unwrap_or(rest.len());
        code.push_str(&rest[..plain]);
        rest = &rest[plain..];
        let Some(letter) = rest.chars().next() else { return code };
        let length = match letter {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '"' => quoted(rest, &rest[1..], "\"", true),
            'r' if !code.ends_with(|before: char| before.is_alphanumeric() || before == '_') => {
                let inner = rest[1..].trim_start_matches('#');
                let end = format!("\"{}", "#".repeat(rest.len() - 1 - inner.len()));
                inner.strip_prefix('"').map_or(1, |inner| quoted(rest, inner, &end, false))
            }
            '\'' if rest[1..].starts_with(['\\', '"']) => {
                let inner = if rest[1..].starts_with('\\') { 3 } else { 2 };
                rest[inner..].find('\'').map_or(1, |end| inner + end + 1)
            }
            letter => letter.len_utf8(),
        };
        let (taken, left) = rest.split_at(length);
        match length == letter.len_utf8() {
            true => code.push_str(taken),
            false => code.extend(taken.chars().filter(|&letter| letter == '\n')),
        }
        rest = left;
    }
}

/// How long a text is that begins where `rest` does, and whose content begins where `inner` does.
fn quoted(rest: &str, inner: &str, end: &str, has_escapes: bool) -> usize {
    let mut at = 0;
    while !inner[at..].starts_with(end) {
        let escaped = usize::from(has_escapes && inner[at..].starts_with('\\'));
        let Some(letter) = inner[at + escaped..].chars().next() else { return rest.len() };
        at += escaped + letter.len_utf8();
    }
    rest.len() - inner.len() + at + end.len()
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

/// Whether a line names a test: a sentence may have any words.
fn is_name_of_test(line: &str, before: &str) -> bool {
    before.trim_start().starts_with("#[") && line.trim_start().starts_with("fn ")
}

#[test]
fn words_that_were_given_up_name_nothing() {
    let mut clean = HashSet::new();
    for file in rust_files() {
        let mut before = String::new();
        for (number, line) in (1..).zip(code(&text(&file)).lines()) {
            let is_sentence = is_name_of_test(line, &before);
            line.clone_into(&mut before);
            if is_sentence {
                continue;
            }
            for identifier in line.split(|c: char| !c.is_alphanumeric() && c != '_') {
                if clean.contains(identifier) {
                    continue;
                }
                let words = words(identifier);
                let pairs = words.windows(2).map(<[String]>::concat);
                let found: Vec<_> =
                    words.iter().cloned().chain(pairs).filter_map(|word| given_up(&word)).collect();
                if found.is_empty() {
                    clean.insert(identifier.to_owned());
                }
                for (old, new, json) in found {
                    let is_json = json.iter().any(|folder| file.starts_with(folder));
                    assert!(is_json, "{file}:{number}: `{identifier}`: instead of {old}, {new}");
                }
            }
        }
    }
}

fn given_up(word: &str) -> Option<&'static GivenUp> {
    GIVEN_UP.iter().find(|(old, ..)| *old == word)
}

#[test]
fn identifiers_are_cut_into_words() {
    assert_eq!(words("LeftAlone"), ["left", "alone"]);
    assert_eq!(words("_left_alone2"), ["left", "alone2"]);
    assert_eq!(words("SKIPPED_CLASS"), ["skipped", "class"]);
    assert_eq!(code("let tin = 1; // can").trim(), "let tin = 1;");
    assert_eq!(
        code("a(\"can\\\"s\n can\", r#\"can\"s\"#, b\"\", '\"', '\\'') can").trim(),
        "a(\n, , b, , ) can"
    );
    assert!(is_name_of_test("fn what_is_lost_is_told() {", "#[test]"));
    assert!(!is_name_of_test("fn told() {", "}"));
}
