//! Fields of an event for whoever asks: the bytes were checked by a walk before.

use model::{Base, FieldSink, Value};

use super::bits::{float, signed, signed_wide};
use super::class::{Integer, Kind, Node, NodeId, aligned};
use super::walk::{Stop, Walker};

impl<'w> Walker<'w> {
    /// Hands the members of the structure `root` to `sink`, without brackets around them.
    pub(super) fn visit_members(
        &mut self,
        root: NodeId,
        start: u64,
        sink: &mut dyn FieldSink,
    ) -> Result<u64, Stop> {
        let nodes = self.nodes;
        let mut position = start;
        if let Some(Node { kind: Kind::Struct(structure), align, .. }) = nodes.get(root as usize) {
            position = aligned(position, *align);
            for member in &structure.members {
                position = self.visit(member.node, member.name(), position, sink)?;
            }
        }
        Ok(position)
    }

    fn visit(
        &mut self,
        id: NodeId,
        name: &str,
        position: u64,
        sink: &mut dyn FieldSink,
    ) -> Result<u64, Stop> {
        let nodes = self.nodes;
        let Some(node) = nodes.get(id as usize) else { return Ok(position) };
        let start = aligned(position, node.align);
        match &node.kind {
            // Nobody else needs it, and it was walked over before: most fields of most traces.
            Kind::Integer(integer) if node.plain && integer.bits <= 64 => {
                let end = self.skip(start, node.bits)?;
                if let Some(value) = self.integer(integer, start) {
                    sink.value(name, value);
                }
                Ok(end)
            }
            Kind::Struct(_) => {
                sink.begin_struct(name);
                let end = self.visit_members(id, start, sink);
                sink.end();
                end
            }
            Kind::Variant(variant) => {
                let tag = self.slot(variant.tag);
                self.visit(variant.choose(tag).ok_or(Stop::NoOption(tag))?, name, start, sink)
            }
            Kind::Optional(variant) => match variant.choose(self.slot(variant.tag)) {
                Some(option) => self.visit(option, name, start, sink),
                None => {
                    sink.value(name, Value::Null);
                    Ok(start)
                }
            },
            Kind::Leaf(leaf) => self.visit_leaf(leaf, name, start, sink),
            Kind::Array { text: true, .. } | Kind::Sequence { text: true, .. } => {
                let end = self.walk(id, start)?;
                sink.value(name, self.text(start, end));
                Ok(end)
            }
            Kind::Array { element, len, .. } => self.visit_elements(*element, *len, name, start, sink),
            Kind::Sequence { element, length, .. } => {
                self.visit_elements(*element, self.slot(*length), name, start, sink)
            }
            _ => {
                let end = self.walk(id, start)?;
                if let Some(value) = self.value(node, start, end) {
                    sink.value(name, value);
                }
                Ok(end)
            }
        }
    }

    fn visit_elements(
        &mut self,
        element: NodeId,
        len: u64,
        name: &str,
        start: u64,
        sink: &mut dyn FieldSink,
    ) -> Result<u64, Stop> {
        sink.begin_array(name, len);
        let mut position = Ok(start);
        for _ in 0..len {
            let Ok(at) = position else { break };
            position = self.visit(element, "", at, sink);
        }
        sink.end();
        position
    }

    /// Text between two bits, up to its first NUL.
    fn text(&self, start: u64, end: u64) -> Value<'w> {
        let bytes = self.view.bytes_until(start, end);
        let len = memchr::memchr(0, bytes).unwrap_or(bytes.len());
        Value::Text(bytes.get(..len).unwrap_or_default())
    }

    /// The value of a field that holds no others.
    fn value(&self, node: &'w Node, start: u64, end: u64) -> Option<Value<'w>> {
        match &node.kind {
            Kind::Integer(integer) => self.integer(integer, start),
            Kind::Enum(integer, labels) => {
                let number = match self.integer(integer, start)? {
                    Value::Signed(number, _) => number,
                    Value::Unsigned(number, _) => i128::try_from(number).unwrap_or(i128::MAX),
                    _ => return None,
                };
                Some(Value::Enum(number, labels.of(number)))
            }
            Kind::Float { exponent, mantissa, order } => {
                let raw = self.view.wide(start, exponent + mantissa, *order)?;
                Some(Value::Float(float(raw, *exponent, *mantissa)))
            }
            Kind::Text | Kind::Array { text: true, .. } | Kind::Sequence { text: true, .. } => {
                Some(self.text(start, end))
            }
            _ => None,
        }
    }

    #[inline]
    fn integer(&self, integer: &Integer, start: u64) -> Option<Value<'w>> {
        let (bits, order, base): (u32, _, Base) = (integer.bits, integer.order, integer.base);
        if bits <= 64 {
            let raw = self.view.unsigned(start, bits, order)?;
            return Some(match integer.signed {
                true => Value::Signed(i128::from(signed(raw, bits)), base),
                false => Value::Unsigned(u128::from(raw), base),
            });
        }
        let raw = self.view.wide(start, bits, order)?;
        Some(match integer.signed {
            true => Value::Signed(signed_wide(raw, bits), base),
            false => Value::Unsigned(raw, base),
        })
    }

    /// The value of the member `name` of the structure `root` that starts at `start`; the outer
    /// option says whether there is such a member.
    pub(super) fn get(&mut self, root: NodeId, name: &str, start: u64) -> Option<Option<Value<'w>>> {
        let nodes = self.nodes;
        let Some(Node { kind: Kind::Struct(structure), align, .. }) = nodes.get(root as usize) else {
            return None;
        };
        let start = aligned(start, *align);
        let nth = structure.members.iter().position(|member| member.name() == name)?;
        let wanted = structure.members.get(nth)?;
        if wanted.offset != super::class::DYNAMIC {
            return Some(self.get_at(wanted.node, start + wanted.offset));
        }
        // Behind a field of changing size: start at the last one whose offset is known.
        let mut position = start;
        for (index, member) in structure.members.iter().enumerate() {
            let next_known =
                structure.members.get(index + 1).is_some_and(|next| next.offset != super::class::DYNAMIC);
            if next_known {
                continue;
            }
            if member.offset != super::class::DYNAMIC {
                position = start + member.offset;
            }
            if index == nth {
                return Some(self.get_at(member.node, position));
            }
            match self.walk(member.node, position) {
                Ok(end) => position = end,
                Err(_) => return Some(None),
            }
        }
        None
    }

    fn get_at(&mut self, id: NodeId, position: u64) -> Option<Value<'w>> {
        let nodes = self.nodes;
        let node = nodes.get(id as usize)?;
        let start = aligned(position, node.align);
        match &node.kind {
            Kind::Struct(_) => None,
            Kind::Variant(variant) => {
                let option = variant.choose(self.slot(variant.tag))?;
                self.get_at(option, start)
            }
            Kind::Optional(variant) => match variant.choose(self.slot(variant.tag)) {
                Some(option) => self.get_at(option, start),
                None => Some(Value::Null),
            },
            Kind::Leaf(leaf) => self.leaf_value(leaf, start),
            Kind::Integer(_) | Kind::Enum(..) | Kind::Float { .. } => self.value(node, start, start),
            Kind::Text | Kind::Array { text: true, .. } | Kind::Sequence { text: true, .. } => {
                let end = self.walk(id, start).ok()?;
                self.value(node, start, end)
            }
            Kind::Array { .. } | Kind::Sequence { .. } | Kind::Guarded { .. } => None,
        }
    }
}
