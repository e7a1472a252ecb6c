//! The tracker: one item after the other becomes a step of a track.

use std::collections::HashMap;

use model::{Event, EventSource, Evidence, Gap, Item, Origin, Step, Symbol, TraceInfo, Track, TrackId};

use super::TrackBy;
use super::kernel::{self, Cpus};
use super::own_thread::{OwnThread, Switch};
use super::windows::{Scope, Windows};

/// Finds the track of each event; see the module for the rules.
#[derive(Debug)]
pub struct Tracker {
    by: TrackBy,
    /// Items seen: the clock of the loss windows.
    moment: u64,
    symbols: Vec<SymbolKind>,
    /// By stream: whether a switch was ever seen in it.
    switching: Vec<bool>,
    /// By trace.
    traces: Vec<TraceKind>,
    windows: Windows,
    cpus: Cpus,
    table: Table,
}

/// A step, and whether something is or may be missing between it and the step before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Assigned {
    /// The step.
    pub step: Step,
    /// Whether steps of this track may be missing right before it. Never set on the first one.
    pub broken: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum SymbolKind {
    Switch,
    /// Its fields say something about another thread.
    Scheduling,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum TraceKind {
    Kernel,
    Unknown,
    /// The trace says that it is none of the kernel.
    User,
}

impl Tracker {
    /// A tracker that has seen nothing.
    pub fn new(by: TrackBy) -> Self {
        Tracker {
            by,
            moment: 0,
            symbols: vec![],
            switching: vec![],
            traces: vec![],
            windows: Windows::default(),
            cpus: Cpus::default(),
            table: Table::default(),
        }
    }

    /// Takes the next item of `source` that is an event and places it; losses on the way are
    /// handed to `lost`.
    pub fn next(&mut self, source: &mut dyn EventSource, mut lost: impl FnMut(&Gap)) -> Option<Assigned> {
        loop {
            let gap = match source.next_item()? {
                Item::Event(event) => return Some(self.assign(&event)),
                Item::Gap(gap) => gap,
            };
            lost(&gap);
            self.gap(&gap, source);
        }
    }

    /// Finds the track of the next event.
    pub fn assign(&mut self, event: &Event<'_>) -> Assigned {
        self.moment += 1;
        self.learn(event.origin);
        let (stream, info) = (event.stream.0, event.stream_info());
        self.windows.close(stream, self.moment);
        let trace = info.map_or(0, |info| info.trace);
        let cpu = event.cpu.or(info.and_then(|info| info.cpu));
        self.table.prefix(event.origin.traces, trace);
        if self.by == TrackBy::Cpu
            && let Some(cpu) = cpu
        {
            let track = self.table.get(Key::Cpu(trace, cpu));
            return self.step(track, event, Scope::Cpu(trace, Some(cpu)));
        }
        if self.by == TrackBy::Thread {
            let kind = self.symbols.get(event.symbol.0 as usize).copied().unwrap_or(SymbolKind::Other);
            let may_be_flat = !self.traces.contains(&TraceKind::Kernel);
            let own = OwnThread::of(event, kind == SymbolKind::Switch, may_be_flat);
            if let Some(tid) = own.tid.filter(|_| !(own.is_weak && kind == SymbolKind::Scheduling)) {
                let track = self.own_thread(trace, cpu, tid, &own);
                let scope = self.table.home(track, trace);
                return self.step(track, event, scope);
            }
            if let Some(cpu) = cpu
                && let Some(assigned) = self.kernel_step(trace, cpu, event, own.switch)
            {
                return assigned;
            }
        }
        let track = self.table.get(Key::Stream(stream));
        if self.table.state(track).steps == 0 {
            self.table.call(track, info.map_or("?", |info| &info.name).as_bytes());
        }
        self.step(track, event, Scope::Stream(stream))
    }

    /// A loss, at its index among the items.
    pub fn gap(&mut self, gap: &Gap, source: &dyn EventSource) {
        self.moment += 1;
        self.learn(Origin::of(source));
        let info = source.streams().get(gap.stream.0 as usize);
        let (trace, cpu) = info.map_or((0, None), |info| (info.trace, info.cpu));
        self.windows.open(gap.stream.0, trace, cpu);
        let switching = self.switching.get(gap.stream.0 as usize).copied().unwrap_or(false);
        self.cpus.lose(trace, cpu, switching, &mut self.table);
    }

    /// All tracks seen, by number. A thread is called by its newest name, so a name may change.
    pub fn tracks(&self) -> &[Track] {
        &self.table.tracks
    }

    /// The system's number of the thread that a track is of; `None` if it is none, or it is not known which.
    pub fn thread_of(&self, track: TrackId) -> Option<i64> {
        match self.table.states.get(track.0 as usize)?.key {
            Key::Thread { tid, .. } => Some(tid),
            Key::Idle(..) => Some(0),
            _ => None,
        }
    }

    /// The thread that an event names itself.
    fn own_thread(&mut self, trace: usize, cpu: Option<u32>, tid: i64, own: &OwnThread) -> TrackId {
        let key = match (own.process, cpu) {
            (None, Some(cpu)) if tid == 0 => Key::Idle(trace, cpu),
            (_, _) if own.is_pthread => {
                Key::Pthread { trace, process: own.process.unwrap_or(-1), address: tid }
            }
            (process, _) => Key::Thread { trace, process: process.unwrap_or(-1), tid },
        };
        let track = self.table.get(key);
        if let Some(name) = &own.procname {
            self.table.call(track, name);
        }
        track
    }

    /// The thread that the switches of a kernel trace name.
    fn kernel_step(
        &mut self,
        trace: usize,
        cpu: u32,
        event: &Event<'_>,
        switch: Option<Switch>,
    ) -> Option<Assigned> {
        if switch.is_none() && self.traces.get(trace) != Some(&TraceKind::Kernel) {
            return None;
        }
        let Some(switch) = switch else {
            let track = self.cpus.running(trace, cpu, &mut self.table);
            return Some(self.step(track, event, kernel::scope(trace, cpu)));
        };
        if let Some(kind) = self.traces.get_mut(trace) {
            *kind = TraceKind::Kernel;
        }
        if let Some(switching) = self.switching.get_mut(event.stream.0 as usize) {
            *switching = true;
        }
        let track = self.cpus.leave((trace, cpu), &switch, &mut self.table, &self.windows);
        let assigned = self.step(track, event, kernel::scope(trace, cpu));
        self.table.moment = self.moment;
        self.cpus.enter((trace, cpu), &switch, &mut self.table, &self.windows);
        Some(assigned)
    }

    fn step(&mut self, track: TrackId, event: &Event<'_>, scope: Scope) -> Assigned {
        let state = self.table.state(track);
        let broken = state.steps > 0 && (state.broken || self.windows.since(scope, state.safe_since));
        let (time, symbol) = (event.time, event.symbol);
        let step = Step { track, seq: state.steps, time, symbol, evidence: Evidence::Observed };
        state.steps += 1;
        state.broken = false;
        (state.last, state.safe_since) = (self.moment, self.moment);
        Assigned { step, broken }
    }

    /// Keeps up with what the source knows.
    fn learn(&mut self, origin: Origin<'_>) {
        self.table.moment = self.moment;
        self.switching.resize(origin.streams.len(), false);
        let alphabet = origin.alphabet;
        let grown = self.symbols.len() < alphabet.len();
        for number in self.symbols.len()..alphabet.len() {
            self.symbols.push(match alphabet.name(Symbol(number as u32)) {
                "sched_switch" => SymbolKind::Switch,
                name if name.starts_with("sched_") => SymbolKind::Scheduling,
                _ => SymbolKind::Other,
            });
        }
        if !grown && self.traces.len() == origin.traces.len() {
            return;
        }
        let switches = self.symbols.contains(&SymbolKind::Switch);
        for (number, trace) in origin.traces.iter().enumerate() {
            let domain = trace.environment.iter().find(|(name, _)| name == "domain");
            let kind = match domain.map(|(_, domain)| domain.as_str()) {
                Some("kernel") | None if switches => TraceKind::Kernel,
                Some("kernel") | None => TraceKind::Unknown,
                Some(_) => TraceKind::User,
            };
            match self.traces.get_mut(number) {
                Some(known) => *known = kind,
                None => self.traces.push(kind),
            }
        }
    }
}

/// What makes two steps steps of one track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Stream(u32),
    Cpu(usize, u32),
    Idle(usize, u32),
    Unknown(usize, u32),
    Thread { trace: usize, process: i64, tid: i64 },
    Pthread { trace: usize, process: i64, address: i64 },
}

