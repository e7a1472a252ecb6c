//! A stream: one file, packet after packet, event after event.

use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

use model::{Edge, Gap, Lost, StreamId, StreamInfo};

use super::class::{NONE, aligned};
use super::diagnostics::{Defect, Diagnostics};
use super::event::{Current, Oddness};
use super::header::Header;
use super::index::{Index, Missing};
use super::loss::{Counters, Loss};
use super::packet::{self, BadPacket, Packet};
use super::trace::Trace;
use super::tsdl::metadata::Order;
use super::walk::Stop;
use super::window::Window;
use crate::limits;

/// One stream file and where we are in it.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) id: StreamId,
    pub(super) name: String,
    pub(super) trace: Rc<Trace>,
    pub(super) window: Window,
    pub(super) slots: Vec<Cell<u64>>,
    pub(super) counters: Counters,
    /// The packet that is being read.
    pub(super) packet: Option<Packet>,
    /// Where the next packet starts, in bytes.
    pub(super) next_packet: u64,
    /// The first bit in the packet that was not read yet.
    pub(super) position: u64,
    /// The clock in ticks, as the last field that updated it left it.
    pub(super) clock: u64,
    pub(super) current: Current,
    /// Events were lost since the last one, and nobody knows how many.
    pub(super) unknown_loss: bool,
    /// The loss that the packet declares, to be reported again at its end.
    pub(super) end_gap: Option<Loss>,
    /// Bits of the packet if it declares a loss, else `u64::MAX`: where less space is left than the
    /// largest event takes, such an event may have been refused.
    pub(super) space: u64,
    /// Bits of the largest event so far.
    pub(super) largest: u64,
    /// Events read, the current one included.
    pub(super) events: u64,
    /// How often the next packet was searched for.
    pub(super) searches: u64,
    pub(super) ended: bool,
    /// Events of packets that ended before this moment are left out.
    pub(super) skip_before: Option<model::Timestamp>,
    /// The packets that the tracer wrote, where it says so.
    pub(super) index: Index,
    /// The index is there and the file is not.
    pub(super) is_gone: bool,
}

/// The outcome of advancing a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Advance {
    /// It has an event.
    Event,
    /// It found many gaps, which must be handed out before it goes on.
    Pause,
    /// It is at its end.
    End,
}

/// The sink in which a stream leaves what it finds on its way to the next event.
#[derive(Debug)]
pub(super) struct Sink<'r> {
    pub(super) diagnostics: &'r mut Diagnostics,
    pub(super) gaps: &'r mut VecDeque<Gap>,
    pub(super) info: &'r mut StreamInfo,
}

impl Stream {
    pub(super) fn new(id: StreamId, name: String, trace: Rc<Trace>, window: Window) -> Self {
        Stream {
            id,
            name,
            slots: vec![Cell::new(0); trace.slots],
            trace,
            window,
            counters: Counters::default(),
            packet: None,
            next_packet: 0,
            position: 0,
            clock: 0,
            current: Current::default(),
            unknown_loss: false,
            end_gap: None,
            space: u64::MAX,
            largest: 0,
            events: 0,
            searches: 0,
            ended: false,
            skip_before: None,
            index: Index::default(),
            is_gone: false,
        }
    }

    /// The CPU by the index, or else by the name: LTTng calls streams after channel and CPU, `channel0_3`.
    pub(super) fn likely_cpu(&self) -> Option<u32> {
        match self.index.instance {
            Some(instance) => u32::try_from(instance).ok(),
            None => self.name.rsplit_once('_')?.1.parse().ok(),
        }
    }

    /// The class, the CPU and the number of the first packet, as far as it can be read.
    pub(super) fn first_packet(&mut self) -> Option<Packet> {
        packet::read(&self.trace, &mut self.window, &self.slots, 0, 0).ok()
    }

    #[inline]
    pub(super) fn current(&self) -> &Current {
        &self.current
    }

    #[inline]
    pub(super) fn cpu(&self) -> Option<u32> {
        self.packet.as_ref().and_then(|packet| packet.cpu)
    }

    /// Bytes read so far, and bytes in all.
    pub(super) fn progress(&self) -> (u64, u64) {
        let size = self.window.size();
        let at = match &self.packet {
            _ if self.ended => size,
            Some(packet) => packet.start.saturating_add(self.position / 8),
            None => self.next_packet,
        };
        (at.min(size), size)
    }

