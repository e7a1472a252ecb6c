//! What the kernel wrote: events of all CPUs by time, and between them what was lost.

use std::collections::{BTreeMap, HashMap};

use model::{
    Alphabet, Base, Diagnostic, Edge, Event, EventSource, FieldSink, Fields, Gap, Item, Location, Lost,
    Origin, Scope, Severity, StreamId, StreamInfo, Symbol, Timestamp, TraceInfo, Value,
};

use super::bundle::{Bundle, Columns, Stored, Thread};
use super::kernel_events::described;
use super::proto::{Message, Wire, is_whole, numbers, text};
use crate::kernel_names::{self, Name};
use crate::limits;
use crate::syscalls::Syscalls;

/// One event of a CPU, or a loss.
#[derive(Debug, Clone, Copy)]
struct Entry {
    time: i64,
    cpu: u32,
    stored: Stored,
    /// Something was lost before it.
    after_loss: bool,
}

/// Collects events packet by packet.
#[derive(Debug, Default)]
pub(super) struct Building {
    entries: Vec<Entry>,
    /// Messages of events.
    stored: Vec<u8>,
    names: Vec<String>,
    names_by_text: HashMap<Vec<u8>, u32>,
    /// Who came last on a CPU, by columns.
    last: BTreeMap<u32, Thread>,
    /// Overrun by the first and by the last statistics.
    overrun: BTreeMap<u32, (u64, u64)>,
    machine: Option<String>,
    host: Option<String>,
    is_damaged: bool,
}

impl Building {
    /// Takes a packet; whether what the kernel wrote in it makes sense.
    pub(super) fn take(&mut self, packet: &[u8]) -> bool {
        let mut was_dropped = false;
        let mut is_first = false;
        let mut bundle = None;
        for field in Message::new(packet) {
            match field {
                (1, Wire::Bytes(bytes)) => bundle = Some(bytes),
                (34, Wire::Bytes(stats)) => self.statistics(stats),
                (42, Wire::Number(was)) => was_dropped = was != 0,
                (45, Wire::Bytes(system)) => self.system(system),
                (87, Wire::Number(is)) => is_first = is != 0,
                _ => {}
            }
        }
        // The service says of the first packet of each sequence that some before it were dropped.
        let was_dropped = was_dropped && !is_first && !self.entries.is_empty();
        bundle.is_none_or(|bundle| self.bundle(bundle, was_dropped))
    }

    fn bundle(&mut self, bytes: &[u8], was_dropped: bool) -> bool {
        let bundle = Bundle::parse(bytes);
        let cpu = bundle.cpu;
        let mut after_loss = bundle.has_lost || was_dropped;
        if after_loss {
            self.last.remove(&cpu);
        }
        let first = self.entries.len();
        let mut is_sound = bundle.is_whole;
        for event in Bundle::events(bytes) {
            is_sound &= is_whole(event);
            let time = Message::new(event).find_map(|field| match field {
                (1, Wire::Number(time)) => i64::try_from(time).ok(),
                _ => None,
            });
            let (at, length) = (self.stored.len() as u64, event.len() as u32);
            self.stored.extend_from_slice(event);
            self.add(Entry {
                time: time.unwrap_or(0),
                cpu,
                stored: Stored::Message { at, length },
                after_loss: false,
            });
        }
        if let Some(columns) = bundle.columns {
            is_sound &= is_whole(columns);
            self.columns(cpu, &Columns::parse(columns));
        }
        // Events and columns of a bundle come one behind the other; within it time is the order.
        let added = self.entries.get_mut(first..).unwrap_or_default();
        added.sort_by_key(|entry| entry.time);
        for entry in added.iter_mut() {
            entry.after_loss = std::mem::take(&mut after_loss);
        }
        is_sound
    }

    fn add(&mut self, entry: Entry) {
        if self.entries.len() < limits::PERFETTO_EVENTS {
            self.entries.push(entry);
        }
    }

    fn columns(&mut self, cpu: u32, columns: &Columns<'_>) {
        let names: Vec<u32> = columns.names.iter().map(|name| self.name(name)).collect();
        let name = |number: usize| names.get(number).copied().unwrap_or(u32::MAX);
        for (time, state, tid, prio, comm) in columns.switches() {
            let next = Thread { tid, prio, comm: name(comm) };
            let prev = self.last.insert(cpu, next);
            let time = i64::try_from(time).unwrap_or(i64::MAX);
            self.add(Entry { time, cpu, stored: Stored::Switch { prev, state, next }, after_loss: false });
        }
        for (time, tid, prio, target, comm) in columns.wakings() {
            let thread = Thread { tid, prio, comm: name(comm) };
            let time = i64::try_from(time).unwrap_or(i64::MAX);
            self.add(Entry { time, cpu, stored: Stored::Waking { thread, cpu: target }, after_loss: false });
        }
    }

