//! Reads XML traces.

use std::io::{self, Read};

use model::{
    Alphabet, Diagnostic, Event, EventSource, Item, Location, Origin, Severity, StreamId, StreamInfo, Symbol,
    Timestamp, TraceInfo,
};

use super::fields::{FieldList, Held};
use super::tags::{Kind, Tag, Tags};
use crate::limits;

/// The events of `R`, in the order in which they stand. Holds one event, the names and the diagnostics.
pub struct Reader<R> {
    tags: Tags<R>,
    size: u64,
    file: String,
    fields: FieldList,
    alphabet: Alphabet,
    traces: [TraceInfo; 1],
    streams: [StreamInfo; 1],
    diagnostics: Vec<Diagnostic>,
    dropped_diagnostics: u64,
    /// An event that began inside the one before.
    next: Option<Tag>,
    /// Whether an element `trace` holds the events.
    has_root: bool,
    is_over: bool,
}

impl<R> std::fmt::Debug for Reader<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("file", &self.file).finish_non_exhaustive()
    }
}

/// What an event turned out to be, besides its fields.
struct Head {
    seq: u64,
    time: Option<Timestamp>,
    cpu: Option<u32>,
    symbol: Symbol,
}

impl<R: Read> Reader<R> {
    /// Reads `input` up to its root; `file` is what diagnostics call it, `size` its length for the
    /// progress, 0 where nobody knows.
    ///
    /// # Errors
    /// When it cannot be read or its root is neither `trace` nor, of a part of a trace, `event`.
    pub fn open(file: &str, input: R, size: u64) -> io::Result<Reader<R>> {
        let mut tags = Tags::new(input);
        match tags.next()? {
            Some(tag) if tag.name.is_empty() => {
                let what = tag.wrong.unwrap_or("it is damaged");
                Err(io::Error::other(format!("line {}: {what}", tag.line)))
            }
            Some(tag) if tag.name == "trace" && tag.kind != Kind::Close => {
                Ok(Reader::at(tags, file, size, tag.kind == Kind::Empty))
            }
            // Part of a trace that was split by its lines.
            Some(tag) if tag.name == "event" && tag.kind != Kind::Close => {
                let next = Some(tag);
                Ok(Reader { next, has_root: false, ..Reader::at(tags, file, size, false) })
            }
            Some(tag) if tag.name == "tmfxml" => Err(io::Error::other(
                "it is a model (its root is `tmfxml`), not a trace; a model is given with --model",
            )),
            Some(tag) => {
                let name = tag.name.escape_debug();
                Err(io::Error::other(format!("the root of its XML is `{name}`, not `trace`")))
            }
            None => Err(io::Error::other("there is no element in its XML")),
        }
    }

    fn at(tags: Tags<R>, file: &str, size: u64, is_over: bool) -> Reader<R> {
        let stream = StreamInfo::new(file.into(), 0, None);
        Reader {
            tags,
            size,
            file: file.into(),
            fields: FieldList::default(),
            alphabet: Alphabet::default(),
            traces: [TraceInfo { format: "XML".into(), ..TraceInfo::default() }],
            streams: [stream],
            diagnostics: Vec::new(),
            dropped_diagnostics: 0,
            next: None,
            has_root: true,
            is_over,
        }
    }

    /// The next tag that can be used; others are reported.
    fn tag(&mut self) -> Option<Tag> {
        if let Some(tag) = self.next.take() {
            return Some(tag);
        }
        loop {
            match self.tags.next() {
                Ok(Some(tag)) => {
                    if let Some(wrong) = tag.wrong {
                        self.complain(tag.line, "xml-damaged", wrong.into());
                    }
                    if !tag.name.is_empty() {
                        return Some(tag);
                    }
                }
                Ok(None) if !self.has_root => return None,
                Ok(None) => {
                    let sentence = "the file ends before `</trace>`; what is missing is not known";
                    self.complain(self.tags.line(), "xml-cut", sentence.into());
                    return None;
                }
                Err(error) => {
                    let sentence = format!("reading stopped in this line: {error}");
                    self.complain(self.tags.line(), "xml-unreadable", sentence);
                    return None;
                }
            }
        }
    }

    fn next_head(&mut self) -> Option<Head> {
        while !self.is_over {
            let Some(tag) = self.tag() else { break };
            match (&*tag.name, tag.kind) {
                ("trace", Kind::Close) => break,
                ("event", Kind::Open | Kind::Empty) => {
                    if let Some(head) = self.event(&tag) {
                        return Some(head);
                    }
                }
                _ => {}
            }
        }
        self.finish();
        None
    }

