//! The reader: all streams of all traces of a session, merged by time.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::rc::Rc;

use model::{
    Alphabet, Diagnostic, Event, EventSource, Gap, Item, Origin, StreamId, StreamInfo, Symbol, Timestamp,
    TraceInfo,
};

use super::compile::{Compiled, compile};
use super::diagnostics::{Defect, Diagnostics};
use super::error::Error;
use super::host_clocks::{HostClocks, are_several, host_clocks};
use super::index::Index;
use super::merge::Order;
use super::packet::Packet;
use super::session::{Folder, Unusable, folders, read_metadata};
use super::stream::{Advance, Sink, Stream};
use super::text::line_and_column;
use super::trace::Trace;
use super::window::Window;
use crate::limits;
use source::{NamedSource, Source};

/// Reads a CTF 1.8 session.
#[derive(Debug)]
pub struct Reader {
    alphabet: Alphabet,
    traces: Vec<TraceInfo>,
    pub(super) infos: Vec<StreamInfo>,
    pub(super) streams: Vec<Stream>,
    diagnostics: Diagnostics,
    pub(super) order: Order,
    /// Gaps that come before the next event.
    pub(super) gaps: VecDeque<Gap>,
    /// For each trace the compiled form, and for each of its event names the symbol, once needed.
    compiled: Vec<(Rc<Trace>, Vec<Option<Symbol>>)>,
    /// The stream whose event was handed out last.
    handed_out: Option<u32>,
    /// How many streams were brought to their first event.
    pub(super) started: u32,
    /// The first event from this moment on is not handed out any more.
    pub(super) until: Option<Timestamp>,
}

impl Reader {
    /// Opens a session. `files` are all files below the opened folder, in any order, named relative
    /// to it. Every file called `metadata` makes its folder a trace; the other files of that folder
    /// itself are its streams, but for hidden ones and indexes.
    ///
    /// # Errors
    /// When there is no metadata, or none that can be used. A trace that cannot be used beside others
    /// that can is a diagnostic.
    pub fn open(files: Vec<NamedSource>) -> Result<Reader, Error> {
        let (files, again) = shared(files);
        let mut reader = Reader::open_with(files, &HostClocks::default())?;
        if !are_several(&reader) {
            return Ok(reader);
        }
        let hosts = host_clocks(&mut reader);
        Reader::open_with(again, &hosts)
    }

    fn open_with(files: Vec<NamedSource>, hosts: &HostClocks) -> Result<Reader, Error> {
        let count = files.len();
        let folders = folders(files);
        if folders.is_empty() {
            return Err(Error::NoMetadata { files: count });
        }
        let mut reader = Reader {
            alphabet: Alphabet::default(),
            traces: Vec::new(),
            infos: Vec::new(),
            streams: Vec::new(),
            diagnostics: Diagnostics::default(),
            order: Order::default(),
            gaps: VecDeque::new(),
            compiled: Vec::new(),
            handed_out: None,
            started: 0,
            until: None,
        };
        let traces = folders.len();
        let mut budget = limits::CTF_CLASSES;
        let mut files = Vec::new();
        let mut first_fault: Option<(String, Unusable)> = None;
        let (mut indexes, mut gone) = (HashMap::new(), HashSet::new());
        for mut folder in folders {
            match reader.add(&folder, &mut budget, hosts) {
                Ok(trace) => {
                    for file in std::mem::take(&mut folder.indexes) {
                        let Some(index) = Index::read(&*file.source) else { continue };
                        let is_there = folder.streams.iter().any(|stream| stream.name == file.name);
                        if !is_there && !index.is_empty() {
                            gone.insert(file.name.clone());
                            let source = Box::new(Vec::new());
                            folder.streams.push(NamedSource { name: file.name.clone(), source });
                        }
                        indexes.insert(file.name, index);
                    }
                    files.extend(folder.streams.into_iter().map(|file| (trace, file)));
                }
                Err(fault) => {
                    let file = folder.metadata.name;
                    let Unusable { offset, location, sentence } = &fault;
                    let what = format!(
                        "This trace is left out, as its metadata cannot be used ({location}). {sentence}"
                    );
                    reader.diagnostics.file(&file, Defect::damage("ctf-metadata-unusable", *offset, what));
                    first_fault.get_or_insert((file, fault));
                }
            }
        }
        if reader.traces.is_empty()
            && let Some((file, Unusable { location, sentence, .. })) = first_fault
        {
            return Err(match traces {
                1 => Error::Metadata { file, location, sentence },
                _ => Error::NoUsableTrace { traces, file, location, sentence },
            });
        }
        // Streams are numbered by name over all traces.
        files.sort_by(|(_, one), (_, other)| one.name.cmp(&other.name));
        for (number, (index, file)) in files.into_iter().enumerate() {
            let Some((trace, _)) = reader.compiled.get(index) else { continue };
            let id = StreamId(number as u32);
            let mut stream = Stream::new(id, file.name.clone(), trace.clone(), Window::new(file.source));
            stream.index = indexes.remove(&file.name).unwrap_or_default();
            stream.is_gone = gone.contains(&file.name);
            reader.streams.push(stream);
            reader.infos.push(StreamInfo::new(file.name, index, None));
        }
        let firsts = reader.first_packets();
        reader.expect_first_packets(&firsts);
        reader.insert_missing_streams(&firsts);
        Ok(reader)
    }