/// The tracks and how far each has come.
#[derive(Debug, Default)]
pub(super) struct Table {
    tracks: Vec<Track>,
    states: Vec<State>,
    /// But streams, which have numbers: many sources have nothing else.
    by_key: HashMap<Key, TrackId>,
    by_stream: Vec<Option<TrackId>>,
    /// By trace: what its tracks are called by first, in a session of several traces.
    prefixes: Vec<String>,
    moment: u64,
}

#[derive(Debug)]
pub(super) struct State {
    key: Key,
    /// The name as the trace gives it.
    name: Vec<u8>,
    pub(super) steps: u64,
    /// The next step is broken off, whatever the windows say.
    pub(super) broken: bool,
    pub(super) runs_on: Option<u32>,
    /// The moment of the last step.
    last: u64,
    /// Windows before this moment are accounted for.
    safe_since: u64,
}

impl Table {
    pub(super) fn state(&mut self, track: TrackId) -> &mut State {
        &mut self.states[track.0 as usize]
    }

    pub(super) fn find(&self, key: Key) -> Option<TrackId> {
        match key {
            Key::Stream(stream) => self.by_stream.get(stream as usize).copied().flatten(),
            key => self.by_key.get(&key).copied(),
        }
    }

    fn keep(&mut self, key: Key, track: TrackId) {
        let Key::Stream(stream) = key else {
            self.by_key.insert(key, track);
            return;
        };
        let stream = stream as usize;
        if stream >= self.by_stream.len() {
            self.by_stream.resize(stream + 1, None);
        }
        self.by_stream[stream] = Some(track);
    }

