//! The content of a rewritten `Code` attribute, once every instruction has its pc: the slots it
//! needs, the exception table, the frames, and the tables that hold pcs.

use std::collections::BTreeMap;

use super::{Rewriter, at, before, enter, is_straight};
use crate::class_file::ClassFile;
use crate::code::Code;
use crate::code_tables::{self, PcMap};
use crate::constant_pool::ConstantPool;
use crate::edit::InsertionPoint;
use crate::error::Error;
use crate::layout::{Assembled, Label};
use crate::limits::MAX_FRAME_TYPES;
use crate::skipped::Skipped;
use crate::stack_depth::StackDepths;
use crate::stack_effect::Effects;
use crate::stack_map::{FrameWriter, VerificationType};

/// Buffers for the labels and the locals of frames.
pub(super) type FrameBuffers<'r> = (&'r mut Vec<(Label, Option<u32>)>, &'r mut Vec<VerificationType>);

impl Rewriter<'_, '_> {
    /// Slots of the stack and of the locals.
    pub(super) fn slots(
        &self,
        pool: &ConstantPool<'_>,
        (effects, depths): (&mut Effects, &mut StackDepths),
    ) -> Result<(u16, u16), Skipped> {
        depths.of(self.code, pool)?;
        let mut stack = u32::from(self.code.max_stack);
        for (pc_of, run) in self.edits.runs() {
            let (most, after) = effects.of_run(run, pool)?;
            if after != 0 {
                return Err(Skipped::BadEdit("its code does not leave the stack as it was"));
            }
            let depth = match pc_of {
                InsertionPoint::MethodEntry => Some(0),
                InsertionPoint::Before(pc)
                | InsertionPoint::FallThrough { into: pc }
                | InsertionPoint::Jump { to: pc, .. }
                | InsertionPoint::HandlerEntry(pc) => depths.before(self.code, pc),
            };
            stack = stack.max(depth.unwrap_or(self.code.max_stack.into()).saturating_add(most));
        }
        for run in [self.edits.catch_all_run(), self.edits.catch_all_else_run()].into_iter().flatten() {
            let (most, after) = effects.of_run(run, pool)?;
            if after != 0 || !is_straight(run) {
                return Err(Skipped::BadEdit("the catch-all's code does not leave the exception"));
            }
            stack = stack.max(1 + most);
        }
        if let Some(run) = self.edits.condition() {
            let (most, after) = effects.of_run(run, pool)?;
            if after != 1 || most > 2 || !is_straight(run) {
                return Err(Skipped::BadEdit("a condition does not push one int"));
            }
        }
        let locals = u32::from(self.code.max_locals) + self.edits.new_local_slots();
        match (u16::try_from(stack), u16::try_from(locals)) {
            (Ok(stack), Ok(locals)) => Ok((stack, locals)),
            _ => Err(Skipped::TooManySlots),
        }
    }

