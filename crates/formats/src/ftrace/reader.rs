//! The reader: lines in their order, and gaps where they lie.

use std::collections::{BTreeMap, VecDeque};
use std::io::Read;

use model::{
    Alphabet, Diagnostic, Edge, Event, EventSource, Gap, Item, Location, Lost, Origin, Severity, StreamId,
    StreamInfo, Symbol, Timestamp, TraceInfo,
};

use super::args::Current;
use super::head;
use super::loss::{self, Note};
use super::window::{Waiting, Window};
use crate::limits;
use crate::lines::{Line, Lines};

/// Reads the text `R`. Holds a window of lines, the names and the diagnostics.
pub struct Reader<R> {
    lines: Lines<R>,
    size: u64,
    file: String,
    window: Window,
    /// Gaps that go before the next line.
    ready: VecDeque<Gap>,
    current: Current,
    alphabet: Alphabet,
    traces: [TraceInfo; 1],
    infos: Vec<StreamInfo>,
    /// By instance and CPU.
    streams: BTreeMap<(String, u32), u32>,
    read: Vec<Progress>,
    header: Header,
    diagnostics: Vec<Diagnostic>,
    /// Lines of no form that is known, and other complaints without a place.
    odd: u64,
    is_over: bool,
}

/// How far a stream was read, which is ahead of what was handed out.
#[derive(Debug, Default)]
struct Progress {
    events: u64,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    /// The number of its last line in the window.
    line: Option<u64>,
    /// Lost before its next line.
    lost: Option<Lost>,
}

/// What the header says.
#[derive(Debug, Default)]
struct Header {
    tracer: Option<String>,
    /// Events that were overwritten before the first line, until a gap reports them.
    overwritten: u64,
    cpus: u32,
}

impl<R> std::fmt::Debug for Reader<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("file", &self.file).finish_non_exhaustive()
    }
}

impl<R: Read> Reader<R> {
    /// Reads `input`; `file` is what diagnostics call it, `size` its length for the progress, 0 where nobody knows.
    pub fn new(file: &str, input: R, size: u64) -> Reader<R> {
        let mut reader = Reader {
            lines: Lines::new(input),
            size,
            file: file.to_owned(),
            window: Window::default(),
            ready: VecDeque::new(),
            current: Current::default(),
            alphabet: Alphabet::default(),
            traces: [TraceInfo { format: "ftrace text".to_owned(), ..TraceInfo::default() }],
            infos: vec![],
            streams: BTreeMap::new(),
            read: vec![],
            header: Header::default(),
            diagnostics: vec![],
            odd: 0,
            is_over: false,
        };
        reader.fill();
        reader.locate_overwritten();
        reader.traces[0].tracer = reader.header.tracer.clone();
        reader
    }

    /// Reads lines until enough wait.
    fn fill(&mut self) {
        while !self.is_over && !self.window.is_full() {
            let line = match self.lines.next_line() {
                Ok(Some(Line::Text(text))) => String::from_utf8_lossy(text).into_owned(),
                Ok(Some(Line::TooLong)) => {
                    let sentence =
                        format!("the line is longer than {} bytes and was left out", limits::LINE_BYTES);
                    self.complain("line-too-long", Severity::Damage, sentence);
                    continue;
                }
                Ok(None) => {
                    self.end();
                    return;
                }
                Err(error) => {
                    let sentence = format!("reading stopped after this line: {error}");
                    self.complain("line-unreadable", Severity::Damage, sentence);
                    self.end();
                    return;
                }
            };
            if !line.trim().is_empty() {
                self.take(line);
            }
        }
    }

    fn take(&mut self, line: String) {
        match loss::parse(&line) {
            Some(Note::Lost(instance, cpu, count)) => {
                let stream = self.stream(instance, cpu);
                let more = count.map_or(Lost::Unknown, Lost::Events);
                let progress = &mut self.read[stream as usize];
                progress.lost = Some(match (progress.lost, more) {
                    (Some(Lost::Events(sum)), Lost::Events(more)) => Lost::Events(sum.saturating_add(more)),
                    (None, more) => more,
                    _ => Lost::Unknown,
                });
            }
            Some(Note::Overwritten(count, cpus)) => {
                self.header.overwritten = self.header.overwritten.max(count);
                self.header.cpus = cpus;
            }
            Some(Note::Started(_)) => {}
            None if line.starts_with('#') => {
                if let Some(tracer) = line.strip_prefix("# tracer: ").filter(|_| self.header.tracer.is_none())
                {
                    self.header.tracer = Some(format!("ftrace ({})", tracer.trim()));
                }
            }
            None => self.event(line),
        }
    }

