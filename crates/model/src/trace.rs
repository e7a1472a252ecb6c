//! What is known of a trace before and beside its events.

use crate::{HostClock, Timestamp};

/// Which stream of a trace; numbered from 0 in the order of the streams' names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StreamId(pub u32);

/// One stream: the events that one buffer of the tracer received, in one order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamInfo {
    /// Its file, relative to what was opened, with `/` between folders.
    pub name: String,
    /// Which trace of a session it belongs to: an index into the list of [`TraceInfo`].
    pub trace: usize,
    /// The CPU it was recorded on, where the tracer says so.
    pub cpu: Option<u32>,
    /// Packets read so far; 0 for formats without packets.
    pub packets: u64,
    /// Events read so far.
    pub events: u64,
    /// Time of the first event read.
    pub first: Option<Timestamp>,
    /// Time of the last event read.
    pub last: Option<Timestamp>,
    /// Until when the stream is known to have been recorded, beyond its last event: the end of its last packet, or
    /// of the recording. `None` where the format does not say. Complete once all of the trace was read.
    pub recorded_until: Option<Timestamp>,
    /// First and last event, known before the first is read, of a stream that the tracer switched on and off by
    /// itself, a while before or after others: whether it was recorded outside of them is not known. `None`: all streams
    /// were switched together, or the format has packets that say when they begin and end.
    pub surely_recorded: Option<(Timestamp, Timestamp)>,
}

impl StreamInfo {
    /// A stream of which nothing was read yet.
    pub fn new(name: String, trace: usize, cpu: Option<u32>) -> StreamInfo {
        StreamInfo {
            name,
            trace,
            cpu,
            packets: 0,
            events: 0,
            first: None,
            last: None,
            recorded_until: None,
            surely_recorded: None,
        }
    }

    /// Counts an event that is read, and gives its number in the stream, from 0.
    pub fn count_event(&mut self, time: Option<Timestamp>) -> u64 {
        let number = self.events;
        self.events += 1;
        self.first = self.first.or(time);
        self.last = time.or(self.last);
        number
    }

    /// The end of the stream: nothing is known of what happened after it.
    pub fn end(&self) -> Option<Timestamp> {
        self.last.max(self.recorded_until)
    }
}

/// What a trace says about itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TraceInfo {
    /// Folder or file relative to what was opened; empty for that itself.
    pub name: String,
    /// The format and its version, for instance `CTF 1.8`.
    pub format: String,
    /// The host it was recorded on, where known.
    pub host: Option<String>,
    /// The tracer and its version, where known, for instance `lttng-modules 2.8.0`.
    pub tracer: Option<String>,
    /// All that the trace says of its environment, in its order.
    pub environment: Vec<(String, String)>,
    /// Its clocks.
    pub clocks: Vec<ClockInfo>,
    /// How its times were brought to the clock of another host, where that was done.
    pub host_clock: Option<HostClock>,
}

/// What stands in the environment of a trace whose recorder followed some threads only.
pub const OWN_THREADS: (&str, &str) = ("threads", "only those of the command");

impl TraceInfo {
    /// Whether only what the recorder's own threads did themselves was recorded: that another thread
    /// made one of them ready, or was switched away from for one, is not there, and is not lost.
    pub fn sees_own_threads_only(&self) -> bool {
        self.environment.iter().any(|(name, value)| (&**name, &**value) == OWN_THREADS)
    }
}

/// A clock of a trace: `ns since epoch = (offset_s + (offset + value) / frequency) * 10^9`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockInfo {
    /// Its name in the trace.
    pub name: String,
    /// Ticks a second.
    pub frequency: u64,
    /// Whole seconds to add.
    pub offset_s: i64,
    /// Ticks to add.
    pub offset: i64,
}
