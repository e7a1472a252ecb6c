//! From declared classes to the ones that the decoder uses.
//!
//! Three steps, each over the whole trace: *put in* every class where it is used (the same named
//! structure used twice becomes two, as its references mean other fields there); *resolve* lengths
//! and tags to slots; *lay out* sizes and offsets. Only then is known what a header looks like.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use model::ClockInfo;

use super::bit_order::conflicts;
use super::bits::WIDEST;
use super::class::{
    DYNAMIC, Form, Integer, Kind, Leaf, Member, NONE, Node, NodeId, Show, Struct, Variant, plain_name,
};
use super::clock::Clock;
use super::header::Header;
use super::layout::lay_out;
use super::resolve::{Options, Reference, Scope, resolve};
use super::trace::{EventClass, EventIds, PacketHeader, Part, StreamClass, Trace};
use super::tsdl::Refusal;
use super::tsdl::metadata::{self, Class, ClassId, Metadata, Order, Remark, Roles, StreamBlock};
use crate::kernel_names;
use crate::limits;

/// What `compile` builds up.
pub(super) struct Compiler<'m> {
    pub(super) metadata: &'m Metadata,
    order: Order,
    budget: &'m mut u64,
    /// Whether integers that are put in now may move the clock of their stream.
    timed: bool,
    pub(super) nodes: Vec<Node>,
    /// What each node means to the reader, by CTF 2.
    pub(super) roles: Vec<Roles>,
    /// Some numbers have one byte order and some the other.
    mixes_orders: bool,
    /// Slots of lengths and selectors, and the fields that look there.
    pub(super) uses: Vec<(u32, NodeId)>,
    /// For each node the one that holds it, and its place in there.
    pub(super) parents: Vec<(NodeId, u32)>,
    pub(super) references: Vec<Reference>,
    pub(super) slots: u32,
    /// Declared classes that are put in nowhere.
    unused: Vec<bool>,
    /// What the format forbids though it can be read.
    pub(super) remarks: Vec<Remark>,
    /// Members of large structures by declared and by plain name, for resolving.
    pub(super) indexes: HashMap<NodeId, [HashMap<Rc<str>, u32>; 2]>,
}

/// The roots of a stream class.
pub(super) struct Roots {
    pub(super) packet_context: NodeId,
    pub(super) header: NodeId,
    pub(super) context: NodeId,
}

/// What `compile` gives back.
pub(super) struct Compiled {
    pub(super) trace: Trace,
    /// For people.
    pub(super) clocks: Vec<ClockInfo>,
    pub(super) remarks: Vec<Remark>,
}

