//! Value expressions: what is written into an attribute or compared with one.

use super::{Path, Script};

/// A value that may depend on the event and on the attributes.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueExpr {
    /// Where it comes from.
    pub source: ValueSource,
    /// The type it is turned into.
    pub forced: Option<ValueType>,
    /// The mapping group it is sent through, as an index into that list of the pattern.
    pub mapping: Option<usize>,
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum ValueSource {
    /// No value.
    Null,
    /// A 32-bit number.
    Int(i32),
    /// A 64-bit number.
    Long(i64),
    /// A text.
    Text(String),
    /// A field of the event.
    Field(String),
    /// The name of the event.
    EventName,
    /// What stands at a path; an error if the path is one.
    Query(Path, StackRead),
    /// What an expression computes.
    Script(Box<Script>),
}

/// Whether a query reads an attribute, or the stack that lies there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StackRead {
    /// The attribute itself.
    #[default]
    No,
    /// The top of the stack.
    Peek,
    /// The top of the stack, which is taken off.
    Pop,
}

/// The types of a state system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    /// 32-bit whole number.
    Int,
    /// 64-bit whole number.
    Long,
    /// 64-bit floating point.
    Double,
    /// Text.
    Text,
}

impl From<ValueSource> for ValueExpr {
    fn from(source: ValueSource) -> ValueExpr {
        ValueExpr { source, forced: None, mapping: None }
    }
}