    /// Appends the content of the new `Code` attribute. `buffers` is for the table of frames.
    pub(super) fn content(
        &self,
        class: &mut ClassFile<'_>,
        assembled: &Assembled,
        (max_stack, max_locals): (u16, u16),
        buffers: FrameBuffers<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Skipped> {
        let length = u32::try_from(assembled.bytes.len()).unwrap_or(u32::MAX);
        out.extend(max_stack.to_be_bytes());
        out.extend(max_locals.to_be_bytes());
        out.extend(length.to_be_bytes());
        out.extend_from_slice(&assembled.bytes);
        self.exception_table(assembled, out)?;
        let label_pcs = MovedPcs { code: self.code, assembled };
        let mut buffers = self.frames.then_some(buffers);
        let (offset_of_count, mut count) = (out.len(), 0_usize);
        out.extend([0, 0]);
        for attribute in &self.code.attributes {
            let name = class.constant_pool.utf8(attribute.name)?;
            if name == b"StackMapTable" {
                if let Some(buffers) = buffers.take() {
                    count +=
                        usize::from(self.put_frames(class, assembled, Some(attribute.name), buffers, out)?);
                }
                continue;
            }
            out.extend(attribute.name.to_be_bytes());
            out.extend(u32::try_from(attribute.content.len()).unwrap_or(u32::MAX).to_be_bytes());
            let content = out.len();
            out.extend_from_slice(attribute.content);
            code_tables::move_pcs(name, attribute, out.get_mut(content..).unwrap_or_default(), &label_pcs)?;
            count += 1;
        }
        if let Some(buffers) = buffers {
            count += usize::from(self.put_frames(class, assembled, None, buffers, out)?);
        }
        let count = u16::try_from(count).map_err(|_| Skipped::TooManySlots)?;
        for (byte, new) in out.iter_mut().skip(offset_of_count).zip(count.to_be_bytes()) {
            *byte = new;
        }
        Ok(())
    }

    fn exception_table(&self, assembled: &Assembled, out: &mut Vec<u8>) -> Result<(), Skipped> {
        let pc_of = |pc: u32| before(self.code.boundary_at(pc).unwrap_or(0));
        let rows =
            self.code.handlers.iter().map(|row| {
                (pc_of(row.start), pc_of(row.end), self.arrival(None, row.handler), row.catch_type)
            });
        let catch_all = self.catch_label();
        let covered = self.covered.iter().map(|range| (before(range.start), before(range.end), catch_all, 0));
        let failing = self.catch_all_else().map(|(end, start)| (catch_all, end, start, 0));
        let too_many = Error::TooMany { what: "protected ranges", limit: usize::from(u16::MAX) };
        let count = self.code.handlers.len() + self.covered.len() + usize::from(failing.is_some());
        out.extend(u16::try_from(count).map_err(|_| too_many)?.to_be_bytes());
        for (start, end, handler, catch_type) in rows.chain(covered).chain(failing) {
            for label in [start, end, handler] {
                out.extend(u16::try_from(assembled.pc(label)).unwrap_or(u16::MAX).to_be_bytes());
            }
            out.extend(catch_type.to_be_bytes());
        }
        Ok(())
    }

    /// Appends the table of frames, whose name is added if it is not known; whether there is any.
    fn put_frames(
        &self,
        class: &mut ClassFile<'_>,
        assembled: &Assembled,
        name: Option<u16>,
        (wanted, with_new): FrameBuffers<'_>,
        out: &mut Vec<u8>,
    ) -> Result<bool, Skipped> {
        // (where, the old pc whose frame holds there; none for the catch-all and behind it)
        wanted.clear();
        for frame in &self.map.frames {
            let index = self.code.index_at(frame.pc);
            let index = index.ok_or(Error::NoInstructionThere { pc: frame.pc, target: frame.pc.into() })?;
            wanted.push((enter(index), Some(frame.pc)));
        }
        wanted.extend(self.pads.iter().map(|pad| (pad.label, Some(pad.to))));
        if !assembled.islands.is_empty() {
            let known: BTreeMap<Label, Option<u32>> = wanted.iter().copied().collect();
            for (island, target) in &assembled.islands {
                let pc = known.get(target).copied().flatten();
                wanted.push((*island, Some(pc.ok_or(Skipped::JumpTooFar)?)));
            }
        }
        if !self.covered.is_empty() {
            wanted.push((self.catch_label(), None));
            wanted.extend(self.catch_all_else().map(|(_, start)| (start, None)));
        }
        wanted.sort_by_key(|&(label, _)| assembled.pc(label));
        let widest = usize::from(self.code.max_locals) + self.edits.new_locals.len();
        if !self.edits.new_locals.is_empty() && wanted.len().saturating_mul(widest) > MAX_FRAME_TYPES {
            return Err(Error::TooMany { what: "types in its frames", limit: MAX_FRAME_TYPES }.into());
        }
        let new_pc = |pc: u16| {
            let index = self.code.index_at(u32::from(pc))?;
            u16::try_from(assembled.pc(at(index))).ok()
        };
        let head = out.len();
        out.extend([0; 6]);
        let mut writer = FrameWriter::new(self.map, out);
        for &(label, pc) in &*wanted {
            let pc_of = assembled.pc(label);
            let pool = &mut class.constant_pool;
            match pc.and_then(|pc| self.map.frame_at(pc)) {
                Some(frame) => {
                    let locals = self.with_new_locals(self.map.locals(frame), with_new)?;
                    writer.write(pc_of, locals, self.map.stack(frame), pool, &new_pc)?;
                }
                None => {
                    let throwable = pool.add_class(b"java/lang/Throwable")?;
                    let caught = [VerificationType::Object(throwable)];
                    let sees = self.edits.catch_all_sees_new_locals;
                    let locals = if sees { self.with_new_locals(&[], with_new)? } else { &[] };
                    writer.write(pc_of, locals, &caught, pool, &new_pc)?;
                }
            }
        }
        if !writer.finish() {
            out.truncate(head);
            return Ok(false);
        }
        let name = name.map_or_else(|| class.constant_pool.add_utf8(b"StackMapTable"), Ok)?.to_be_bytes();
        let length = u32::try_from(out.len() - head - 6).unwrap_or(u32::MAX).to_be_bytes();
        for (byte, new) in out.iter_mut().skip(head).zip(name.into_iter().chain(length)) {
            *byte = new;
        }
        Ok(true)
    }

    /// The locals with the new ones behind them; `buffers` is where they are put together.
    fn with_new_locals<'l>(
        &self,
        locals: &'l [VerificationType],
        buffers: &'l mut Vec<VerificationType>,
    ) -> Result<&'l [VerificationType], Skipped> {
        if self.edits.new_locals.is_empty() {
            return Ok(locals);
        }
        let taken: u32 = locals.iter().map(|local| local.slots()).sum();
        let missing =
            u32::from(self.code.max_locals).checked_sub(taken).ok_or(Error::BadStackMap { at: 0 })?;
        buffers.clear();
        buffers.extend_from_slice(locals);
        buffers.extend((0..missing).map(|_| VerificationType::Top));
        buffers.extend_from_slice(&self.edits.new_locals);
        Ok(buffers)
    }
}

/// Where old pcs are in the new code, for tables that are not code.
struct MovedPcs<'c, 'a> {
    code: &'c Code<'a>,
    assembled: &'c Assembled,
}

impl PcMap for MovedPcs<'_, '_> {
    fn segment(&self, pc: u32) -> u32 {
        match self.code.boundary_at(pc).ok_or(()) {
            // The first line and the parameters hold from the very start.
            Ok(0) => 0,
            Ok(index) => self.assembled.pc(before(index)),
            Err(_) => self.instruction(pc),
        }
    }

    fn instruction(&self, pc: u32) -> u32 {
        match self.code.pcs.binary_search(&pc) {
            Ok(index) if index < self.code.instructions.len() => self.assembled.pc(at(index)),
            Err(after) if after < self.code.pcs.len() => {
                let index = after.saturating_sub(1);
                let inside = pc.saturating_sub(self.code.pcs.get(index).copied().unwrap_or(pc));
                self.assembled.pc(at(index)).saturating_add(inside)
            }
            _ => self.assembled.pc(before(self.code.instructions.len())),
        }
    }
}
