//! Events: read far enough to know where they end, and decoded for whoever asks.

use model::{FieldSink, Fields, Scope, Timestamp, Value};

use super::bits::View;
use super::class::{DYNAMIC, NONE, aligned};
use super::clock::extend;
use super::header::Header;
use super::stream::Stream;
use super::walk::{Stop, Walker};

/// The event that was read last.
#[derive(Debug, Default)]
pub(super) struct Current {
    pub(super) class: u32,
    pub(super) name: u32,
    pub(super) time: Option<Timestamp>,
    /// Bits from the start of the packet: where each structure starts, and where the event ends.
    pub(super) starts: [u64; 3],
    pub(super) begin: u64,
    pub(super) end: u64,
}

/// What there is to say about the time of an event that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Oddness {
    None,
    /// It had to be clamped to 64 bits.
    Clamped,
    /// It is earlier than the event before it.
    Backwards,
}

impl Stream {
    /// Decodes the event at `position` far enough to know its end, and moves behind it.
    #[inline(always)]
    pub(super) fn decode(&mut self) -> Result<Oddness, Stop> {
        let Some(packet) = &self.packet else { return Err(Stop::EndOfPacket) };
        if self.position >= packet.content {
            return Err(Stop::EndOfPacket);
        }
        let trace = &*self.trace;
        let class = trace.classes.get(packet.class).ok_or(Stop::Empty)?;
        let origin = self.position >> 3;
        let bytes = self.window.from(packet.start.wrapping_add(origin));
        let limit = packet.content.min((origin + bytes.len() as u64) << 3);
        let view = View { bytes, origin };
        let begin = self.position;
        let mut walker = Walker::new(&trace.nodes, view, (begin, limit), &self.slots, self.clock);
        let mut position = begin;
        let mut id = None;
        let shape = match &class.header {
            Header::Empty => None,
            Header::Fixed { align, shape } => {
                position = aligned(position, *align);
                Some(shape)
            }
            Header::Chosen { align, id, options } => {
                position = aligned(position, *align);
                let location = position.wrapping_add(id.offset);
                let value = view.unsigned(location, id.bits, id.order).ok_or(Stop::Short)?;
                let chosen = options.iter().find(|(low, high, _)| (*low..=*high).contains(&value));
                Some(&chosen.ok_or(Stop::NoOption(value))?.2)
            }
            Header::Walk { node, id_slot } => {
                position = walker.walk(*node, position)?;
                if *id_slot != NONE {
                    id = Some(walker.slot(*id_slot));
                }
                None
            }
        };
        if let Some(shape) = shape {
            let end = position.saturating_add(shape.end);
            if end > limit {
                return Err(Stop::Short);
            }
            if let Some(location) = shape.id {
                id = view.unsigned(position + location.offset, location.bits, location.order);
            }
            if let Some(location) = shape.time {
                let value = view.unsigned(position + location.offset, location.bits, location.order);
                walker.clock = extend(walker.clock, value.ok_or(Stop::Short)?, location.bits);
            }
            position = end;
        }
        let index = match id {
            Some(id) => class.by_id.find(id).ok_or(Stop::NoClass(id))?,
            None if class.events.len() == 1 => 0,
            None => class.by_id.find(0).ok_or(Stop::NoClass(0))?,
        };
        let event = class.events.get(index as usize).ok_or(Stop::NoClass(u64::from(index)))?;
        let (time, clamped) = match class.clock.and_then(|clock| trace.clocks.get(clock)) {
            Some(clock) => {
                let (time, clamped) = clock.moment(walker.clock);
                (Some(time), clamped)
            }
            None => (None, false),
        };
        let mut starts = [0; 3];
        for part in &event.parts {
            position = aligned(position, part.align);
            if let Some(start) = starts.get_mut(part.root) {
                *start = position;
            }
            if part.bits != DYNAMIC {
                walker.work = walker.work.saturating_add(part.weight);
                position = position.wrapping_add(part.bits);
                if position > limit {
                    return Err(Stop::Short);
                }
            } else {
                position = walker.walk(part.node, position)?;
            }
        }
        walker.check_work(position)?;
        if position == begin {
            return Err(Stop::Empty);
        }
        let clock = walker.clock;
        let oddness = match () {
            () if clamped => Oddness::Clamped,
            () if time < self.current.time && begin != packet.first => Oddness::Backwards,
            () => Oddness::None,
        };
        self.current = Current { class: index, name: event.name, time, starts, begin, end: position };
        self.clock = clock;
        self.position = position;
        self.largest = self.largest.max(position - begin);
        self.events += 1;
        Ok(oddness)
    }

    /// The structures of the current event: contexts of its stream and of its own, and its payload.
    #[inline]
    fn roots(&self) -> Option<[u32; 3]> {
        let class = self.trace.classes.get(self.packet.as_ref()?.class)?;
        Some(class.events.get(self.current.class as usize)?.roots)
    }

    /// A walker over the current event.
    #[inline]
    fn walker(&self) -> Option<Walker<'_>> {
        let origin = self.current.begin >> 3;
        let bytes = self.window.from(self.packet.as_ref()?.start.wrapping_add(origin));
        let range = (self.current.begin, self.current.end);
        Some(Walker::new(&self.trace.nodes, View { bytes, origin }, range, &self.slots, 0))
    }
}

impl Fields for Stream {
    fn visit(&self, scope: Scope, sink: &mut dyn FieldSink) {
        let Some([stream, event, fields]) = self.roots() else { return };
        // Many traces have no context, and are asked for it with every event.
        if scope == Scope::Context && stream == NONE && event == NONE {
            return;
        }
        let Some(mut walker) = self.walker() else { return };
        let [in_stream, in_event, in_fields] = self.current.starts;
        let roots: &[(u32, u64)] = match scope {
            Scope::Context => &[(stream, in_stream), (event, in_event)],
            Scope::Payload => &[(fields, in_fields)],
        };
        for &(root, start) in roots {
            // It was walked over before, so it cannot fail; if it did, there would be no more to show.
            let _ = walker.visit_members(root, start, sink);
        }
    }

    fn get(&self, name: &str) -> Option<Value<'_>> {
        let (roots, mut walker) = (self.roots()?, self.walker()?);
        for (&root, &start) in roots.iter().zip(&self.current.starts).rev() {
            if let Some(found) = walker.get(root, name, start) {
                return found;
            }
        }
        None
    }
}