    /// Moves to the next event.
    #[inline]
    pub(super) fn advance(&mut self, sink: &mut Sink<'_>) -> Advance {
        // The usual way: the next event of the same packet, all of it in the window.
        match self.decode() {
            Ok(Oddness::None) if !self.is_crowded() => Advance::Event,
            other => self.advance_slowly(other, sink),
        }
    }

    /// Goes on after `tried` did not simply give an event.
    #[inline(never)]
    fn advance_slowly(&mut self, mut tried: Result<Oddness, Stop>, sink: &mut Sink<'_>) -> Advance {
        while !self.ended {
            let Some(packet) = self.packet else {
                if sink.gaps.len() >= limits::CTF_GAPS {
                    return Advance::Pause;
                }
                self.open_packet(sink);
                tried = self.decode();
                continue;
            };
            match tried {
                Ok(oddness) => {
                    self.complain_oddness(&packet, oddness, sink);
                    if self.is_crowded()
                        && let Some(loss) = self.end_gap
                    {
                        let before_event = self.events.saturating_sub(1);
                        self.gap_before(before_event, loss, Edge::End, sink);
                    }
                    return Advance::Event;
                }
                Err(Stop::EndOfPacket) => {}
                Err(Stop::Short) if self.window_ends_before(&packet) => {
                    let at = packet.start.saturating_add(self.position >> 3);
                    if self.window.more(at) {
                        tried = self.decode();
                        continue;
                    }
                    self.complain_unreadable(sink);
                }
                Err(stop) => self.complain_event(&packet, stop, sink),
            }
            self.close_packet(&packet, sink);
        }
        Advance::End
    }

    /// Whether a larger event may have been refused right before the current one.
    #[inline]
    fn is_crowded(&self) -> bool {
        self.current.begin.saturating_add(self.largest) > self.space
    }

    /// Whether the bytes at hand end before the packet does.
    fn window_ends_before(&self, packet: &Packet) -> bool {
        let at = packet.start.saturating_add(self.position >> 3);
        let have = self.window.from(at).len() as u64;
        ((self.position >> 3).saturating_add(have)).saturating_mul(8) < packet.content
    }

    fn open_packet(&mut self, sink: &mut Sink<'_>) {
        let start = self.next_packet;
        if start >= self.window.size() {
            self.end(sink);
            return;
        }
        let found = packet::read(&self.trace, &mut self.window, &self.slots, start, self.clock);
        let packet = match found {
            Ok(packet) => packet,
            Err(BadPacket::Cut) => {
                self.complain_unreadable(sink);
                if start < self.window.size() {
                    let have = self.window.size() - start;
                    let what =
                        format!("The file ends {have} bytes after the start of a packet, in its header.");
                    self.complain(Defect::damage("ctf-packet-short", start, what), sink);
                    self.unknown_loss = true;
                }
                self.end(sink);
                return;
            }
            Err(BadPacket::Contradictory(what, next)) => {
                self.complain(Defect::damage("ctf-packet-size", start, what), sink);
                self.unknown_loss = true;
                self.next_packet = next.max(start + 1);
                return;
            }
            Err(BadPacket::NotAPacket(what)) => {
                self.complain(Defect::damage("ctf-packet-bad", start, what), sink);
                self.unknown_loss = true;
                self.searches += 1;
                let found = (self.searches <= limits::CTF_SEARCHES).then(|| self.find_magic(start + 1));
                match found.flatten() {
                    Some(next) => self.next_packet = next,
                    None => self.end(sink),
                }
                return;
            }
        };
        sink.info.packets += 1;
        sink.info.cpu = sink.info.cpu.or(packet.cpu);
        if let Some(clock) = packet.clock {
            self.clock = clock;
        }
        if packet.is_foreign {
            let what = "A packet has the UUID of another trace; it is read all the same.".to_owned();
            self.complain(Defect::damage("ctf-packet-foreign", start, what), sink);
        }
        if packet.odd_size {
            let what = format!(
                "The sizes of a packet do not fit together: {} bits of content are taken, {} bytes in all.",
                packet.declared_content,
                packet.declared_end.saturating_sub(start)
            );
            self.complain(Defect::damage("ctf-packet-size", start, what), sink);
        }
        if packet.declared_end > packet.end {
            let what = format!(
                "A packet of {} bytes is cut: only {} bytes are there.",
                packet.declared_end.saturating_sub(start),
                packet.end.saturating_sub(start)
            );
            self.complain(Defect::damage("ctf-packet-short", start, what), sink);
        }
        if packet.clamped {
            self.complain_clamped(&packet, sink);
        }
        let before = self.counters.ended();
        let mut boundary = self.counters.next(&packet);
        // Packet numbers report the same loss; without them only the index does.
        if let Some(missing) = self.index.meet(packet.clock, start)
            && boundary.packets.is_none()
        {
            let what = format!("The index lists {missing} here that the stream does not have.");
            self.complain(Defect::damage("ctf-packets-missing", start, what), sink);
            let loss = self.loss(missing, Some(packet.class));
            boundary.packets = Some(Loss { from: before.or(loss.from), to: packet.begins, ..loss });
        }
        // Packets that could not be read and that the numbers count are not lost twice.
        if self.unknown_loss && boundary.packets.is_none() {
            let (from, to) = (before, packet.begins);
            self.gap(Loss { lost: Lost::Unknown, from, to }, Edge::Start, sink);
        }
        self.unknown_loss = false;
        for (code, what) in boundary.anomalies {
            self.complain(Defect::note(code, start, what), sink);
        }
        for loss in [boundary.packets, boundary.events].into_iter().flatten() {
            self.gap(loss, Edge::Start, sink);
        }
        self.end_gap = boundary.events;
        self.space = match boundary.events {
            Some(_) => packet.end.saturating_sub(packet.start).saturating_mul(8),
            None => u64::MAX,
        };
        if let (Some(before), Some(ends)) = (self.skip_before, packet.ends)
            && ends < before
        {
            self.close_packet(&packet, sink);
            return;
        }
        if self.skip_before.take().is_some() {
            self.window.skim(false);
        }
        self.position = packet.first;
        self.packet = Some(packet);
    }

