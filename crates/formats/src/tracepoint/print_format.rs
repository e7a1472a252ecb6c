//! Which fields a tracepoint wants to see in hexadecimal: its `print fmt` says it.
//!
//! ```text
//! print fmt: "address=0x%lx ip=%p error_code=%d", REC->address, (void *)REC->ip, REC->error_code
//! ```
//!
//! Only that is read; expressions are not evaluated. What is not understood stays decimal.

use std::collections::BTreeSet;

/// The names of fields that `text` (all of a `format`) prints by `%x` or `%p`.
pub(super) fn hexadecimal(text: &str) -> BTreeSet<&str> {
    let Some((_, print)) = text.split_once("print fmt:") else { return BTreeSet::new() };
    let Some((pattern, arguments)) = quoted(print.trim_start()) else { return BTreeSet::new() };
    let arguments = arguments.trim_start().trim_start_matches(',');
    let pairs = conversions(pattern).zip(Arguments(arguments));
    pairs
        .filter(|(letter, _)| matches!(letter, 'x' | 'X' | 'p'))
        .filter_map(|(_, it)| only_field(it))
        .collect()
}

/// A text in quotes, and what follows it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('"')?;
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' if !is_escaped => return Some((text.get(..at)?, text.get(at + 1..)?)),
            _ => is_escaped = byte == b'\\' && !is_escaped,
        }
    }
    None
}

/// The letter of each conversion; `*` for a width that takes an argument of its own.
fn conversions(pattern: &str) -> impl Iterator<Item = char> {
    let mut letters = pattern.chars();
    let mut is_inside = false;
    std::iter::from_fn(move || {
        loop {
            let letter = letters.next()?;
            match (is_inside, letter) {
                (false, '%') => is_inside = true,
                (false, _) => {}
                (true, '*') => return Some('*'),
                (true, '%') => is_inside = false,
                (true, 'l' | 'h' | 'z' | 'j' | 't' | 'L' | '#' | '+' | '-' | ' ' | '.' | '0'..='9') => {}
                (true, _) => {
                    is_inside = false;
                    return Some(letter);
                }
            }
        }
    })
}

/// Arguments between commas that stand in no bracket and no quotes.
struct Arguments<'a>(&'a str);

impl<'a> Iterator for Arguments<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.0.is_empty() {
            return None;
        }
        let (mut depth, mut is_quoted, mut is_escaped) = (0i64, false, false);
        for (at, byte) in self.0.bytes().enumerate() {
            match byte {
                b'"' if !is_escaped => is_quoted = !is_quoted,
                b'(' | b'{' | b'[' if !is_quoted => depth += 1,
                b')' | b'}' | b']' if !is_quoted => depth -= 1,
                b',' if !is_quoted && depth == 0 => {
                    let (argument, rest) = self.0.split_at_checked(at)?;
                    self.0 = rest.get(1..)?;
                    return Some(argument);
                }
                _ => {}
            }
            is_escaped = byte == b'\\' && !is_escaped;
        }
        Some(std::mem::take(&mut self.0))
    }
}

/// The field that an argument consists of, whatever it is cast to.
fn only_field(argument: &str) -> Option<&str> {
    let (_, rest) = argument.split_once("REC->")?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
    let (name, rest) = rest.split_at_checked(end)?;
    (!rest.contains("REC->")).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(print: &str, expected: &[&str]) {
        let text = format!("name: e\nprint fmt: {print}\n");
        assert_eq!(hexadecimal(&text).into_iter().collect::<Vec<_>>(), expected, "{print}");
    }

    #[test]
    fn fields_are_found_by_their_conversion() {
        check(r#""a=0x%lx b=%d c=%p", REC->a, REC->b, (void *)REC->c"#, &["a", "c"]);
        check(r#""NR %ld (%lx, %lx)", REC->id, REC->args[0], REC->args[1]"#, &["args"]);
        check(r#""100%% \"%x\" %*d %08llX", REC->a, 5, REC->b, REC->c"#, &["a", "c"]);
        check(
            r#""%s %#x", __print_flags(REC->s & (1 + 2), "|", { 1, "S,\"x" }, { 2, "D" }), REC->f"#,
            &["f"],
        );
        check(r#""%x %x", REC->a - REC->b, REC->a ? "x" : "y""#, &["a"]);
    }

    #[test]
    fn what_is_not_understood_stays_decimal() {
        for print in
            ["", "\"", "\"%x", "\"%x\"", "\"%x\",", "\"%\", REC->a", "REC->a", "\"%x\", REC->", "\"%x\", é"]
        {
            let text = format!("print fmt:{print}");
            assert!(hexadecimal(&text).iter().all(|name| name.is_empty()), "{print}");
        }
    }
}
