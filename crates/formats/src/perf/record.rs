//! Records end to end: the walk over the data section, in a window that slides.

use crate::limits;
use source::Source;

use super::bytes::{Cursor, Section, fill};

/// Kinds of records that mean something here.
pub(super) mod kind {
    pub(crate) const LOST: u32 = 2;
    pub(crate) const COMM: u32 = 3;
    pub(crate) const FORK: u32 = 7;
    pub(crate) const SAMPLE: u32 = 9;
    pub(crate) const AUX: u32 = 11;
    pub(crate) const LOST_SAMPLES: u32 = 13;
    pub(crate) const HEADER_ATTR: u32 = 64;
    pub(crate) const FINISHED_ROUND: u32 = 68;
    pub(crate) const ID_INDEX: u32 = 69;
    pub(crate) const AUXTRACE: u32 = 71;
    pub(crate) const FEATURE: u32 = 80;
    pub(crate) const COMPRESSED: u32 = 81;
    pub(crate) const COMPRESSED2: u32 = 83;
    /// The last one that the kernel writes, and those that perf adds.
    pub(crate) const LAST_OF_KERNEL: u32 = 22;
    pub(crate) const OF_PERF: std::ops::RangeInclusive<u32> = 64..=95;
}

/// HEADER_TRACING_DATA: bytes that are no record follow it.
pub(super) const TRACING_DATA: u32 = 66;

/// One record. Its body borrows the window.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record<'a> {
    pub(super) offset: u64,
    pub(super) kind: u32,
    pub(super) misc: u16,
    pub(super) body: &'a [u8],
}

/// What the walk meets next.
#[derive(Debug)]
pub(super) enum Step<'a> {
    Record(Record<'a>),
    /// All was read.
    End,
    /// The rest cannot be read: from which byte, and why.
    Broken(u64, String),
}

/// Bytes of `type`, `misc` and `size`.
const HEAD: usize = 8;

/// A walk over the records of a section.
pub(super) struct Records {
    /// The section, for progress.
    all: Section,
    at: u64,
    window: Vec<u8>,
    /// Offset in the file of the first byte of the window.
    start: u64,
    is_over: bool,
}

impl std::fmt::Debug for Records {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Records").field("all", &self.all).field("at", &self.at).finish_non_exhaustive()
    }
}

impl Records {
    pub(super) fn new(all: Section) -> Self {
        Records { all, at: all.offset, window: vec![], start: all.offset, is_over: false }
    }

    /// `(bytes read, bytes in all)`.
    pub(super) fn progress(&self) -> (u64, u64) {
        (self.at.saturating_sub(self.all.offset).min(self.all.size), self.all.size)
    }

    /// The bytes from `at` on, at least `count` if the section has them.
    fn have(&mut self, source: &dyn Source, count: usize) -> std::io::Result<&[u8]> {
        let index = usize::try_from(self.at.saturating_sub(self.start)).unwrap_or(usize::MAX);
        if self.window.len().saturating_sub(index) < count {
            let left = self.all.end().saturating_sub(self.at);
            let size = (limits::PERF_WINDOW as u64).min(left) as usize;
            self.window.resize(size, 0);
            let filled = fill(source, self.at, &mut self.window)?;
            self.window.truncate(filled);
            self.start = self.at;
            return Ok(&self.window);
        }
        Ok(self.window.get(index..).unwrap_or_default())
    }

    /// The next record. After its end, or what broke it, the walk is over.
    pub(super) fn next(&mut self, source: &dyn Source) -> Step<'_> {
        let end = self.all.end();
        if self.is_over || self.at == end {
            return Step::End;
        }
        self.is_over = true; // unless this goes well
        if self.at > end {
            return Step::Broken(end, "The file ends within the texts that describe the tracepoints.".into());
        }
        let at = self.at;
        let head = match self.have(source, HEAD) {
            Ok(bytes) => Cursor::new(bytes.get(..HEAD).unwrap_or(bytes)),
            Err(error) => return Step::Broken(at, format!("The file cannot be read on: {error}.")),
        };
        let parse = |mut head: Cursor<'_>| Some((head.u32()?, head.u16()?, head.u16()?));
        let there = head.rest.len();
        let Some((kind, misc, size)) = parse(head) else {
            return Step::Broken(at, format!("The file ends {there} bytes into a record."));
        };
        let size = usize::from(size);
        if size < HEAD {
            let what = format!(
                "A record claims a size of {size} bytes, which is less than its head has; the records behind it cannot \
                 be found."
            );
            return Step::Broken(at, what);
        }
        let there = match self.have(source, size) {
            Ok(bytes) => bytes.len(),
            Err(error) => return Step::Broken(at, format!("The file cannot be read on: {error}.")),
        };
        if there < size {
            let what = format!("The file ends {there} bytes into a record of {size} bytes.");
            return Step::Broken(at, what);
        }
        self.is_over = false;
        self.at = at + size as u64;
        let index = usize::try_from(at.saturating_sub(self.start)).unwrap_or(usize::MAX);
        let body = self.window.get(index..).and_then(|bytes| bytes.get(HEAD..size)).unwrap_or_default();
        if kind == TRACING_DATA {
            let more = Cursor::new(body).u32().unwrap_or(0);
            self.at = self.at.saturating_add(u64::from(more).next_multiple_of(8));
        }
        Step::Record(Record { offset: at, kind, misc, body })
    }
}
