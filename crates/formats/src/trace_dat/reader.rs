//! The reader: records of all CPUs by time, and between them what was lost.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use model::{
    Alphabet, Base, Diagnostic, Edge, Event, EventSource, FieldSink, Fields, Gap, Item, Location, Lost,
    Origin, Scope, Severity, StreamId, StreamInfo, Symbol, Timestamp, TraceInfo, Value,
};
use source::{NamedSource, Source};

use super::error::Error;
use super::header::Header;
use super::page::{Page, Record};
use super::pages::Pages;
use crate::kernel_names::{self, Name};
use crate::limits;
use crate::syscalls::Syscalls;
use crate::tracepoint::{Format, decode};
use std::collections::HashMap;
use std::rc::Rc;

/// Reads one trace.dat.
pub struct Reader {
    source: Box<dyn Source>,
    file: String,
    header: Header,
    kinds: HashMap<u64, Kind>,
    calls: Syscalls,
    cpus: Vec<Cpu>,
    /// The next record of each CPU: time and stream.
    next: BinaryHeap<Reverse<(i64, usize)>>,
    /// The CPU whose record was handed out, which was not read on yet.
    taken: Option<usize>,
    ready: VecDeque<Gap>,
    /// Bytes that pages may still be decompressed to at one time.
    budget: u64,
    current: Current,
    alphabet: Alphabet,
    traces: [TraceInfo; 1],
    infos: Vec<StreamInfo>,
    diagnostics: Vec<Diagnostic>,
    odd: u64,
    read: u64,
    all: u64,
}

/// A tracepoint under the names that are shown.
#[derive(Debug)]
struct Kind {
    format: Rc<Format>,
    name: Name,
    symbol: Option<Symbol>,
}

/// A CPU of a buffer, and how far it was read.
#[derive(Debug)]
struct Cpu {
    pages: Pages,
    page: Page,
    record: Option<Record>,
    /// Lost events that its pages report.
    reported: u64,
    has_uncounted: bool,
    /// Lost events that the kernel counted.
    counted: Option<u64>,
    last: Option<Timestamp>,
    events: u64,
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("file", &self.file).field("infos", &self.infos).finish_non_exhaustive()
    }
}

impl Reader {
    /// Opens a file.
    ///
    /// # Errors
    /// When it is no trace.dat, or one of a kind that is not read, or holds no pages.
    pub fn open(file: NamedSource) -> Result<Reader, Error> {
        let NamedSource { name, source } = file;
        let mut header = Header::read(&*source)?;
        let machine =
            header.options.uname.as_deref().and_then(|uname| uname.rsplit(' ').next()).map(str::to_owned);
        let kinds =
            std::mem::take(&mut header.formats).into_iter().map(|(id, format)| (id, Kind::new(format)));
        let host = header.options.uname.as_deref().and_then(|uname| uname.split(' ').nth(1));
        let trace = TraceInfo {
            format: format!("trace.dat {}", header.version),
            host: host.map(str::to_owned),
            tracer: header.options.tracer.clone(),
            environment: header
                .options
                .uname
                .iter()
                .map(|uname| ("uname".to_owned(), uname.clone()))
                .collect(),
            ..TraceInfo::default()
        };
        let size = source.size();
        let mut reader = Reader {
            kinds: kinds.collect(),
            calls: Syscalls::of(machine.as_deref()),
            source,
            file: name,
            cpus: vec![],
            next: BinaryHeap::new(),
            taken: None,
            ready: VecDeque::new(),
            budget: limits::TRACE_DAT_DECOMPRESSED + size.saturating_mul(2),
            current: Current::default(),
            alphabet: Alphabet::default(),
            traces: [trace],
            infos: vec![],
            diagnostics: vec![],
            odd: 0,
            read: 0,
            all: 0,
            header,
        };
        for (offset, sentence) in std::mem::take(&mut reader.header.troubles) {
            reader.damage("trace-dat-header", offset, format!("{sentence}."));
        }
        for sentence in std::mem::take(&mut reader.header.options.passed) {
            let location = Location::File { file: reader.file.clone(), offset: 0 };
            let (code, severity) = ("trace-dat-left-out", Severity::Note);
            reader.diagnostics.push(Diagnostic {
                code,
                severity,
                location,
                sentence: format!("{sentence}."),
            });
        }
        reader.add_cpus();
        for stream in 0..reader.cpus.len() {
            reader.advance(stream);
        }
        Ok(reader)
    }