    fn name(&mut self, bytes: &[u8]) -> u32 {
        if let Some(known) = self.names_by_text.get(bytes) {
            return *known;
        }
        if self.names.len() >= limits::PERFETTO_NAMES {
            return u32::MAX;
        }
        let number = self.names.len() as u32;
        self.names.push(text(bytes.get(..limits::PERFETTO_NAME).unwrap_or(bytes)));
        self.names_by_text.insert(bytes.to_owned(), number);
        number
    }

    fn statistics(&mut self, stats: &[u8]) {
        for field in Message::new(stats) {
            let (2, Wire::Bytes(of_cpu)) = field else { continue };
            let (mut cpu, mut overrun) = (0, 0u64);
            for field in Message::new(of_cpu) {
                match field {
                    (1, Wire::Number(number)) => cpu = number as u32,
                    (3 | 4 | 8, Wire::Number(count)) => overrun = overrun.saturating_add(count),
                    _ => {}
                }
            }
            if self.overrun.len() < limits::FTRACE_STREAMS {
                self.overrun.entry(cpu).or_insert((overrun, overrun)).1 = overrun;
            }
        }
    }

    fn system(&mut self, system: &[u8]) {
        for field in Message::new(system) {
            let (1, Wire::Bytes(uname)) = field else { continue };
            for field in Message::new(uname) {
                match field {
                    (4, Wire::Bytes(machine)) => self.machine = Some(text(machine)),
                    (3, Wire::Bytes(release)) => self.host = Some(format!("Linux {}", text(release))),
                    _ => {}
                }
            }
        }
    }

    /// No further packet comes; `None` if the kernel wrote nothing.
    pub(super) fn finish(mut self, file: &str, diagnostics: &[Diagnostic], is_cut: bool) -> Option<Reader> {
        if self.entries.is_empty() {
            return None;
        }
        self.is_damaged = is_cut;
        self.entries.sort_by_key(|entry| entry.time);
        let mut cpus: Vec<u32> = self.entries.iter().map(|entry| entry.cpu).collect();
        cpus.sort_unstable();
        cpus.dedup();
        cpus.truncate(limits::FTRACE_STREAMS);
        let stream = |cpu: &u32| StreamInfo::new(format!("cpu {cpu}"), 0, Some(*cpu));
        let environment = self.host.iter().map(|host| ("kernel".to_owned(), host.clone())).collect();
        let trace = TraceInfo { format: "Perfetto (ftrace)".to_owned(), environment, ..TraceInfo::default() };
        let mut reader = Reader {
            infos: cpus.iter().map(stream).collect(),
            cpus,
            next: 0,
            gaps: vec![],
            next_gap: 0,
            alphabet: Alphabet::default(),
            traces: [trace],
            diagnostics: diagnostics.to_vec(),
            calls: Syscalls::of(self.machine.as_deref()),
            current: Current { building: self, ..Current::default() },
        };
        reader.locate_gaps(file);
        Some(reader)
    }
}

/// Hands out what was collected.
pub(super) struct Reader {
    cpus: Vec<u32>,
    infos: Vec<StreamInfo>,
    next: usize,
    /// By the entry in front of which each is handed out.
    gaps: Vec<(usize, Gap)>,
    next_gap: usize,
    alphabet: Alphabet,
    traces: [TraceInfo; 1],
    diagnostics: Vec<Diagnostic>,
    calls: Syscalls,
    current: Current,
}

impl Reader {
    pub(super) fn len(&self) -> u64 {
        self.current.building.entries.len() as u64
    }

    fn stream(&self, cpu: u32) -> usize {
        self.cpus.binary_search(&cpu).unwrap_or(0)
    }

