//! What threads were in the middle of when recording began, and what was seen of that later.
//!
//! ```text
//! running  tid, name, count of frames, innermost first: (class text, method text, descriptor text, line or 0)
//! looks    tid, how many, frames still there at the last one, count of frames, outermost first:
//!          count of lines, (line: signed difference to the one before, in how many looks)
//! ```

use crate::frame::{self, kind};
use source::bytes::{Cursor, put_number, put_signed, put_text};

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

/// What was seen of the frames of a [`Running`] later: nothing is recorded of them, but somebody looked now and
/// then. A later one of the same thread stands for all before it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Looks {
    /// The thread, as in [`Running`].
    pub tid: u64,
    /// How often it was looked.
    pub count: u32,
    /// How many of the frames were still there at the last look, from the outermost on.
    pub still: u32,
    /// For each frame, outermost first, the lines that it was seen at and in how many looks, by line.
    pub lines: Vec<Vec<(u16, u32)>>,
}

impl Looks {
    /// Appends the frame.
    pub fn put(&self, out: &mut Vec<u8>) {
        let mut body = vec![];
        put_number(&mut body, self.tid);
        [self.count, self.still].into_iter().for_each(|number| put_number(&mut body, u64::from(number)));
        put_number(&mut body, self.lines.len() as u64);
        for lines in &self.lines {
            put_number(&mut body, lines.len() as u64);
            let mut before = 0;
            for (line, times) in lines {
                put_signed(&mut body, i64::from(*line) - before);
                before = i64::from(*line);
                put_number(&mut body, u64::from(*times));
            }
        }
        frame::put_small(out, kind::LOOKS, &[], &body);
    }

    /// Reads a body.
    pub fn read(body: &[u8]) -> Option<Looks> {
        let mut cursor = Cursor::new(body);
        let (tid, count, still) = (cursor.number()?, cursor.number32()?, cursor.number32()?);
        let frames = cursor.count().filter(|&frames| frames <= usize::from(Running::MOST))?;
        let lines = (0..frames).map(|_| lines(&mut cursor)).collect::<Option<Vec<_>>>()?;
        (still as usize <= frames).then_some(Looks { tid, count, still, lines })
    }
}

fn lines(cursor: &mut Cursor<'_>) -> Option<Vec<(u16, u32)>> {
    let mut line = 0i64;
    let count = cursor.count()?;
    let mut next = || {
        line = line.checked_add(cursor.signed()?)?;
        Some((u16::try_from(line).ok()?, cursor.number32()?))
    };
    (0..count).map(|_| next()).collect()
}
