//! What TSDL metadata declares, before it is laid out for decoding.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

use model::Base;

use super::super::class::Leaf;
use super::super::ranges::Ranges;

/// Names a [`Class`] in [`Metadata::classes`].
pub(in crate::ctf) type ClassId = u32;

/// Bytes and bits of a number: first the least or first the most significant ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ctf) enum Order {
    Little,
    Big,
}

/// A field class as it is declared. `order: None` is the native order of the trace, which may be
/// declared after the class.
#[derive(Debug, Clone)]
pub(in crate::ctf) enum Class {
    Integer(Integer),
    Float {
        exponent: u32,
        mantissa: u32,
        align: u64,
        order: Option<Order>,
    },
    Text,
    Enum {
        container: Integer,
        labels: Rc<Labels>,
    },
    Struct {
        members: Rc<[Member]>,
        align: u64,
    },
    Array {
        element: ClassId,
        len: u64,
        align: u64,
    },
    Sequence {
        element: ClassId,
        length: Rc<Path>,
        align: u64,
    },
    Variant {
        tag: Option<Rc<Path>>,
        options: Rc<[Member]>,
    },
    /// Of CTF 2: a field that holds no others, its alignment, and where its length stands.
    Leaf(Leaf, u64, Option<Rc<Path>>),
    /// Of CTF 2: one of several fields, or one or none, by the value of a selector.
    Choice {
        selector: Rc<Path>,
        options: Rc<[Choice]>,
        is_optional: bool,
        is_boolean: bool,
    },
}

/// A field of which a selector decides.
#[derive(Debug, Clone)]
pub(in crate::ctf) struct Choice {
    pub(in crate::ctf) name: Rc<str>,
    pub(in crate::ctf) class: ClassId,
    /// Values of the selector, both ends included.
    pub(in crate::ctf) ranges: Vec<(i128, i128)>,
}

/// What fields of CTF 2 mean to the reader; a set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::ctf) struct Roles(u16);

impl Roles {
    pub(in crate::ctf) const MAGIC: Roles = Roles(1);
    pub(in crate::ctf) const STREAM_CLASS: Roles = Roles(1 << 1);
    pub(in crate::ctf) const STREAM: Roles = Roles(1 << 2);
    pub(in crate::ctf) const UUID: Roles = Roles(1 << 3);
    pub(in crate::ctf) const CONTENT: Roles = Roles(1 << 4);
    pub(in crate::ctf) const TOTAL: Roles = Roles(1 << 5);
    pub(in crate::ctf) const TIME: Roles = Roles(1 << 6);
    pub(in crate::ctf) const END: Roles = Roles(1 << 7);
    pub(in crate::ctf) const DISCARDED: Roles = Roles(1 << 8);
    pub(in crate::ctf) const SEQUENCE: Roles = Roles(1 << 9);
    pub(in crate::ctf) const EVENT_CLASS: Roles = Roles(1 << 10);

    /// The role that the specification calls `name`.
    pub(in crate::ctf) fn of(name: &str) -> Option<Roles> {
        Some(match name {
            "packet-magic-number" => Roles::MAGIC,
            "data-stream-class-id" => Roles::STREAM_CLASS,
            "data-stream-id" => Roles::STREAM,
            "metadata-stream-uuid" => Roles::UUID,
            "packet-content-length" => Roles::CONTENT,
            "packet-total-length" => Roles::TOTAL,
            "default-clock-timestamp" => Roles::TIME,
            "packet-end-default-clock-timestamp" => Roles::END,
            "discarded-event-record-counter-snapshot" => Roles::DISCARDED,
            "packet-sequence-number" => Roles::SEQUENCE,
            "event-record-class-id" => Roles::EVENT_CLASS,
            _ => return None,
        })
    }

    pub(in crate::ctf) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(in crate::ctf) fn and(self, other: Roles) -> Roles {
        Roles(self.0 | other.0)
    }

    pub(in crate::ctf) fn has(self, role: Roles) -> bool {
        self.0 & role.0 != 0
    }
}

#[derive(Debug, Clone)]
pub(in crate::ctf) struct Integer {
    pub(in crate::ctf) bits: u32,
    pub(in crate::ctf) align: u64,
    pub(in crate::ctf) signed: bool,
    pub(in crate::ctf) order: Option<Order>,
    pub(in crate::ctf) base: Base,
    /// It is a character.
    pub(in crate::ctf) text: bool,
    /// The name of the clock that it is a value of.
    pub(in crate::ctf) clock: Option<Rc<str>>,
    /// Of CTF 2, where names mean nothing.
    pub(in crate::ctf) roles: Roles,
}

/// A label of an enumeration with one of its ranges, both ends included.
#[derive(Debug, Clone)]
pub(in crate::ctf) struct Label {
    pub(in crate::ctf) name: Rc<str>,
    pub(in crate::ctf) low: i128,
    pub(in crate::ctf) high: i128,
}

type RangesByName = HashMap<Rc<str>, Vec<(i128, i128)>>;

/// The labels of an enumeration, in their order.
#[derive(Debug)]
pub(in crate::ctf) struct Labels {
    pub(in crate::ctf) list: Vec<Label>,
    by_value: Ranges,
    /// For variants; few enumerations are tags, and those may be of thousands.
    by_name: OnceCell<RangesByName>,
}

