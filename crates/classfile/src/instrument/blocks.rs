//! The plan that records every basic block.
//!
//! A method with n blocks takes n + 3 ids:
//!
//! ```text
//!   first + 0          a frame begins. Block 0 runs, unless something leads back to it: then its own
//!                      record follows each time it runs, the first time included
//!   first + 1 + b      block b begins
//!   first + 1 + n      the frame is about to return
//!   first + 2 + n      an exception left the frame
//! ```
//!
//! The record of the return is left out where it tells nothing: if nothing behind the block's own
//! record can throw, the frame returns. A block that wholly protects itself has no record
//! (`Block::record_at`). The entry record stands before everything that a handler covers, so an
//! error in it (the stack overflows) gives neither entry nor exit. A method in which nothing can throw
//! has no catch-all.
//!
//! Nor has the part of a constructor before `super()` or `this()`: the verifier allows it there only under
//! conditions that hardly any program has tried. That it was left follows from the next record of a frame
//! further out. If there is none, since a library called the constructor and kept the exception to itself,
//! what the library runs next seems to be called by the constructor.

use super::plan::{Plan, Recorder, can_throw, is_quiet};
use super::{Body, Subject, push_int};
use crate::class_file::ClassFile;
use crate::code::Code;
use crate::control_flow_graph::{Block, BlockId, ControlFlowGraph, Ending};
use crate::edit::{Edits, Place};
use crate::error::Result;
use crate::instruction::Instruction;
use crate::left_alone::LeftAlone;
use crate::opcode::Opcode;
use crate::stack_map::VerificationType;

/// Records entries, blocks, returns and exceptions.
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    /// What the inserted code calls.
    pub recorder: Recorder,
}

/// Whether block 0 has records of its own, since something leads back to it.
pub fn first_block_is_recorded(graph: &ControlFlowGraph) -> bool {
    graph.edges.iter().any(|edge| edge.to == 0) || graph.exception_edges.iter().any(|edge| edge.to == 0)
}

/// Whether a record stands before the return that ends this block.
pub fn return_is_recorded(code: &Code<'_>, graph: &ControlFlowGraph, id: BlockId, block: &Block) -> bool {
    let seen_from = match block.record_at {
        Some(pc) => Some(pc),
        None if id == 0 && !first_block_is_recorded(graph) => Some(block.start),
        None => None,
    };
    block.ending == Ending::Return && !seen_from.is_some_and(|pc| is_quiet(code, pc, block.end))
}

/// How many ids a method has whose blocks may be recorded.
pub(super) fn ids_of(graph: &ControlFlowGraph) -> u32 {
    u32::try_from(graph.blocks.len()).unwrap_or(u32::MAX).saturating_add(3)
}

impl Plan for Blocks {
    fn ids(&self, _: &ClassFile<'_>, _: usize, body: &Body<'_>) -> u32 {
        ids_of(&body.graph)
    }

    fn edits(&self, subject: &mut Subject<'_, '_>, first: u32) -> std::result::Result<Edits, LeftAlone> {
        let (code, graph) = (subject.code, subject.graph);
        let pool = &mut *subject.pool;
        let mut edits = Edits::of(code);
        let count = u32::try_from(graph.blocks.len()).unwrap_or(u32::MAX);
        let enter = pool.add_method(self.recorder.class, b"enter", &self.recorder.enter_descriptor())?;
        let enter = Instruction::with_constant(Opcode::INVOKESTATIC, enter);
        let record = |id: u32| i32::from_ne_bytes(id.to_ne_bytes());
        let entry = [push_int(record(first), pool)?, enter];

        let mut places: Vec<(u32, u32)> = Vec::new();
        for (id, block) in (0..).zip(&graph.blocks) {
            if let Some(pc) = block.record_at.filter(|_| id > 0 || first_block_is_recorded(graph)) {
                places.push((pc, first + 1 + id));
            }
            if return_is_recorded(code, graph, id, block) {
                places.push((block.last, first + 1 + count));
            }
        }
        if places.is_empty() {
            edits.insert(Place::MethodEntry, [&entry[..], &[Opcode::POP.into()]].concat());
        } else {
            let buffer = VerificationType::Object(pool.add_class(self.recorder.buffer)?);
            let slot = edits.new_local(buffer).ok_or(LeftAlone::TooManySlots)?;
            let keep = Instruction::with_local(Opcode::ASTORE, slot);
            edits.insert(Place::MethodEntry, [&entry[..], &[keep]].concat());
            let rec = pool.add_method(self.recorder.class, b"rec", &self.recorder.rec_descriptor())?;
            for (pc, id) in places {
                let load = Instruction::with_local(Opcode::ALOAD, slot);
                let call = Instruction::with_constant(Opcode::INVOKESTATIC, rec);
                edits.insert(Place::Before(pc), vec![load, push_int(record(id), pool)?, call]);
            }
        }
        if can_throw(code) {
            edits.catch_all(unwinding(&self.recorder, record(first + 2 + count), pool)?);
        }
        Ok(edits)
    }
}

/// What a catch-all does: a record, found without any local.
pub(crate) fn unwinding(
    recorder: &Recorder,
    record: i32,
    pool: &mut crate::ConstantPool<'_>,
) -> Result<Vec<Instruction>> {
    let unwind = pool.add_method(recorder.class, b"unwind", b"(I)V")?;
    Ok(vec![push_int(record, pool)?, Instruction::with_constant(Opcode::INVOKESTATIC, unwind)])
}