    fn close_packet(&mut self, packet: &Packet, sink: &mut Sink<'_>) {
        // What was cut off held events, unless it was padding.
        if packet.content < packet.declared_content || self.unknown_loss {
            let from = if self.events > 0 { self.current.time } else { packet.begins };
            self.gap(Loss { lost: Lost::Unknown, from, to: packet.ends }, Edge::Start, sink);
            self.unknown_loss = false;
        }
        if let Some(loss) = self.end_gap.take() {
            self.gap(loss, Edge::End, sink);
        }
        // Of a packet that is cut nobody knows what its end held.
        if packet.content >= packet.declared_content {
            sink.info.recorded_until = sink.info.recorded_until.max(packet.ends);
        }
        self.next_packet = packet.end.max(packet.start.saturating_add(1));
        self.packet = None;
    }

    /// What an index says to be missing; the clock is that of the stream class, or of the first one.
    fn loss(&self, missing: Missing, class: Option<usize>) -> Loss {
        let class = self.trace.classes.get(class.unwrap_or(0));
        let clock = class.and_then(|class| self.trace.clocks.get(class.clock?));
        let time = |ticks| clock.map(|clock| clock.moment(ticks).0);
        Loss { lost: Lost::Packets(missing.packets), from: time(missing.from), to: time(missing.to) }
    }

    fn end(&mut self, sink: &mut Sink<'_>) {
        if let Some(missing) = self.index.end() {
            let (code, what) = if self.is_gone {
                let what = format!("The index lists this stream with {missing}, but there is no such file.");
                ("ctf-stream-missing", what)
            } else {
                let what = format!("The index lists {missing} more than the stream has.");
                ("ctf-packets-missing", what)
            };
            self.complain(Defect::damage(code, self.window.size(), what), sink);
            let loss = self.loss(missing, None);
            let from = self.counters.ended().or(loss.from);
            self.gap(Loss { from, ..loss }, Edge::Start, sink);
            self.unknown_loss = false;
        }
        if self.unknown_loss {
            let from = self.counters.ended();
            self.gap(Loss { lost: Lost::Unknown, from, to: None }, Edge::Start, sink);
        }
        self.ended = true;
        sink.diagnostics.end_of_stream(self.id, &self.name, self.window.size());
    }