    /// The track of `key`, which is added when it is new.
    pub(super) fn get(&mut self, key: Key) -> TrackId {
        if let Some(track) = self.find(key) {
            return track;
        }
        let id = TrackId(self.tracks.len() as u32);
        let moment = self.moment;
        let state = State {
            key,
            name: vec![],
            steps: 0,
            broken: false,
            runs_on: None,
            last: moment,
            safe_since: moment,
        };
        self.states.push(state);
        self.tracks.push(Track { id, name: String::new() });
        self.keep(key, id);
        self.rename(id);
        id
    }

    /// The track that was `old` turns out to be `new`; neither is a stream.
    pub(super) fn rekey(&mut self, track: TrackId, old: Key, new: Key) {
        self.by_key.remove(&old);
        self.keep(new, track);
        self.state(track).key = new;
        // It has run without interruption up to now.
        let moment = self.moment;
        self.state(track).last = moment;
        self.rename(track);
    }

    /// The trace calls it `name` from now on; an empty name says nothing.
    pub(super) fn call(&mut self, track: TrackId, name: &[u8]) {
        let state = self.state(track);
        if state.name != name && !name.is_empty() {
            state.name.clear();
            state.name.extend_from_slice(name);
            self.rename(track);
        }
    }

    /// Where a thread may run: anywhere in its trace, but the idle thread of a CPU only there.
    fn home(&self, track: TrackId, trace: usize) -> Scope {
        match self.states[track.0 as usize].key {
            Key::Idle(trace, cpu) => Scope::Cpu(trace, Some(cpu)),
            _ => Scope::Trace(trace),
        }
    }

    /// A thread comes to a CPU: windows of the whole trace count up to now, those of its CPU from
    /// now on.
    pub(super) fn arrive(&mut self, track: TrackId, windows: &Windows, trace: usize) {
        let (moment, scope) = (self.moment, self.home(track, trace));
        let state = self.state(track);
        state.broken |= windows.since(scope, state.last);
        state.safe_since = moment;
    }

    fn prefix(&mut self, traces: &[TraceInfo], trace: usize) {
        while self.prefixes.len() <= trace {
            let name = traces.get(self.prefixes.len()).map_or("", |trace| &trace.name);
            let several = traces.len() > 1;
            self.prefixes.push(if several { format!("{name}: ") } else { String::new() });
        }
    }

    fn rename(&mut self, track: TrackId) {
        let state = &self.states[track.0 as usize];
        let given = String::from_utf8_lossy(&state.name);
        let thread = if given.is_empty() { "thread" } else { &given };
        // The name of a stream already begins with its trace.
        let (trace, name) = match state.key {
            Key::Stream(_) => (usize::MAX, given.into_owned()),
            Key::Cpu(trace, cpu) => (trace, format!("cpu {cpu}")),
            Key::Idle(trace, cpu) => (trace, format!("swapper/{cpu}")),
            Key::Unknown(trace, cpu) => (trace, format!("unknown thread on cpu {cpu}")),
            Key::Thread { trace, tid, .. } => (trace, format!("{thread} {tid}")),
            Key::Pthread { trace, address, .. } => (trace, format!("{thread} pthread {address:#x}")),
        };
        let prefix = self.prefixes.get(trace).map_or("", |prefix| prefix);
        self.tracks[track.0 as usize].name = format!("{prefix}{name}");
    }
}
