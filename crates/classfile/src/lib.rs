//! Java class files: read, understood and rewritten. Needs no virtual machine and does no I/O.
//!
//! The way through: [`ClassFile::parse`] reads the whole, [`ClassFile::code`] one method body,
//! [`ControlFlowGraph::of`] its blocks, edges and loops; [`edit::Edits`] says what to insert where,
//! [`ClassFile::rewrite`] does it, and [`ClassFile::to_bytes`] writes the class back.
//!
//! Promises: no input makes it panic, hang or take memory beyond the bounds in [`limits`]. What is
//! not understood is kept. Only `Code` attributes change, and constants are only appended. A method
//! that cannot be rewritten safely is left as it was, with the reason.
//! Not done here: verification (the virtual machine does it), removing or reordering code.
#![deny(missing_docs)]

pub mod annotations;
pub mod attribute;
pub mod bounded_loops;
pub mod class_builder;
pub mod class_file;
pub mod code;
pub mod code_builder;
mod code_tables;
pub mod constant_pool;
pub mod control_flow_graph;
pub mod descriptor;
pub mod disassembly;
pub mod dominators;
pub mod edit;
pub mod error;
pub mod filters;
pub mod fuzz;
pub mod identity;
mod initialized;
pub mod instruction;
pub mod instrument;
mod layout;
pub mod limits;
pub mod line_table;
pub mod listing;
pub mod method;
pub mod modified_utf8;
pub mod natural_loops;
pub mod opcode;
pub mod parameters;
pub mod paths;
mod reader;
mod rewrite;
pub mod skipped;
mod stack_depth;
mod stack_effect;
pub mod stack_map;
mod straight;
pub mod throwing;

pub use class_file::ClassFile;
pub use code::Code;
pub use constant_pool::ConstantPool;
pub use control_flow_graph::ControlFlowGraph;
pub use edit::{Edits, InsertionPoint};
pub use error::{Error, Result};
pub use instruction::{Instruction, Operand};
pub use opcode::Opcode;
pub use skipped::Skipped;
