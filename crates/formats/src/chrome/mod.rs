//! Trace events as JSON, as Chrome, Node, VizTracer, LLVM and many others write them, and as we export them.
//!
//! ```text
//! [ {"ph":"X","name":"load","pid":1,"tid":2,"ts":10,"dur":5}, ...        an array, which may be cut off, or
//! { "traceEvents": [ ... ], "otherData": { ... } }                       an object with one
//!
//! ph   X   a slice with its length     B E   a slice begins, ends          i I R n   an instant
//!      b e S F   one that goes over threads: a track of its own for each cat and id
//!      M   the name of a process or thread
//!      C s t f and others: left out, and counted
//! ```
//!
//! Times are microseconds. Text is read once from front to back; events may stand in any order of time.

mod event;
#[doc(hidden)]
pub mod fuzz;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::Read;

use model::flow::{Entered, Left};
use model::{Diagnostic, FlowSource, Location, Severity};

use crate::limits;
use crate::slices::{Entry, Slices, What};
use event::{Event, Id};

/// Why nothing could be read. Everything less is a diagnostic.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It is JSON of another kind, or none.
    #[error("it holds no list of trace events")]
    NoEvents,
    /// Reading failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// Whether a file that begins with these bytes may hold trace events.
pub fn may_be(beginning: &[u8]) -> bool {
    let beginning = beginning.strip_prefix(BOM).unwrap_or(beginning);
    matches!(beginning.iter().find(|byte| !byte.is_ascii_whitespace()), Some(b'[' | b'{'))
}

/// The same for a stream that may be anything: event lines begin with a brace, too.
pub fn must_be(beginning: &[u8]) -> bool {
    let text = beginning.strip_prefix(BOM).unwrap_or(beginning).trim_ascii_start();
    let has = |key: &[u8]| memchr::memmem::find(text, key).is_some();
    may_be(text)
        && (text.starts_with(b"[") || has(b"\"traceEvents\"") || !has(b"\n") && has(b"\"displayTimeUnit\""))
}

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Reads all of a file; `file` is what diagnostics call it.
pub fn read(file: &str, bytes: impl Read) -> Result<Box<dyn FlowSource>, Error> {
    let mut reading = Reading::new(file, bytes);
    reading.find_list()?;
    while reading.next()? {}
    Ok(Box::new(reading.finish()))
}

/// A track: a thread, or what is written under one identifier over several threads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Track {
    Thread(Id, Id),
    Async(Id, String),
}

struct Reading<'f, R> {
    file: &'f str,
    bytes: R,
    /// What was read and not used, and where it begins in the file.
    buffer: String,
    at: usize,
    offset: u64,
    /// What was read and is not yet text: the first bytes of a letter.
    begun: Vec<u8>,
    /// Bytes that are no text.
    garbled: u64,
    is_at_end: bool,
    found: Found,
    damaged: u64,
}

/// What was read of the events up to now.
#[derive(Debug, Default)]
struct Found {
    slices: Slices,
    tracks: BTreeMap<Track, Vec<Entry>>,
    names: BTreeMap<Track, String>,
    processes: BTreeMap<Id, String>,
    /// Events that no slice is made of, by their kind.
    left_out: BTreeMap<String, u64>,
    /// Events of slices whose `ts` is no number.
    without_time: u64,
}

/// How much is read at once; as much again as is there, where that is more: a long value is begun anew each time.
const CHUNK: usize = 1 << 20;

