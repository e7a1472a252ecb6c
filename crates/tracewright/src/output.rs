//! Standard output, in large pieces.

use std::io::{self, Write};

/// Bytes collected before they are written: a system call for each line would cost more than the
/// line.
const PIECE: usize = 64 * 1024;

/// What is to be printed. Commands append to [`Output::buffer`] and call [`Output::pass`] at times.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) buffer: Vec<u8>,
}

impl Output {
    /// Writes what is there, if it is worth a call.
    pub(crate) fn pass(&mut self) -> io::Result<()> {
        if self.buffer.len() < PIECE { Ok(()) } else { self.flush() }
    }

    /// Writes all that is there.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(&self.buffer)?;
        self.buffer.clear();
        stdout.flush()
    }
}
