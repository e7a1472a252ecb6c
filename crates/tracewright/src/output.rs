//! Standard output, in large pieces, and no more of it than is wanted.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::exit::{Outcome, Result, Stop};
use crate::numbers::grouped;

/// Bytes collected before they are written: a system call for each line would cost more than the
/// line.
const CHUNK: usize = 64 * 1024;

/// `--max-bytes`, and what was printed and left out up to now: a process prints one answer.
static MOST: AtomicU64 = AtomicU64::new(u64::MAX);
static PRINTED: AtomicU64 = AtomicU64::new(0);
static LEFT_OUT: AtomicU64 = AtomicU64::new(0);

/// What is to be printed. Commands append to [`Output::buffer`] and call [`Output::pass`] at times.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) buffer: Vec<u8>,
}

impl Output {
    /// Writes what is there, if it is worth a call.
    pub(crate) fn pass(&mut self) -> io::Result<()> {
        if self.buffer.len() < CHUNK { Ok(()) } else { self.flush() }
    }

    /// Writes all that is there and wanted.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        let printed = PRINTED.load(Ordering::Relaxed);
        let remaining =
            if LEFT_OUT.load(Ordering::Relaxed) > 0 { 0 } else { MOST.load(Ordering::Relaxed) - printed };
        let printable = within(&self.buffer, remaining);
        PRINTED.store(printed + printable.len() as u64, Ordering::Relaxed);
        LEFT_OUT.fetch_add((self.buffer.len() - printable.len()) as u64, Ordering::Relaxed);
        let mut stdout = io::stdout().lock();
        stdout.write_all(printable)?;
        self.buffer.clear();
        stdout.flush()
    }
}

/// The whole lines of a text that fit.
fn within(text: &[u8], remaining: u64) -> &[u8] {
    if text.len() as u64 <= remaining {
        return text;
    }
    let most = text.get(..usize::try_from(remaining).unwrap_or(usize::MAX)).unwrap_or_default();
    let end = most.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    most.get(..end).unwrap_or_default()
}

/// Prints no more than so many bytes from now on, to the end of a line.
pub(crate) fn bound(most: u64) {
    MOST.store(most, Ordering::Relaxed);
}

/// Reports what was left out because of the bound.
pub(crate) fn report_bound(result: Result<Outcome>) -> Result<Outcome> {
    let left_out = LEFT_OUT.load(Ordering::Relaxed);
    if left_out == 0 || result.is_err() {
        return result;
    }
    let most = grouped(MOST.load(Ordering::Relaxed));
    if PRINTED.load(Ordering::Relaxed) == 0 {
        return Stop::failed(format!(
            "the answer has {} bytes and no line that ends within --max-bytes {most}: narrow it with the command's options",
            grouped(left_out)
        ));
    }
    eprintln!(
        "tracewright: {} bytes were left out (--max-bytes {most}): ask for more, or narrow the answer with the command's options",
        grouped(left_out)
    );
    result
}

#[cfg(test)]
#[test]
fn only_whole_lines_are_kept() {
    let text = b"one\ntwo\nthree\n";
    for (remaining, printable) in
        [(14, &text[..]), (13, b"one\ntwo\n"), (8, b"one\ntwo\n"), (7, b"one\n"), (3, b""), (0, b"")]
    {
        assert_eq!(within(text, remaining), printable, "{remaining}");
    }
}
