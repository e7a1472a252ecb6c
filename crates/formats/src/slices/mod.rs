//! Slices: work with a name, a begin and an end on a track, as tracers of timelines write it. Slices in slices are calls.
//!
//! ```text
//! written        X load 0..9   B parse 1   E 4   i tick 5   B draw 10
//! steps          Enter(load) Enter(parse) Leave Enter(tick) Leave Leave Enter(draw) ... Leave
//! ```
//!
//! Readers of formats add what they find, in any order of time; a track is put in order when all is there.

mod steps;

use std::collections::HashMap;
use std::rc::Rc;

use model::code::{Block, Class, ClassId, CodeMap, Method, MethodId};
use model::flow::{Entered, Left};
use model::flow_source::{Course, Flow, FlowSource, ThreadInfo};
use model::{Diagnostic, TraceInfo};

use steps::Steps;

/// Something that was written about a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    /// ns of the clock of the file.
    pub(crate) time: i64,
    pub(crate) what: What,
}

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// A slice begins.
    Begin(MethodId, Entered),
    /// The innermost slice that was begun ends.
    End(Left),
    /// A slice that lasted so many ns.
    Whole(MethodId, u64),
    /// Something that took no time.
    Instant(MethodId),
    /// So many records are missing; `None`: nobody knows how many.
    Lost(Option<u64>),
}

/// A recording of slices: what readers fill, and what is read from it.
#[derive(Debug, Default)]
pub(crate) struct Slices {
    pub(crate) trace: TraceInfo,
    pub(crate) course: Course,
    pub(crate) diagnostics: Vec<Diagnostic>,
    code: CodeMap,
    classes: HashMap<(String, Option<String>), ClassId>,
    methods: HashMap<String, MethodId>,
    threads: Vec<ThreadInfo>,
    entries: Vec<Rc<Vec<Entry>>>,
}

impl Slices {
    /// The method that slices of a name stand for.
    pub(crate) fn method(&mut self, name: &str) -> MethodId {
        if let Some(known) = self.methods.get(name) {
            return *known;
        }
        let (class, method, source, line) = parts(name);
        let class = self.class(class, source);
        let id = MethodId(self.code.methods.len() as u32);
        self.code.methods.push(Method {
            class,
            name: method.to_owned(),
            descriptor: String::new(),
            access_flags: 0,
            blocks: vec![Block::body(line)],
            edges: vec![],
            exception_edges: vec![],
            loops: vec![],
        });
        self.methods.insert(name.to_owned(), id);
        id
    }

    fn class(&mut self, name: &str, source: Option<&str>) -> ClassId {
        let next = ClassId(self.code.classes.len() as u32);
        let key = (name.to_owned(), source.map(str::to_owned));
        let id = *self.classes.entry(key).or_insert(next);
        if id == next {
            let source_file = source.map(|path| path.rsplit('/').next().unwrap_or(path).to_owned());
            self.code.classes.push(Class { name: name.to_owned(), source_file, origin: None });
        }
        id
    }

    /// Adds a track with all that was written about it; one of which nothing was is left out.
    pub(crate) fn track(&mut self, name: String, tid: Option<u64>, mut entries: Vec<Entry>) {
        let (Some(first), Some(_)) = (entries.first(), entries.last()) else { return };
        let mut time = (first.time, first.time);
        let mut lost = 0u64;
        for entry in &entries {
            let end = match entry.what {
                What::Whole(_, length) => entry.time.saturating_add_unsigned(length),
                _ => entry.time,
            };
            time = (time.0.min(entry.time), time.1.max(end));
            if let What::Lost(count) = entry.what {
                lost = lost.saturating_add(count.unwrap_or(0));
            }
        }
        // Of slices that begin together the longer is around the other; else the order of the file holds.
        entries.sort_by(|a, b| a.time.cmp(&b.time).then_with(|| length(b).cmp(&length(a))));
        self.threads.push(ThreadInfo {
            serial: self.threads.len() as u32,
            tid,
            name,
            records: entries.len() as u64,
            lost,
            time: Some((model::Timestamp(time.0), model::Timestamp(time.1))),
            ..ThreadInfo::default()
        });
        self.entries.push(Rc::new(entries));
    }
}

/// Only whole slices are put in order among themselves.
fn length(entry: &Entry) -> u64 {
    if let What::Whole(_, length) = entry.what { length } else { 0 }
}

/// Class, method, file and line of a name: `shop.Baker.bake` has a class, `bake (/shop/bakery.py:12)` a file and a line.
fn parts(name: &str) -> (&str, &str, Option<&str>, Option<u32>) {
    let location = || {
        let (before, rest) = name.strip_suffix(')')?.rsplit_once(" (")?;
        let (file, line) = rest.rsplit_once(':')?;
        Some((before, file, line.parse::<u32>().ok()?))
    };
    let (name, source, line) = match location() {
        Some((before, file, line)) => (before, Some(file), Some(line)),
        None => (name, None, None),
    };
    let is_plain = name.chars().all(|letter| letter.is_alphanumeric() || "._$<>".contains(letter));
    match name.rsplit_once('.').filter(|(class, method)| is_plain && !class.is_empty() && !method.is_empty())
    {
        Some((class, method)) => (class, method, source, line),
        None => ("", name, source, line),
    }
}

impl FlowSource for Slices {
    fn code(&self) -> &CodeMap {
        &self.code
    }

    fn has_clock(&self) -> bool {
        true
    }

    fn threads(&self) -> &[ThreadInfo] {
        &self.threads
    }

    fn flow(&self, thread: usize) -> Box<dyn Flow> {
        Box::new(Steps::new(self.entries.get(thread).cloned().unwrap_or_default()))
    }

    fn trace(&self) -> &TraceInfo {
        &self.trace
    }

    fn course(&self) -> &Course {
        &self.course
    }

    fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    fn has_blocks(&self) -> bool {
        false
    }
}

#[cfg(test)]
#[test]
fn names_have_parts() {
    assert_eq!(parts("shop.Baker.bake"), ("shop.Baker", "bake", None, None));
    assert_eq!(parts("bake (/shop/bakery.py:12)"), ("", "bake", Some("/shop/bakery.py"), Some(12)));
    assert_eq!(parts("Baker.<init>"), ("Baker", "<init>", None, None));
    assert_eq!(parts("Layout tree 2.5 %"), ("", "Layout tree 2.5 %", None, None));
    assert_eq!(parts("a (b)"), ("", "a (b)", None, None));
}
