//! Byte orders within a byte: two numbers that share one must have the same, or nobody knows which bits are whose.
//!
//! Whether two meet in a byte depends on where the record begins, so each of the eight places is tried.

use super::class::{Form, Kind, Node, NodeId};
use super::tsdl::metadata::Order;

/// For each bit of a byte at which the field `root` may begin: whether two orders meet in it then.
pub(super) fn conflicts(nodes: &[Node], root: NodeId) -> u8 {
    // Arrays in arrays are gone through twice each, so what is looked at is bounded.
    let mut left = 16 * nodes.len() + 1_024;
    let mut meets = |bit| At { bit: Some(bit), order: None }.pass(nodes, root, &mut left);
    (0..8u8).filter(|&bit| meets(bit)).fold(0, |mask, bit| mask | 1 << bit)
}

/// A place on the way through a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct At {
    /// The bit of the byte, if that is known.
    bit: Option<u8>,
    /// Whose bits come before it in that byte.
    order: Option<Order>,
}

impl At {
    /// Moves over a field; whether two orders met.
    fn pass(&mut self, nodes: &[Node], id: NodeId, left: &mut usize) -> bool {
        let Some(node) = nodes.get(id as usize).filter(|_| *left > 0) else { return false };
        *left -= 1;
        self.align(node.align);
        match &node.kind {
            Kind::Integer(integer) | Kind::Enum(integer, _) => self.bits(integer.bits, integer.order),
            Kind::Float { exponent, mantissa, order } => self.bits(exponent + mantissa, *order),
            Kind::Leaf(leaf) if matches!(leaf.form, Form::Bits | Form::Digits) => {
                self.bits(leaf.integer.bits, leaf.integer.order)
            }
            Kind::Leaf(_) | Kind::Text => false,
            Kind::Struct(structure) => {
                structure.members.iter().any(|member| self.pass(nodes, member.node, left))
            }
            Kind::Array { len: 0, .. } => false,
            Kind::Array { element, len: 1, .. } => self.pass(nodes, *element, left),
            Kind::Array { element, .. } | Kind::Sequence { element, .. } => {
                let before = *self;
                let found = self.pass(nodes, *element, left) || self.pass(nodes, *element, left);
                if *self != before {
                    self.bit = None;
                }
                found
            }
            Kind::Variant(variant) => self.either(nodes, &variant.options, None, left),
            Kind::Optional(variant) => self.either(nodes, &variant.options, Some(*self), left),
            Kind::Guarded { node, .. } => self.pass(nodes, *node, left),
        }
    }

    fn align(&mut self, align: u64) {
        self.bit = match self.bit {
            _ if align >= 8 => Some(0),
            Some(bit) => Some((bit + (align as u8 - 1)) & !(align as u8 - 1) & 7),
            None => None,
        };
    }

    fn bits(&mut self, bits: u32, order: Order) -> bool {
        let met = self.bit.is_some_and(|bit| bit != 0) && self.order.is_some_and(|before| before != order);
        self.bit = self.bit.map(|bit| ((u32::from(bit) + bits) & 7) as u8);
        self.order = Some(order);
        met
    }

    /// One of several fields; `none` is where it goes on if there may be none of them.
    fn either(&mut self, nodes: &[Node], options: &[NodeId], none: Option<At>, left: &mut usize) -> bool {
        let before = *self;
        let mut ends: Option<At> = none;
        let mut found = false;
        for &option in options {
            let mut at = before;
            found |= at.pass(nodes, option, left);
            let end = ends.get_or_insert(at);
            if *end != at {
                end.bit = None;
            }
        }
        *self = ends.unwrap_or(before);
        found
    }
}
