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
//! The record of the return is left out where it says nothing: if nothing behind the block's own
//! record can throw, the frame returns. A block that wholly protects itself has no record
//! (`Block::record_at`). The entry record stands before everything that a handler covers, so an
//! error in it (the stack overflows) gives neither entry nor exit. A method in which nothing can throw
//! has no catch-all, unless it has stored something by the time one of its records fails.
//!
//! Nor has the part of a constructor before `super()` or `this()`: the verifier allows it there only under
//! conditions that hardly any program has tried. That it was left follows from the next record of a frame
//! further out. If there is none, since a library called the constructor and kept the exception to itself,
//! what the library runs next seems to be called by the constructor.
//!
//! A method that would become too long by this records its entry and its ends only: [`super::calls`].
//!
//! **Among paths** (a method that those would make too long) the entry also records how far the caller has
//! come, which no other record does, and an end for which the stack has no space leaves an overflow record,
//! as those of its neighbours do: see [`super::plan::Recorder`]. All else is the same.

use super::calls::Calls;
use super::overflow::{self, Fields};
use super::plan::{Plan, Recorder, is_quiet, stores};
use super::{Body, Subject, push_number};
use crate::class_file::ClassFile;
use crate::code::Code;
use crate::constant_pool::ConstantPool;
use crate::control_flow_graph::{Block, ControlFlowGraph, Ending};
use crate::edit::{Edits, InsertionPoint};
use crate::error::Result;
use crate::instruction::Instruction;
use crate::opcode::Opcode;
use crate::skipped::Skipped;
use crate::stack_map::VerificationType;
use crate::throwing::Throwing;
use model::BlockId;

/// Records entries, blocks, returns and exceptions.
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    /// What the inserted code calls.
    pub recorder: Recorder,
    /// Whether other methods record paths.
    pub among_paths: bool,
}

/// Whether block 0 has records of its own, since something leads back to it.
pub fn first_block_is_recorded(graph: &ControlFlowGraph) -> bool {
    graph.edges.iter().any(|edge| edge.to == 0) || graph.exception_edges.iter().any(|edge| edge.to == 0)
}

