//! The plan that records only entries and ends of frames.
//!
//! The ids are those of [`super::blocks`], of which only the entry, the return and the exception that
//! leaves the frame are recorded; here every return has its record.
//!
//! **Among paths** (a method that even the records of its blocks would make too long) the entry and the ends say what
//! those of [`super::blocks`] say there. Handlers have no record: where one catches what left a constructor before
//! `super()`, the next call seems to be made by that constructor.

use super::blocks::{catch_all_among_paths, ids_of, record_nothing, unwinding};
use super::plan::{Plan, Recorder, stores};
use super::{Body, Subject, push_number};
use crate::class_file::ClassFile;
use crate::control_flow_graph::Ending;
use crate::edit::{Edits, InsertionPoint};
use crate::instruction::Instruction;
use crate::opcode::Opcode;
use crate::skipped::Skipped;
use crate::stack_map::VerificationType;

/// Records entries, returns and exceptions.
#[derive(Clone, Copy, Debug)]
pub struct Calls {
    /// What the inserted code calls.
    pub recorder: Recorder,
    /// Whether other methods record paths.
    pub among_paths: bool,
}

impl Plan for Calls {
    fn ids(&self, _: &ClassFile<'_>, _: usize, body: &Body<'_>) -> u32 {
        ids_of(&body.graph)
    }

    fn edits(&self, subject: &mut Subject<'_, '_>, first: u32) -> Result<Edits, Skipped> {
        let pool = &mut *subject.pool;
        let mut edits = Edits::of(subject.code);
        let end = first + ids_of(subject.graph);
        let buffer = VerificationType::Object(pool.add_class(self.recorder.buffer)?);
        let slot = edits.new_local(buffer).ok_or(Skipped::TooManySlots)?;
        let name: &[u8] = if self.among_paths { b"begin" } else { b"enter" };
        let enter = pool.add_method(self.recorder.class, name, &self.recorder.enter_descriptor())?;
        let entry = vec![
            push_number(first, pool)?,
            Instruction::with_constant(Opcode::INVOKESTATIC, enter),
            Instruction::with_local(Opcode::ASTORE, slot),
        ];
        edits.insert(InsertionPoint::MethodEntry, entry);
        let rec = pool.add_method(self.recorder.class, b"rec", &self.recorder.rec_descriptor())?;
        for block in subject.graph.blocks.iter().filter(|block| block.ending == Ending::Return) {
            let load = Instruction::with_local(Opcode::ALOAD, slot);
            let call = Instruction::with_constant(Opcode::INVOKESTATIC, rec);
            edits.insert(InsertionPoint::Before(block.last), vec![load, push_number(end - 2, pool)?, call]);
        }
        let handlers = subject.graph.blocks.iter().filter(|block| self.among_paths && block.is_handler);
        for pc in handlers.filter_map(|block| block.record_at) {
            edits.insert(InsertionPoint::Before(pc), record_nothing(&self.recorder, slot, pool)?);
        }
        // What the frame has done is seen even if its own record cannot be written any more.
        if subject.throwing.any() || stores(subject.code) {
            match self.among_paths {
                true => catch_all_among_paths(&self.recorder, end - 1, slot, &mut edits, pool)?,
                false => edits.catch_all(unwinding(&self.recorder, end - 1, pool)?),
            }
        }
        Ok(edits)
    }
}
