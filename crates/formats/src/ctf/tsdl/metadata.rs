//! What TSDL metadata declares, before it is laid out for decoding.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

use model::Base;

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
    Float { exponent: u32, mantissa: u32, align: u64, order: Option<Order> },
    Text,
    Enum { container: Integer, labels: Rc<Labels> },
    Struct { members: Rc<[Member]>, align: u64 },
    Array { element: ClassId, len: u64 },
    Sequence { element: ClassId, length: Rc<Path> },
    Variant { tag: Option<Rc<Path>>, options: Rc<[Member]> },
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
}

/// A `clock` block.
#[derive(Debug, Clone)]
pub(in crate::ctf) struct ClockBlock {
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
    pub(in crate::ctf) classes: Vec<Class>,
    pub(in crate::ctf) trace: Option<TraceBlock>,
    pub(in crate::ctf) environment: Vec<(String, String)>,
    pub(in crate::ctf) clocks: Vec<ClockBlock>,
    pub(in crate::ctf) streams: Vec<StreamBlock>,
    pub(in crate::ctf) events: Vec<EventBlock>,
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
