//! Fields that the reader itself needs, found by their names: sizes, counters, ids and times
//! (CTF 1.8.3 specification, sections 5.1, 5.2 and 6.1).

use std::collections::HashSet;
use std::rc::Rc;

use model::ClockInfo;

use super::class::{DYNAMIC, Form, Integer, Kind, Member, NONE, NodeId};
use super::compile::{Compiler, Roots};
use super::trace::{PacketContext, PacketHeader, StreamClass};
use super::tsdl::Refusal;
use super::tsdl::metadata::{Class, Roles};

impl Compiler<'_> {
    /// The members of a root structure.
    fn members(&self, root: NodeId) -> &[Member] {
        match self.kind(root) {
            Some(Kind::Struct(structure)) => &structure.members,
            _ => &[],
        }
    }

    /// Where the UUID of 16 bytes lies in the packet header, in bits.
    pub(super) fn uuid_offset(&self, root: NodeId) -> Option<u64> {
        let is_uuid = |member: &&Member| match self.metadata.is_version_2 {
            true => self.roles.get(member.node as usize).is_some_and(|roles| roles.has(Roles::UUID)),
            false => member.name() == "uuid",
        };
        let member = self.members(root).iter().find(is_uuid)?;
        let node = self.nodes.get(member.node as usize)?;
        let bytes = matches!(node.kind, Kind::Array { len: 16, .. } | Kind::Leaf(_));
        (bytes && node.bits == 128 && member.offset != DYNAMIC).then_some(member.offset)
    }

    /// The slot for the integer called `name` in a root structure, or of this role, and how wide it is. A field of
    /// this name that is something else means nothing.
    fn slot_of(&mut self, root: NodeId, name: &str, role: Roles) -> Result<(u32, u32), Refusal> {
        if self.metadata.is_version_2 {
            return self.slot_of_role(root, role);
        }
        let found = self.members(root).iter().find(|member| member.name() == name).map(|member| member.node);
        let Some(node) = found else { return Ok((NONE, 0)) };
        match self.kind(node) {
            Some(Kind::Integer(integer) | Kind::Enum(integer, _)) if integer.bits <= 64 => {
                self.slot(node, name)
            }
            _ => Ok((NONE, 0)),
        }
    }

    /// The slot that all fields of a role below `root` share: the last one that is read counts.
    pub(super) fn slot_of_role(&mut self, root: NodeId, role: Roles) -> Result<(u32, u32), Refusal> {
        if root == NONE {
            return Ok((NONE, 0));
        }
        let nodes = root..self.end_of(root);
        let has = |node: &NodeId| self.roles.get(*node as usize).is_some_and(|roles| roles.has(role));
        let found: Vec<NodeId> = nodes.filter(has).collect();
        if found.is_empty() { Ok((NONE, 0)) } else { self.share(&found, "role") }
    }

    /// Gives one slot to several integers.
    pub(super) fn share(&mut self, nodes: &[NodeId], name: &str) -> Result<(u32, u32), Refusal> {
        let slots = nodes.iter().filter_map(|&node| self.integer_of(node)).map(|integer| integer.slot);
        let known = slots.filter(|&slot| slot != NONE).min();
        let mut shared = (known.unwrap_or(NONE), 0);
        for &node in nodes {
            if let Some(integer) = self.integer_of_mut(node)
                && integer.slot == NONE
                && shared.0 != NONE
            {
                integer.slot = shared.0;
            }
            let (slot, bits) = self.slot(node, name)?;
            if shared.0 != NONE && slot != shared.0 {
                return Err(Refusal::new(
                    0,
                    "A field decides of several others together with different fields.",
                ));
            }
            shared = (slot, bits);
        }
        Ok(shared)
    }

    fn integer_of(&self, node: NodeId) -> Option<&Integer> {
        match self.kind(node)? {
            Kind::Integer(integer) | Kind::Enum(integer, _) => Some(integer),
            Kind::Leaf(leaf) if matches!(leaf.form, Form::Bits | Form::Variable) => Some(&leaf.integer),
            _ => None,
        }
    }

    fn integer_of_mut(&mut self, node: NodeId) -> Option<&mut Integer> {
        match self.kind_mut(node)? {
            Kind::Integer(integer) | Kind::Enum(integer, _) => Some(integer),
            Kind::Leaf(leaf) if matches!(leaf.form, Form::Bits | Form::Variable) => Some(&mut leaf.integer),
            _ => None,
        }
    }

    /// Gives a slot to an integer.
    pub(super) fn slot(&mut self, node: NodeId, name: &str) -> Result<(u32, u32), Refusal> {
        let next = self.slots;
        match self.integer_of_mut(node) {
            Some(integer) if integer.bits <= 64 => {
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
        let magic = self.slot_of(root, "magic", Roles::MAGIC)?.0;
        let stream_id = self.slot_of(root, "stream_id", Roles::STREAM_CLASS)?.0;
        Ok(Some(PacketHeader { root, magic, stream_id, uuid: None }))
    }

    pub(super) fn packet_context(&mut self, root: NodeId) -> Result<Option<PacketContext>, Refusal> {
        if root == NONE {
            return Ok(None);
        }
        let (discarded, discarded_bits) = self.slot_of(root, "events_discarded", Roles::DISCARDED)?;
        let (begin, begin_bits) = self.slot_of(root, "timestamp_begin", Roles::TIME)?;
        let (end, end_bits) = self.slot_of(root, "timestamp_end", Roles::END)?;
        // No role says what the CPU is; LTTng calls it so in both versions.
        let cpu =
            self.members(root).iter().find(|member| member.name() == "cpu_id").map(|member| member.node);
        let cpu = cpu.filter(|&node| self.integer_of(node).is_some_and(|integer| integer.bits <= 64));
        Ok(Some(PacketContext {
            root,
            begin,
            begin_bits,
            end,
            end_bits,
            content_size: self.slot_of(root, "content_size", Roles::CONTENT)?.0,
            packet_size: self.slot_of(root, "packet_size", Roles::TOTAL)?.0,
            sequence: self.slot_of(root, "packet_seq_num", Roles::SEQUENCE)?.0,
            discarded,
            discarded_bits,
            cpu: cpu.map_or(Ok((NONE, 0)), |node| self.slot(node, "cpu_id"))?.0,
        }))
    }

    /// Gives one slot to all integers called `id` in an event header: the last one read is the id of
    /// the event, which is what a compact header with an escape value means.
    pub(super) fn header_ids(&mut self, root: NodeId) -> Result<u32, Refusal> {
        if self.metadata.is_version_2 {
            return Ok(self.slot_of_role(root, Roles::EVENT_CLASS)?.0);
        }
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
        if metadata.is_version_2 {
            let id = block.and_then(|block| block.clock.as_deref());
            return Ok(
                id.and_then(|id| metadata.clocks.iter().position(|clock| clock.id.as_deref() == Some(id)))
            );
        }
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
