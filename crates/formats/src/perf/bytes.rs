//! Bytes of which none is trusted: a cursor whose every step looks for the end, and sections of a file.

use source::Source;

/// Reads front to back. Numbers are little endian, as the file header demands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    pub(super) rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(super) fn new(rest: &'a [u8]) -> Self {
        Cursor { rest }
    }

    #[inline]
    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    #[inline]
    fn chunk<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk::<N>()?;
        self.rest = rest;
        Some(*taken)
    }

    #[inline]
    pub(super) fn u16(&mut self) -> Option<u16> {
        self.chunk().map(u16::from_le_bytes)
    }

    #[inline]
    pub(super) fn u32(&mut self) -> Option<u32> {
        self.chunk().map(u32::from_le_bytes)
    }

    #[inline]
    pub(super) fn u64(&mut self) -> Option<u64> {
        self.chunk().map(u64::from_le_bytes)
    }

    /// Text up to a zero byte, which is taken too.
    pub(super) fn zero_ended(&mut self) -> Option<&'a [u8]> {
        let end = memchr::memchr(0, self.rest)?;
        let text = self.take(end)?;
        self.take(1)?;
        Some(text)
    }

    /// As many bytes as the number before them says.
    pub(super) fn sized(&mut self) -> Option<&'a [u8]> {
        let size = self.u64()?;
        self.take(usize::try_from(size).ok()?)
    }
}

/// A piece of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) offset: u64,
    pub(super) size: u64,
}

impl Section {
    /// `offset, size` as the file writes them.
    pub(super) fn parse(cursor: &mut Cursor<'_>) -> Option<Section> {
        Some(Section { offset: cursor.u64()?, size: cursor.u64()? })
    }

    /// Where it ends; never beyond what 64 bits hold.
    pub(super) fn end(&self) -> u64 {
        self.offset.saturating_add(self.size)
    }

    /// Its bytes, as far as the file has them, and at most `most`.
    pub(super) fn read(&self, source: &dyn Source, most: u64) -> std::io::Result<Vec<u8>> {
        let there = source.size().saturating_sub(self.offset);
        let size = self.size.min(there).min(most);
        let mut bytes = vec![0; usize::try_from(size).unwrap_or(0)];
        let count = fill(source, self.offset, &mut bytes)?;
        bytes.truncate(count);
        Ok(bytes)
    }
}

/// Reads until `space` is full or the source has no more; how many bytes it got.
pub(super) fn fill(source: &dyn Source, offset: u64, space: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = space.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match source.read_at(offset.saturating_add(filled as u64), rest) {
            Ok(0) => break,
            // A source that claims more than it was asked for is not believed.
            Ok(count) => filled += count.min(rest.len()),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
