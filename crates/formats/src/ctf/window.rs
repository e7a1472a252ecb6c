//! A sliding window over a file: memory stays bounded however large the file is.

use crate::limits;
use source::Source;

/// The bytes of a file around the event that is being read.
pub(super) struct Window {
    source: Box<dyn Source>,
    /// Where the file ends, as far as we know: a read that comes back short corrects it.
    size: u64,
    buffer: Vec<u8>,
    /// Offset in the file of the first byte of `buffer`.
    start: u64,
    filled: usize,
    /// Why reading failed, until somebody asks.
    failure: Option<std::io::Error>,
    /// Bytes that are read at once.
    least: usize,
}

impl std::fmt::Debug for Window {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Window").field("start", &self.start).field("filled", &self.filled).finish()
    }
}

impl Window {
    pub(super) fn new(source: Box<dyn Source>) -> Self {
        let size = source.size();
        Window {
            source,
            size,
            buffer: Vec::new(),
            start: 0,
            filled: 0,
            failure: None,
            least: limits::CTF_WINDOW,
        }
    }

    /// Whether only starts of packets are looked at for now, so that little is read of each.
    pub(super) fn skim(&mut self, skims: bool) {
        self.least = if skims { limits::CTF_SKIM } else { limits::CTF_WINDOW };
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }

    pub(super) fn take_failure(&mut self) -> Option<std::io::Error> {
        self.failure.take()
    }

    /// See [`Source::next_data`].
    pub(super) fn next_data(&self, offset: u64) -> u64 {
        self.source.next_data(offset).max(offset)
    }

    /// The bytes in the window from `offset` of the file on; maybe none.
    #[inline]
    pub(super) fn from(&self, offset: u64) -> &[u8] {
        let filled = self.buffer.get(..self.filled).unwrap_or_default();
        let index = usize::try_from(offset.wrapping_sub(self.start)).unwrap_or(usize::MAX);
        filled.get(index..).unwrap_or_default()
    }

    /// Brings more bytes from `offset` on into the window, which then starts there; `false` if there
    /// are no more.
    pub(super) fn more(&mut self, offset: u64) -> bool {
        let have = self.from(offset).len();
        // Doubling, so that an event of any size is tried a logarithmic number of times.
        let target = self.least.max(have.saturating_mul(2));
        let target = usize::try_from(self.size.saturating_sub(offset)).unwrap_or(usize::MAX).min(target);
        if target <= have {
            return false;
        }
        let from = self.filled - have;
        self.buffer.copy_within(from..self.filled, 0);
        self.start = offset;
        self.filled = have;
        if self.buffer.len() < target {
            self.buffer.resize(target, 0);
        }
        while self.filled < target {
            let at = offset.saturating_add(self.filled as u64);
            let Some(space) = self.buffer.get_mut(self.filled..target) else { break };
            match self.source.read_at(at, space) {
                // A source that claims more than it was asked for is not believed.
                Ok(count) if count > 0 => self.filled += count.min(space.len()),
                Ok(_) => {
                    self.size = at;
                    break;
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.size = at;
                    self.failure = Some(error);
                    break;
                }
            }
        }
        self.filled > have
    }
}
