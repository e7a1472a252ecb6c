//! Reads event lines.

use std::collections::HashMap;
use std::io::Read;

use model::{
    Alphabet, Diagnostic, Edge, Event, EventSource, Gap, Item, Location, Lost, Origin, Severity, StreamId,
    StreamInfo, Symbol, Timestamp, TraceInfo, Value,
};

use super::tape::{Member, Tape};
use crate::kernel_names;
use crate::limits;
use crate::lines::{Line, Lines};

/// The events of `R`, line by line, in the order of the lines.
///
/// Holds one line, the names and the streams: memory does not grow with the number of lines. A line
/// that cannot be read becomes a diagnostic with its number, and the next line is read.
pub struct Reader<R> {
    lines: Lines<R>,
    size: u64,
    file: String,
    tape: Tape,
    alphabet: Alphabet,
    traces: [TraceInfo; 1],
    streams: Vec<StreamInfo>,
    stream_by_name: HashMap<String, StreamId>,
    diagnostics: Vec<Diagnostic>,
    dropped_diagnostics: u64,
    /// Limits that were reached, so that each is reported once.
    reported: Vec<&'static str>,
    done: bool,
}

impl<R> std::fmt::Debug for Reader<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("file", &self.file).finish_non_exhaustive()
    }
}

/// What the line that was read last turned out to be.
enum Content {
    Event { stream: StreamId, seq: u64, time: Option<Timestamp>, cpu: Option<u32>, symbol: Symbol },
    Gap(Gap),
}

impl<R: Read> Reader<R> {
    /// Reads `input`; `file` is what diagnostics call it and what a line without `stream` belongs to;
    /// `size` is its length for the progress, 0 if it is not known.
    pub fn new(file: &str, input: R, size: u64) -> Self {
        let trace = TraceInfo { format: "event lines".into(), ..TraceInfo::default() };
        Reader {
            lines: Lines::new(input),
            size,
            file: file.into(),
            tape: Tape::default(),
            alphabet: Alphabet::default(),
            traces: [trace],
            streams: vec![],
            stream_by_name: HashMap::new(),
            diagnostics: vec![],
            dropped_diagnostics: 0,
            reported: vec![],
            done: false,
        }
    }

    /// Reads lines until one is an event or a loss.
    fn next_content(&mut self) -> Option<Content> {
        loop {
            let text = match self.lines.next_line() {
                Ok(None) => return None,
                Ok(Some(Line::Text(text))) if text.trim_ascii().is_empty() => continue,
                Ok(Some(Line::Text(text))) => String::from_utf8_lossy(text),
                Ok(Some(Line::TooLong)) => {
                    let sentence =
                        format!("the line is longer than {} bytes and was left out", limits::LINE_BYTES);
                    self.complain("line-too-long", sentence);
                    continue;
                }
                Err(error) => {
                    self.complain("line-unreadable", format!("reading stopped after this line: {error}"));
                    return None;
                }
            };
            let lossy = matches!(text, std::borrow::Cow::Owned(_));
            if let Err(wrong) = self.tape.parse(&text) {
                self.complain("line-damaged", format!("the line was left out: {wrong}"));
                continue;
            }
            if lossy {
                self.complain(
                    "line-not-utf8",
                    "the line has bytes that are not UTF-8, shown as U+FFFD".into(),
                );
            }
            if let Some(content) = self.content() {
                return Some(content);
            }
        }
    }

    fn content(&mut self) -> Option<Content> {
        let time = self.take("ts", |value| Some(Timestamp(value.as_i64()?)));
        if time.is_none() && self.tape.member("ts").is_some() {
            let sentence =
                "`ts` is not a whole number of nanoseconds that 64 bits hold; the event has no time";
            self.complain("line-time", sentence.into());
        }
        let named =
            self.tape.member("name").filter(|&name| matches!(self.tape.value(name), Some(Value::Text(_))));
        let Some(name) = named else {
            if let Some(lost) = self.tape.member("lost") {
                return self.gap(lost, time).map(Content::Gap);
            }
            self.complain(
                "line-without-name",
                "the line was left out: it has no `name` that is a text".into(),
            );
            return None;
        };
        let system = self.kernel_system(name);
        let symbol = self.symbol(name);
        self.tape.hide(name);
        let cpu = self.take("cpu", |value| u32::try_from(value.as_i64()?).ok());
        if let Some(fields) = self.tape.member("fields").filter(|&fields| self.tape.is_object(fields)) {
            self.tape.hide(fields);
        }
        let stream = self.stream();
        if let Some(system) = system {
            self.tape.rename_fields(|field| kernel_names::field(&system, field));
        }
        let before = self.streams.get(stream.0 as usize).and_then(|info| info.last);
        if let (Some(before), Some(now)) = (before, time)
            && now < before
        {
            self.note_step_back(before, now);
        }
        let info = &mut self.streams[stream.0 as usize];
        // A stream has a CPU only if all of its events agree on one.
        info.cpu = if info.events == 0 || info.cpu == cpu { cpu } else { None };
        let seq = info.count_event(time);
        Some(Content::Event { stream, seq, time, cpu, symbol })
    }

