//! Lines that wait: a loss is reported only before the next line of its CPU, and belongs right after the previous one.
//!
//! ```text
//! read    cpu 0: a   cpu 1: b c d   CPU:0 [LOST 5]   cpu 0: e          goes    a  gap  b c d e
//! ```
//!
//! If the last line of the CPU has left the window, the gap goes next.

use std::collections::VecDeque;

use model::Gap;

use super::head::Head;
use crate::limits;

/// A line that waits, and the gaps right behind it.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) line: String,
    pub(super) head: Head,
    pub(super) stream: u32,
    pub(super) gaps: Vec<Gap>,
}

/// See the module's head.
#[derive(Debug, Default)]
pub(super) struct Window {
    lines: VecDeque<Waiting>,
    bytes: usize,
    /// The number of the first line that waits, among all.
    first: u64,
}

impl Window {
    /// Whether enough waits for some to go.
    pub(super) fn is_full(&self) -> bool {
        self.lines.len() >= limits::FTRACE_WAITING || self.bytes >= limits::FTRACE_WAITING_BYTES
    }

    /// Adds a line; its number among all.
    pub(super) fn push(&mut self, waiting: Waiting) -> u64 {
        self.bytes += waiting.line.len();
        self.lines.push_back(waiting);
        self.first + self.lines.len() as u64 - 1
    }

    /// Puts a gap behind a line; gives it back if that line is gone.
    pub(super) fn put(&mut self, after: Option<u64>, gap: Gap) -> Result<(), Gap> {
        let index = after.and_then(|number| number.checked_sub(self.first));
        match index.and_then(|index| self.lines.get_mut(index as usize)) {
            Some(waiting) => waiting.gaps.push(gap),
            None => return Err(gap),
        }
        Ok(())
    }

    /// The line that goes next.
    pub(super) fn pop(&mut self) -> Option<Waiting> {
        let waiting = self.lines.pop_front()?;
        self.first += 1;
        self.bytes -= waiting.line.len();
        Some(waiting)
    }
}
