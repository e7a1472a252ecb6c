//! Everything before the pages: a file is read up to where its options are.

use source::Source;

use super::MAGIC;
use super::at::At;
use super::error::Error;
use super::options::Options;
use super::sections::{self, Compression};
use crate::limits;
use crate::tracepoint::{self, Format};
use std::collections::{BTreeMap, HashMap};

/// All that is known before the first page.
#[derive(Debug, Default)]
pub(super) struct Header {
    pub(super) version: u32,
    pub(super) page: usize,
    /// Where the records of a page begin, behind its time and size.
    pub(super) records: usize,
    /// Bytes of the size.
    pub(super) size_bytes: usize,
    pub(super) compression: Option<Compression>,
    pub(super) formats: HashMap<u64, Format>,
    /// Names of threads.
    pub(super) comms: BTreeMap<i64, String>,
    pub(super) options: Options,
    /// What could not be read: where, and a sentence.
    pub(super) troubles: Vec<(u64, String)>,
}

impl Header {
    pub(super) fn read(source: &dyn Source) -> Result<Header, Error> {
        let mut at = At { source, offset: 0 };
        if at.bytes(MAGIC.len() as u64).as_deref() != Some(MAGIC) {
            return Err(Error::Other);
        }
        let unusable = |offset, sentence: &str| Error::Unusable { offset, sentence: sentence.to_owned() };
        let cut = |at: &At<'_>| unusable(at.offset, "The file ends within its header");
        let version = at.text().ok_or_else(|| cut(&at))?;
        let mut header = Header { size_bytes: 8, records: 16, ..Header::default() };
        header.version = match version.as_str() {
            "6" => 6,
            "7" => 7,
            _ => return Err(unusable(10, "Its version is neither 6 nor 7, and no other is read")),
        };
        if at.u8().ok_or_else(|| cut(&at))? != 0 {
            return Err(unusable(12, "It was written on a big-endian machine, which is not supported"));
        }
        let long = if at.u8().ok_or_else(|| cut(&at))? == 4 { 4 } else { 8 };
        let page = at.u32().ok_or_else(|| cut(&at))?;
        header.page = match page {
            64..=limits::TRACE_DAT_PAGE => page as usize,
            _ => return Err(unusable(14, "The size of its pages makes no sense")),
        };
        if header.version == 7 {
            sections::read(&mut header, &mut at, long).ok_or_else(|| cut(&at))?;
        } else {
            header.version_6(&mut at, long).ok_or_else(|| cut(&at))?;
        }
        if header.options.buffers.iter().all(|buffer| buffer.cpus.is_empty()) {
            let trouble = header.troubles.into_iter().next();
            let (offset, sentence) = trouble.unwrap_or((at.offset, "No CPU has any pages in it".to_owned()));
            return Err(Error::Unusable { offset, sentence });
        }
        Ok(header)
    }

    fn version_6(&mut self, at: &mut At<'_>, long: usize) -> Option<()> {
        self.pages(at)?;
        self.ftrace_formats(at, long)?;
        self.formats(at, long)?;
        for _ in 0..2 {
            // Symbols and formats of printk, which have their size in 32 bits.
            let size = at.u32()?;
            at.offset = at.offset.checked_add(size.into())?;
        }
        self.comms(at)?;
        let cpus = at.u32()?.min(limits::FTRACE_STREAMS as u32);
        let mut kind = at.bytes(10)?;
        if kind == b"options  \0" {
            self.options.read_6(at)?;
            kind = at.bytes(10)?;
        }
        if kind == b"flyrecord\0" {
            self.options.buffer_6(String::new(), at, cpus)?;
        } else {
            self.troubles.push((at.offset, "Text of a latency tracer is not read".to_owned()));
        }
        for (name, offset) in std::mem::take(&mut self.options.buffers_6) {
            let mut at = At { source: at.source, offset };
            let is_there = at.bytes(10).as_deref() == Some(b"flyrecord\0");
            if !is_there || self.options.buffer_6(name.clone(), &mut at, cpus).is_none() {
                self.troubles.push((offset, format!("The buffer {name} is not there")));
            }
        }
        Some(())
    }

    /// `header_page` and `header_event`.
    pub(super) fn pages(&mut self, at: &mut At<'_>) -> Option<()> {
        if at.text()? != "header_page" {
            return None;
        }
        let size = at.u64()?;
        let text = String::from_utf8_lossy(&at.bytes(size)?).into_owned();
        let number = |line: &str, key: &str| -> Option<usize> {
            let (_, rest) = line.split_once(key)?;
            rest.split(';').next()?.trim().parse().ok()
        };
        for line in text.lines() {
            if line.contains(" commit;") {
                self.size_bytes = number(line, "size:").filter(|size| *size == 4).unwrap_or(8);
            }
            if line.contains(" data;") {
                self.records =
                    number(line, "offset:").filter(|offset| (12..=64).contains(offset)).unwrap_or(16);
            }
        }
        if at.text()? != "header_event" {
            return None;
        }
        let size = at.u64()?;
        at.bytes(size)?;
        Some(())
    }

    pub(super) fn ftrace_formats(&mut self, at: &mut At<'_>, long: usize) -> Option<()> {
        for _ in 0..at.u32()? {
            self.format("ftrace", at, long)?;
        }
        Some(())
    }

    pub(super) fn formats(&mut self, at: &mut At<'_>, long: usize) -> Option<()> {
        for _ in 0..at.u32()? {
            let system = at.text()?;
            for _ in 0..at.u32()? {
                self.format(&system, at, long)?;
            }
        }
        Some(())
    }

    fn format(&mut self, system: &str, at: &mut At<'_>, long: usize) -> Option<()> {
        let size = at.u64()?;
        let text = at.bytes(size)?;
        if self.formats.len() < limits::PERF_EVENTS
            && let Some(format) = tracepoint::parse(system, &text, long, &|_| true)
        {
            self.formats.entry(format.id).or_insert(format);
        }
        Some(())
    }

    /// `7 bash` a line.
    pub(super) fn comms(&mut self, at: &mut At<'_>) -> Option<()> {
        let size = at.u64()?;
        let text = at.bytes(size)?;
        for line in String::from_utf8_lossy(&text).lines() {
            if let Some((tid, name)) = line.trim_start().split_once(' ')
                && let Ok(tid) = tid.parse()
                && self.comms.len() < limits::PERF_THREADS
            {
                self.comms.insert(tid, name.to_owned());
            }
        }
        Some(())
    }
}
