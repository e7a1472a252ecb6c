//! The header, threads, marks, losses and the end.
//!
//! ```text
//! header  version, encoding u8, when-full u8, pid, time signed, count of (key text, value text)
//! thread  serial, tid, name, virtual u8, time signed
//! mark    text, time signed, count of (thread, chunk number, words)
//! loss    thread, chunk number, words lost, reason
//! end     reason, time signed, words, lost, failed u8, prepared, lost to the disk, lost to the processors
//! ```

use model::Timestamp;
use model::flow_source::Mark;

use crate::VERSION;
use crate::frame::{self, kind};
use source::bytes::{Cursor, put_number, put_signed, put_text};

use super::Encoding;

/// What the recorder does when a thread has records and no memory for them is free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenFull {
    /// Drop words and count them.
    Drop,
    /// Let the program wait.
    Wait,
    /// Let it wait for a bounded time, then drop words and count them.
    Bounded,
}

impl WhenFull {
    fn to_byte(self) -> u8 {
        match self {
            WhenFull::Drop => 0,
            WhenFull::Wait => 1,
            WhenFull::Bounded => 2,
        }
    }

    fn from_byte(byte: u8) -> WhenFull {
        match byte {
            1 => WhenFull::Wait,
            2 => WhenFull::Bounded,
            _ => WhenFull::Drop,
        }
    }
}

/// The first frame of a capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The version of the format; `put` always writes [`VERSION`].
    pub version: u32,
    /// How the program's methods are recorded unless a method says otherwise.
    pub encoding: Encoding,
    /// What happens when no memory is free.
    pub when_full: WhenFull,
    /// The process.
    pub pid: u32,
    /// When recording began, ns since 1970.
    pub time: i64,
    /// Whatever else is worth knowing, for people: `jvm`, `main`, `host`, `include`, `exclude`,
    /// `recorder`, ... A key may come more than once.
    pub about: Vec<(String, String)>,
}

impl Header {
    /// Appends the frame.
    pub fn put(&self, out: &mut Vec<u8>) {
        let mut body = vec![];
        put_number(&mut body, u64::from(VERSION));
        body.push(self.encoding.to_byte());
        body.push(self.when_full.to_byte());
        put_number(&mut body, u64::from(self.pid));
        put_signed(&mut body, self.time);
        put_number(&mut body, self.about.len() as u64);
        for (key, value) in &self.about {
            put_text(&mut body, key);
            put_text(&mut body, value);
        }
        frame::put_small(out, kind::HEADER, &[], &body);
    }

    /// The version alone: what a reader looks at first.
    pub fn version(body: &[u8]) -> Option<u32> {
        Cursor::new(body).number32()
    }

    /// Reads a body of this version.
    pub fn read(body: &[u8]) -> Option<Header> {
        let mut cursor = Cursor::new(body);
        let version = cursor.number32()?;
        let encoding = Encoding::from_byte(cursor.byte()?)?;
        let when_full = WhenFull::from_byte(cursor.byte()?);
        let (pid, time) = (cursor.number32()?, cursor.signed()?);
        let count = cursor.count()?;
        let about = (0..count).map(|_| Some((cursor.text()?, cursor.text()?))).collect::<Option<_>>()?;
        Some(Header { version, encoding, when_full, pid, time, about })
    }

    /// The first value of a key.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.about.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }
}

/// A thread. It may come again with another name: the last one counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadRecord {
    /// The recorder's number for it, from 1 in the order in which threads were met.
    pub serial: u32,
    /// Java's number for it.
    pub tid: u64,
    /// Its name at this moment.
    pub name: String,
    /// Whether it is a virtual thread.
    pub is_virtual: bool,
    /// When this was written, ns since 1970.
    pub time: i64,
}

impl ThreadRecord {
    /// Appends the frame.
    pub fn put(&self, out: &mut Vec<u8>) {
        let mut body = vec![];
        put_number(&mut body, u64::from(self.serial));
        put_number(&mut body, self.tid);
        put_text(&mut body, &self.name);
        body.push(u8::from(self.is_virtual));
        put_signed(&mut body, self.time);
        frame::put_small(out, kind::THREAD, &[], &body);
    }