    /// Reads an event to its end; `None` if it cannot be used.
    fn event(&mut self, tag: &Tag) -> Option<Head> {
        self.fields.0.clear();
        let is_complete = tag.kind == Kind::Empty || self.read_fields(tag.line);
        let Some(name) = tag.attribute("name") else {
            self.complain(tag.line, "xml-event", "the event was left out: it has no `name`".into());
            return None;
        };
        if !is_complete {
            return None;
        }
        let time = tag.attribute("timestamp").and_then(|text| text.trim().parse().ok()).map(Timestamp);
        if time.is_none() {
            let sentence = "`timestamp` is not a whole number of nanoseconds; the event has no time";
            self.complain(tag.line, "xml-time", sentence.into());
        }
        let cpu = self.fields.0.iter().find_map(|(name, held)| match held {
            Held::Number(number) if name == "cpu" => u32::try_from(*number).ok(),
            _ => None,
        });
        let symbol = match self.alphabet.find(name) {
            Some(symbol) => symbol,
            None if self.alphabet.len() < limits::LINE_NAMES => self.alphabet.intern(name),
            None => self.alphabet.intern("(other)"),
        };
        let [info] = &mut self.streams;
        let seq = info.count_event(time);
        Some(Head { seq, time, cpu, symbol })
    }

    /// Whether the event that begins in `line` ends.
    fn read_fields(&mut self, line: u64) -> bool {
        loop {
            let Some(tag) = self.tag() else {
                if !self.has_root {
                    self.complain(line, "xml-cut", "the file ends within this event".into());
                }
                self.is_over = true;
                return false;
            };
            match (&*tag.name, tag.kind) {
                ("event", Kind::Close) => return true,
                ("field", Kind::Open | Kind::Empty) => self.field(&tag),
                ("event", _) | ("trace", Kind::Close) => {
                    self.complain(line, "xml-event", "the event does not end before the next begins".into());
                    self.next = Some(tag);
                    return true;
                }
                _ => {}
            }
        }
    }

    fn field(&mut self, tag: &Tag) {
        let Some(name) = tag.attribute("name") else {
            return self.complain(tag.line, "xml-field", "a field was left out: it has no `name`".into());
        };
        let text = tag.attribute("value").unwrap_or("");
        let held = Held::parse(tag.attribute("type").unwrap_or("string"), text).unwrap_or_else(|kind| {
            self.complain(tag.line, "xml-field", format!("the value of `{name}` is not of its type, {kind}"));
            Held::Text(text.to_owned())
        });
        if self.fields.0.len() < limits::XML_FIELDS {
            self.fields.0.push((name.to_owned(), held));
        }
    }

    fn complain(&mut self, line: u64, code: &'static str, sentence: String) {
        if self.diagnostics.len() >= limits::DIAGNOSTICS {
            self.dropped_diagnostics += 1;
            return;
        }
        let location = Location::Line { file: self.file.clone(), line };
        self.diagnostics.push(Diagnostic { code, severity: Severity::Damage, location, sentence });
    }

    /// At the end: says how many diagnostics there was no room for.
    fn finish(&mut self) {
        self.is_over = true;
        let more = std::mem::take(&mut self.dropped_diagnostics);
        if more > 0 {
            let limit = limits::DIAGNOSTICS;
            let location = Location::Line { file: self.file.clone(), line: self.tags.line() };
            let sentence = format!("{more} further diagnostics are not listed (limit {limit})");
            let code = "diagnostics-limit";
            self.diagnostics.push(Diagnostic { code, severity: Severity::Damage, location, sentence });
        }
    }
}

impl<R: Read> EventSource for Reader<R> {
    fn next_item(&mut self) -> Option<Item<'_>> {
        let Head { seq, time, cpu, symbol } = self.next_head()?;
        Some(Item::Event(Event {
            stream: StreamId(0),
            seq,
            time,
            cpu,
            symbol,
            fields: &self.fields,
            origin: Origin::of(self),
        }))
    }

    fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    fn traces(&self) -> &[TraceInfo] {
        &self.traces
    }

    fn streams(&self) -> &[StreamInfo] {
        &self.streams
    }

    fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    fn progress(&self) -> (u64, u64) {
        (self.tags.offset(), self.size)
    }
}
