//! What bubbles show: which chains of calls there are, and the text of each method.

use serde::Serialize;

use super::Entered;

/// Chains of calls, and the methods at their ends.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Contexts {
    /// Whether these are all.
    pub complete: bool,
    pub contexts: Vec<Context>,
    pub methods: Vec<MethodSize>,
}

/// One chain of calls: what a bubble stands for.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Context {
    /// The chain without its last call: its index; null for an outermost call.
    pub parent: Option<usize>,
    pub method: u32,
    /// The block of the caller that ran last before.
    pub caller: Option<u32>,
    /// How its first call began.
    pub how: Entered,
    /// Position of its first call.
    pub first: u64,
    /// The row of the caller's text from which it is called.
    pub row: Option<usize>,
}

/// What a bubble needs before its text is there.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MethodSize {
    pub id: u32,
    pub class: String,
    pub name: String,
    /// Rows of its text.
    pub rows: usize,
    /// Characters of the longest row.
    pub columns: usize,
}

/// The text of a method.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Method {
    pub id: u32,
    pub class: String,
    pub name: String,
    pub descriptor: String,
    /// The file of its source.
    pub file: Option<String>,
    /// Whether the rows are source, and not byte code.
    pub source: bool,
    pub rows: Vec<TextRow>,
    /// The lines of each block.
    pub blocks: Vec<Vec<u16>>,
    pub loops: Vec<MethodLoop>,
    pub calls: Vec<CallSite>,
}

/// One row of the text of a method.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TextRow {
    /// Its line in the source; 0 where that is not known.
    pub line: u32,
    pub text: String,
    /// The blocks with code of this row.
    pub blocks: Vec<u32>,
}

/// A loop of a method.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MethodLoop {
    /// The block through which it is entered.
    pub head: u32,
    pub blocks: Vec<u32>,
}

/// A call in the text of a method.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CallSite {
    pub block: u32,
    pub class: String,
    pub name: String,
}