    fn add_cpus(&mut self) {
        let mut lost = std::mem::take(&mut self.header.options.lost);
        for buffer in std::mem::take(&mut self.header.options.buffers) {
            let page = buffer.page.filter(|page| (64..=limits::TRACE_DAT_PAGE).contains(page));
            let page = page.map_or(self.header.page, |page| page as usize);
            for of_cpu in &buffer.cpus {
                if self.cpus.len() >= limits::FTRACE_STREAMS {
                    return;
                }
                let name = match buffer.name.as_str() {
                    "" => format!("cpu {}", of_cpu.cpu),
                    name => format!("{name} cpu {}", of_cpu.cpu),
                };
                self.infos.push(StreamInfo::new(name, 0, Some(of_cpu.cpu)));
                self.all = self.all.saturating_add(of_cpu.size);
                self.cpus.push(Cpu {
                    pages: Pages::new(of_cpu, page, buffer.is_compressed, self.header.compression),
                    page: Page::default(),
                    record: None,
                    reported: 0,
                    has_uncounted: false,
                    counted: lost.remove(&(buffer.name.clone(), of_cpu.cpu)),
                    last: None,
                    events: 0,
                });
            }
        }
    }

    /// Reads the next record of a CPU; what is missing before it becomes a gap.
    fn advance(&mut self, stream: usize) {
        let mut lost = None;
        loop {
            let Some(cpu) = self.cpus.get_mut(stream) else { return };
            if let Some(record) = cpu.page.next(cpu.pages.page()) {
                cpu.record = Some(record);
                cpu.events += 1;
                let time = self.time(record.time);
                self.gap(stream, lost, Some(time));
                if let Some(cpu) = self.cpus.get_mut(stream) {
                    cpu.last = cpu.last.max(Some(time));
                }
                self.next.push(Reverse((time.0, stream)));
                return;
            }
            if std::mem::take(&mut cpu.page.is_damaged) {
                lost = add(lost, Lost::Unknown);
                let offset = cpu.pages.offset();
                self.damage(
                    "trace-dat-page",
                    offset,
                    "A page makes no sense from some record on; the rest of it is left out.".to_owned(),
                );
                continue;
            }
            let before = cpu.pages.offset();
            let more = cpu.pages.next(&*self.source, &mut self.budget);
            self.read = self.read.saturating_add(cpu.pages.offset().saturating_sub(before));
            match more {
                Ok(true) => {
                    cpu.page = Page::begin(cpu.pages.page(), self.header.size_bytes, self.header.records);
                    if let Some(more) = cpu.page.lost {
                        match more {
                            Lost::Events(count) => cpu.reported = cpu.reported.saturating_add(count),
                            _ => cpu.has_uncounted = true,
                        }
                        lost = add(lost, more);
                    }
                    if let Some(info) = self.infos.get_mut(stream) {
                        info.packets += 1;
                    }
                }
                Ok(false) => break,
                Err(sentence) => {
                    self.damage("trace-dat-pages", before, sentence);
                    lost = add(lost, Lost::Unknown);
                    break;
                }
            }
        }
        self.end(stream, lost);
    }

    /// A CPU has no further record.
    fn end(&mut self, stream: usize, mut lost: Option<Lost>) {
        let Some(cpu) = self.cpus.get_mut(stream) else { return };
        cpu.record = None;
        let undeclared = cpu
            .counted
            .take()
            .and_then(|counted| counted.checked_sub(cpu.reported))
            .filter(|count| *count > 0);
        match undeclared {
            Some(count) if cpu.has_uncounted => {
                let sentence = format!(
                    "The kernel counted {count} lost events of {} more than the pages say; how many were lost at each \
                     place is not said.",
                    self.infos.get(stream).map_or("?", |info| &info.name)
                );
                let location = Location::File { file: self.file.clone(), offset: 0 };
                let (code, severity) = ("trace-dat-overrun", Severity::Note);
                self.diagnostics.push(Diagnostic { code, severity, location, sentence });
            }
            Some(count) => lost = add(lost, Lost::Events(count)),
            None => {}
        }
        self.gap(stream, lost, None);
    }

    fn gap(&mut self, stream: usize, lost: Option<Lost>, to: Option<Timestamp>) {
        let (Some(lost), Some(cpu)) = (lost, self.cpus.get(stream)) else { return };
        // The record that comes behind it is counted already.
        let before_event = if to.is_some() { cpu.events - 1 } else { cpu.events };
        let to = to.max(cpu.last).filter(|_| to.is_some());
        let (stream, from) = (StreamId(stream as u32), cpu.last);
        self.ready.push_back(Gap { stream, before_event, from, to, lost, edge: Edge::Start });
    }

    fn time(&self, time: u64) -> Timestamp {
        let mut time = i128::from(time);
        if let Some(ticks) = self.header.options.ticks {
            time = ((time * i128::from(ticks.multiplier)) >> ticks.shift.min(63)) + i128::from(ticks.offset);
        }
        Timestamp::clamped(time + i128::from(self.header.options.offset)).0
    }

    fn damage(&mut self, code: &'static str, offset: u64, sentence: String) {
        self.odd += 1;
        if self.odd <= limits::DIAGNOSTICS as u64 {
            let location = Location::File { file: self.file.clone(), offset };
            self.diagnostics.push(Diagnostic { code, severity: Severity::Damage, location, sentence });
        }
    }

