//! The smallest pieces of JSON, written straight into a buffer.

use std::io::Write;

use crate::harmless::{is_harmless, is_harmless_ascii};

/// Writes `bytes` as a JSON string. Bad UTF-8 becomes U+FFFD; what a terminal would obey is escaped.
pub fn text(out: &mut Vec<u8>, bytes: &[u8]) {
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    // Nearly every text is plain, and to see that takes no branch for each byte.
    if bytes.iter().fold(true, |all, &byte| all & is_plain(byte)) {
        out.extend_from_slice(bytes);
    } else {
        escaped(out, bytes);
    }
    out.push(b'"');
}

fn escaped(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut rest = bytes;
    while !rest.is_empty() {
        let plain = rest.iter().position(|&byte| !is_plain(byte)).unwrap_or(rest.len());
        out.extend_from_slice(&rest[..plain]);
        rest = &rest[plain..];
        let special = rest.iter().position(|&byte| is_plain(byte)).unwrap_or(rest.len());
        // A run of bytes that are not plain ASCII holds whole characters or bad bytes, because no
        // plain byte is ever part of a longer character.
        special_characters(out, &rest[..special]);
        rest = &rest[special..];
    }
}

/// Writes `name` as the key of a member, with the colon.
pub fn key(out: &mut Vec<u8>, name: &str) {
    text(out, name.as_bytes());
    out.push(b':');
}

/// Writes an integer of any size.
pub(super) fn integer(out: &mut Vec<u8>, value: impl itoa::Integer) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Writes a float so that reading it gives the same float, and never looks like an integer.
pub(super) fn float(out: &mut Vec<u8>, value: f64) {
    let quote: &[u8] = if value.is_finite() { b"" } else { b"\"" };
    out.extend_from_slice(quote);
    let _ = write!(out, "{value:?}"); // writing into memory cannot fail
    out.extend_from_slice(quote);
}

fn is_plain(byte: u8) -> bool {
    is_harmless_ascii(byte) && byte != b'"' && byte != b'\\'
}

fn special_characters(out: &mut Vec<u8>, bytes: &[u8]) {
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '"' => out.extend_from_slice(b"\\\""),
                '\\' => out.extend_from_slice(b"\\\\"),
                '\n' => out.extend_from_slice(b"\\n"),
                '\t' => out.extend_from_slice(b"\\t"),
                '\r' => out.extend_from_slice(b"\\r"),
                _ if is_harmless(character) => {
                    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                _ => {
                    for unit in character.encode_utf16(&mut [0; 2]) {
                        out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
                    }
                }
            }
        }
        if !chunk.invalid().is_empty() {
            out.extend_from_slice("\u{fffd}".as_bytes());
        }
    }
}