impl<'f, R: Read> Reading<'f, R> {
    fn new(file: &'f str, bytes: R) -> Reading<'f, R> {
        Reading {
            file,
            bytes,
            buffer: String::new(),
            at: 0,
            offset: 0,
            begun: vec![],
            garbled: 0,
            is_at_end: false,
            found: Found::default(),
            damaged: 0,
        }
    }

    /// Reads on; false at the end. What is read is made text in one go, which costs less than string by string.
    fn fill(&mut self) -> std::io::Result<bool> {
        self.at = self.buffer.floor_char_boundary(self.at);
        self.buffer.drain(..self.at);
        self.offset += self.at as u64;
        self.at = 0;
        let had = self.begun.len();
        self.bytes.by_ref().take(CHUNK.max(self.buffer.len()) as u64).read_to_end(&mut self.begun)?;
        self.is_at_end = self.begun.len() == had;
        let taken = match std::str::from_utf8(&self.begun) {
            Ok(text) => {
                self.buffer.push_str(text);
                text.len()
            }
            Err(_) => self.repair(),
        };
        self.begun.drain(..taken);
        Ok(!self.is_at_end || had > 0)
    }

    /// The same where not all of it is text; how many bytes were taken.
    fn repair(&mut self) -> usize {
        let mut taken = 0;
        for chunk in self.begun.utf8_chunks() {
            self.buffer.push_str(chunk.valid());
            taken += chunk.valid().len();
            let invalid = chunk.invalid();
            // A letter may go on in what is read next.
            if taken + invalid.len() == self.begun.len() && !self.is_at_end {
                break;
            }
            taken += invalid.len();
            self.garbled += invalid.len() as u64;
            // As long as before, so that places stay true.
            self.buffer.extend(invalid.iter().map(|_| '?'));
        }
        taken
    }

    /// The next byte that is none of these, which is not taken.
    fn peek(&mut self, passed: &[u8]) -> std::io::Result<Option<u8>> {
        loop {
            while let Some(&byte) = self.buffer.as_bytes().get(self.at) {
                if !byte.is_ascii_whitespace() && !passed.contains(&byte) {
                    return Ok(Some(byte));
                }
                self.at += 1;
            }
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// Goes to the first event.
    fn find_list(&mut self) -> Result<(), Error> {
        self.fill()?;
        if self.buffer.as_bytes().starts_with(BOM) {
            self.at = BOM.len();
        }
        match self.peek(&[])? {
            Some(b'[') => {
                self.at += 1;
                return Ok(());
            }
            Some(b'{') => self.at += 1,
            _ => return Err(Error::NoEvents),
        }
        loop {
            if self.peek(b",")? != Some(b'"') {
                return Err(Error::NoEvents);
            }
            let key: Option<String> = self.value()?;
            if self.peek(&[])? != Some(b':') {
                return Err(Error::NoEvents);
            }
            self.at += 1;
            let begins = self.peek(&[])?;
            if key.as_deref() == Some("traceEvents") && begins == Some(b'[') {
                self.at += 1;
                return Ok(());
            }
            if self.value::<serde::de::IgnoredAny>()?.is_none() {
                return Err(Error::NoEvents);
            }
        }
    }

    /// What is not yet used. Only letters of one byte are passed by themselves, so a letter begins here.
    fn rest(&self) -> &str {
        self.buffer.get(self.at..).unwrap_or_default()
    }

    /// The JSON value that stands here; `None` where there is none, or not the end of it.
    fn value<T: for<'de> serde::Deserialize<'de>>(&mut self) -> std::io::Result<Option<T>> {
        loop {
            let mut values = serde_json::Deserializer::from_str(self.rest()).into_iter::<T>();
            match values.next() {
                Some(Ok(value)) => {
                    self.at += values.byte_offset();
                    return Ok(Some(value));
                }
                Some(Err(error)) if error.is_eof() && self.buffer.len() - self.at <= limits::CHROME_VALUE => {
                    if !self.fill()? {
                        return Ok(None);
                    }
                }
                _ => return Ok(None),
            }
        }
    }

    /// Takes the next event; false at the end.
    fn next(&mut self) -> std::io::Result<bool> {
        match self.peek(b",")? {
            Some(b'{') => {}
            None => {
                // Tracers that are killed leave the list open, which is allowed.
                return Ok(false);
            }
            Some(b']') => return Ok(false),
            Some(_) => {
                self.damaged("No event stands here; what follows is read from the next one on.");
                return self.pass_damage();
            }
        }
        loop {
            let rest = self.buffer.get(self.at..).unwrap_or_default();
            let mut events = serde_json::Deserializer::from_str(rest).into_iter::<Event<'_>>();
            match events.next() {
                Some(Ok(event)) => {
                    let length = events.byte_offset();
                    self.found.take(&event);
                    self.at += length;
                    return Ok(true);
                }
                Some(Err(error)) if error.is_eof() && rest.len() <= limits::CHROME_VALUE => {
                    if !self.fill()? {
                        self.damaged("The file is cut in the middle of an event.");
                        return Ok(false);
                    }
                }
                Some(Err(error)) => {
                    let sentence = if error.is_eof() {
                        "An event is too long and was left out."
                    } else {
                        "An event makes no sense and was left out."
                    };
                    self.damaged(sentence);
                    return self.pass_damage();
                }
                None => return Ok(false),
            }
        }
    }

    fn damaged(&mut self, sentence: &str) {
        self.damaged += 1;
        if self.found.slices.diagnostics.len() < limits::CHROME_DIAGNOSTICS {
            let location =
                Location::File { file: self.file.to_owned(), offset: self.offset + self.at as u64 };
            let sentence = sentence.to_owned();
            let severity = Severity::Damage;
            self.found.slices.diagnostics.push(Diagnostic {
                code: "chrome-event-damaged",
                severity,
                location,
                sentence,
            });
        }
    }

    /// Goes to the next place where an event may begin: `{` at the begin of a line or after `,`.
    fn pass_damage(&mut self) -> std::io::Result<bool> {
        self.at += 1;
        loop {
            let rest = self.buffer.as_bytes().get(self.at..).unwrap_or_default();
            let begins = |at: usize| {
                rest[..at]
                    .iter()
                    .rev()
                    .find(|byte| **byte != b' ')
                    .is_some_and(|byte| b",\n\r".contains(byte))
            };
            if let Some(found) = memchr::memchr_iter(b'{', rest).find(|at| begins(*at)) {
                self.at += found;
                return Ok(true);
            }
            self.at = self.buffer.len().saturating_sub(1).max(self.at);
            if !self.fill()? {
                return Ok(false);
            }
        }
    }

    fn finish(mut self) -> Slices {
        let offset = self.offset + self.at as u64;
        let at = |offset| Location::File { file: self.file.to_owned(), offset };
        let mut slices = self.found.finish();
        let without_time = self.found.without_time;
        slices.course.has_uncounted_damage = self.damaged + self.garbled + without_time > 0;
        if without_time > 0 {
            let sentence = format!("Events whose `ts` is no number are left out: {without_time}.");
            let (code, severity) = ("chrome-events-without-time", Severity::Damage);
            slices.diagnostics.push(Diagnostic { code, severity, location: at(0), sentence });
        }
        if self.garbled > 0 {
            let sentence = format!("{} bytes are no text (UTF-8) and are shown as \"?\".", self.garbled);
            let (code, severity) = ("chrome-text-damaged", Severity::Damage);
            slices.diagnostics.push(Diagnostic { code, severity, location: at(0), sentence });
        }
        if self.damaged > limits::CHROME_DIAGNOSTICS as u64 {
            let sentence = format!("{} events in all make no sense.", self.damaged);
            let (code, severity) = ("chrome-events-damaged", Severity::Damage);
            slices.diagnostics.push(Diagnostic { code, severity, location: at(offset), sentence });
        }
        if !self.found.left_out.is_empty() {
            let kinds = self.found.left_out.iter().take(20);
            let kinds: Vec<String> = kinds.map(|(kind, count)| format!("{count} of kind {kind}")).collect();
            let sentence = format!("Events that are no slices are left out: {}.", kinds.join(", "));
            let (code, severity) = ("chrome-events-left-out", Severity::Note);
            slices.diagnostics.push(Diagnostic { code, severity, location: at(0), sentence });
        }
        slices
    }
}

impl Found {
    /// Gives the tracks their names.
    fn finish(&mut self) -> Slices {
        let mut slices = std::mem::take(&mut self.slices);
        let many = self.processes.len() > 1;
        for (track, entries) in std::mem::take(&mut self.tracks) {
            let (name, tid) = match &track {
                Track::Thread(pid, tid) => {
                    let known = self.names.get(&track).cloned();
                    let name = known.unwrap_or_else(|| format!("thread {tid}"));
                    let process = self.processes.get(pid).filter(|_| many);
                    (process.map_or(name.clone(), |process| format!("{process}: {name}")), tid.number())
                }
                Track::Async(id, category) => (format!("{category} {id}"), None),
            };
            slices.track(name, tid, entries);
        }
        slices.trace.format = "Chrome trace events".to_owned();
        let first = self.processes.first_key_value();
        slices.course.program = first.map(|(_, name)| name.clone());
        slices.course.pid = first.and_then(|(pid, _)| u32::try_from(pid.number()?).ok());
        slices.course.ending = Some("the file ends".to_owned());
        slices
    }

    /// Puts an event where it belongs.
    fn take(&mut self, event: &Event<'_>) {
        let Found { slices, tracks, names, processes, left_out, without_time } = self;
        let thread = || Track::Thread(event.pid.clone(), event.tid.clone());
        let name = event.name.as_deref().unwrap_or("?");
        let kind = event.kind.as_deref().unwrap_or("?");
        let what = match kind {
            "X" => What::Whole(slices.method(name), event.duration.unwrap_or(0).cast_unsigned()),
            "B" | "b" | "S" => What::Begin(slices.method(name), event.entered()),
            "E" | "e" | "F" => What::End(event.left()),
            "i" | "I"
                if name == "lost"
                    && event.arguments().is_some_and(|arguments| arguments.records.is_some()) =>
            {
                What::Lost(event.arguments().and_then(|arguments| arguments.records.flatten()))
            }
            "i" | "I" | "R" | "n" => What::Instant(slices.method(name)),
            "M" => {
                if let Some(named) = event.arguments().and_then(|arguments| arguments.named.as_deref()) {
                    match name {
                        "thread_name" => drop(names.insert(thread(), named.to_owned())),
                        "process_name" => drop(processes.insert(event.pid.clone(), named.to_owned())),
                        _ => {}
                    }
                }
                return;
            }
            _ if left_out.len() < limits::CHROME_KINDS || left_out.contains_key(kind) => {
                return *left_out.entry(kind.chars().take(8).collect()).or_default() += 1;
            }
            _ => return,
        };
        let Some(time) = event.time else {
            *without_time += 1;
            return;
        };
        let track = match kind {
            "b" | "e" | "n" | "S" | "F" => {
                let category = event.category.as_deref().unwrap_or("async");
                Track::Async(event.id.clone(), category.to_owned())
            }
            _ => thread(),
        };
        tracks.entry(track).or_default().push(Entry { time, what });
    }
}

impl Event<'_> {
    fn entered(&self) -> Entered {
        match self.arguments().and_then(|arguments| arguments.called.as_deref()) {
            Some("via library") => Entered::Library,
            Some("beginning not seen") => Entered::Unseen,
            _ => Entered::Call,
        }
    }

    fn left(&self) -> Left {
        match self.arguments().and_then(|arguments| arguments.left.as_deref()) {
            Some("threw") => Left::Threw,
            Some("end not seen") => Left::Unseen,
            Some("still open at the end") => Left::Open,
            _ => Left::Returned,
        }
    }
}