/// Compiles `metadata`; `budget` is what all traces of a session may use.
pub(super) fn compile(metadata: &Metadata, budget: &mut u64) -> Result<Compiled, Refusal> {
    let Some(block) = &metadata.trace else {
        return Err(Refusal::new(0, "There is no `trace` block."));
    };
    let mut compiler = Compiler {
        metadata,
        order: block.order,
        budget,
        timed: false,
        nodes: Vec::new(),
        roles: Vec::new(),
        mixes_orders: false,
        uses: Vec::new(),
        parents: Vec::new(),
        references: Vec::new(),
        slots: 0,
        unused: vec![true; metadata.classes.len()],
        remarks: Vec::new(),
        indexes: HashMap::new(),
    };
    let mut clocks: Vec<ClockInfo> = metadata.clocks.iter().map(clock_info).collect();
    let packet_header = compiler.root(block.packet_header)?;
    let implied = StreamBlock::default();
    let streams: &[StreamBlock] =
        if metadata.streams.is_empty() { std::slice::from_ref(&implied) } else { &metadata.streams };
    let mut classes: Vec<(Roots, StreamClass)> = Vec::new();
    for stream in streams {
        let id = stream.id.unwrap_or(0);
        if classes.iter().any(|(_, class)| class.id == id) {
            return Err(Refusal::new(stream.at, format!("Two streams have the id {id}.")));
        }
        if classes.len() >= 4_096 {
            return Err(Refusal::new(stream.at, "There are more than 4,096 `stream` blocks."));
        }
        let roots = Roots {
            packet_context: {
                compiler.timed = false;
                compiler.root(stream.packet_context)?
            },
            header: {
                compiler.timed = true;
                compiler.root(stream.event_header)?
            },
            context: {
                compiler.timed &= !metadata.is_version_2;
                compiler.root(stream.event_context)?
            },
        };
        let class = StreamClass {
            id,
            packet_context: None,
            header: Header::Empty,
            context: roots.context,
            clock: None,
            events: Vec::new(),
            by_id: EventIds::default(),
        };
        classes.push((roots, class));
    }
    // With several clocks a time in the fields may be one of another device.
    compiler.timed = metadata.clocks.len() <= 1 && !metadata.is_version_2;
    let names = compiler.events(&mut classes)?;
    for (roots, class) in &classes {
        let scope = |event: [NodeId; 2]| Scope {
            roots: [packet_header, roots.packet_context, roots.header, roots.context, event[0], event[1]],
        };
        for event in &class.events {
            let [_, context, fields] = event.roots;
            resolve(&mut compiler, &scope([context, fields]), &[context, fields])?;
        }
        let own = [roots.packet_context, roots.header, roots.context];
        resolve(&mut compiler, &scope([NONE, NONE]), &own)?;
    }
    let scope = Scope { roots: [packet_header, NONE, NONE, NONE, NONE, NONE] };
    resolve(&mut compiler, &scope, &[packet_header])?;

    // Which fields the reader itself needs, before sizes are computed: they must not be skipped.
    let packet_header = compiler.packet_header(packet_header)?;
    for (roots, class) in &mut classes {
        class.clock = compiler.clock(roots, class, &mut clocks)?;
        class.packet_context = compiler.packet_context(roots.packet_context)?;
    }
    let id_slots: Vec<u32> =
        classes.iter().map(|(roots, _)| compiler.header_ids(roots.header)).collect::<Result<_, _>>()?;
    lay_out(&mut compiler.nodes)?;
    compiler.mixes_orders = compiler.has_order(Order::Little) && compiler.has_order(Order::Big);
    let packet_header =
        packet_header.map(|header| PacketHeader { uuid: compiler.uuid_offset(header.root), ..header });
    for ((roots, class), id_slot) in classes.iter_mut().zip(id_slots) {
        // Who is needed elsewhere must be kept, which only a walk does.
        let own = roots.header..compiler.end_of(roots.header);
        let is_used = compiler.uses.iter().any(|(slot, node)| *slot == id_slot && !own.contains(node));
        class.header = match is_used && id_slot != NONE {
            true => Header::Walk { node: roots.header, id_slot },
            false => Header::of(&compiler.nodes, roots.header, id_slot),
        };
        for event in &mut class.events {
            event.parts = compiler.parts(event.roots);
        }
    }
    if compiler.slots as usize > limits::CTF_REFERENCES {
        let limit = limits::CTF_REFERENCES;
        return Err(Refusal::new(0, format!("More than {limit} fields are lengths or tags of others.")));
    }
    compiler.check_events(&classes, &names);
    compiler.check_unused();
    let remarks = std::mem::take(&mut compiler.remarks);
    let trace = Trace {
        slots: compiler.slots as usize,
        nodes: compiler.nodes,
        order: block.order,
        uuid: block.uuid,
        is_lttng: metadata.tracer().is_some_and(|name| name.starts_with("lttng")),
        clocks: clocks.iter().map(Clock::new).collect(),
        packet_header,
        classes: classes.into_iter().map(|(_, class)| class).collect(),
        names,
    };
    Ok(Compiled { trace, clocks, remarks })
}

/// Names of all fields that are declared anywhere, without underscores.
fn names_of_fields(metadata: &Metadata) -> HashSet<&str> {
    let members = metadata.classes.iter().filter_map(|class| match class {
        Class::Struct { members, .. } | Class::Variant { options: members, .. } => Some(members),
        _ => None,
    });
    members.flat_map(|members| members.iter().map(|member| plain_name(&member.name))).collect()
}

fn clock_info(block: &metadata::ClockBlock) -> ClockInfo {
    ClockInfo {
        name: block.name.to_string(),
        frequency: block.frequency,
        offset_s: block.offset_s,
        offset: block.offset,
    }
}

