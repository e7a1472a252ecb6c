//! Whether a file of any name is one of event lines, by the bytes that it begins with.

/// Whether the first line of `beginning` is an object with a `name` or a `lost`, as event lines have them, and no list of trace
/// events. Of a line that is cut off what is there has to name `ts`, `stream` or `fields`, too. A JSON document over several
/// lines is none.
pub fn begins(beginning: &[u8]) -> bool {
    let text = beginning.strip_prefix(b"\xef\xbb\xbf").unwrap_or(beginning).trim_ascii_start();
    let line = memchr::memchr(b'\n', text).and_then(|end| text.get(..end)).unwrap_or(text);
    let (keys, is_whole) = keys(line.trim_ascii_end());
    let has = |name: &str| keys.contains(&name.as_bytes());
    let is_cut = !is_whole && line.len() == text.len();
    (is_whole || is_cut && ["ts", "stream", "fields"].into_iter().any(has))
        && (has("name") || has("lost"))
        && !has("traceEvents")
}

/// The keys of the object that a line consists of, as they are written, and whether it ends with the line.
fn keys(line: &[u8]) -> (Vec<&[u8]>, bool) {
    let (mut keys, mut depth, mut at) = (vec![], 0_usize, 0);
    while let Some(byte) = line.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            // What is no object, or has something behind it.
            _ if depth == 0 => return (vec![], false),
            b'}' | b']' => depth -= 1,
            b'"' => {
                let Some(text) = text(line.get(at + 1..).unwrap_or_default()) else { return (keys, false) };
                at += text.len() + 1;
                let next = line.get(at + 1..).unwrap_or_default().trim_ascii_start();
                if depth == 1 && next.starts_with(b":") && line.starts_with(b"{") {
                    keys.push(text);
                }
            }
            _ => {}
        }
        at += 1;
    }
    (keys, depth == 0 && at > 0)
}

/// What stands before the closing quote.
fn text(bytes: &[u8]) -> Option<&[u8]> {
    let mut at = 0;
    loop {
        match bytes.get(at)? {
            b'"' => return bytes.get(..at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::begins;

    #[test]
    fn event_lines_are_known_by_their_first_line() {
        let long =
            format!("{{\"ts\":1,\"stream\":\"s\",\"name\":\"a\",\"fields\":{{\"x\":\"{}", "y".repeat(5000));
        for (text, is) in [
            ("{\"name\":\"a\"}", true),
            ("\u{feff}\n {\"ts\":0,\"stream\":\"s\",\"name\":\"a\",\"fields\":{\"dp\":0}}\r\n{\"ts\"", true),
            ("{\"lost\":3}\nx", true),
            ("{\"level\":\"a \\\" }\",\"name\" : \"x\",\"of\":[{},1]}\n", true),
            (&long, true),
            ("", false),
            ("\n\n", false),
            ("{", false),
            ("{}\n", false),
            ("hello\n", false),
            ("\"name\":1\n", false),
            ("[{\"name\":\"a\",\"ts\":1}]\n", false),
            ("[{\"name\":\"a\",\"ts\":1},\n", false),
            ("{\n\"name\":\"a\",\"ts\":1,\"traceEvents\":[]}", false),
            ("{\"name\":\"a\",\"traceEvents\":[]}\n", false),
            ("{\"name\":\"a\",\"otherData\":{\"ts\":1,", false),
            ("{\"fields\":{\"name\":\"a\"}}\n", false),
            ("{\"msg\":\"name\"}\n", false),
            ("{\"name\":\"a\"} x\n", false),
            ("{\"ts\":1,\"name\":\"a\\", true),
        ] {
            assert_eq!(begins(text.as_bytes()), is, "{text}");
        }
    }
}
