//! Records end to end: the walk over the data section, in a window that slides.

use std::ops::Range;

use crate::limits;
use source::Source;

use super::bytes::{Cursor, Section, fill};
use super::inflate::Inflated;

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
    /// Its place in the file; of one that was compressed that of what was read last.
    pub(super) offset: u64,
    /// How many came before it.
    pub(super) order: u64,
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
    inflated: Inflated,
    /// What broke the walk, while what the stream holds back is handed out.
    broken: Option<(u64, String)>,
    /// How many records were handed out.
    count: u64,
}

/// A record in the window.
struct Outer {
    offset: u64,
    kind: u32,
    misc: u16,
    body: Range<usize>,
}

/// What stands in the file next.
enum Found {
    Record(Outer),
    End,
    Broken(u64, String),
}

impl std::fmt::Debug for Records {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Records").field("all", &self.all).field("at", &self.at).finish_non_exhaustive()
    }
}

impl Records {
    pub(super) fn new(all: Section) -> Self {
        Records {
            all,
            at: all.offset,
            window: vec![],
            start: all.offset,
            is_over: false,
            inflated: Inflated::default(),
            broken: None,
            count: 0,
        }
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
        let order = self.count;
        self.count += 1;
        loop {
            match self.compressed() {
                Ok(Some((kind, misc, body))) => {
                    let body = self.inflated.bytes(body);
                    return Step::Record(Record { offset: self.at, order, kind, misc, body });
                }
                Ok(None) => {}
                Err(sentence) => {
                    self.is_over = true;
                    self.inflated = Inflated::default();
                    return Step::Broken(self.at, sentence);
                }
            }
            if let Some((offset, sentence)) = self.broken.take() {
                return Step::Broken(offset, sentence);
            }
            let Outer { offset, kind, misc, body } = match self.outer(source) {
                Found::Record(outer) => outer,
                // What the stream holds back comes last.
                Found::End if self.inflated.end() => continue,
                Found::End if !self.inflated.is_empty() => {
                    self.inflated = Inflated::default();
                    return Step::Broken(self.at, "The compressed records end within a record.".to_owned());
                }
                Found::End => return Step::End,
                Found::Broken(offset, sentence) if self.inflated.end() => {
                    self.broken = Some((offset, sentence));
                    continue;
                }
                Found::Broken(offset, sentence) => return Step::Broken(offset, sentence),
            };
            let bytes = self.window.get(body.clone()).unwrap_or_default();
            match kind {
                kind::COMPRESSED => self.inflated.push(bytes),
                // The number of bytes, without those that align it.
                kind::COMPRESSED2 => {
                    let mut cursor = Cursor::new(bytes);
                    let size = cursor.u64().unwrap_or(0).min(cursor.rest.len() as u64);
                    self.inflated.push(cursor.rest.get(..size as usize).unwrap_or_default());
                }
                // Rounds say nothing of records that come out late.
                kind::FINISHED_ROUND if self.inflated.is_used() => {}
                _ => {
                    let body = self.window.get(body).unwrap_or_default();
                    return Step::Record(Record { offset, order, kind, misc, body });
                }
            }
        }
    }

    /// The next record that was compressed, if all of it is there.
    fn compressed(&mut self) -> Result<Option<(u32, u16, Range<usize>)>, String> {
        let Some(head) = self.inflated.have(HEAD)?.get(..HEAD) else { return Ok(None) };
        let mut head = Cursor::new(head);
        let (Some(kind), Some(misc), Some(size)) = (head.u32(), head.u16(), head.u16()) else {
            return Ok(None);
        };
        let size = usize::from(size);
        if size < HEAD {
            return Err(format!(
                "A compressed record claims a size of {size} bytes, which is less than its head has."
            ));
        }
        if self.inflated.have(size)?.len() < size {
            return Ok(None);
        }
        let all = self.inflated.take(size);
        Ok(Some((kind, misc, all.start + HEAD..all.end)))
    }

    /// The next record as it stands in the file.
    fn outer(&mut self, source: &dyn Source) -> Found {
        let end = self.all.end();
        if self.is_over || self.at == end {
            return Found::End;
        }
        self.is_over = true; // unless this goes well
        if self.at > end {
            return Found::Broken(
                end,
                "The file ends within the texts that describe the tracepoints.".into(),
            );
        }
        let at = self.at;
        let head = match self.have(source, HEAD) {
            Ok(bytes) => Cursor::new(bytes.get(..HEAD).unwrap_or(bytes)),
            Err(error) => return Found::Broken(at, format!("The file cannot be read on: {error}.")),
        };
        let parse = |mut head: Cursor<'_>| Some((head.u32()?, head.u16()?, head.u16()?));
        let there = head.rest.len();
        let Some((kind, misc, size)) = parse(head) else {
            return Found::Broken(at, format!("The file ends {there} bytes into a record."));
        };
        let size = usize::from(size);
        if size < HEAD {
            let what = format!(
                "A record claims a size of {size} bytes, which is less than its head has; the records behind it cannot \
                 be found."
            );
            return Found::Broken(at, what);
        }
        let there = match self.have(source, size) {
            Ok(bytes) => bytes.len(),
            Err(error) => return Found::Broken(at, format!("The file cannot be read on: {error}.")),
        };
        if there < size {
            let what = format!("The file ends {there} bytes into a record of {size} bytes.");
            return Found::Broken(at, what);
        }
        self.is_over = false;
        self.at = at + size as u64;
        let index = usize::try_from(at.saturating_sub(self.start)).unwrap_or(usize::MAX);
        let body = index.saturating_add(HEAD)..index.saturating_add(size);
        if kind == TRACING_DATA {
            let more = Cursor::new(self.window.get(body.clone()).unwrap_or_default()).u32().unwrap_or(0);
            self.at = self.at.saturating_add(u64::from(more).next_multiple_of(8));
        }
        Found::Record(Outer { offset: at, kind, misc, body })
    }
}