impl Compiler<'_> {
    /// Whether a number has this byte order.
    fn has_order(&self, wanted: Order) -> bool {
        self.nodes.iter().any(|node| match &node.kind {
            Kind::Integer(integer) | Kind::Enum(integer, _) => integer.order == wanted,
            Kind::Float { order, .. } => *order == wanted,
            Kind::Leaf(leaf) => leaf.integer.order == wanted,
            _ => false,
        })
    }

    fn root(&mut self, class: Option<ClassId>) -> Result<NodeId, Refusal> {
        class.map_or(Ok(NONE), |class| self.put_in(class, (NONE, 0)))
    }

    /// Pays for nodes and ranges out of what the session may have.
    pub(super) fn spend(&mut self, count: u64) -> Result<(), Refusal> {
        let Some(rest) = self.budget.checked_sub(count) else {
            let what = "The metadata needs more field classes than are read, once each named \
                        structure is put in where it is used.";
            return Err(Refusal::new(0, what));
        };
        *self.budget = rest;
        Ok(())
    }

    /// Makes nodes of `class` and all that it holds. Recursion is as deep as the parser allowed.
    fn put_in(&mut self, class: ClassId, parent: (NodeId, u32)) -> Result<NodeId, Refusal> {
        self.spend(1)?;
        let metadata = self.metadata;
        if let Some(unused) = self.unused.get_mut(class as usize) {
            *unused = false;
        }
        let Some(class) = metadata.class(class) else {
            return Err(Refusal::new(0, "A class is not declared."));
        };
        let id = self.nodes.len() as NodeId;
        let (kind, align) = match class {
            Class::Integer(integer) if integer.bits > WIDEST => {
                let leaf = Leaf {
                    integer: Integer { clock: false, ..self.integer(integer) },
                    is_reversed: false,
                    form: Form::Digits,
                    show: Show::Number,
                    roles: integer.roles,
                };
                (Kind::Leaf(Box::new(leaf)), integer.align)
            }
            Class::Integer(integer) => (Kind::Integer(self.integer(integer)), integer.align),
            Class::Enum { container, labels } => {
                (Kind::Enum(self.integer(container), labels.clone()), container.align)
            }
            Class::Float { exponent, mantissa, align, order } => {
                let order = order.unwrap_or(self.order);
                (Kind::Float { exponent: *exponent, mantissa: *mantissa, order }, *align)
            }
            Class::Text => (Kind::Text, 8),
            Class::Struct { align, .. } => (Kind::Struct(Box::default()), *align),
            Class::Array { element, len, align } => {
                (Kind::Array { element: NONE, len: *len, text: self.is_text(*element) }, *align)
            }
            Class::Sequence { element, align, .. } => {
                (Kind::Sequence { element: NONE, length: NONE, text: self.is_text(*element) }, *align)
            }
            Class::Variant { .. } | Class::Choice { is_optional: false, .. } => {
                (Kind::Variant(Box::new(Variant { tag: NONE, ..Variant::default() })), 1)
            }
            Class::Choice { .. } => {
                (Kind::Optional(Box::new(Variant { tag: NONE, ..Variant::default() })), 1)
            }
            Class::Leaf(leaf, align, _) => {
                let mut leaf = leaf.clone();
                leaf.integer.clock &= self.timed;
                (Kind::Leaf(Box::new(leaf)), *align)
            }
        };
        self.roles.push(match class {
            Class::Integer(integer) | Class::Enum { container: integer, .. } => integer.roles,
            Class::Leaf(leaf, ..) => leaf.roles,
            _ => Roles::default(),
        });
        self.nodes.push(Node { align, bits: DYNAMIC, weight: 1, plain: false, kind });
        self.parents.push(parent);
        match class {
            Class::Struct { members, .. } => {
                let mut list = Vec::with_capacity(members.len());
                for (number, member) in members.iter().enumerate() {
                    let node = self.put_in(member.class, (id, number as u32))?;
                    list.push(match metadata.is_version_2 {
                        true => Member::exact(member.name.clone(), node),
                        false => Member::new(member.name.clone(), node),
                    });
                }
                if let Some(Kind::Struct(structure)) = self.kind_mut(id) {
                    **structure = Struct { members: list, steps: Vec::new() };
                }
            }
            Class::Array { element: of, .. } | Class::Sequence { element: of, .. } => {
                // Before its element: references are kept in the order of nodes.
                if let Class::Sequence { length, .. } = class {
                    let path = length.clone();
                    self.references.push(Reference { node: id, path, options: Options::None });
                }
                let node = self.put_in(*of, (id, 0))?;
                if let Some(Kind::Array { element, .. } | Kind::Sequence { element, .. }) = self.kind_mut(id)
                {
                    *element = node;
                }
            }
            Class::Variant { tag, options } => {
                let Some(path) = tag.clone() else {
                    return Err(Refusal::new(0, "A variant that is used has no tag."));
                };
                let labels = Options::Labels(options.clone());
                self.references.push(Reference { node: id, path, options: labels });
                let mut list = Vec::with_capacity(options.len());
                for (number, option) in options.iter().enumerate() {
                    list.push(self.put_in(option.class, (id, number as u32))?);
                }
                if let Some(Kind::Variant(variant)) = self.kind_mut(id) {
                    variant.options = list;
                }
            }
            Class::Leaf(_, _, Some(path)) => {
                let path = path.clone();
                self.references.push(Reference { node: id, path, options: Options::None });
            }
            Class::Choice { selector, options, is_boolean, .. } => {
                let ranges = Options::Ranges(options.clone(), *is_boolean);
                self.references.push(Reference { node: id, path: selector.clone(), options: ranges });
                let mut list = Vec::with_capacity(options.len());
                for (number, option) in options.iter().enumerate() {
                    list.push(self.put_in(option.class, (id, number as u32))?);
                }
                if let Some(Kind::Variant(variant) | Kind::Optional(variant)) = self.kind_mut(id) {
                    variant.options = list;
                }
            }
            _ => {}
        }
        Ok(id)
    }

    pub(super) fn kind_mut(&mut self, id: NodeId) -> Option<&mut Kind> {
        self.nodes.get_mut(id as usize).map(|node| &mut node.kind)
    }

    pub(super) fn kind(&self, id: NodeId) -> Option<&Kind> {
        self.nodes.get(id as usize).map(|node| &node.kind)
    }

    fn integer(&self, integer: &metadata::Integer) -> Integer {
        Integer {
            bits: integer.bits,
            signed: integer.signed,
            order: integer.order.unwrap_or(self.order),
            base: integer.base,
            slot: NONE,
            clock: self.timed && (integer.clock.is_some() || integer.roles.has(Roles::TIME)),
        }
    }

    /// Characters can be handed out as text only where they lie on byte boundaries.
    fn is_text(&self, element: ClassId) -> bool {
        matches!(self.metadata.class(element), Some(Class::Integer(integer))
            if integer.text && integer.bits == 8 && integer.align >= 8 && integer.align <= 8)
    }

    /// Sorts event classes to their stream classes; gives back the names of all.
    fn events(&mut self, classes: &mut [(Roots, StreamClass)]) -> Result<Vec<String>, Refusal> {
        let metadata = self.metadata;
        let by_stream: HashMap<u64, usize> =
            classes.iter().enumerate().map(|(index, (_, class))| (class.id, index)).collect();
        let mut names = Vec::with_capacity(metadata.events.len());
        let is_perf = metadata.tracer() == Some("perf");
        for event in &metadata.events {
            let refuse = |what: String| Err(Refusal::new(event.at, what));
            let stream = match event.stream_id {
                Some(id) => by_stream.get(&id).copied(),
                None if classes.len() == 1 => {
                    if let Some((_, StreamClass { id: id @ 1.., .. })) = classes.first() {
                        let sentence = format!(
                            "An event has no `stream_id`, which means 0, but the only stream is {id}."
                        );
                        self.remark(event.at, sentence);
                    }
                    Some(0)
                }
                None => return refuse("An event has no `stream_id`, but there are several streams.".into()),
            };
            let Some((_, class)) = stream.and_then(|index| classes.get_mut(index)) else {
                let id = event.stream_id.unwrap_or(0);
                return refuse(format!("An event is of stream {id}, which is not declared."));
            };
            let id = event.id.unwrap_or(0);
            if !class.by_id.add(id, class.events.len() as u32) {
                return refuse(format!("Two events of stream {} have the id {id}.", class.id));
            }
            let roots = [class.context, self.root(event.context)?, self.root(event.fields)?];
            let mut called = event.name.clone().unwrap_or_else(|| format!("event {id}"));
            // What `perf data convert` made has the names of the kernel.
            if is_perf && let Some((system, name)) = kernel_names::known(&called) {
                if let Some(Kind::Struct(structure)) = self.kind_mut(roots[2]) {
                    for member in &mut structure.members {
                        let name = kernel_names::field(system, member.name());
                        if name != member.name() {
                            *member = Member::new(name.into(), member.node);
                        }
                    }
                }
                called = name;
            }
            let name = names.len() as u32;
            names.push(called);
            class.events.push(EventClass { name, roots, parts: Vec::new() });
        }
        Ok(names)
    }

    /// Reports what the format does not allow.
    pub(super) fn remark(&mut self, at: usize, sentence: String) {
        if self.remarks.len() < limits::CTF_REMARKS {
            self.remarks.push(Remark { at, is_forbidden: true, sentence });
        }
    }

    /// Reports event records that take no space: how many of them there are cannot be determined.
    fn check_events(&mut self, classes: &[(Roots, StreamClass)], names: &[String]) {
        let is_empty = |id: NodeId| self.nodes.get(id as usize).is_none_or(|node| node.bits == 0);
        let mut empty = vec![];
        for (_, class) in classes.iter().filter(|(roots, _)| is_empty(roots.header)) {
            let events = class.events.iter().filter(|event| event.roots.iter().all(|&root| is_empty(root)));
            let name = |name: u32| names.get(name as usize).map_or("?", |name| name);
            empty.extend(events.map(|event| format!("The event `{}` has no data at all.", name(event.name))));
        }
        for sentence in empty {
            self.remark(0, sentence);
        }
    }

    /// Reports lengths and tags in types that no field has: there must be a field that they could mean.
    fn check_unused(&mut self) {
        let metadata = self.metadata;
        if metadata.is_version_2 {
            return;
        }
        let mut fields: Option<HashSet<&str>> = None;
        let unused = metadata.classes.iter().zip(&self.unused).filter(|(_, unused)| **unused);
        let paths = unused.filter_map(|(class, _)| match class {
            Class::Sequence { length: path, .. } | Class::Variant { tag: Some(path), .. } => Some(path),
            _ => None,
        });
        let mut unknown = vec![];
        for path in paths {
            let fields = fields.get_or_insert_with(|| names_of_fields(metadata));
            let Some(first) = path.words.first() else { continue };
            let is_part = path.words.len() > 1 && matches!(&**first, "trace" | "stream" | "event");
            if !is_part && !fields.contains(plain_name(first)) {
                unknown.push((path.at, first.chars().take(40).collect::<String>()));
            }
        }
        for (at, name) in unknown {
            self.remark(at, format!("A type refers to a field `{name}`, and nothing has one."));
        }
    }

    fn parts(&mut self, roots: [NodeId; 3]) -> Vec<Part> {
        let mut parts = Vec::with_capacity(3);
        for (root, id) in roots.into_iter().enumerate() {
            let conflicts = if self.mixes_orders { conflicts(&self.nodes, id) } else { 0 };
            if let Some(node) = self.nodes.get(id as usize) {
                if conflicts != 0 {
                    let (align, weight) = (node.align, node.weight);
                    let kind = Kind::Guarded { node: id, conflicts };
                    self.nodes.push(Node { align, bits: DYNAMIC, weight, plain: false, kind });
                    let node = self.nodes.len() as NodeId - 1;
                    parts.push(Part { root, node, align, bits: DYNAMIC, weight });
                    continue;
                }
                let bits = if node.plain { node.bits } else { DYNAMIC };
                parts.push(Part { root, node: id, align: node.align, bits, weight: node.weight });
            }
        }
        parts
    }
}
