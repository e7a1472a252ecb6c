//! One trace, ready for decoding: its classes, and what the reader itself looks for in them.

use std::collections::HashMap;

use super::class::{Node, NodeId};
use super::clock::Clock;
use super::header::Header;
use super::tsdl::metadata::Order;

/// A folder with metadata.
#[derive(Debug)]
pub(super) struct Trace {
    pub(super) nodes: Vec<Node>,
    /// How many slots a stream needs.
    pub(super) slots: usize,
    pub(super) order: Order,
    pub(super) uuid: Option<[u8; 16]>,
    /// Its tracer is LTTng: it numbers the packets of a stream from 0 and names the file after the CPU.
    pub(super) is_lttng: bool,
    pub(super) clocks: Vec<Clock>,
    pub(super) packet_header: Option<PacketHeader>,
    pub(super) classes: Vec<StreamClass>,
    /// All names of events, by [`EventClass::name`].
    pub(super) names: Vec<String>,
}

/// The packet header: what says that this is a packet, and of which stream class.
#[derive(Debug)]
pub(super) struct PacketHeader {
    pub(super) root: NodeId,
    /// Slot of the magic number.
    pub(super) magic: u32,
    /// Slot of the stream class.
    pub(super) stream_id: u32,
    /// Where the UUID is, in bits from the start of the packet.
    pub(super) uuid: Option<u64>,
}

/// What streams of one class have in common.
#[derive(Debug)]
pub(super) struct StreamClass {
    pub(super) id: u64,
    pub(super) packet_context: Option<PacketContext>,
    pub(super) header: Header,
    /// The `event.context` of the stream, or `NONE`.
    pub(super) context: NodeId,
    /// Which of [`Trace::clocks`] its times are of.
    pub(super) clock: Option<usize>,
    pub(super) events: Vec<EventClass>,
    pub(super) by_id: EventIds,
}

/// The packet context: slots of the fields that mean something to us, `NONE` where one is missing.
#[derive(Debug)]
pub(super) struct PacketContext {
    pub(super) root: NodeId,
    pub(super) begin: u32,
    pub(super) begin_bits: u32,
    pub(super) end: u32,
    pub(super) end_bits: u32,
    pub(super) content_size: u32,
    pub(super) packet_size: u32,
    pub(super) sequence: u32,
    pub(super) discarded: u32,
    /// How wide the counter of discarded events is.
    pub(super) discarded_bits: u32,
    pub(super) cpu: u32,
}

/// One type of event.
#[derive(Debug)]
pub(super) struct EventClass {
    /// Index of its name in [`Trace::names`].
    pub(super) name: u32,
    /// The stream's context, the event's own context, the payload; `NONE` where one is missing.
    pub(super) roots: [NodeId; 3],
    /// The same, prepared for stepping over.
    pub(super) parts: Vec<Part>,
}

/// One of up to three structures of an event.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// Which of [`EventClass::roots`].
    pub(super) root: usize,
    pub(super) node: NodeId,
    pub(super) align: u64,
    /// Its size if it can be stepped over, otherwise `DYNAMIC`.
    pub(super) bits: u64,
    pub(super) weight: u64,
}

/// From event ids to event classes.
#[derive(Debug, Default)]
pub(super) struct EventIds {
    /// For ids below a bound, index + 1, or 0.
    dense: Vec<u32>,
    sparse: HashMap<u64, u32>,
}

/// Ids up to here are looked up in a table: LTTng numbers from 0.
const DENSE: u64 = 65_536;

impl EventIds {
    /// `false` if the id is taken.
    pub(super) fn add(&mut self, id: u64, class: u32) -> bool {
        if id >= DENSE {
            return self.sparse.insert(id, class).is_none();
        }
        let index = id as usize;
        if self.dense.len() <= index {
            self.dense.resize(index + 1, 0);
        }
        match self.dense.get_mut(index) {
            Some(entry) if *entry == 0 => {
                *entry = class + 1;
                true
            }
            _ => false,
        }
    }

    #[inline]
    pub(super) fn find(&self, id: u64) -> Option<u32> {
        match self.dense.get(usize::try_from(id).unwrap_or(usize::MAX)) {
            Some(entry) => entry.checked_sub(1),
            None => self.sparse.get(&id).copied(),
        }
    }
}