    /// Reads a body.
    pub fn read(body: &[u8]) -> Option<ThreadRecord> {
        let mut cursor = Cursor::new(body);
        let (serial, tid, name) = (cursor.number32()?, cursor.number()?, cursor.text()?);
        Some(ThreadRecord { serial, tid, name, is_virtual: cursor.byte()? == 1, time: cursor.signed()? })
    }
}

/// Appends a frame with a moment that was named. Threads that ran may have come a little further than it records.
pub fn put_mark(mark: &Mark, out: &mut Vec<u8>) {
    let mut body = vec![];
    put_text(&mut body, &mark.text);
    put_signed(&mut body, mark.time.0);
    put_number(&mut body, mark.positions.len() as u64);
    for (thread, (number, words)) in &mark.positions {
        [thread, number, words].into_iter().for_each(|value| put_number(&mut body, u64::from(*value)));
    }
    frame::put_small(out, kind::MARK, &[], &body);
}

/// Reads a body of that kind.
pub fn read_mark(body: &[u8]) -> Option<Mark> {
    let mut cursor = Cursor::new(body);
    let (text, time, count) = (cursor.text()?, cursor.signed()?, cursor.count()?);
    let mut one = || Some((cursor.number32()?, (cursor.number32()?, cursor.number32()?)));
    let positions = (0..count).map(|_| one()).collect::<Option<_>>()?;
    Some(Mark { text, time: Timestamp(time), positions })
}

/// Words of a thread that were dropped and have no later chunk whose head could count them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The thread.
    pub thread: u32,
    /// They lie directly before the chunk of this number, which need not exist.
    pub before_chunk: u32,
    /// How many words.
    pub words: u64,
    /// Why, for people.
    pub reason: String,
}

impl Loss {
    /// Appends the frame.
    pub fn put(&self, out: &mut Vec<u8>) {
        let mut body = vec![];
        put_number(&mut body, u64::from(self.thread));
        put_number(&mut body, u64::from(self.before_chunk));
        put_number(&mut body, self.words);
        put_text(&mut body, &self.reason);
        frame::put_small(out, kind::LOSS, &[], &body);
    }

    /// Reads a body.
    pub fn read(body: &[u8]) -> Option<Loss> {
        let mut cursor = Cursor::new(body);
        let (thread, before_chunk) = (cursor.number32()?, cursor.number32()?);
        Some(Loss { thread, before_chunk, words: cursor.number()?, reason: cursor.text()? })
    }
}

/// The last frame of `code`: the recording was ended in an orderly way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// Why, for people: stopped, the program ended, the disk is full, ...
    pub reason: String,
    /// When, ns since 1970.
    pub time: i64,
    /// Words in all chunks.
    pub words: u64,
    /// Words that were dropped.
    pub lost: u64,
    /// Nobody wanted it to end: it could not go on.
    pub failed: bool,
    /// Classes that an earlier run of the program had prepared.
    pub instrumented: u64,
    /// Of the dropped words: those for which no memory was free because the recorder waited for the disk, and
    /// because it waited for a processor.
    pub lost_to: [u64; 2],
}

impl End {
    /// Appends the frame.
    pub fn put(&self, out: &mut Vec<u8>) {
        let mut body = vec![];
        put_text(&mut body, &self.reason);
        put_signed(&mut body, self.time);
        put_number(&mut body, self.words);
        put_number(&mut body, self.lost);
        body.push(u8::from(self.failed));
        put_number(&mut body, self.instrumented);
        self.lost_to.into_iter().for_each(|lost| put_number(&mut body, lost));
        frame::put_small(out, kind::END, &[], &body);
    }

    /// Reads a body.
    pub fn read(body: &[u8]) -> Option<End> {
        let mut cursor = Cursor::new(body);
        let (reason, time) = (cursor.text()?, cursor.signed()?);
        let (words, lost) = (cursor.number()?, cursor.number()?);
        // Drafts and earlier programs did not write these.
        let failed = cursor.byte() == Some(1);
        let [instrumented, disk, processors] = std::array::from_fn(|_| cursor.number().unwrap_or(0));
        Some(End { reason, time, words, lost, failed, instrumented, lost_to: [disk, processors] })
    }
}
