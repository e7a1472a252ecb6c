//! The terminal on which `record` was typed: a recording that ends unexpectedly is reported there at once.
//!
//! It is the program's standard error, as long as that is what it was when the recorder was loaded: a program
//! may put a file or a socket of its own there later, which gets nothing of ours. Nor is it kept open, for others
//! may wait for its end. A recorder that was attached writes nothing here; `status` and `stop` report it.

use std::io::Write;
use std::os::unix::fs::MetadataExt;

use crate::sys;

/// The descriptor of standard error.
const DESCRIPTOR: i32 = 2;

/// Device and inode of the terminal, where messages may be written to it.
#[derive(Debug)]
pub(crate) struct Terminal(Option<(u64, u64)>);

impl Terminal {
    pub(crate) fn new(reports: bool) -> Terminal {
        Terminal(if reports { identity() } else { None })
    }

    /// Writes a line, if nobody has to wait for that.
    pub(crate) fn report(&self, line: &str) {
        if self.0.is_some() && self.0 == identity() && sys::is_writable(DESCRIPTOR) {
            let line = format!("tracewright: {}\n", line.replace(char::is_control, "?"));
            // In one go, so that it stands between lines of the program's. Who has closed it wants to know nothing.
            let _ = std::io::stderr().write_all(line.as_bytes());
        }
    }
}

/// Device and number of what standard error is now.
fn identity() -> Option<(u64, u64)> {
    let data = std::fs::metadata(format!("/proc/self/fd/{DESCRIPTOR}")).ok()?;
    Some((data.dev(), data.ino()))
}