    /// Finds out where each loss lies: right behind the last event of its CPU.
    fn locate_gaps(&mut self, file: &str) {
        let mut last: Vec<Option<usize>> = vec![None; self.cpus.len()];
        let mut events = vec![0u64; self.cpus.len()];
        let entries = &self.current.building.entries;
        let time = |number: usize| entries.get(number).map(|entry| Timestamp(entry.time));
        for (number, entry) in entries.iter().enumerate() {
            let stream = self.stream(entry.cpu);
            if entry.after_loss {
                let before = last.get(stream).copied().flatten();
                let gap = Gap {
                    stream: StreamId(stream as u32),
                    before_event: events.get(stream).copied().unwrap_or(0),
                    from: before.and_then(time),
                    to: time(number),
                    lost: Lost::Unknown,
                    edge: Edge::Start,
                };
                self.gaps.push((before.map_or(0, |before| before + 1), gap));
            }
            if let (Some(last), Some(events)) = (last.get_mut(stream), events.get_mut(stream)) {
                *last = Some(number);
                *events += 1;
            }
        }
        let at_end = last.iter().zip(events).enumerate().map(|(stream, (last, events))| {
            let (stream, from) = (StreamId(stream as u32), last.and_then(time));
            let gap =
                Gap { stream, before_event: events, from, to: None, lost: Lost::Unknown, edge: Edge::Start };
            (last.map_or(0, |last| last + 1), gap)
        });
        // The rest of a file that is cut may have had more of each CPU.
        let at_end: Vec<(usize, Gap)> = at_end.filter(|_| self.current.building.is_damaged).collect();
        self.count_gaps(file);
        self.gaps.extend(at_end);
        self.gaps.sort_by_key(|(number, _)| *number);
    }

    /// The statistics say how much was lost on each CPU; where it was lost at one place only, that place has the count.
    fn count_gaps(&mut self, file: &str) {
        for (cpu, (first, last)) in self.current.building.overrun.clone() {
            let Some(count) = last.checked_sub(first).filter(|count| *count > 0) else { continue };
            let Ok(stream) = self.cpus.binary_search(&cpu) else { continue };
            let mut of_cpu = self.gaps.iter_mut().filter(|(_, gap)| gap.stream.0 as usize == stream);
            match (of_cpu.next(), of_cpu.count()) {
                (Some((_, gap)), 0) => gap.lost = Lost::Events(count),
                (Some(_), more) => {
                    let sentence = format!(
                        "The kernel overwrote {count} events of CPU {cpu}, at {} places; how many at each is not said.",
                        more + 1
                    );
                    let location = Location::File { file: file.to_owned(), offset: 0 };
                    let (code, severity) = ("perfetto-overrun", Severity::Note);
                    self.diagnostics.push(Diagnostic { code, severity, location, sentence });
                }
                (None, _) => {
                    let stream = StreamId(stream as u32);
                    let lost = Lost::Events(count);
                    let gap = Gap { stream, before_event: 0, from: None, to: None, lost, edge: Edge::Start };
                    self.gaps.push((0, gap));
                }
            }
        }
    }

    fn symbol(&mut self) -> Symbol {
        let name = match self.current.name() {
            Name::Fixed(name) => name,
            Name::Syscall(end) => {
                let call = self.current.get("id").and_then(|id| self.calls.name(id.as_i64()?));
                format!("{}{}", end.prefix(), call.unwrap_or("unknown"))
            }
        };
        match self.alphabet.find(&name) {
            Some(symbol) => symbol,
            None if self.alphabet.len() < limits::LINE_NAMES => self.alphabet.intern(&name),
            None => self.alphabet.intern("(other)"),
        }
    }
}

impl EventSource for Reader {
    fn next_item(&mut self) -> Option<Item<'_>> {
        if let Some((_, gap)) = self.gaps.get(self.next_gap).filter(|(number, _)| *number <= self.next) {
            self.next_gap += 1;
            return Some(Item::Gap(*gap));
        }
        let entry = *self.current.building.entries.get(self.next)?;
        self.next += 1;
        self.current.set(entry.stored);
        let symbol = self.symbol();
        let stream = self.stream(entry.cpu);
        let time = Some(Timestamp(entry.time));
        let info = self.infos.get_mut(stream)?;
        let seq = info.count_event(time);
        let (stream, cpu) = (StreamId(stream as u32), Some(entry.cpu));
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
        (self.next as u64, self.len())
    }
}

/// The event that is shown. It decodes fields when somebody asks.
#[derive(Debug, Default)]
struct Current {
    building: Building,
    stored: Option<Stored>,
    /// Of a message: the thread that wrote it, the number of the event, and where what it carries lies.
    tid: Option<i64>,
    number: u32,
    body: std::ops::Range<usize>,
}

impl Current {
    fn set(&mut self, stored: Stored) {
        self.stored = Some(stored);
        (self.tid, self.number, self.body) = (None, 0, 0..0);
        let Stored::Message { at, length } = stored else { return };
        let start = at as usize;
        let bytes = self.building.stored.get(start..start + length as usize).unwrap_or_default();
        let mut message = Message::new(bytes);
        while let Some((number, wire)) = message.next() {
            match (number, wire) {
                (2, Wire::Number(tid)) => self.tid = Some(i64::from(tid as i32)),
                (3.., Wire::Bytes(body)) => {
                    let end = start + (bytes.len() - message.left());
                    (self.number, self.body) = (number, end - body.len()..end);
                }
                _ => {}
            }
        }
    }