    /// The next place from `start` on where a packet may begin. Without a magic number there is none.
    fn find_magic(&mut self, start: u64) -> Option<u64> {
        let header = self.trace.packet_header.as_ref()?;
        if header.magic == NONE {
            return None;
        }
        let magic = match self.trace.order {
            Order::Little => (packet::MAGIC as u32).to_le_bytes(),
            Order::Big => (packet::MAGIC as u32).to_be_bytes(),
        };
        let mut at = start;
        loop {
            let bytes = self.window.from(at);
            if let Some(found) = memchr::memmem::find(bytes, &magic) {
                return Some(at + found as u64);
            }
            // The number may lie across the end of the window.
            at += bytes.len().saturating_sub(3) as u64;
            at = self.window.next_data(at);
            if !self.window.more(at) {
                return None;
            }
        }
    }

    fn gap(&self, loss: Loss, edge: Edge, sink: &mut Sink<'_>) {
        self.gap_before(self.events, loss, edge, sink);
    }

    fn gap_before(&self, before_event: u64, loss: Loss, edge: Edge, sink: &mut Sink<'_>) {
        let Loss { lost, from, to } = loss;
        sink.gaps.push_back(Gap { stream: self.id, before_event, from, to, lost, edge });
    }

    fn complain(&self, defect: Defect, sink: &mut Sink<'_>) {
        sink.diagnostics.stream(self.id, &self.name, defect);
    }

    fn complain_unreadable(&mut self, sink: &mut Sink<'_>) {
        if let Some(error) = self.window.take_failure() {
            let what = format!("The file cannot be read on from here: {error}.");
            self.complain(Defect::damage("ctf-unreadable", self.window.size(), what), sink);
            self.unknown_loss = true;
        }
    }

    fn complain_oddness(&self, packet: &Packet, oddness: Oddness, sink: &mut Sink<'_>) {
        match oddness {
            Oddness::None => {}
            Oddness::Clamped => self.complain_clamped(packet, sink),
            Oddness::Backwards => {
                let at = packet.start.saturating_add(self.current.begin / 8);
                let what = "An event is earlier than the one before it in its packet.".to_owned();
                self.complain(Defect::note("ctf-event-backwards", at, what), sink);
            }
        }
    }

    fn complain_clamped(&self, packet: &Packet, sink: &mut Sink<'_>) {
        let at = packet.start.saturating_add(self.current.begin / 8);
        let what = "A time does not fit into 64 bits of nanoseconds and was clamped.".to_owned();
        self.complain(Defect::damage("ctf-time-clamped", at, what), sink);
    }

    fn complain_event(&mut self, packet: &Packet, stop: Stop, sink: &mut Sink<'_>) {
        // The packet was already reported as cut, so its last event is not whole.
        if stop == Stop::Short && packet.content < packet.declared_content {
            return;
        }
        let align = self.trace.classes.get(packet.class).map_or(1, |class| match &class.header {
            Header::Fixed { align, .. } | Header::Chosen { align, .. } => *align,
            Header::Walk { node, .. } => self.trace.nodes.get(*node as usize).map_or(1, |node| node.align),
            Header::Empty => 1,
        });
        // Only padding was left.
        if stop == Stop::Short && aligned(self.position, align) >= packet.content {
            return;
        }
        let what = match stop {
            Stop::Short => "An event goes beyond the end of its packet".to_owned(),
            Stop::NoOption(tag) => {
                format!("The tag of a variant is {tag}, which chooses none of its options")
            }
            Stop::OrdersMeet => {
                "Two numbers of an event share a byte and have different byte orders".to_owned()
            }
            Stop::TooWide => "A number of an event has more than 64 bits".to_owned(),
            Stop::TooMuch => "An event has far more values than bits".to_owned(),
            Stop::NoClass(id) => format!("An event has the id {id}, which the metadata does not declare"),
            Stop::Empty | Stop::EndOfPacket => "An event takes no space at all".to_owned(),
        };
        let left = packet.content.saturating_sub(self.position).div_ceil(8);
        let what = format!("{what}; the {left} bytes from here to the end of the packet are not read.");
        let at = packet.start.saturating_add(self.position / 8);
        self.complain(Defect::damage("ctf-event-bad", at, what), sink);
        self.unknown_loss = true;
    }
}