    /// Makes the record of a CPU the one that is shown.
    fn show(&mut self, stream: usize) -> Option<Symbol> {
        let cpu = self.cpus.get(stream)?;
        let record = cpu.record?;
        let raw = cpu.pages.page().get(record.start..record.end)?;
        self.current.raw.clear();
        self.current.raw.extend_from_slice(raw);
        let id = raw.first_chunk::<2>().map_or(0, |id| u64::from(u16::from_le_bytes(*id)));
        let Some(kind) = self.kinds.get_mut(&id) else {
            self.current.format = None;
            (self.current.tid, self.current.shown) = (None, 0);
            self.current.comm = None;
            return Some(self.alphabet.intern(&format!("tracepoint {id}")));
        };
        let format = kind.format.clone();
        let raw = &self.current.raw;
        let (shown, trouble) = decode::check(&format.fields, raw);
        let tid =
            format.common_pid.as_ref().and_then(|field| i64::try_from(decode::number(field, raw)?).ok());
        self.current.tid = tid;
        self.current.comm = tid.and_then(|tid| match tid {
            0 => Some("<idle>".to_owned()),
            tid => self.header.comms.get(&tid).cloned(),
        });
        self.current.shown = shown;
        self.current.format = Some(format);
        let symbol = match (&kind.name, kind.symbol) {
            (_, Some(symbol)) => symbol,
            (Name::Fixed(name), None) => *kind.symbol.insert(self.alphabet.intern(name)),
            (Name::Syscall(end), None) => {
                let call = self.current.get("id").and_then(|id| self.calls.name(id.as_i64()?));
                self.alphabet.intern(&format!("{}{}", end.prefix(), call.unwrap_or("unknown")))
            }
        };
        if let Some(sentence) = trouble {
            let offset = self.cpus.get(stream).map_or(0, |cpu| cpu.pages.offset());
            self.damage("trace-dat-field", offset, sentence);
        }
        Some(symbol)
    }
}

fn add(lost: Option<Lost>, more: Lost) -> Option<Lost> {
    Some(match (lost, more) {
        (Some(Lost::Events(sum)), Lost::Events(more)) => Lost::Events(sum.saturating_add(more)),
        (None, more) => more,
        _ => Lost::Unknown,
    })
}

impl Kind {
    fn new(mut format: Format) -> Kind {
        let name = match format.system.as_str() {
            "ftrace" => Name::Fixed(format.name.clone()),
            system => kernel_names::event(system, &format.name),
        };
        for field in &mut format.fields {
            field.name = kernel_names::field(&format.system, &field.name);
        }
        Kind { format: Rc::new(format), name, symbol: None }
    }
}

impl EventSource for Reader {
    fn next_item(&mut self) -> Option<Item<'_>> {
        if let Some(stream) = self.taken.take() {
            self.advance(stream);
        }
        if let Some(gap) = self.ready.pop_front() {
            return Some(Item::Gap(gap));
        }
        let Reverse((time, stream)) = self.next.pop()?;
        self.taken = Some(stream);
        let symbol = self.show(stream)?;
        let time = Some(Timestamp(time));
        let info = self.infos.get_mut(stream)?;
        let seq = info.count_event(time);
        let (stream, cpu) = (StreamId(stream as u32), info.cpu);
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
        (self.read, self.all)
    }
}

/// A copy of the record that is shown; fields are decoded when somebody asks.
#[derive(Debug, Default)]
struct Current {
    format: Option<Rc<Format>>,
    shown: usize,
    raw: Vec<u8>,
    tid: Option<i64>,
    comm: Option<String>,
}

impl Current {
    fn fields(&self) -> &[crate::tracepoint::Field] {
        let all = self.format.as_ref().map_or(&[][..], |format| &format.fields);
        all.get(..self.shown).unwrap_or(all)
    }

    fn context(&self) -> [(&'static str, Option<Value<'_>>); 2] {
        let tid = self.tid.map(|tid| Value::Signed(tid.into(), Base::Decimal));
        [("procname", self.comm.as_ref().map(|comm| Value::Text(comm.as_bytes()))), ("tid", tid)]
    }
}

impl Fields for Current {
    fn visit(&self, scope: Scope, sink: &mut dyn FieldSink) {
        if scope == Scope::Context {
            for (name, value) in self.context() {
                if let Some(value) = value {
                    sink.value(name, value);
                }
            }
            return;
        }
        decode::visit(self.fields(), &self.raw, sink);
    }

    fn get(&self, name: &str) -> Option<Value<'_>> {
        if let Some(field) = self.fields().iter().find(|field| field.name == name) {
            return decode::value(field, &self.raw);
        }
        self.context().into_iter().find(|(known, _)| *known == name)?.1
    }
}
