//! Packets: where they are, what they are of, and what they say of themselves
//! (CTF 1.8.3 specification, section 5).

use std::cell::Cell;

use model::Timestamp;

use super::bits::View;
use super::class::NONE;
use super::clock::nearest;
use super::trace::Trace;
use super::walk::{Stop, Walker};
use super::window::Window;
use crate::limits;

/// What the magic number of a packet must be.
pub(super) const MAGIC: u64 = 0xC1FC_1FC1;

/// A packet that is being read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Packet {
    /// Offset of its first byte in the file.
    pub(super) start: u64,
    /// The first bit of its events, from its start.
    pub(super) first: u64,
    /// Bits up to the end of its events, from its start, as far as the file goes.
    pub(super) content: u64,
    /// Bits that its events should take, from its start.
    pub(super) declared_content: u64,
    /// Offset in the file of the byte behind it.
    pub(super) end: u64,
    /// What the packet says where that is; it may lie behind the end of the file.
    pub(super) declared_end: u64,
    /// Its stream class, an index.
    pub(super) class: usize,
    pub(super) begins: Option<Timestamp>,
    pub(super) ends: Option<Timestamp>,
    /// Whether a time had to be clamped to 64 bits.
    pub(super) clamped: bool,
    /// `timestamp_begin` in ticks.
    pub(super) clock: Option<u64>,
    pub(super) discarded: Option<u64>,
    pub(super) discarded_bits: u32,
    pub(super) sequence: Option<u64>,
    pub(super) cpu: Option<u32>,
    /// It has the UUID of another trace.
    pub(super) is_foreign: bool,
    /// Its content is smaller than its own header.
    pub(super) odd_size: bool,
}

/// Why a packet cannot be read.
#[derive(Debug)]
pub(super) enum BadPacket {
    /// The file ends within its header or context.
    Cut,
    /// Its sizes contradict each other; the next packet starts at this offset.
    Contradictory(String, u64),
    /// It does not start as packets of this trace do; where the next one starts is unknown.
    NotAPacket(String),
}

/// Reads the start of the packet at `start`. Values are kept in `slots`.
pub(super) fn read(
    trace: &Trace,
    window: &mut Window,
    slots: &[Cell<u64>],
    start: u64,
    clock: u64,
) -> Result<Packet, BadPacket> {
    loop {
        let bytes = window.from(start);
        match parse(trace, View { bytes, origin: 0 }, slots, start, window.size(), clock) {
            Ok(found) => return found,
            Err(Stop::Short) if bytes.len() as u64 >= limits::CTF_PACKET_START => {
                let limit = limits::CTF_PACKET_START;
                let what =
                    format!("The header of a packet is longer than {limit} bytes, the most that is read.");
                return Err(BadPacket::NotAPacket(what));
            }
            Err(Stop::Short) if window.more(start) => {}
            Err(Stop::Short) => return Err(BadPacket::Cut),
            Err(_) => return Err(BadPacket::NotAPacket("The header of a packet makes no sense.".into())),
        }
    }
}

fn parse(
    trace: &Trace,
    view: View<'_>,
    slots: &[Cell<u64>],
    start: u64,
    size: u64,
    now: u64,
) -> Result<Result<Packet, BadPacket>, Stop> {
    let limit = (view.bytes.len() as u64).min(limits::CTF_PACKET_START) * 8;
    if limit == 0 {
        return Err(Stop::Short);
    }
    let mut walker = Walker::new(&trace.nodes, view, (0, limit), slots, now);
    let read = |slot: u32| (slot != NONE).then(|| slots.get(slot as usize).map_or(0, Cell::get));
    let mut position = 0;
    let mut stream_id = None;
    let mut is_foreign = false;
    if let Some(header) = &trace.packet_header {
        position = walker.walk(header.root, position)?;
        if let Some(magic) = read(header.magic)
            && magic != MAGIC
        {
            let what = format!("A packet starts with 0x{magic:08X} instead of 0x{MAGIC:08X}.");
            return Ok(Err(BadPacket::NotAPacket(what)));
        }
        if let (Some(offset), Some(own)) = (header.uuid, trace.uuid) {
            is_foreign = walker.view.bytes_at(offset, 16) != Some(&own);
        }
        stream_id = read(header.stream_id);
    }
    let class = match stream_id {
        Some(id) => trace.classes.iter().position(|class| class.id == id),
        None => (trace.classes.len() == 1).then_some(0),
    };
    let Some((index, class)) = class.and_then(|index| Some((index, trace.classes.get(index)?))) else {
        let what = match stream_id {
            Some(id) => format!("A packet is of stream {id}, which the metadata does not declare."),
            None => "A packet does not say of which of several streams it is.".to_owned(),
        };
        return Ok(Err(BadPacket::NotAPacket(what)));
    };
    let mut packet = Packet { start, class: index, ..Packet::default() };
    let clock = class.clock.and_then(|clock| trace.clocks.get(clock));
    let (mut content, mut total) = (None, None);
    if let Some(context) = &class.packet_context {
        position = walker.walk(context.root, position)?;
        let mut moment = |ticks: u64| {
            clock.map(|clock| {
                let (moment, clamped) = clock.moment(ticks);
                packet.clamped |= clamped;
                moment
            })
        };
        packet.clock = read(context.begin).map(|ticks| nearest(now, ticks, context.begin_bits));
        packet.begins = packet.clock.and_then(&mut moment);
        // lttng-crash leaves a 0 where the tracer did not get to write the end.
        let ends = read(context.end).filter(|&ticks| ticks != 0);
        let ends = ends.map(|ticks| nearest(packet.clock.unwrap_or(now), ticks, context.end_bits));
        packet.ends = ends.and_then(&mut moment);
        content = read(context.content_size).filter(|&bits| bits != 0);
        total = read(context.packet_size).filter(|&bits| bits != 0);
        packet.sequence = read(context.sequence);
        packet.discarded = read(context.discarded);
        packet.discarded_bits = context.discarded_bits;
        packet.cpu = read(context.cpu).and_then(|cpu| u32::try_from(cpu).ok());
    }
    packet.first = position;
    // The specification: one of the two sizes stands for the other; none means the whole file.
    let rest = size.saturating_sub(start).saturating_mul(8);
    let total = total.or(content).unwrap_or(rest);
    let content = content.unwrap_or(total);
    if total < position {
        let what = format!("A packet of {total} bits is smaller than its own header of {position} bits.");
        return Ok(Err(BadPacket::NotAPacket(what)));
    }
    let end = start.saturating_add(total.div_ceil(8)).min(size);
    if content > total {
        let what = format!("A packet of {total} bits claims {content} bits of content, so it is not read.");
        return Ok(Err(BadPacket::Contradictory(what, end)));
    }
    if !total.is_multiple_of(8) {
        let what = format!("A packet claims {total} bits, which are no whole bytes, so it is not read.");
        return Ok(Err(BadPacket::Contradictory(what, end)));
    }
    packet.odd_size = content < position;
    packet.declared_content = content.clamp(position, total);
    packet.content = packet.declared_content.min(rest);
    packet.declared_end = start.saturating_add(total.div_ceil(8));
    packet.end = packet.declared_end.min(size);
    packet.is_foreign = is_foreign;
    Ok(Ok(packet))
}