/// Whether a record stands before the return that ends this block.
pub fn return_is_recorded(
    (code, throwing): (&Code<'_>, &Throwing),
    graph: &ControlFlowGraph,
    id: BlockId,
    block: &Block,
) -> bool {
    let seen_from = match block.record_at {
        Some(pc) => Some(pc),
        None if id == 0 && !first_block_is_recorded(graph) => Some(block.start),
        None => None,
    };
    block.ending == Ending::Return && !seen_from.is_some_and(|pc| is_quiet(code, throwing, pc, block.end))
}

/// How many ids a method has whose blocks may be recorded.
pub(super) fn ids_of(graph: &ControlFlowGraph) -> u32 {
    u32::try_from(graph.blocks.len()).unwrap_or(u32::MAX).saturating_add(3)
}

impl Plan for Blocks {
    fn ids(&self, _: &ClassFile<'_>, _: usize, body: &Body<'_>) -> u32 {
        ids_of(&body.graph)
    }

    fn edits(&self, subject: &mut Subject<'_, '_>, first: u32) -> std::result::Result<Edits, Skipped> {
        let Blocks { recorder, among_paths } = *self;
        if !among_paths && subject.attempt > 0 {
            return Calls { recorder, among_paths }.edits(subject, first);
        }
        let (code, graph) = (subject.code, subject.graph);
        let pool = &mut *subject.pool;
        let mut edits = Edits::of(code);
        let count = u32::try_from(graph.blocks.len()).unwrap_or(u32::MAX);

        let reachable = |id| graph.dominators.is_reachable(id);
        let mut points: Vec<(u32, u32)> = Vec::new();
        for (id, block) in (0..).zip(&graph.blocks) {
            match block.record_at.filter(|_| id > 0 || first_block_is_recorded(graph)) {
                Some(pc) => points.push((pc, first + 1 + id)),
                // Nothing would say that it runs, and what comes behind it would fit nothing.
                None if self.among_paths && block.record_at.is_none() && reachable(id) => {
                    return Err(Skipped::ProtectsItself);
                }
                None => {}
            }
            if return_is_recorded((code, subject.throwing), graph, id, block) {
                points.push((block.last, first + 1 + count));
            }
        }
        let needs_buffer = !points.is_empty() || self.among_paths;
        // Where the body cannot throw, its records still can: they call.
        let throws = subject.throwing.any() || needs_buffer && stores(code);
        let buffer_slot = match needs_buffer {
            true => {
                let buffer = VerificationType::Object(pool.add_class(self.recorder.buffer)?);
                Some(edits.new_local(buffer).ok_or(Skipped::TooManySlots)?)
            }
            false => None,
        };
        edits.insert(InsertionPoint::MethodEntry, self.entry(first, buffer_slot, pool)?);
        if let Some(slot) = buffer_slot {
            let rec = pool.add_method(self.recorder.class, b"rec", &self.recorder.rec_descriptor())?;
            for (pc, id) in points {
                let load = Instruction::with_local(Opcode::ALOAD, slot);
                let call = Instruction::with_constant(Opcode::INVOKESTATIC, rec);
                let mut run = vec![load, push_number(id, pool)?, call];
                let block = graph.block_at(pc).and_then(|id| graph.blocks.get(at(id)));
                if self.among_paths && block.is_some_and(|block| block.is_handler) {
                    run.extend(record_nothing(&self.recorder, slot, pool)?);
                }
                edits.insert(InsertionPoint::Before(pc), run);
            }
        }
        if throws {
            let unwound = first + 2 + count;
            match buffer_slot.filter(|_| self.among_paths) {
                Some(buffer) => catch_all_among_paths(&self.recorder, unwound, buffer, &mut edits, pool)?,
                None => edits.catch_all(unwinding(&self.recorder, unwound, pool)?),
            }
        }
        Ok(edits)
    }
}

/// Among paths, behind the record that an exception arrived: where a callee was that it left before
/// `super()` no longer counts.
pub(super) fn record_nothing(
    recorder: &Recorder,
    buffer: u16,
    pool: &mut ConstantPool<'_>,
) -> Result<Vec<Instruction>> {
    let field = pool.add_field(recorder.buffer, b"at", b"I")?;
    let load = Instruction::with_local(Opcode::ALOAD, buffer);
    Ok(vec![load, Opcode::ICONST_1.into(), Instruction::with_constant(Opcode::PUTFIELD, field)])
}

/// The catch-all of a method among paths that records none: its record, or a note.
pub(super) fn catch_all_among_paths(
    recorder: &Recorder,
    unwound: u32,
    buffer: u16,
    edits: &mut Edits,
    pool: &mut ConstantPool<'_>,
) -> Result<()> {
    let run = unwinding(recorder, unwound, pool)?;
    edits.catch_all_with_new_locals([run, record_nothing(recorder, buffer, pool)?].concat());
    let fields = Fields::of(recorder, pool)?;
    let mut run = Vec::new();
    overflow::put(&mut run, buffer, fields, push_number(unwound, pool)?, None);
    edits.catch_all_else(run);
    Ok(())
}

impl Blocks {
    /// What stands at the entry; `buffer_slot`: the local for the thread's buffer.
    fn entry(
        &self,
        record: u32,
        buffer_slot: Option<u16>,
        pool: &mut ConstantPool<'_>,
    ) -> Result<Vec<Instruction>> {
        let store = buffer_slot.map(|slot| Instruction::with_local(Opcode::ASTORE, slot));
        let push = push_number(record, pool)?;
        let Recorder { class, .. } = self.recorder;
        let name: &[u8] = if self.among_paths { b"begin" } else { b"enter" };
        let enter = pool.add_method(class, name, &self.recorder.enter_descriptor())?;
        let enter = Instruction::with_constant(Opcode::INVOKESTATIC, enter);
        Ok(vec![push, enter, store.unwrap_or(Opcode::POP.into())])
    }
}

/// What a catch-all does: a record, found without any local.
pub(crate) fn unwinding(
    recorder: &Recorder,
    record: u32,
    pool: &mut crate::ConstantPool<'_>,
) -> Result<Vec<Instruction>> {
    let unwind = pool.add_method(recorder.class, b"unwind", b"(I)V")?;
    Ok(vec![push_number(record, pool)?, Instruction::with_constant(Opcode::INVOKESTATIC, unwind)])
}

fn at(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
