//! The pages of one CPU, one after the other, whether they are compressed or not. Holds some of them at a time.

use source::Source;

use super::at::At;
use super::options::OfCpu;
use super::sections::Compression;
use crate::limits;

/// Walks over the pages.
#[derive(Debug)]
pub(super) struct Pages {
    /// Where the next bytes are in the file, and where they end.
    offset: u64,
    end: u64,
    /// Chunks that follow; `None`: the pages are there as they are.
    chunks: Option<(u32, Option<Compression>)>,
    held: Vec<u8>,
    /// The page that was handed out last.
    at: usize,
    page: usize,
    is_begun: bool,
}

impl Pages {
    pub(super) fn new(
        of_cpu: &OfCpu,
        page: usize,
        is_compressed: bool,
        compression: Option<Compression>,
    ) -> Pages {
        let end = of_cpu.offset.saturating_add(of_cpu.size);
        let chunks = is_compressed.then_some((u32::MAX, compression));
        Pages { offset: of_cpu.offset, end, chunks, held: vec![], at: 0, page, is_begun: false }
    }

    /// Where in the file is read.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// The page that was handed out last.
    pub(super) fn page(&self) -> &[u8] {
        let end = self.at.saturating_add(self.page).min(self.held.len());
        self.held.get(self.at..end).unwrap_or_default()
    }

    /// Goes to the next page; false at the end. The error is a sentence, behind which nothing is read.
    pub(super) fn next(&mut self, source: &dyn Source, budget: &mut u64) -> Result<bool, String> {
        if self.is_begun && self.at + self.page < self.held.len() {
            self.at += self.page;
            return Ok(true);
        }
        self.at = 0;
        self.is_begun = true;
        *budget = budget.saturating_add(self.held.len() as u64);
        self.held = Vec::new();
        let more = match self.chunks {
            None => self.plain(source),
            Some((left, compression)) => self.chunk(source, left, compression, *budget),
        };
        *budget = budget.saturating_sub(self.held.len() as u64);
        if more.is_err() {
            self.offset = self.end;
            self.chunks = None;
        }
        more
    }

    fn plain(&mut self, source: &dyn Source) -> Result<bool, String> {
        let left = self.end.saturating_sub(self.offset);
        if left == 0 {
            return Ok(false);
        }
        let there = source.size().saturating_sub(self.offset).min(left);
        let count = there.min(self.page.max(limits::TRACE_DAT_WINDOW / self.page * self.page) as u64);
        let mut at = At { source, offset: self.offset };
        match at.bytes(count).filter(|bytes| !bytes.is_empty()) {
            Some(bytes) => self.held = bytes,
            None => return Err("The file ends before all pages of a CPU are there.".to_owned()),
        }
        self.offset += count;
        Ok(true)
    }

    fn chunk(
        &mut self,
        source: &dyn Source,
        left: u32,
        compression: Option<Compression>,
        budget: u64,
    ) -> Result<bool, String> {
        let mut at = At { source, offset: self.offset };
        let cut = || "The file ends before all pages of a CPU are there.".to_owned();
        // Their number stands before the first.
        let left = if left == u32::MAX { at.u32().ok_or_else(cut)?.min(u32::MAX - 1) } else { left };
        if left == 0 {
            return Ok(false);
        }
        let compression = compression.ok_or("Pages are compressed in a way that is not known.")?;
        let (packed, size) = (at.u32().ok_or_else(cut)?, at.u32().ok_or_else(cut)?);
        if size == 0 || u64::from(size) > budget.min(limits::TRACE_DAT_SECTION) {
            return Err(format!(
                "Pages would be decompressed to {size} bytes, which is more than is allowed."
            ));
        }
        let bytes = at.bytes(packed.into()).ok_or_else(cut)?;
        let pages = compression.undo(&bytes, size as usize);
        self.held = pages.ok_or("Compressed pages are damaged.")?;
        self.offset = at.offset;
        self.chunks = Some((left - 1, Some(compression)));
        Ok(true)
    }
}
