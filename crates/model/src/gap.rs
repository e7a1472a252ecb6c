//! Gaps: loss is data. It has a place, a time range and a count.

use crate::{StreamId, Timestamp};

/// Something that a trace says, or shows, to be missing from one of its streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// The stream that lost it.
    pub stream: StreamId,
    /// How many events of the stream were read before the gap: it lies just before the event with
    /// this number (counted from 0).
    pub before_event: u64,
    /// Nothing was lost before this moment; `None`: the loss may reach back to the start.
    pub from: Option<Timestamp>,
    /// Nothing was lost after this moment; `None`: it may reach to the end of the recording.
    pub to: Option<Timestamp>,
    /// What was lost.
    pub lost: Lost,
    /// Which end of the packet this is about, see [`Edge`].
    pub edge: Edge,
}

/// How much is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lost {
    /// The tracer counted this many events.
    Events(u64),
    /// This many whole packets are missing; nobody knows how many events they held.
    Packets(u64),
    /// Something is missing and nobody counted it (a cut file, an overwritten beginning).
    Unknown,
}

/// A tracer that runs out of buffers says so in the counter of a packet. The loss then lies before
/// the first event of that packet, or after its last one (LTTng closes a packet late, when space is
/// there again), or near its end: where less room was left than a large event takes, the large one
/// was refused and a small one still went in. Readers therefore report each position where it may lie,
/// and only one of them counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// The gap itself: add it to the totals.
    Start,
    /// Another position of the same loss, near the end of the packet or after it: already counted.
    End,
}
