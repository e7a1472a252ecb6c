//! The reader: samples by time, and between them what was lost.

use std::collections::BTreeMap;
use std::rc::Rc;

use model::{
    Alphabet, Diagnostic, Edge, Event, EventSource, Gap, Item, Origin, StreamId, StreamInfo, Symbol,
    Timestamp, TraceInfo,
};

use super::comms::Comms;
use super::diagnostics::Diagnostics;
use super::error::Error;
use super::events::{Buffer, Events, Kind};
use super::fields::Current;
use super::losses::Loss;
use super::open::{Opened, open};
use super::record::{Records, Step, kind};
use super::rounds::{Rounds, Waiting};
use crate::kernel_names::Name;
use crate::syscalls::Syscalls;
use source::{NamedSource, Source};

/// Reads one perf.data.
pub struct Reader {
    source: Box<dyn Source>,
    alphabet: Alphabet,
    traces: Vec<TraceInfo>,
    infos: Vec<StreamInfo>,
    diagnostics: Diagnostics,
    records: Records,
    events: Events,
    /// The kinds of `events`, shared with the event that is shown, and their symbols once needed.
    kinds: Vec<(Rc<Kind>, Option<Symbol>)>,
    calls: Calls,
    streams: BTreeMap<Buffer, u32>,
    /// By the place behind which they lie, and the first that no sample was found for yet.
    losses: Vec<Loss>,
    next_loss: usize,
    /// Gaps to hand out before the next record: these of `losses`.
    gaps: std::ops::Range<usize>,
    rounds: Rounds,
    comms: Comms,
    clock_offset: i128,
    current: Current,
    is_over: bool,
}

/// The symbols of system calls.
#[derive(Debug, Default)]
struct Calls {
    names: Syscalls,
    symbols: BTreeMap<(&'static str, Option<&'static str>), Symbol>,
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader")
            .field("traces", &self.traces)
            .field("infos", &self.infos)
            .finish_non_exhaustive()
    }
}

impl Reader {
    /// Opens a file and walks over it once to find its buffers and their losses.
    ///
    /// # Errors
    /// When it is no perf.data, or one of a kind that is not read, or when nothing says what its events
    /// are.
    pub fn open(file: NamedSource) -> Result<Reader, Error> {
        let Opened { source, data, about, events, ledger, diagnostics } = open(file)?;
        let kinds = events.kinds.iter().map(|kind| (kind.clone(), None)).collect();
        let streams = ledger.buffers.iter().zip(0..).map(|(buffer, number)| (*buffer, number)).collect();
        let at_start = ledger.losses.iter().take_while(|loss| loss.after.is_none()).count();
        let mut reader = Reader {
            source,
            alphabet: Alphabet::default(),
            traces: vec![about.trace_info()],
            infos: ledger.buffers.iter().map(stream_info).collect(),
            diagnostics,
            records: Records::new(data),
            events,
            kinds,
            calls: Calls { names: Syscalls::of(about.machine.as_deref()), symbols: BTreeMap::new() },
            streams,
            gaps: 0..at_start,
            next_loss: at_start,
            losses: ledger.losses,
            rounds: Rounds::default(),
            comms: Comms::default(),
            clock_offset: about.clock_offset(),
            current: Current::default(),
            is_over: false,
        };
        // perf switches the events of one CPU on after those of another, and off likewise.
        if !about.sees_own_threads_only {
            for (buffer, (first, last)) in ledger.spans {
                let span = reader.time(Some(first)).zip(reader.time(Some(last)));
                let stream = stream_of(&reader.streams, buffer) as usize;
                if let (Buffer::Cpu(_), Some(info)) = (buffer, reader.infos.get_mut(stream)) {
                    info.surely_recorded = span;
                }
            }
        }
        Ok(reader)
    }

    fn time(&self, time: Option<u64>) -> Option<Timestamp> {
        time.map(|time| Timestamp::clamped(i128::from(time) + self.clock_offset).0)
    }

    /// Reads records until some can go, or all are read.
    fn fill(&mut self) {
        loop {
            let record = match self.records.next(&*self.source) {
                Step::Record(record) => record,
                // A broken record was already reported by the first walk.
                Step::End | Step::Broken(..) => {
                    self.is_over = true;
                    self.rounds.end();
                    return;
                }
            };
            let may_go = match record.kind {
                kind::SAMPLE => {
                    let Ok((_, buffer, sample)) = self.events.sample(record.body) else { continue };
                    let mut gap = 0;
                    let mut next = self.next_loss;
                    while self.losses.get(next).is_some_and(|loss| loss.after == Some(record.order)) {
                        if gap == 0 {
                            gap = next as u32 + 1;
                        }
                        next += 1;
                    }
                    self.next_loss = next;
                    let time = sample.time.map_or(i64::MIN, |time| i64::try_from(time).unwrap_or(i64::MAX));
                    let stream = stream_of(&self.streams, buffer);
                    self.rounds.push(time, stream, gap, &record)
                }
                kind::COMM | kind::FORK => {
                    let (trailer, _) = self.events.trailer(record.body);
                    // perf writes records of threads that existed before with a time of 0.
                    let time = trailer.time.map_or(0, |time| i64::try_from(time).unwrap_or(i64::MAX));
                    self.rounds.push(time, 0, 0, &record)
                }
                kind::FINISHED_ROUND => self.rounds.end_of_round(),
                _ => false,
            };
            if may_go {
                return;
            }
        }
    }

