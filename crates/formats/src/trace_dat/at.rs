//! Numbers and texts at a place of a source that moves on. A size is held against what is there before it is used.

use source::Source;

use crate::limits;

/// Reads numbers and texts at a place that moves.
pub(super) struct At<'s> {
    pub(super) source: &'s dyn Source,
    pub(super) offset: u64,
}

impl At<'_> {
    pub(super) fn bytes(&mut self, count: u64) -> Option<Vec<u8>> {
        let left = self.source.size().checked_sub(self.offset)?;
        if count > left || count > limits::TRACE_DAT_SECTION {
            return None;
        }
        let mut bytes = vec![0; usize::try_from(count).ok()?];
        let mut filled = 0;
        while filled < bytes.len() {
            match self.source.read_at(self.offset + filled as u64, bytes.get_mut(filled..)?) {
                Ok(0) | Err(_) => return None,
                Ok(more) => filled += more,
            }
        }
        self.offset += count;
        Some(bytes)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.bytes(4)?.try_into().ok()?))
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.bytes(8)?.try_into().ok()?))
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.bytes(1)?.first().copied()
    }

    /// Up to a zero byte, which is taken too.
    pub(super) fn text(&mut self) -> Option<String> {
        let left = self.source.size().checked_sub(self.offset)?.min(256);
        let at = self.offset;
        let bytes = self.bytes(left)?;
        let end = memchr::memchr(0, &bytes)?;
        self.offset = at + end as u64 + 1;
        Some(String::from_utf8_lossy(bytes.get(..end)?).into_owned())
    }
}
