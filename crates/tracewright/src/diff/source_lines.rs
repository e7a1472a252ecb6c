//! Which line of one build is which of another: by the text of both sources, white space at the ends of lines aside.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use analyses::diff::matches;
use model::code::ClassId;
use model::{CodeMap, FlowSource};

use crate::source_text::Sources;

/// Lines of a file that may have no counterpart; where there are more nothing is known of it.
const MOST: usize = 5_000;
/// Lines beyond this one have no number in class files.
const LINES: usize = u16::MAX as usize;

/// By line of the file of one side, from 1: the line of the other side, 0 where it has none.
pub(super) type Lines = Arc<[u16]>;

/// The sources of two recordings.
pub(super) struct SourceLines<'a> {
    recordings: [&'a dyn FlowSource; 2],
    sources: [Sources; 2],
    /// The classes of side A by name.
    classes: HashMap<&'a str, ClassId>,
    /// By class of side B: what its lines are in A, and those of A in it.
    found: Mutex<HashMap<ClassId, Option<[Lines; 2]>>>,
}

impl<'a> SourceLines<'a> {
    pub(super) fn new(recordings: [&'a dyn FlowSource; 2], roots: [&[PathBuf]; 2]) -> SourceLines<'a> {
        let sources = roots.map(Sources::new);
        let classes = match sources.iter().all(Sources::is_some) {
            true => named(recordings[0].code()),
            false => HashMap::new(),
        };
        SourceLines { recordings, sources, classes, found: Mutex::default() }
    }

    /// For a class of side B, where the lines of side `of` are on the other side; `None`: a source is not there.
    pub(super) fn of_class(&self, of: usize, class: ClassId) -> Option<Lines> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let both = found.entry(class).or_insert_with(|| self.find(class)).as_ref()?;
        Some(both[1 - of].clone())
    }

    fn find(&self, class: ClassId) -> Option<[Lines; 2]> {
        let [a, b] = self.recordings.map(FlowSource::code);
        let old = *self.classes.get(b.class(class)?.name.as_str())?;
        let [one, other] = [self.sources[0].lines(a, old)?, self.sources[1].lines(b, class)?];
        counterparts(&one, &other)
    }
}

fn named(code: &CodeMap) -> HashMap<&str, ClassId> {
    code.classes.iter().zip(0..).map(|(class, id)| (class.name.as_str(), ClassId(id))).collect()
}

/// The lines of `other` in `one`, and those of `one` in `other`.
fn counterparts(one: &[String], other: &[String]) -> Option<[Lines; 2]> {
    let texts =
        |lines: &[String]| lines.iter().take(LINES).map(|line| line.trim().to_owned()).collect::<Vec<_>>();
    let (one, other) = (texts(one), texts(other));
    let mut found = matches(&one, &other, MOST)?;
    moved(&one, &other, &mut found);
    let mut lines = [vec![0u16; other.len() + 1], vec![0u16; one.len() + 1]];
    for (a, b) in found {
        lines[0][b + 1] = (a + 1) as u16;
        lines[1][a + 1] = (b + 1) as u16;
    }
    Some(lines.map(Into::into))
}

/// Adds what was moved past other lines: text that stands once among the lines without counterpart of each side.
fn moved(one: &[String], other: &[String], found: &mut Vec<(usize, usize)>) {
    let mut is_found = [vec![false; one.len()], vec![false; other.len()]];
    for &(a, b) in found.iter() {
        (is_found[0][a], is_found[1][b]) = (true, true);
    }
    let once = |texts: &'_ [String], is_found: &[bool]| {
        let mut locations: HashMap<String, Option<usize>> = HashMap::new();
        for (at, text) in texts.iter().enumerate().filter(|(at, _)| !is_found[*at]) {
            locations.entry(text.clone()).and_modify(|location| *location = None).or_insert(Some(at));
        }
        locations
    };
    let (a, b) = (once(one, &is_found[0]), once(other, &is_found[1]));
    for (text, location) in a {
        if let (Some(x), Some(Some(y))) = (location, b.get(&text)) {
            found.push((x, *y));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For each line of the second text, its line in the first.
    fn check(one: &str, other: &str, expected: &[u16]) {
        let lines = |text: &str| text.split('/').map(str::to_owned).collect::<Vec<_>>();
        let [found, back] = counterparts(&lines(one), &lines(other)).unwrap();
        assert_eq!(&found[1..], expected, "{one} -> {other}");
        for (line, old) in (0..).zip(found.iter()).filter(|(_, old)| **old > 0) {
            assert_eq!(back[usize::from(*old)], line, "{one} -> {other}");
        }
    }

    #[test]
    fn lines_are_found_again_by_their_text() {
        check("a/b/c", "a/b/c", &[1, 2, 3]);
        check("a/b/c", "# new/a/  b/c", &[0, 1, 2, 3]);
        check("a/b/c/}", "a/c/}/b", &[1, 3, 4, 2]);
        check("a/x/x", "x/x/x/a", &[2, 3, 0, 1]);
        check("", "a", &[0]);
    }
}