    /// The first packet of each stream of LTTng, as far as it can be read.
    fn first_packets(&mut self) -> Vec<Option<Packet>> {
        self.streams
            .iter_mut()
            .map(|stream| stream.trace.is_lttng.then(|| stream.first_packet()).flatten())
            .collect()
    }

    /// LTTng numbers packets from 0: what a stream lacks at its beginning is lost. Where a recording goes on from
    /// file to file (`--tracefile-size`, archives of a rotation) only the first file of a stream begins at 0.
    fn expect_first_packets(&mut self, firsts: &[Option<Packet>]) {
        let mut first = BTreeMap::new();
        for (location, (stream, packet)) in self.streams.iter().zip(firsts).enumerate() {
            let Some((uuid, packet)) = stream.trace.uuid.zip(packet.as_ref()) else { continue };
            let Some(number) = packet.sequence else { continue };
            let found = first.entry((uuid, packet.class, packet.cpu)).or_insert((number, location));
            *found = (*found).min((number, location));
        }
        for (_, location) in first.into_values() {
            if let Some(stream) = self.streams.get_mut(location) {
                stream.counters.first = Some(0);
            }
        }
    }

    /// Which CPU a stream was of whose file is gone: its index says it, or its name, where these are right about
    /// all streams of the trace that are there.
    fn insert_missing_streams(&mut self, firsts: &[Option<Packet>]) {
        let mut wrong = HashSet::new();
        for ((stream, info), packet) in self.streams.iter().zip(&self.infos).zip(firsts) {
            if let Some(cpu) = packet.as_ref().and_then(|packet| packet.cpu)
                && stream.likely_cpu() != Some(cpu)
            {
                wrong.insert(info.trace);
            }
        }
        for (stream, info) in self.streams.iter().zip(&mut self.infos) {
            if stream.is_gone && stream.trace.is_lttng && !wrong.contains(&info.trace) {
                info.cpu = stream.likely_cpu();
            }
        }
    }

    /// Leaves out the events of all packets that ended before `time`, without decoding them: for looking into
    /// the middle of a long trace. To be called before the first item. The numbers of events are then those of
    /// what is read, and of a loss near the place that is skipped to, an end may be missing.
    pub fn skip_to(&mut self, time: Timestamp) {
        for stream in &mut self.streams {
            stream.skip_before = Some(time);
            stream.window.skim(true);
        }
    }

    /// Adds a trace and gives back its index.
    fn add(&mut self, folder: &Folder, budget: &mut u64, hosts: &HostClocks) -> Result<usize, Unusable> {
        let (metadata, text, defect) = read_metadata(&folder.metadata)?;
        *budget += text.bytes.len() as u64 / limits::CTF_TEXT_PER_CLASS;
        let Compiled { mut trace, clocks, remarks } =
            compile(&metadata, budget).map_err(|refusal| Unusable::in_text(&text, refusal))?;
        for remark in metadata.remarks.iter().chain(&remarks) {
            let offset = text.offset(remark.at);
            let location = line_and_column(&text.bytes, remark.at);
            let what = format!("{} ({location})", remark.sentence);
            let defect = match remark.is_forbidden {
                true => Defect::damage("ctf-metadata-forbidden", offset, what),
                false => Defect::note("ctf-metadata-unknown", offset, what),
            };
            self.diagnostics.file(&folder.metadata.name, defect);
        }
        if let Some(defect) = defect {
            self.diagnostics.file(&folder.metadata.name, defect);
        }
        let find = |name: &str| {
            let entry = metadata.environment.iter().find(|(key, _)| key == name);
            entry.map(|(_, value)| value.clone())
        };
        let tracer = find("tracer_name").map(|name| {
            let parts = ["tracer_major", "tracer_minor", "tracer_patchlevel"];
            let version: Vec<String> = parts.iter().map_while(|part| find(part)).collect();
            if version.is_empty() { name } else { format!("{name} {}", version.join(".")) }
        });
        let host = find("hostname");
        let host_clock = host.as_ref().and_then(|host| hosts.clocks.get(host)).cloned();
        if let Some(clock) = &host_clock {
            let clocks = std::mem::take(&mut trace.clocks);
            trace.clocks = clocks.into_iter().map(|own| own.on_host(clock.clone())).collect();
        }
        if let Some((_, sentence)) = hosts.unknown.iter().find(|(of, _)| host.as_ref() == Some(of)) {
            self.diagnostics
                .file(&folder.metadata.name, Defect::note("ctf-host-clock-unknown", 0, sentence.clone()));
        }
        self.traces.push(TraceInfo {
            name: folder.name.clone(),
            format: if metadata.is_version_2 { "CTF 2.0" } else { "CTF 1.8" }.into(),
            host,
            tracer,
            environment: metadata.environment.clone(),
            clocks,
            host_clock,
        });
        let symbols = vec![None; trace.names.len()];
        self.compiled.push((Rc::new(trace), symbols));
        Ok(self.traces.len() - 1)
    }