    fn gap(&mut self, lost: Member, ts: Option<Timestamp>) -> Option<Gap> {
        let is = |name: &str, text: &[u8]| {
            self.tape.member(name).and_then(|member| self.tape.value(member)) == Some(Value::Text(text))
        };
        let is_end = is("edge", b"end");
        let in_packets = is("unit", b"packets");
        let lost = match self.tape.value(lost) {
            Some(Value::Null) => Lost::Unknown,
            Some(Value::Unsigned(count, _)) if count <= u128::from(u64::MAX) => match in_packets {
                true => Lost::Packets(count as u64),
                false => Lost::Events(count as u64),
            },
            _ => {
                self.complain(
                    "line-loss",
                    "the line was left out: `lost` is neither a count nor null".into(),
                );
                return None;
            }
        };
        let moment = |value: Value<'_>| Some(Timestamp(value.as_i64()?));
        let (from, to) = (self.take("from", moment), self.take("to", moment));
        // A line that somebody wrote by hand may know just one moment.
        let (from, to) = if from.is_none() && to.is_none() { (ts, ts) } else { (from, to) };
        let stream = self.stream();
        let before_event = self.streams[stream.0 as usize].events;
        let edge = if is_end { Edge::End } else { Edge::Start };
        Some(Gap { stream, before_event, from, to, lost, edge })
    }

    /// Takes the member `name` away from the fields if `convert` understands its value.
    fn take<T>(&mut self, name: &str, convert: impl Fn(Value<'_>) -> Option<T>) -> Option<T> {
        let member = self.tape.member(name)?;
        let converted = convert(self.tape.value(member)?)?;
        self.tape.hide(member);
        Some(converted)
    }

    /// The system of a kernel tracepoint whose fields have other names in models.
    fn kernel_system(&self, name: Member) -> Option<String> {
        let Some(Value::Text(text)) = self.tape.value(name) else { return None };
        let (system, _) = kernel_names::known(std::str::from_utf8(text).ok()?)?;
        Some(system.to_owned())
    }

    fn symbol(&mut self, name: Member) -> Symbol {
        let Some(Value::Text(text)) = self.tape.value(name) else { return self.alphabet.intern("") };
        let text = std::str::from_utf8(text).unwrap_or("");
        let known = kernel_names::known(text).map(|(_, name)| name);
        let text = known.as_deref().unwrap_or(text);
        if self.alphabet.len() < limits::LINE_NAMES {
            return self.alphabet.intern(text);
        }
        if let Some(symbol) = self.alphabet.find(text) {
            return symbol;
        }
        self.complain_once(
            "line-names",
            format!("more than {} event names; further ones are read as `(other)`", limits::LINE_NAMES),
        );
        self.alphabet.intern("(other)")
    }

    fn stream(&mut self) -> StreamId {
        let member = self.tape.member("stream");
        let member = member.filter(|&member| matches!(self.tape.value(member), Some(Value::Text(_))));
        let mut name = self.file.as_str();
        if let Some(member) = member {
            self.tape.hide(member);
            if let Some(Value::Text(text)) = self.tape.value(member) {
                name = std::str::from_utf8(text).unwrap_or(name);
            }
        }
        if let Some(&stream) = self.stream_by_name.get(name) {
            return stream;
        }
        let full = self.streams.len() >= limits::LINE_NAMES;
        let name = if full { "(other)".to_owned() } else { name.to_owned() };
        if full {
            self.complain_once(
                "line-streams",
                format!("more than {} streams; further ones are read as `(other)`", limits::LINE_NAMES),
            );
            if let Some(&stream) = self.stream_by_name.get(&name) {
                return stream;
            }
        }
        let stream = StreamId(self.streams.len() as u32);
        self.stream_by_name.insert(name.clone(), stream);
        self.streams.push(StreamInfo::new(name, 0, None));
        stream
    }

    /// Says once that times of a stream are not in order, which is nothing that is missing.
    fn note_step_back(&mut self, before: Timestamp, now: Timestamp) {
        let code = "line-time-backwards";
        if !self.reported.contains(&code) {
            self.reported.push(code);
            let sentence = format!(
                "`ts` steps back from {} to {}, as it may do further on; the lines stay in their order",
                before.0, now.0
            );
            self.report(code, Severity::Note, sentence);
        }
    }

    fn complain_once(&mut self, code: &'static str, sentence: String) {
        if !self.reported.contains(&code) {
            self.reported.push(code);
            self.complain(code, sentence);
        }
    }

    fn complain(&mut self, code: &'static str, sentence: String) {
        self.report(code, Severity::Damage, sentence);
    }

    fn report(&mut self, code: &'static str, severity: Severity, sentence: String) {
        if self.diagnostics.len() >= limits::DIAGNOSTICS {
            self.dropped_diagnostics += 1;
            return;
        }
        let location = Location::Line { file: self.file.clone(), line: self.lines.number };
        self.diagnostics.push(Diagnostic { code, severity, location, sentence });
    }

    /// At the end: says how many diagnostics there was no room for.
    fn finish(&mut self) {
        let more = std::mem::take(&mut self.dropped_diagnostics);
        if more > 0 {
            let location = Location::Line { file: self.file.clone(), line: self.lines.number };
            let sentence =
                format!("{more} further diagnostics are not listed (limit {})", limits::DIAGNOSTICS);
            self.diagnostics.push(Diagnostic {
                code: "diagnostics-limit",
                severity: Severity::Damage,
                location,
                sentence,
            });
        }
    }
}

impl<R: Read> EventSource for Reader<R> {
    fn next_item(&mut self) -> Option<Item<'_>> {
        if self.done {
            return None;
        }
        let Some(content) = self.next_content() else {
            self.done = true;
            self.finish();
            return None;
        };
        Some(match content {
            Content::Gap(gap) => Item::Gap(gap),
            Content::Event { stream, seq, time, cpu, symbol } => Item::Event(Event {
                stream,
                seq,
                time,
                cpu,
                symbol,
                fields: &self.tape,
                origin: Origin::of(self),
            }),
        })
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

    /// Exactly where the next line begins: who notes that can begin to read there.
    fn progress(&self) -> (u64, u64) {
        (self.lines.offset(), self.size)
    }
}
