//! Events as readers hand them out, and the interface that all readers share.

use crate::{Alphabet, Diagnostic, Fields, Gap, StreamId, StreamInfo, Symbol, Timestamp, TraceInfo};

/// One event. It borrows from its reader and lives until the reader is asked for the next item.
#[derive(Clone, Copy)]
pub struct Event<'a> {
    /// The stream it comes from.
    pub stream: StreamId,
    /// Its position in the order of that stream, from 0 without holes.
    pub seq: u64,
    /// When, where the stream has a clock.
    pub time: Option<Timestamp>,
    /// The CPU, where the tracer says so.
    pub cpu: Option<u32>,
    /// Its name, in the alphabet of the reader.
    pub symbol: Symbol,
    /// What it carries.
    pub fields: &'a dyn Fields,
    /// What its reader knows of where it comes from.
    pub origin: Origin<'a>,
}

impl<'a> Event<'a> {
    /// What it is called.
    pub fn name(&self) -> &'a str {
        self.origin.alphabet.name(self.symbol)
    }

    /// Its stream.
    pub fn stream_info(&self) -> Option<&'a StreamInfo> {
        self.origin.streams.get(self.stream.0 as usize)
    }

    /// Its trace.
    pub fn trace_info(&self) -> Option<&'a TraceInfo> {
        self.origin.traces.get(self.stream_info()?.trace)
    }
}

/// What a reader knows of its events while one of them is in hand: the same as [`EventSource::alphabet`],
/// [`EventSource::traces`] and [`EventSource::streams`], which can be asked only when the event is gone.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// Names of the event types.
    pub alphabet: &'a Alphabet,
    /// The traces of the session.
    pub traces: &'a [TraceInfo],
    /// The streams, by [`StreamId`].
    pub streams: &'a [StreamInfo],
}

impl<'a> Origin<'a> {
    /// That of an event which no reader read: its name is known, and no more.
    pub fn named(alphabet: &'a Alphabet) -> Origin<'a> {
        Origin { alphabet, traces: &[], streams: &[] }
    }

    /// What a source knows.
    pub fn of<S: EventSource + ?Sized>(source: &'a S) -> Origin<'a> {
        Origin { alphabet: source.alphabet(), traces: source.traces(), streams: source.streams() }
    }
}

impl std::fmt::Debug for Event<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Event")
            .field("stream", &self.stream)
            .field("seq", &self.seq)
            .field("time", &self.time)
            .field("name", &self.name())
            .finish_non_exhaustive()
    }
}

/// What a reader finds next, in the order of time over all streams.
#[derive(Debug, Clone, Copy)]
pub enum Item<'a> {
    /// An event.
    Event(Event<'a>),
    /// Something is missing here. A gap comes right after the last event of its stream before it,
    /// so before any later event of any stream.
    Gap(Gap),
}

/// A trace that is being read: the one interface of all formats.
///
/// Items come merged over all streams: by time, on equal times by stream number, and within a
/// stream always in its own order, even where its time runs backwards. Events without a time come
/// as soon as their stream is looked at. The same bytes give the same items in the same order.
/// Reading never fails: what cannot be read becomes a diagnostic.
pub trait EventSource {
    /// The next item, or `None` at the end (and then for ever).
    fn next_item(&mut self) -> Option<Item<'_>>;

    /// Names of the event types. It may grow while reading.
    fn alphabet(&self) -> &Alphabet;

    /// The traces of the session, in the order of their names.
    fn traces(&self) -> &[TraceInfo];

    /// The streams, by [`StreamId`]. It may grow while reading; the counts are those up to now.
    fn streams(&self) -> &[StreamInfo];

    /// What was found wrong up to now, in the order of finding. Readers bound its length.
    fn diagnostics(&self) -> &[Diagnostic];

    /// `(bytes read, bytes in all)`, for a progress bar; a total of 0 means unknown.
    fn progress(&self) -> (u64, u64);
}

/// A source that reads another one and changes only what it hands out: everything else comes from the other.
pub trait Adapter {
    /// The source that it reads.
    fn inner(&self) -> &dyn EventSource;

    /// See [`EventSource::next_item`].
    fn next_adapted(&mut self) -> Option<Item<'_>>;

    /// See [`EventSource::alphabet`]: for who adds names.
    fn names(&self) -> &Alphabet {
        self.inner().alphabet()
    }
}

impl<A: Adapter> EventSource for A {
    fn next_item(&mut self) -> Option<Item<'_>> {
        self.next_adapted()
    }

    fn alphabet(&self) -> &Alphabet {
        self.names()
    }

    fn traces(&self) -> &[TraceInfo] {
        self.inner().traces()
    }

    fn streams(&self) -> &[StreamInfo] {
        self.inner().streams()
    }

    fn diagnostics(&self) -> &[Diagnostic] {
        self.inner().diagnostics()
    }

    fn progress(&self) -> (u64, u64) {
        self.inner().progress()
    }
}