    /// Where in its file the event begins that was handed out last, in bytes rounded down. For tools
    /// that patch a trace; `None` before the first event.
    pub fn offset_of_event(&self) -> Option<u64> {
        let stream = self.streams.get(self.handed_out? as usize)?;
        Some(stream.packet.as_ref()?.start.saturating_add(stream.current().begin / 8))
    }

    /// Moves a stream to its next event, and gives back the key of that for merging.
    #[inline]
    pub(super) fn advance(&mut self, stream: u32) -> (Advance, i64) {
        let (Some(info), Some(reader)) =
            (self.infos.get_mut(stream as usize), self.streams.get_mut(stream as usize))
        else {
            return (Advance::End, 0);
        };
        let mut sink = Sink { diagnostics: &mut self.diagnostics, gaps: &mut self.gaps, info };
        // Events without a time come as soon as their stream is looked at.
        (reader.advance(&mut sink), reader.current().time.map_or(i64::MIN, |time| time.0))
    }

    /// Gets every stream to its first event, or the stream that was read last to its next one, or to
    /// gaps before that.
    #[inline]
    fn prepare(&mut self) {
        while self.gaps.is_empty() {
            if let Some(stream) = self.handed_out {
                match self.advance(stream) {
                    (Advance::Event, key) => self.order.update_first(key),
                    (Advance::End, _) => self.order.remove_first(),
                    (Advance::Pause, _) => return,
                }
                self.handed_out = None;
            } else if (self.started as usize) < self.streams.len() {
                match self.advance(self.started) {
                    (Advance::Event, key) => self.order.add(key, self.started),
                    (Advance::End, _) => {}
                    (Advance::Pause, _) => return,
                }
                self.started += 1;
            } else {
                return;
            }
        }
    }

    fn symbol(&mut self, trace: usize, name: u32) -> Symbol {
        let Some((compiled, symbols)) = self.compiled.get_mut(trace) else { return Symbol(u32::MAX) };
        match symbols.get_mut(name as usize) {
            Some(Some(symbol)) => *symbol,
            Some(empty) => {
                let name = compiled.names.get(name as usize).map_or("?", |name| name);
                *empty.insert(self.alphabet.intern(name))
            }
            None => Symbol(u32::MAX),
        }
    }
}

impl EventSource for Reader {
    fn next_item(&mut self) -> Option<Item<'_>> {
        self.prepare();
        if let Some(gap) = self.gaps.pop_front() {
            return Some(Item::Gap(gap));
        }
        let number = self.order.first()?;
        let trace = self.infos.get(number as usize)?.trace;
        let current = self.streams.get(number as usize)?.current();
        let (name, time) = (current.name, current.time);
        if self.until.is_some_and(|until| time >= Some(until)) {
            return None;
        }
        self.handed_out = Some(number);
        let symbol = self.symbol(trace, name);
        let info = self.infos.get_mut(number as usize)?;
        let seq = info.count_event(time);
        let stream = self.streams.get(number as usize)?;
        let cpu = stream.cpu();
        Some(Item::Event(Event {
            stream: StreamId(number),
            seq,
            time,
            cpu,
            symbol,
            fields: stream,
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
        self.diagnostics.diagnostics()
    }

    fn progress(&self) -> (u64, u64) {
        self.streams
            .iter()
            .map(Stream::progress)
            .fold((0, 0), |(read, all), (more, size)| (read.saturating_add(more), all.saturating_add(size)))
    }
}

/// Files that can be read by two readers.
fn shared(files: Vec<NamedSource>) -> (Vec<NamedSource>, Vec<NamedSource>) {
    let share = |file: NamedSource| {
        let (name, source) = (file.name, Rc::new(file.source));
        let one = NamedSource { name: name.clone(), source: Box::new(SharedSource(source.clone())) };
        (one, NamedSource { name, source: Box::new(SharedSource(source)) })
    };
    files.into_iter().map(share).unzip()
}

/// One of two holders of the bytes of a file.
struct SharedSource(Rc<Box<dyn Source>>);

impl Source for SharedSource {
    fn size(&self) -> u64 {
        self.0.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.read_at(offset, buffer)
    }

    fn next_data(&self, offset: u64) -> u64 {
        self.0.next_data(offset)
    }
}