    /// Makes a sample the current event; the rest of what an event has.
    fn show(
        &mut self,
        waiting: &Waiting,
        is_late: bool,
    ) -> Option<(u32, Option<Timestamp>, Option<u32>, Symbol)> {
        let record = self.rounds.record(waiting)?;
        if record.kind != kind::SAMPLE {
            self.comms.take(record.kind, record.body);
            return None;
        }
        let at = record.offset;
        let (number, buffer, sample) = self.events.sample(record.body).ok()?;
        let (kind, _) = self.kinds.get(number)?;
        let trouble = self.current.set(kind, &sample);
        let (time, cpu) = (sample.time, sample.cpu);
        self.current.set_procname(self.comms.of(self.current.tid));
        let stream = stream_of(&self.streams, buffer);
        if let Some(sentence) = trouble {
            self.diagnostics.damage("perf-field", at, || sentence);
        }
        if is_late {
            self.diagnostics.note("perf-late", at, || {
                "A sample is older than one that was handed out before it; perf did not say in time.".into()
            });
        }
        let symbol = self.symbol(number);
        Some((stream, self.time(time), cpu, symbol))
    }

    fn symbol(&mut self, number: usize) -> Symbol {
        let Some((kind, symbol)) = self.kinds.get_mut(number) else { return Symbol(u32::MAX) };
        match &kind.name {
            Name::Fixed(name) => *symbol.get_or_insert_with(|| self.alphabet.intern(name)),
            Name::Syscall(end) => {
                let call = self.current.call_number().and_then(|number| self.calls.names.name(number));
                let key = (end.prefix(), call);
                *self.calls.symbols.entry(key).or_insert_with(|| {
                    self.alphabet.intern(&format!("{}{}", end.prefix(), call.unwrap_or("unknown")))
                })
            }
        }
    }

    fn gap(&self, loss: &Loss) -> Gap {
        let stream = stream_of(&self.streams, loss.buffer);
        Gap {
            stream: StreamId(stream),
            before_event: self.infos.get(stream as usize).map_or(0, |info| info.events),
            from: self.time(loss.from),
            to: self.time(loss.to),
            lost: loss.lost,
            edge: Edge::Start,
        }
    }
}

/// The number of the stream of `buffer`. What was too much for the limit went to the unknown one.
fn stream_of(streams: &BTreeMap<Buffer, u32>, buffer: Buffer) -> u32 {
    let stream = streams.get(&buffer).or_else(|| streams.get(&Buffer::Unknown));
    stream.copied().unwrap_or(0)
}

fn stream_info(buffer: &Buffer) -> StreamInfo {
    let (name, cpu) = match buffer {
        Buffer::Cpu(cpu) => (format!("cpu {cpu}"), Some(*cpu)),
        Buffer::Thread(tid) => (format!("thread {tid}"), None),
        Buffer::Unknown => ("unknown".into(), None),
    };
    StreamInfo::new(name, 0, cpu)
}

impl EventSource for Reader {
    fn next_item(&mut self) -> Option<Item<'_>> {
        loop {
            if let Some(loss) = self.gaps.next().and_then(|number| self.losses.get(number)) {
                return Some(Item::Gap(self.gap(loss)));
            }
            let Some((waiting, is_late)) = self.rounds.pop() else {
                if self.is_over {
                    self.diagnostics.end();
                    // All buffers were emptied when the recording ended, whatever was in them last.
                    let end = self.infos.iter().filter_map(|info| info.last).max();
                    self.infos.iter_mut().for_each(|info| info.recorded_until = end);
                    return None;
                }
                self.fill();
                continue;
            };
            if let Some(first) = (waiting.gap as usize).checked_sub(1) {
                let after = self.losses.get(first).and_then(|loss| loss.after);
                let more = self.losses.iter().skip(first).take_while(|loss| loss.after == after).count();
                self.gaps = first..first + more;
            }
            let Some((stream, time, cpu, symbol)) = self.show(&waiting, is_late) else { continue };
            let Some(info) = self.infos.get_mut(stream as usize) else { continue };
            let seq = info.count_event(time);
            let (stream, fields) = (StreamId(stream), &self.current);
            return Some(Item::Event(Event {
                stream,
                seq,
                time,
                cpu,
                symbol,
                fields,
                origin: Origin::of(self),
            }));
        }
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
        self.diagnostics.diagnostics()
    }

    fn progress(&self) -> (u64, u64) {
        self.records.progress()
    }
}
