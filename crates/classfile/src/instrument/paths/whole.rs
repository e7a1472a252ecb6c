//! Methods that one record stands for, before they do anything.
//!
//! If a method has one way only, and nothing on it can throw, its record can stand in front instead of
//! before its return: once it is written, the frame returns. Nothing need be kept until then, no local,
//! no catch-all, no note: if the record fails, since the stack is full, nothing has been done that anybody
//! could see, and it is as if the call had failed. Most getters and setters are like that.
//!
//! In a constructor the call of `Object`'s may fail. There the record stands behind it: what was stored
//! before is seen by nobody, for nobody has the object.

use super::members::{Member, Members};
use crate::constant_pool::ConstantPool;
use crate::control_flow_graph::Ending;
use crate::edit::{Edits, InsertionPoint};
use crate::instruction::Instruction;
use crate::instrument::plan::Recorder;
use crate::instrument::{Subject, push_number};
use crate::opcode::Opcode;
use crate::skipped::Skipped;
use model::BlockId;
use model::code::EdgeKind;
use model::{EdgeRole, Numbering};

/// The one record of such a method.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole {
    /// What `r` would be at the return, without the method's first code.
    code: u32,
    point: InsertionPoint,
}

impl Whole {
    /// The record, if the method is like that.
    pub(super) fn of(subject: &Subject<'_, '_>, numbering: &Numbering) -> Option<Self> {
        let Subject { code, graph, throwing, .. } = *subject;
        // What can throw before `super()`, except for `Object`'s constructor, has a record of its own.
        if !code.handlers.is_empty() || numbering.entry.is_some() || subject.throws_covered() {
            return None;
        }
        let (mut block, mut gained) = (0, numbering.blocks.first()?.start?);
        let mut left = graph.blocks.len();
        loop {
            left = left.checked_sub(1)?;
            let number = numbering.blocks.get(at(block))?;
            if number.site || number.silent || !number.fresh {
                return None;
            }
            let mut edges = graph.edges_out_of(block);
            let (only, None) = (edges.next(), edges.next()) else { return None };
            let Some(only) = only else { break };
            let (edge, number) = (graph.edges.get(only)?, numbering.edges.get(only)?);
            // The next block stands behind it in the code, too.
            if edge.kind != EdgeKind::Next || number.role != EdgeRole::Through {
                return None;
            }
            gained = gained.checked_add_signed(number.value)?;
            block = edge.to;
        }
        // What nothing leads to might be where something throws.
        if left > 0 || graph.blocks.get(at(block))?.ending != Ending::Return {
            return None;
        }
        let point = match throwing.iter().last() {
            Some(last) => InsertionPoint::Before(*code.pcs.get(last + 1)?),
            None => InsertionPoint::MethodEntry,
        };
        Some(Self { code: gained, point })
    }

    /// Inserts it.
    pub(super) fn put(
        self,
        edits: &mut Edits,
        first: u32,
        (recorder, members): (&Recorder, &Members),
        pool: &mut ConstantPool<'_>,
    ) -> Result<(), Skipped> {
        let push = push_number(first + self.code, pool)?;
        let whole =
            members.of(Member::Whole, false, |name| pool.add_method(recorder.class, name, b"(I)V"))?;
        edits.insert(self.point, [push, Instruction::with_constant(Opcode::INVOKESTATIC, whole)]);
        Ok(())
    }
}

fn at(block: BlockId) -> usize {
    usize::try_from(block).unwrap_or(usize::MAX)
}
