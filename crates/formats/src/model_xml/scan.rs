//! A look at the text before it is parsed, so that no file makes the parser work hard.
//!
//! It counts what costs: elements, attributes, depth, and the characters by which the parser guesses
//! how much room it will need, wherever they stand. It is not a parser: on text that is not well-formed
//! its counts are too high or the parser refuses the text right after.

use crate::limits::{MODEL_ATTRIBUTES, MODEL_BYTES, MODEL_DEPTH, MODEL_NODES};

/// The line (from 1) of a byte.
pub(super) fn line_of(text: &str, offset: usize) -> u64 {
    1 + text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count() as u64
}

/// Refuses, with a place and a sentence, what is too large, too deep or declares a document type.
pub(super) fn check(text: &str) -> Result<(), (usize, String)> {
    if text.len() > MODEL_BYTES {
        return Err((0, format!("The file has {} bytes, more than {MODEL_BYTES}.", text.len())));
    }
    // The parser takes room for a node at each `<` and for an attribute at each `=` before it looks
    // whether they are any; the rest splits lists of names and wildcards.
    for mark in *b"<=|:*" {
        if let Some(offset) = memchr::memchr_iter(mark, text.as_bytes()).nth(MODEL_NODES) {
            return Err((offset, format!("There are more than {MODEL_NODES} of `{}`.", char::from(mark))));
        }
    }
    let (mut at, mut depth, mut nodes) = (0, 0usize, 0usize);
    while let Some(next) = text.get(at..).and_then(|rest| rest.find('<')) {
        let start = at + next;
        let rest = text.get(start..).unwrap_or("");
        // What may hold `<` as text ends with a fixed mark; without one the parser will complain.
        let skipped = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")]
            .iter()
            .find(|(open, _)| rest.starts_with(open))
            .map(|(_, close)| rest.find(close).map_or(rest.len(), |end| end + close.len()));
        if let Some(length) = skipped {
            at = start + length;
            continue;
        }
        if rest.starts_with("<!") {
            return Err((start, "Document types and entities are not accepted.".into()));
        }
        let tag = Tag::measure(rest);
        at = start + tag.length;
        if rest.starts_with("</") {
            depth = depth.saturating_sub(1);
            continue;
        }
        if tag.attributes > MODEL_ATTRIBUTES {
            let sentence = format!("An element has more than {MODEL_ATTRIBUTES} attributes.");
            return Err((start, sentence));
        }
        nodes += 1 + tag.attributes;
        if nodes > MODEL_NODES {
            return Err((start, format!("There are more than {MODEL_NODES} elements and attributes.")));
        }
        if !tag.is_empty {
            depth += 1;
            if depth > MODEL_DEPTH {
                return Err((start, format!("Elements nest deeper than {MODEL_DEPTH}.")));
            }
        }
    }
    Ok(())
}

struct Tag {
    length: usize,
    attributes: usize,
    is_empty: bool,
}

impl Tag {
    /// Measures the tag at the start of `text`. A `>` inside quotes does not end it.
    fn measure(text: &str) -> Tag {
        let (mut quote, mut attributes, mut before) = (None, 0, 0u8);
        for (index, &byte) in text.as_bytes().iter().enumerate() {
            match (quote, byte) {
                (Some(open), _) if open == byte => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'=') => attributes += 1,
                (None, b'>') => return Tag { length: index + 1, attributes, is_empty: before == b'/' },
                (None, _) => {}
            }
            before = byte;
        }
        Tag { length: text.len(), attributes, is_empty: false }
    }
}
