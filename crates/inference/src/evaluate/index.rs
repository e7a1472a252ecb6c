//! The index of a trace: where each of its events is, so that any of them can be left out.

use model::{Alphabet, Event, EventSource, Item, Symbol};

/// Where one event is.
#[derive(Debug, Clone, Copy)]
pub struct IndexedEvent {
    /// Its number among all that the reader hands out, losses included.
    pub item: u64,
    /// Its stream.
    pub stream: u32,
    /// Its number in its stream.
    pub seq: u64,
    /// When it was.
    pub time: Option<i64>,
    /// Its CPU.
    pub cpu: Option<u32>,
    /// What it is called.
    pub symbol: Symbol,
    /// The packet of its stream, counted from 1; 0: the format has none.
    pub packet: u64,
    /// The thread that it belongs to, where somebody tracked that.
    pub track: u32,
}

/// All events in the order of reading.
#[derive(Debug, Default)]
pub struct Index {
    /// Where they are.
    pub events: Vec<IndexedEvent>,
    /// What they are called.
    pub names: Alphabet,
    /// Before which events the trace itself lost something.
    pub gaps: Vec<usize>,
}

impl IndexedEvent {
    /// The entry of an event that `source` just handed out as item number `item`.
    pub fn new(item: u64, event: &Event<'_>) -> IndexedEvent {
        IndexedEvent {
            item,
            stream: event.stream.0,
            seq: event.seq,
            time: event.time.map(|time| time.0),
            cpu: event.cpu,
            symbol: event.symbol,
            packet: event.stream_info().map_or(0, |info| info.packets),
            track: 0,
        }
    }
}

impl Index {
    /// Reads `source` up to its end, or up to so many events.
    pub fn read(source: &mut dyn EventSource, most: usize) -> Index {
        let mut index = Index::default();
        let mut item = 0;
        while index.events.len() < most
            && let Some(next) = source.next_item()
        {
            match next {
                Item::Event(event) => index.events.push(IndexedEvent::new(item, &event)),
                Item::Gap(_) => index.gaps.push(index.events.len()),
            }
            item += 1;
        }
        index.names = source.alphabet().clone();
        index
    }

    /// Whether two events follow each other in their stream.
    pub fn follows(&self, one: usize, next: usize) -> bool {
        match (self.events.get(one), self.events.get(next)) {
            (Some(one), Some(next)) => one.stream == next.stream && one.seq + 1 == next.seq,
            _ => false,
        }
    }

    /// What an event is called.
    pub fn name(&self, entry: &IndexedEvent) -> &str {
        self.names.name(entry.symbol)
    }

    /// Events of one CPU are in one lane; those of a stream where CPUs are not known.
    pub fn lane(entry: &IndexedEvent) -> (bool, u32) {
        entry.cpu.map_or((false, entry.stream), |cpu| (true, cpu))
    }
}
