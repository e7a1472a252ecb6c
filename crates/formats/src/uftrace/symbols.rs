//! `NAME.sym` and `NAME.dbg`: the functions of a file by their addresses in it, and where they are written.
//!
//! ```text
//! 0000000000001262 t fib          .sym: address, kind, name; lines with # are remarks, of kind ? ends of a table
//! F: 1262 fib                     .dbg: address and name of a function,
//! L: 7 sort.c                           then the line and the file of it
//! ```

use std::collections::BTreeMap;

/// The functions of one file.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    /// By address: where the name stands in `text`; empty where no function begins.
    functions: Vec<(u64, Span)>,
    text: String,
    /// By address: the line, and where the name of the file stands in `debug`.
    lines: BTreeMap<u64, (u32, Span)>,
    debug: String,
}

/// Where a part of a text begins, and its length: [`limits::UFTRACE_TEXT`](crate::limits::UFTRACE_TEXT) fits.
type Span = (u32, u32);

/// A function of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Function<'a> {
    /// Where it begins in the file.
    pub(super) address: u64,
    /// As the compiler made it: C++ and Rust put types into it.
    pub(super) name: &'a str,
    /// Where it is written.
    pub(super) line: Option<(u32, &'a str)>,
}

impl Symbols {
    /// Of the texts of both files; the second may be empty.
    pub(super) fn read(text: String, debug: String) -> Symbols {
        let mut functions: Vec<(u64, Span)> = vec![];
        for (at, line) in lines_of(&text) {
            let mut words = line.splitn(3, ' ');
            let (Some(address), Some(kind), Some(name)) = (words.next(), words.next(), words.next()) else {
                continue;
            };
            let Ok(address) = u64::from_str_radix(address, 16) else { continue };
            // What is no function ends the one before it.
            let is_function = matches!(kind, "T" | "t" | "W" | "w" | "P" | "V" | "v" | "i" | "u");
            functions.push((address, if is_function { end_of(at, line, name) } else { (0, 0) }));
        }
        // Names of one address: the first in the file.
        functions.sort_by_key(|(address, _)| *address);
        functions.dedup_by_key(|(address, _)| *address);
        let (mut lines, mut last) = (BTreeMap::new(), None);
        for (at, line) in lines_of(&debug) {
            if let Some(rest) = line.strip_prefix("F: ") {
                last = u64::from_str_radix(rest.split(' ').next().unwrap_or_default(), 16).ok();
            } else if let (Some(rest), Some(address)) = (line.strip_prefix("L: "), last.take()) {
                let Some((number, file)) = rest.split_once(' ') else { continue };
                let Ok(number) = number.parse::<u32>() else { continue };
                lines.insert(address, (number, end_of(at, line, file)));
            }
        }
        Symbols { functions, text, lines, debug }
    }

    /// The function that has an address of the file.
    pub(super) fn find(&self, address: u64) -> Option<Function<'_>> {
        let at = self.functions.partition_point(|(begin, _)| *begin <= address).checked_sub(1)?;
        let &(begin, name) = self.functions.get(at)?;
        let name = part(&self.text, name)?;
        let line = self.lines.get(&begin).and_then(|&(line, file)| Some((line, part(&self.debug, file)?)));
        Some(Function { address: begin, name, line }).filter(|function| !function.name.is_empty())
    }
}

/// The lines of a text, each with where it begins.
fn lines_of(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let begin = at;
        at += line.len();
        (begin, line.trim_end_matches(['\n', '\r']))
    })
}

/// Where the last part of a line stands, whose line begins at `at`.
fn end_of(at: usize, line: &str, last: &str) -> Span {
    ((at + line.len() - last.len()) as u32, last.len() as u32)
}

fn part(text: &str, (from, length): Span) -> Option<&str> {
    text.get(from as usize..(from + length) as usize)
}
