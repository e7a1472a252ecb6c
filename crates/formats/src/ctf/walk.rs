//! Stepping over fields: where does a field end, and what has to be remembered of it?

use std::cell::Cell;

use super::bits::{View, signed};
use super::class::{DYNAMIC, Kind, NONE, Node, NodeId, Step, aligned};
use super::clock::extend;
use crate::limits;

/// Why a walk ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// It would go beyond the bytes at hand.
    Short,
    /// The tag of a variant has a value that chooses none of its options.
    NoOption(u64),
    /// It would hand out more values than its size justifies.
    TooMuch,
    /// The event has an id that is not declared.
    NoClass(u64),
    /// No event is left in the packet, or there is no packet.
    EndOfPacket,
    /// Two numbers in one byte have different byte orders.
    OrdersMeet,
    /// A number of variable length has more than 64 bits.
    TooWide,
    /// The event has no byte at all, so there is no end of such events.
    Empty,
}

/// What a walk needs, and what it changes.
#[derive(Debug)]
pub(super) struct Walker<'w> {
    pub(super) nodes: &'w [Node],
    pub(super) view: View<'w>,
    /// No field may end behind this bit of the packet.
    pub(super) limit: u64,
    pub(super) slots: &'w [Cell<u64>],
    pub(super) clock: u64,
    /// Values and brackets that were stepped over; compare [`limits::CTF_WORK`].
    pub(super) work: u64,
    /// Where the work began.
    pub(super) start: u64,
}

impl<'w> Walker<'w> {
    pub(super) fn new(
        nodes: &'w [Node],
        view: View<'w>,
        (start, limit): (u64, u64),
        slots: &'w [Cell<u64>],
        clock: u64,
    ) -> Self {
        Walker { nodes, view, limit, slots, clock, work: 0, start }
    }

    /// Moves over `bits` bits.
    #[inline]
    pub(super) fn skip(&self, position: u64, bits: u64) -> Result<u64, Stop> {
        match position.checked_add(bits) {
            Some(end) if end <= self.limit => Ok(end),
            _ => Err(Stop::Short),
        }
    }

    /// Refuses work that the bits up to `position` do not justify.
    #[inline]
    pub(super) fn check_work(&self, position: u64) -> Result<(), Stop> {
        let bits = position.saturating_sub(self.start);
        let allowed = limits::CTF_WORK.saturating_add(bits.saturating_mul(limits::CTF_WORK_PER_BIT));
        if self.work <= allowed { Ok(()) } else { Err(Stop::TooMuch) }
    }

    #[inline]
    pub(super) fn slot(&self, slot: u32) -> u64 {
        self.slots.get(slot as usize).map_or(0, Cell::get)
    }

    /// Moves over the field `id` that starts at or, when that is not aligned, behind `position`.
    pub(super) fn walk(&mut self, id: NodeId, position: u64) -> Result<u64, Stop> {
        let nodes = self.nodes;
        let Some(node) = nodes.get(id as usize) else { return Ok(position) };
        let start = aligned(position, node.align);
        // Alignments are small, so a wrapped sum is far below.
        if start < position {
            return Err(Stop::Short);
        }
        if node.plain && node.bits != DYNAMIC {
            self.work = self.work.saturating_add(node.weight);
            return self.skip(start, node.bits);
        }
        match &node.kind {
            Kind::Integer(integer) | Kind::Enum(integer, _) => {
                let end = self.skip(start, node.bits)?;
                self.work += 1;
                let value =
                    self.view.unsigned(start, integer.bits.min(64), integer.order).ok_or(Stop::Short)?;
                if integer.slot != NONE
                    && let Some(slot) = self.slots.get(integer.slot as usize)
                {
                    slot.set(if integer.signed { signed(value, integer.bits) as u64 } else { value });
                }
                if integer.clock {
                    self.clock = extend(self.clock, value, integer.bits);
                }
                Ok(end)
            }
            Kind::Float { .. } => self.skip(start, node.bits),
            Kind::Text => {
                self.work += 1;
                self.text_end(start)
            }
            Kind::Struct(structure) => {
                self.work += 2;
                let mut position = start;
                for step in &structure.steps {
                    position = match *step {
                        Step::Skip { align, bits, weight } => {
                            self.work = self.work.saturating_add(weight);
                            self.skip(aligned(position, align), bits)?
                        }
                        Step::Walk(node) => self.walk(node, position)?,
                    };
                }
                Ok(position)
            }
            Kind::Array { element, len, text } => self.elements(*element, *len, *text, start),
            Kind::Sequence { element, length, text } => {
                self.elements(*element, self.slot(*length), *text, start)
            }
            Kind::Variant(variant) => {
                let tag = self.slot(variant.tag);
                let option = variant.choose(tag).ok_or(Stop::NoOption(tag))?;
                self.walk(option, start)
            }
            Kind::Optional(variant) => match variant.choose(self.slot(variant.tag)) {
                Some(option) => self.walk(option, start),
                None => Ok(start),
            },
            Kind::Leaf(leaf) => self.walk_leaf(leaf, start),
            Kind::Guarded { node, conflicts } => match conflicts >> (start & 7) & 1 {
                0 => self.walk(*node, start),
                _ => Err(Stop::OrdersMeet),
            },
        }
    }

    /// The end of a string that starts at `start`: behind its NUL.
    fn text_end(&self, start: u64) -> Result<u64, Stop> {
        let bytes = self.view.bytes_until(start, self.limit);
        match memchr::memchr(0, bytes) {
            Some(len) => self.skip(start, (len as u64 + 1) * 8),
            None => Err(Stop::Short),
        }
    }

    fn elements(&mut self, element: NodeId, len: u64, text: bool, start: u64) -> Result<u64, Stop> {
        let nodes = self.nodes;
        let Some(node) = nodes.get(element as usize) else { return Ok(start) };
        self.work += 2;
        if len == 0 {
            return Ok(start);
        }
        if node.plain && node.bits != DYNAMIC {
            let stride = aligned(node.bits, node.align);
            let bits = stride.checked_mul(len - 1).and_then(|most| most.checked_add(node.bits));
            let end = self.skip(start, bits.ok_or(Stop::Short)?)?;
            if !text {
                self.work = self.work.saturating_add(node.weight.saturating_mul(len));
            }
            self.check_work(end)?;
            return Ok(end);
        }
        let mut position = start;
        for _ in 0..len {
            position = self.walk(element, position)?;
            // Elements may be without size, and their number is the trace's word only.
            self.check_work(position)?;
        }
        Ok(position)
    }
}
