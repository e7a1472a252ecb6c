//! What threads were in the middle of when recording began.
//!
//! ```text
//! running  tid, name, count of frames, innermost first: (class text, method text, descriptor text, line or 0)
//! ```

use crate::capture::bytes::{Cursor, put_number, put_text};
use crate::capture::frame::{self, kind};

/// A thread that was in the middle of methods which were to be recorded. Such a frame goes on as it began,
/// so nothing tells of it until its method is called again. At most [`Running::MOST`] frames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    /// Java's number for the thread, which need not be one that has records.
    pub tid: u64,
    /// Its name at that moment.
    pub name: String,
    /// The frames of such methods, innermost first; not those of others.
    pub frames: Vec<RunningFrame>,
}

/// One frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningFrame {
    /// The class with dots.
    pub class: String,
    /// The name of the method.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The line it had come to; `None` if the class does not say.
    pub line: Option<u16>,
}

impl Running {
    /// Frames that the recorder asks for, of a thread.
    pub const MOST: u16 = 200;

    /// Appends the frame.
    pub fn put(&self, out: &mut Vec<u8>) {
        let mut body = vec![];
        put_number(&mut body, self.tid);
        put_text(&mut body, &self.name);
        put_number(&mut body, self.frames.len() as u64);
        for RunningFrame { class, method, descriptor, line } in &self.frames {
            [class, method, descriptor].into_iter().for_each(|text| put_text(&mut body, text));
            put_number(&mut body, u64::from(line.unwrap_or(0)));
        }
        frame::put_small(out, kind::RUNNING, &[], &body);
    }

    /// Reads a body.
    pub fn read(body: &[u8]) -> Option<Running> {
        let mut cursor = Cursor::new(body);
        let (tid, name, count) = (cursor.number()?, cursor.text()?, cursor.count()?);
        let mut one = || {
            let (class, method, descriptor) = (cursor.text()?, cursor.text()?, cursor.text()?);
            let line = u16::try_from(cursor.number()?).ok().filter(|line| *line > 0);
            Some(RunningFrame { class, method, descriptor, line })
        };
        let frames = (0..count).map(|_| one()).collect::<Option<_>>()?;
        Some(Running { tid, name, frames })
    }
}
