//! Event headers: which event this is, and when.
//!
//! ```text
//! LTTng, compact:   | id 5 bits | timestamp 27 bits |                       id 0 ... 30
//!                   | 31        | padding | id 32 bits | timestamp 64 bits |  every other id
//! LTTng, large:     | id 16 bits | timestamp 32 bits |  or 65535 and the same
//! ```
//!
//! Headers of these shapes, and those of a few plain integers, are read from precomputed offsets;
//! every other header is walked like any structure.

use super::class::{DYNAMIC, Kind, NONE, Node, NodeId, aligned};
use super::tsdl::metadata::Order;

/// How to read the header of an event.
#[derive(Debug)]
pub(super) enum Header {
    /// There is none.
    Empty,
    /// All at fixed offsets.
    Fixed { align: u64, shape: Shape },
    /// An id whose value says what follows.
    Chosen { align: u64, id: BitField, options: Vec<(u64, u64, Shape)> },
    /// Anything else.
    Walk { node: NodeId, id_slot: u32 },
}

/// An integer at a fixed offset, in bits from the start of the header.
#[derive(Debug, Clone, Copy)]
pub(super) struct BitField {
    pub(super) offset: u64,
    pub(super) bits: u32,
    pub(super) order: Order,
}

/// A header of fixed size.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Shape {
    /// Its size in bits.
    pub(super) end: u64,
    pub(super) id: Option<BitField>,
    pub(super) time: Option<BitField>,
}

impl Header {
    /// The best way to read the header class `root`, whose ids are kept in `id_slot`.
    pub(super) fn of(nodes: &[Node], root: NodeId, id_slot: u32) -> Header {
        let Some(node) = nodes.get(root as usize) else { return Header::Empty };
        let walk = Header::Walk { node: root, id_slot };
        let mut fixed = Shape::default();
        if shape(nodes, root, 0, id_slot, &mut fixed).is_some() {
            return Header::Fixed { align: node.align, shape: fixed };
        }
        chosen(nodes, node, id_slot).unwrap_or(walk)
    }
}

/// Adds what lies at fixed offsets in the structure `root`, which starts at `start`.
fn shape(nodes: &[Node], root: NodeId, start: u64, id_slot: u32, shape: &mut Shape) -> Option<()> {
    let node = nodes.get(root as usize)?;
    let Kind::Struct(structure) = &node.kind else { return None };
    if node.bits == DYNAMIC {
        return None;
    }
    let start = aligned(start, node.align);
    for member in &structure.members {
        let part = nodes.get(member.node as usize)?;
        if part.plain {
            continue;
        }
        let (Kind::Integer(integer) | Kind::Enum(integer, _)) = &part.kind else { return None };
        let bit_field = BitField { offset: start + member.offset, bits: integer.bits, order: integer.order };
        if integer.bits > 64 || integer.slot != NONE && integer.slot != id_slot {
            return None;
        }
        // An id that is signed would have to be extended; nobody writes one.
        if integer.slot == id_slot
            && integer.slot != NONE
            && (integer.signed || shape.id.replace(bit_field).is_some())
        {
            return None;
        }
        if integer.clock && shape.time.replace(bit_field).is_some() {
            return None;
        }
    }
    shape.end = start + node.bits;
    Some(())
}

fn chosen(nodes: &[Node], root: &Node, id_slot: u32) -> Option<Header> {
    let Kind::Struct(structure) = &root.kind else { return None };
    let [id, choice] = structure.members.as_slice() else { return None };
    let (id, choice) = (nodes.get(id.node as usize)?, nodes.get(choice.node as usize)?);
    let (Kind::Integer(integer) | Kind::Enum(integer, _), Kind::Variant(variant)) = (&id.kind, &choice.kind)
    else {
        return None;
    };
    let usable = integer.slot == id_slot && !integer.clock && !integer.signed && integer.bits <= 64;
    if !usable || variant.tag != id_slot || id_slot == NONE {
        return None;
    }
    let bit_field = BitField { offset: 0, bits: integer.bits, order: integer.order };
    let segments = variant.ranges.segments();
    // They are searched one by one.
    if segments.len() > 8 {
        return None;
    }
    let mut options = Vec::new();
    for &(low, high, range) in segments {
        let option = variant.option(range)?;
        // Offsets in it are fixed only if the start of the header is aligned well enough.
        if nodes.get(option as usize)?.align > root.align {
            return None;
        }
        let mut found = Shape::default();
        shape(nodes, option, id.bits, id_slot, &mut found)?;
        if found.id.is_none() {
            found.id = Some(bit_field);
        }
        let clip = |bound: i128| u64::try_from(bound.max(0)).unwrap_or(u64::MAX);
        options.push((clip(low), clip(high), found));
    }
    Some(Header::Chosen { align: root.align, id: bit_field, options })
}
