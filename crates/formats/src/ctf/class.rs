//! Field classes as the decoder uses them: laid out, with references resolved to slots.
//!
//! ```text
//! metadata text --tsdl--> declared classes (names, paths) --compile--> these (numbers only)
//! ```
//!
//! A *slot* is a place where the value of a field is kept because a later length or tag, or the
//! reader itself (times, sizes, counters), needs it. Fields that nobody needs are only walked over.

use std::rc::Rc;

use model::Base;

use super::ranges::Ranges;
use super::tsdl::metadata::{Labels, Order, Roles};

/// Names a [`Node`] of a trace.
pub(super) type NodeId = u32;

/// No slot, no node.
pub(super) const NONE: u32 = u32::MAX;

/// The size of a class that depends on the bytes.
pub(super) const DYNAMIC: u64 = u64::MAX;

/// One field class, in the one place where it is used.
#[derive(Debug)]
pub(super) struct Node {
    /// In bits.
    pub(super) align: u64,
    /// In bits, from an aligned start; [`DYNAMIC`] if it depends on the bytes.
    pub(super) bits: u64,
    /// How many values and brackets it hands to a sink at least.
    pub(super) weight: u64,
    /// Nothing in it has to be remembered: if its size is fixed it can be stepped over.
    pub(super) plain: bool,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    Integer(Integer),
    Enum(Integer, Rc<Labels>),
    Float {
        exponent: u32,
        mantissa: u32,
        order: Order,
    },
    Text,
    Struct(Box<Struct>),
    Array {
        element: NodeId,
        len: u64,
        text: bool,
    },
    Sequence {
        element: NodeId,
        length: u32,
        text: bool,
    },
    Variant(Box<Variant>),
    /// A variant of one option, of which nothing is there for other values of its selector.
    Optional(Box<Variant>),
    Leaf(Box<Leaf>),
    /// Another node, which cannot begin at these bits of a byte ([`super::bit_order`]).
    Guarded {
        node: NodeId,
        conflicts: u8,
    },
}

/// A field of CTF 2 that holds no others and is not a plain number or text.
#[derive(Debug, Clone)]
pub(super) struct Leaf {
    /// Of numbers.
    pub(super) integer: Integer,
    /// Its bits stand the other way round.
    pub(super) is_reversed: bool,
    pub(super) form: Form,
    pub(super) show: Show,
    pub(super) roles: Roles,
}

/// How a field of CTF 2 lies in the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As many bits as its integer says.
    Bits,
    /// The same for more bits than a number of ours has: handed out as text.
    Digits,
    /// LEB128.
    Variable,
    /// So many bytes: text, or a BLOB without encoding.
    Bytes(Length, Option<Encoding>),
    /// Text in wide characters up to a zero one.
    Wide(Encoding),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    Fixed(u64),
    Slot(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    Utf16(Order),
    Utf32(Order),
}

/// Names of bits: each with those that it stands for.
pub(super) type Flags = Vec<(Rc<str>, u64)>;

/// What the bits of a number mean.
#[derive(Debug, Clone)]
pub(super) enum Show {
    Number,
    Bool,
    Labels(Rc<Labels>),
    Flags(Rc<Flags>),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Integer {
    pub(super) bits: u32,
    pub(super) signed: bool,
    pub(super) order: Order,
    pub(super) base: Base,
    /// Where its value is kept, or [`NONE`].
    pub(super) slot: u32,
    /// It updates the clock of the stream.
    pub(super) clock: bool,
}

#[derive(Debug, Default)]
pub(super) struct Struct {
    pub(super) members: Vec<Member>,
    /// How to step over it when its size is not fixed.
    pub(super) steps: Vec<Step>,
}

#[derive(Debug)]
pub(super) struct Member {
    declared: Rc<str>,
    /// Where its name for people begins in that.
    plain: usize,
    pub(super) node: NodeId,
    /// Bits from the start of the structure, or [`DYNAMIC`].
    pub(super) offset: u64,
}

impl Member {
    pub(super) fn new(declared: Rc<str>, node: NodeId) -> Self {
        let plain = declared.len() - plain_name(&declared).len();
        Member { declared, plain, node, offset: DYNAMIC }
    }

    /// A member whose name is as it is.
    pub(super) fn exact(declared: Rc<str>, node: NodeId) -> Self {
        Member { declared, plain: 0, node, offset: DYNAMIC }
    }

    /// The name for people: tracers write an underscore before it, which keeps it from being a
    /// keyword of TSDL.
    #[inline]
    pub(super) fn name(&self) -> &str {
        self.declared.get(self.plain..).unwrap_or("")
    }

    pub(super) fn declared(&self) -> &str {
        &self.declared
    }
}

/// A name without its leading underscore.
pub(super) fn plain_name(name: &str) -> &str {
    match name.strip_prefix('_') {
        Some(rest) if !rest.is_empty() => rest,
        _ => name,
    }
}

/// Part of a structure whose size is not fixed.
#[derive(Debug)]
pub(super) enum Step {
    /// Fields of fixed size one after the other, of which nothing has to be remembered.
    Skip { align: u64, bits: u64, weight: u64 },
    /// A field that has to be looked at.
    Walk(NodeId),
}

#[derive(Debug, Default)]
pub(super) struct Variant {
    /// Where the value of the tag is kept.
    pub(super) tag: u32,
    pub(super) signed: bool,
    pub(super) options: Vec<NodeId>,
    /// Values of the tag, and for each of these ranges the option that it chooses.
    pub(super) ranges: Ranges,
    pub(super) chosen: Vec<u32>,
}

impl Variant {
    /// The option that the value of the tag in `slot` chooses.
    pub(super) fn choose(&self, slot: u64) -> Option<NodeId> {
        let tag = if self.signed { i128::from(slot as i64) } else { i128::from(slot) };
        self.option(self.ranges.find(tag)?)
    }

    /// The option of a range.
    pub(super) fn option(&self, range: u32) -> Option<NodeId> {
        let option = *self.chosen.get(range as usize)?;
        self.options.get(option as usize).copied()
    }
}

/// `position` moved up to a multiple of `align`, a power of two.
#[inline]
pub(super) fn aligned(position: u64, align: u64) -> u64 {
    (position.wrapping_add(align.wrapping_sub(1))) & !(align.wrapping_sub(1))
}