    fn name(&self) -> Name {
        match self.stored {
            Some(Stored::Switch { .. }) => Name::Fixed("sched_switch".to_owned()),
            Some(Stored::Waking { .. }) => Name::Fixed("sched_waking".to_owned()),
            _ => match described(self.number) {
                Some((_, "ftrace", name, _)) => Name::Fixed((*name).to_owned()),
                Some((_, system, name, _)) => kernel_names::event(system, name),
                None => Name::Fixed(format!("ftrace event {}", self.number)),
            },
        }
    }

    fn comm(&self, thread: Thread) -> Value<'_> {
        Value::Text(self.building.names.get(thread.comm as usize).map_or(b"", |name| name.as_bytes()))
    }

    /// Hands out each field, arrays as the numbers in them.
    fn each<'s>(&'s self, sink: &mut dyn FnMut(&str, Value<'s>, bool)) {
        let number = |number: i64| Value::Signed(number.into(), Base::Decimal);
        let mut thread = |names: [&str; 3], thread: Thread| {
            sink(names[0], self.comm(thread), false);
            sink(names[1], number(thread.tid.into()), false);
            sink(names[2], number(thread.prio.into()), false);
        };
        match self.stored {
            Some(Stored::Switch { prev, state, next }) => {
                if let Some(prev) = prev {
                    thread(["prev_comm", "prev_tid", "prev_prio"], prev);
                }
                thread(["next_comm", "next_tid", "next_prio"], next);
                sink("prev_state", number(state), false);
            }
            Some(Stored::Waking { thread: woken, cpu }) => {
                thread(["comm", "tid", "prio"], woken);
                sink("target_cpu", number(cpu.into()), false);
            }
            _ => self.each_of_message(sink),
        }
    }

    /// Arguments of a system call, written together or one by one.
    fn arguments(&self) -> impl Iterator<Item = u64> + '_ {
        let body = self.building.stored.get(self.body.clone()).unwrap_or_default();
        Message::new(body).filter(|(number, _)| *number == 2).flat_map(|(_, wire)| numbers(wire))
    }

    fn each_of_message<'s>(&'s self, sink: &mut dyn FnMut(&str, Value<'s>, bool)) {
        let event = described(self.number);
        let body = self.building.stored.get(self.body.clone()).unwrap_or_default();
        let mut had_list = false;
        for (number, wire) in Message::new(body) {
            let known = event.and_then(|event| event.3.iter().find(|field| field.0 == number));
            let name = match (known, event) {
                (Some((_, name)), Some(event)) => kernel_names::field(event.1, name),
                _ => format!("field {number}"),
            };
            let is_list = self.number == SYS_ENTER && number == 2;
            if is_list && std::mem::replace(&mut had_list, true) {
                continue;
            }
            let value = match wire {
                _ if is_list => Value::Null,
                Wire::Number(value) if is_address(&name) => Value::Unsigned(value.into(), Base::Hexadecimal),
                Wire::Number(value) => Value::Signed(value.cast_signed().into(), Base::Decimal),
                Wire::Fixed64(value) => Value::Unsigned(value.into(), Base::Decimal),
                Wire::Fixed32(value) => Value::Unsigned(value.into(), Base::Decimal),
                Wire::Bytes(bytes) => Value::Text(bytes.strip_suffix(b"\n").unwrap_or(bytes)),
            };
            sink(&name, value, is_list);
        }
    }
}

/// Its second field has arguments, as many as there are.
const SYS_ENTER: u32 = 329;

fn is_address(name: &str) -> bool {
    matches!(name, "ip" | "function" | "handler" | "work" | "hrtimer" | "timer" | "caller" | "clone_flags")
}

impl Fields for Current {
    fn visit(&self, scope: Scope, sink: &mut dyn FieldSink) {
        if scope == Scope::Context {
            if let Some(tid) = self.tid {
                sink.value("tid", Value::Signed(tid.into(), Base::Decimal));
            }
            return;
        }
        self.each(&mut |name, value, is_list| {
            if !is_list {
                return sink.value(name, value);
            }
            let arguments = || self.arguments().take(limits::FTRACE_FIELDS);
            sink.begin_array(name, arguments().count() as u64);
            for number in arguments() {
                sink.value("", Value::Unsigned(number.into(), Base::Hexadecimal));
            }
            sink.end();
        });
    }

    fn get(&self, wanted: &str) -> Option<Value<'_>> {
        let mut found = None;
        self.each(&mut |name, value, is_list| {
            if name == wanted && !is_list && found.is_none() {
                found = Some(value);
            }
        });
        let tid = self.tid.filter(|_| wanted == "tid");
        found.or_else(|| Some(Value::Signed(tid?.into(), Base::Decimal)))
    }
}
