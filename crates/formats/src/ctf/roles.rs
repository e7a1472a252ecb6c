//! Fields that the reader itself needs, found by their names: sizes, counters, ids and times
//! (CTF 1.8.3 specification, sections 5.1, 5.2 and 6.1).

use std::collections::HashSet;
use std::rc::Rc;

use model::ClockInfo;

use super::class::{DYNAMIC, Kind, Member, NONE, NodeId};
use super::compile::{Compiler, Roots};
use super::trace::{PacketContext, PacketHeader, StreamClass};
use super::tsdl::Refusal;
use super::tsdl::metadata::Class;

impl Compiler<'_> {
    /// The members of a root structure.
    fn members(&self, root: NodeId) -> &[Member] {
        match self.kind(root) {
            Some(Kind::Struct(structure)) => &structure.members,
            _ => &[],
        }
    }

    pub(super) fn offset_of(&self, root: NodeId, name: &str) -> Option<u64> {
        let member = self.members(root).iter().find(|member| member.name() == name)?;
        let node = self.nodes.get(member.node as usize)?;
        let whole = matches!(node.kind, Kind::Array { len: 16, .. }) && node.bits == 128;
        (whole && member.offset != DYNAMIC).then_some(member.offset)
    }

    /// The slot for the integer called `name` in a root structure, and how wide it is.
    fn slot_of(&mut self, root: NodeId, name: &str) -> Result<(u32, u32), Refusal> {
        let found = self.members(root).iter().find(|member| member.name() == name).map(|member| member.node);
        let Some(node) = found else { return Ok((NONE, 0)) };
        self.slot(node, name)
    }

    /// Gives a slot to an integer.
    pub(super) fn slot(&mut self, node: NodeId, name: &str) -> Result<(u32, u32), Refusal> {
        let next = self.slots;
        match self.kind_mut(node) {
            Some(Kind::Integer(integer) | Kind::Enum(integer, _)) if integer.bits <= 64 => {
                if integer.slot == NONE {
                    integer.slot = next;
                    let found = (next, integer.bits);
                    self.slots += 1;
                    return Ok(found);
                }
                Ok((integer.slot, integer.bits))
            }
            _ => {
                let name = name.chars().take(40).collect::<String>();
                let what = format!("The field `{name}` is not an integer of at most 64 bits, but must be.");
                Err(Refusal::new(0, what))
            }
        }
    }

    pub(super) fn packet_header(&mut self, root: NodeId) -> Result<Option<PacketHeader>, Refusal> {
        if root == NONE {
            return Ok(None);
        }
        let (magic, stream_id) = (self.slot_of(root, "magic")?.0, self.slot_of(root, "stream_id")?.0);
        Ok(Some(PacketHeader { root, magic, stream_id, uuid: None }))
    }

    pub(super) fn packet_context(&mut self, root: NodeId) -> Result<Option<PacketContext>, Refusal> {
        if root == NONE {
            return Ok(None);
        }
        let (discarded, discarded_bits) = self.slot_of(root, "events_discarded")?;
        let (begin, begin_bits) = self.slot_of(root, "timestamp_begin")?;
        let (end, end_bits) = self.slot_of(root, "timestamp_end")?;
        Ok(Some(PacketContext {
            root,
            begin,
            begin_bits,
            end,
            end_bits,
            content_size: self.slot_of(root, "content_size")?.0,
            packet_size: self.slot_of(root, "packet_size")?.0,
            sequence: self.slot_of(root, "packet_seq_num")?.0,
            discarded,
            discarded_bits,
            cpu: self.slot_of(root, "cpu_id")?.0,
        }))
    }

    /// Gives one slot to all integers called `id` in an event header: the last one read is the id of
    /// the event, which is what a compact header with an escape value means.
    pub(super) fn header_ids(&mut self, root: NodeId) -> Result<u32, Refusal> {
        let mut shared = NONE;
        let mut todo: Vec<NodeId> = vec![root];
        while let Some(structure) = todo.pop() {
            let mut ids = Vec::new();
            match self.kind(structure) {
                Some(Kind::Struct(structure)) => {
                    for member in &structure.members {
                        match self.kind(member.node) {
                            Some(Kind::Integer(_) | Kind::Enum(..)) if member.name() == "id" => {
                                ids.push(member.node);
                            }
                            Some(Kind::Struct(_) | Kind::Variant(_)) => todo.push(member.node),
                            _ => {}
                        }
                    }
                }
                Some(Kind::Variant(variant)) => todo.extend(&variant.options),
                _ => {}
            }
            for id in ids {
                if shared == NONE {
                    shared = self.slot(id, "id")?.0;
                } else if let Some(Kind::Integer(integer) | Kind::Enum(integer, _)) = self.kind_mut(id)
                    && integer.slot == NONE
                    && integer.bits <= 64
                {
                    integer.slot = shared;
                }
            }
        }
        Ok(shared)
    }

    /// Which clock the times of a stream are of. Traces that were written before clocks could be
    /// mapped are understood as babeltrace does: their `timestamp` fields are values of the only
    /// clock, or of one of 1 GHz where there is none.
    pub(super) fn clock(
        &mut self,
        roots: &Roots,
        class: &StreamClass,
        clocks: &mut Vec<ClockInfo>,
    ) -> Result<Option<usize>, Refusal> {
        let metadata = self.metadata;
        let mut found: Option<Rc<str>> = None;
        let mut todo = Vec::new();
        let block = metadata.streams.iter().find(|block| block.id.unwrap_or(0) == class.id);
        if let Some(block) = block {
            todo.extend(
                [block.event_context, block.packet_context, block.event_header].into_iter().flatten(),
            );
        }
        // Named structures may be used again and again: look at each class once.
        let mut seen = HashSet::new();
        while let Some(id) = todo.pop() {
            if found.is_some() || !seen.insert(id) {
                continue;
            }
            match metadata.class(id) {
                Some(Class::Integer(integer) | Class::Enum { container: integer, .. }) => {
                    found = integer.clock.clone();
                }
                Some(Class::Struct { members, .. } | Class::Variant { options: members, .. }) => {
                    todo.extend(members.iter().rev().map(|member| member.class));
                }
                Some(Class::Array { element, .. } | Class::Sequence { element, .. }) => todo.push(*element),
                _ => {}
            }
        }
        if let Some(name) = found {
            return match clocks.iter().position(|clock| clock.name == *name) {
                Some(index) => Ok(Some(index)),
                None => Err(Refusal::new(0, format!("The clock `{name}` is not declared."))),
            };
        }
        let timed = self.map_by_name(roots.header, "timestamp")
            | self.has(roots.packet_context, "timestamp_begin")
            | self.has(roots.packet_context, "timestamp_end");
        match clocks.len() {
            _ if !timed => Ok(None),
            0 => {
                let name = "default".to_owned();
                clocks.push(ClockInfo { name, frequency: 1_000_000_000, offset_s: 0, offset: 0 });
                Ok(Some(0))
            }
            1 => Ok(Some(0)),
            _ => Err(Refusal::new(0, "Times are mapped to none of several clocks.")),
        }
    }

    fn has(&self, root: NodeId, name: &str) -> bool {
        self.members(root).iter().any(|member| member.name() == name)
    }

    /// Makes integers of this name update the clock, in structures and variants below `root`.
    fn map_by_name(&mut self, root: NodeId, name: &str) -> bool {
        let mut mapped = false;
        let mut todo = vec![root];
        while let Some(id) = todo.pop() {
            let mut found = Vec::new();
            match self.kind(id) {
                Some(Kind::Struct(structure)) => {
                    for member in &structure.members {
                        if member.name() == name { &mut found } else { &mut todo }.push(member.node);
                    }
                }
                Some(Kind::Variant(variant)) => todo.extend(&variant.options),
                _ => {}
            }
            for node in found {
                if let Some(Kind::Integer(integer)) = self.kind_mut(node) {
                    integer.clock = true;
                    mapped = true;
                }
            }
        }
        mapped
    }
}
