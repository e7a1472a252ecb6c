//! Which characters of a trace may reach a terminal, a page or a log as they are.
//!
//! Text in a trace is written by whatever was traced, so it may hold codes that move the cursor,
//! set the clipboard or reverse the reading direction. Everything that prints such text escapes the
//! characters that are not harmless; the escape is reversible, so nothing is hidden or lost.

/// Whether `character` only draws itself: it moves nothing, hides nothing and reverses nothing.
pub fn is_harmless(character: char) -> bool {
    !matches!(character,
        '\0'..='\x1f' | '\x7f'..='\u{9f}'            // C0, DEL, C1: terminal codes
        | '\u{ad}' | '\u{61c}' | '\u{180e}'           // soft hyphen, Arabic and Mongolian marks
        | '\u{200b}'..='\u{200f}'                     // zero width, left-to-right, right-to-left
        | '\u{2028}'..='\u{202e}'                     // line and paragraph ends, embeddings, overrides
        | '\u{2060}'..='\u{206f}'                     // invisible operators, isolates
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}'        // byte order mark, annotations
        | '\u{e0000}'..='\u{e0fff}') // tags and variation selectors nobody sees
}

/// Whether `byte` is a whole character that is harmless: the quick way through plain text.
pub fn is_harmless_ascii(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_harmless_and_control_codes_are_not() {
        assert!("many-threads 1204 Zürich 東京 🦀 \"'<img>".chars().all(is_harmless));
        for character in ['\x1b', '\n', '\t', '\x7f', '\u{9b}', '\u{202e}', '\u{2066}', '\u{feff}'] {
            assert!(!is_harmless(character), "{character:?}");
        }
    }
}