    fn event(&mut self, line: String) {
        let is_graph = self.header.tracer.as_deref().is_some_and(|tracer| tracer.contains("function_graph"));
        let head = match is_graph {
            true => head::graph(&line).or_else(|| head::parse(&line)),
            false => head::parse(&line),
        };
        let Some(head) = head else {
            // A call of function_graph ends, a thread begins to run, or the trace says how many CPUs it has.
            let is_known = is_graph && line.contains([')', '|', '-'])
                || self.infos.is_empty() && line.starts_with("cpus=");
            if !is_known {
                self.odd += 1;
                if self.odd <= limits::FTRACE_SAME_DIAGNOSTICS {
                    let sentence = "the line is no event of ftrace and was left out".to_owned();
                    self.complain("ftrace-line", Severity::Damage, sentence);
                }
            }
            return;
        };
        let instance = line.get(head.instance.clone()).unwrap_or_default().to_owned();
        let stream = self.stream(&instance, head.cpu);
        let time = head.time.map(Timestamp);
        let is_first = self.read[stream as usize].events == 0;
        // Overwritten events are counted for all CPUs together, so any of them may lack its beginning.
        if is_first && self.header.overwritten > 0 && self.header.cpus > 1 {
            self.read[stream as usize].lost.get_or_insert(Lost::Unknown);
        }
        self.close_gap(stream, time);
        let number = self.window.push(Waiting { line, head, stream, gaps: vec![] });
        let progress = &mut self.read[stream as usize];
        progress.line = Some(number);
        progress.events += 1;
        progress.first = progress.first.or(time);
        progress.last = time.or(progress.last);
    }

    /// Puts the gap of what a stream lost before its next line, at `to`, where it belongs.
    fn close_gap(&mut self, stream: u32, to: Option<Timestamp>) {
        let Some(progress) = self.read.get_mut(stream as usize) else { return };
        let Some(lost) = progress.lost.take() else { return };
        let gap = Gap {
            stream: StreamId(stream),
            before_event: progress.events,
            from: progress.last,
            to: to.max(progress.last).filter(|_| to.is_some()),
            lost,
            edge: Edge::Start,
        };
        if let Err(gap) = self.window.put(progress.line, gap) {
            self.ready.push_back(gap);
        }
    }

    /// Reports the overwritten events: for the CPU if there is only one, else for a stream without a CPU.
    fn locate_overwritten(&mut self) {
        let lost = std::mem::take(&mut self.header.overwritten);
        if lost == 0 {
            return;
        }
        let only = self.header.cpus == 1 && self.infos.len() == 1;
        let stream = if only { 0 } else { self.stream("", u32::MAX) };
        let to = self.read.iter().filter_map(|progress| progress.first).max();
        let lost = Lost::Events(lost);
        let gap = Gap { stream: StreamId(stream), before_event: 0, from: None, to, lost, edge: Edge::Start };
        self.ready.push_front(gap);
        // CPUs that come later are reported to lack their beginning, too.
        self.header.overwritten = if only { 0 } else { 1 };
    }

    fn stream(&mut self, instance: &str, cpu: u32) -> u32 {
        let key = (instance.to_owned(), cpu);
        if let Some(known) = self.streams.get(&key) {
            return *known;
        }
        let is_full = self.infos.len() >= limits::FTRACE_STREAMS;
        if is_full {
            return 0;
        }
        let name = if cpu == u32::MAX { "unknown".to_owned() } else { format!("cpu {cpu}") };
        let name = if instance.is_empty() { name } else { format!("{instance} {name}") };
        let number = self.infos.len() as u32;
        self.streams.insert(key, number);
        self.read.push(Progress::default());
        self.infos.push(StreamInfo::new(name, 0, Some(cpu).filter(|cpu| *cpu != u32::MAX)));
        number
    }

    fn complain(&mut self, code: &'static str, severity: Severity, sentence: String) {
        if self.diagnostics.len() < limits::DIAGNOSTICS {
            let location = Location::Line { file: self.file.clone(), line: self.lines.number };
            self.diagnostics.push(Diagnostic { code, severity, location, sentence });
        }
    }

    /// No more lines come.
    fn end(&mut self) {
        self.is_over = true;
        for stream in 0..self.read.len() {
            self.close_gap(stream as u32, None);
        }
        if self.odd > limits::FTRACE_SAME_DIAGNOSTICS {
            let sentence = format!("{} lines in all are no events of ftrace and were left out", self.odd);
            self.complain("ftrace-lines", Severity::Damage, sentence);
        }
    }

    fn symbol(&mut self, name: &str) -> Symbol {
        match self.alphabet.find(name) {
            Some(symbol) => symbol,
            None if self.alphabet.len() < limits::LINE_NAMES => self.alphabet.intern(name),
            None => self.alphabet.intern("(other)"),
        }
    }
}

impl<R: Read> EventSource for Reader<R> {
    fn next_item(&mut self) -> Option<Item<'_>> {
        if self.ready.is_empty() {
            self.fill();
        }
        if let Some(gap) = self.ready.pop_front() {
            return Some(Item::Gap(gap));
        }
        let Waiting { line, head, stream, gaps } = self.window.pop()?;
        self.ready.extend(gaps);
        let (time, cpu) = (head.time.map(Timestamp), Some(head.cpu));
        let name = self.current.set(line, head);
        let symbol = self.symbol(&name);
        let info = self.infos.get_mut(stream as usize)?;
        let seq = info.count_event(time);
        let stream = StreamId(stream);
        Some(Item::Event(Event {
            stream,
            seq,
            time,
            cpu,
            symbol,
            fields: &self.current,
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
        &self.infos
    }

    fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    fn progress(&self) -> (u64, u64) {
        (self.lines.offset(), self.size)
    }
}