impl Labels {
    pub(in crate::ctf) fn new(list: Vec<Label>) -> Labels {
        let ranges: Vec<(i128, i128)> = list.iter().map(|label| (label.low, label.high)).collect();
        Labels { list, by_value: Ranges::new(&ranges), by_name: OnceCell::new() }
    }

    /// All ranges of the label `name`.
    pub(in crate::ctf) fn ranges_of(&self, name: &str) -> Option<&[(i128, i128)]> {
        let by_name = self.by_name.get_or_init(|| {
            let mut by_name = RangesByName::new();
            for label in &self.list {
                by_name.entry(label.name.clone()).or_default().push((label.low, label.high));
            }
            by_name
        });
        by_name.get(name).map(Vec::as_slice)
    }

    /// The first label whose range holds `number`.
    pub(in crate::ctf) fn of(&self, number: i128) -> Option<&str> {
        let label = self.list.get(self.by_value.find(number)? as usize)?;
        Some(&label.name)
    }
}

/// A field of a structure or an option of a variant.
#[derive(Debug, Clone)]
pub(in crate::ctf) struct Member {
    /// As it is declared, with its leading underscore.
    pub(in crate::ctf) name: Rc<str>,
    pub(in crate::ctf) class: ClassId,
}

/// A reference to an earlier field: the words between the dots, and where it stands in the text.
#[derive(Debug, Clone)]
pub(in crate::ctf) struct Path {
    pub(in crate::ctf) words: Vec<Rc<str>>,
    pub(in crate::ctf) at: usize,
    pub(in crate::ctf) start: Start,
}

/// Where the words of a path begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ctf) enum Start {
    /// It is searched, as TSDL has it.
    Search,
    /// In a part of the record, by its index in the order of reading.
    Part(usize),
    /// In the structure that holds the field, or so many structures further out.
    Up(u32),
}

/// A `clock` block.
#[derive(Debug, Clone)]
pub(in crate::ctf) struct ClockBlock {
    /// Of CTF 2: what stream classes call it.
    pub(in crate::ctf) id: Option<Rc<str>>,
    pub(in crate::ctf) name: Rc<str>,
    pub(in crate::ctf) frequency: u64,
    pub(in crate::ctf) offset_s: i64,
    pub(in crate::ctf) offset: i64,
}

/// The `trace` block.
#[derive(Debug, Clone)]
pub(in crate::ctf) struct TraceBlock {
    pub(in crate::ctf) order: Order,
    pub(in crate::ctf) uuid: Option<[u8; 16]>,
    pub(in crate::ctf) packet_header: Option<ClassId>,
}

/// A `stream` block.
#[derive(Debug, Clone, Default)]
pub(in crate::ctf) struct StreamBlock {
    pub(in crate::ctf) id: Option<u64>,
    /// Of CTF 2: the id of its clock.
    pub(in crate::ctf) clock: Option<Rc<str>>,
    pub(in crate::ctf) packet_context: Option<ClassId>,
    pub(in crate::ctf) event_header: Option<ClassId>,
    pub(in crate::ctf) event_context: Option<ClassId>,
    pub(in crate::ctf) at: usize,
}

/// An `event` block.
#[derive(Debug, Clone, Default)]
pub(in crate::ctf) struct EventBlock {
    pub(in crate::ctf) name: Option<String>,
    pub(in crate::ctf) id: Option<u64>,
    pub(in crate::ctf) stream_id: Option<u64>,
    pub(in crate::ctf) context: Option<ClassId>,
    pub(in crate::ctf) fields: Option<ClassId>,
    pub(in crate::ctf) at: usize,
}

/// All of it.
#[derive(Debug, Clone, Default)]
pub(in crate::ctf) struct Metadata {
    /// It is of CTF 2: names are as they are, and roles say what fields mean.
    pub(in crate::ctf) is_version_2: bool,
    pub(in crate::ctf) classes: Vec<Class>,
    pub(in crate::ctf) trace: Option<TraceBlock>,
    pub(in crate::ctf) environment: Vec<(String, String)>,
    pub(in crate::ctf) clocks: Vec<ClockBlock>,
    pub(in crate::ctf) streams: Vec<StreamBlock>,
    pub(in crate::ctf) events: Vec<EventBlock>,
    /// What is odd about it and does not keep anybody from reading.
    pub(in crate::ctf) remarks: Vec<Remark>,
}

/// Something odd.
#[derive(Debug, Clone)]
pub(in crate::ctf) struct Remark {
    pub(in crate::ctf) at: usize,
    /// The format does not allow it.
    pub(in crate::ctf) is_forbidden: bool,
    pub(in crate::ctf) sentence: String,
}

impl Metadata {
    /// The tracer, as the environment calls it.
    pub(in crate::ctf) fn tracer(&self) -> Option<&str> {
        let entry = self.environment.iter().find(|(name, _)| name == "tracer_name");
        entry.map(|(_, value)| value.as_str())
    }

    pub(in crate::ctf) fn class(&self, id: ClassId) -> Option<&Class> {
        self.classes.get(id as usize)
    }
}
