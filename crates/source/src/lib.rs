//! Where bytes come from: a file, a slice, anything that can be read at an offset; and the numbers and texts in them.
#![deny(missing_docs)]

pub mod bytes;

use std::io;

/// Bytes at offsets. The binary implements it for files; slices and vectors have it for tests.
pub trait Source {
    /// How many bytes there are. Readers believe it only until a read comes back short.
    fn size(&self) -> u64;

    /// Reads at `offset` into `buffer` and returns how many bytes it got: fewer than asked for only
    /// at the end, 0 at or after it.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// The next offset from `offset` on where anything but zeros may stand: holes of a file need not be read by whoever
    /// looks for something.
    fn next_data(&self, offset: u64) -> u64 {
        offset
    }
}

impl<T: AsRef<[u8]>> Source for T {
    fn size(&self) -> u64 {
        self.as_ref().len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.as_ref();
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
        let count = buffer.len().min(bytes.len() - start);
        buffer[..count].copy_from_slice(&bytes[start..start + count]);
        Ok(count)
    }
}

/// One file of a trace, as the caller found it.
pub struct NamedSource {
    /// Its path relative to what was opened, with `/` between folders. It is what diagnostics show.
    pub name: String,
    /// Its bytes.
    pub source: Box<dyn Source>,
}

impl std::fmt::Debug for NamedSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NamedSource").field("name", &self.name).finish_non_exhaustive()
    }
}
