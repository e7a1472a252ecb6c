//! What inserted code says: records, notes, how far the frame is, and `r` itself.

use super::iterations::Iterations;
use super::members::Member;
use super::{Run, Writer};
use crate::constant_pool::ConstantPool;
use crate::instruction::Instruction;
use crate::instrument::overflow::{self, Fields};
use crate::instrument::push_number;
use crate::opcode::Opcode;
use crate::skipped::Skipped;
use model::BlockId;

impl Writer<'_> {
    /// What stands in the catch-all (`code` 0) and at handlers.
    pub(super) fn thrown(
        &self,
        code: u32,
        run: &mut Run,
        pool: &mut ConstantPool<'_>,
    ) -> Result<(), Skipped> {
        let member = if self.iterations.is_some() { Member::ThrownCounted } else { Member::Thrown };
        let takes_long = self.iterations.is_some_and(|iterations| iterations.is_long);
        let thrown = self.members.of(member, takes_long, |name| {
            let letter = self.iterations.map(Iterations::letter);
            pool.add_method(self.recorder.class, name, &[b"(II", letter.as_slice(), b")V"].concat())
        })?;
        run.push(push_number(self.first + code, pool)?);
        run.push(Instruction::with_local(Opcode::ILOAD, self.r));
        run.extend(self.iterations.map(Iterations::load));
        run.push(Instruction::with_constant(Opcode::INVOKESTATIC, thrown));
        Ok(())
    }

    /// What stands in the catch-all if the other fails: no call, for the stack is full.
    pub(super) fn note(
        &self,
        buffer: u16,
        run: &mut Run,
        pool: &mut ConstantPool<'_>,
    ) -> Result<(), Skipped> {
        let fields = Fields {
            late: self.overflow_field(Member::Late, pool)?,
            next: self.overflow_field(Member::Next, pool)?,
            at: self.field(Member::At, b"I", pool)?,
            end: self.field(Member::End, b"J", pool)?,
        };
        let iterations = match self.iterations {
            Some(iterations) => {
                Some((iterations.load_long(pool)?, self.field(Member::Iterations, b"J", pool)?))
            }
            None => None,
        };
        overflow::put(run, buffer, fields, Instruction::with_local(Opcode::ILOAD, self.r), iterations);
        Ok(())
    }

    fn field(&self, member: Member, kind: &[u8], pool: &mut ConstantPool<'_>) -> Result<u16, Skipped> {
        self.members.of(member, false, |name| pool.add_field(self.recorder.buffer, name, kind))
    }

    /// A field that holds a note.
    fn overflow_field(&self, member: Member, pool: &mut ConstantPool<'_>) -> Result<u16, Skipped> {
        self.members.of(member, false, |name| {
            let overflow = [b"L", self.recorder.buffer, b";"].concat();
            pool.add_field(self.recorder.buffer, name, &overflow)
        })
    }

    /// Writes `r` with what belongs to it.
    pub(super) fn record(
        &self,
        fresh: bool,
        counted: bool,
        run: &mut Run,
        pool: &mut ConstantPool<'_>,
    ) -> Result<(), Skipped> {
        let member = match (fresh, counted, self.buffer) {
            (false, false, _) if self.has_sites => Member::Cut,
            (false, false, _) => Member::Path,
            (false, true, _) => Member::Counted,
            (true, false, Some(_)) => Member::First,
            (true, false, None) => Member::Whole,
            (true, true, Some(_)) => Member::FirstCounted,
            (true, true, None) => Member::WholeCounted,
        };
        self.call(member, counted, run, pool)
    }

    /// Calls a method of the recorder that writes `r`, with the iterations where `counted`.
    pub(super) fn call(
        &self,
        member: Member,
        counted: bool,
        run: &mut Run,
        pool: &mut ConstantPool<'_>,
    ) -> Result<(), Skipped> {
        run.extend(self.buffer.map(|buffer| Instruction::with_local(Opcode::ALOAD, buffer)));
        run.push(Instruction::with_local(Opcode::ILOAD, self.r));
        // Iterations are recorded only where a loop counts some.
        let iterations = self.iterations.filter(|_| counted);
        run.extend(iterations.map(Iterations::load));
        let method =
            self.members.of(member, iterations.is_some_and(|iterations| iterations.is_long), |name| {
                let letter = iterations.map(Iterations::letter);
                let descriptor = match self.buffer {
                    Some(_) => [b"(L", self.recorder.buffer, b";I", letter.as_slice(), b")V"].concat(),
                    None => [b"(I", letter.as_slice(), b")V"].concat(),
                };
                pool.add_method(self.recorder.class, name, &descriptor)
            })?;
        run.push(Instruction::with_constant(Opcode::INVOKESTATIC, method));
        Ok(())
    }

    /// `at = r`.
    pub(super) fn record_where(&self, run: &mut Run, pool: &mut ConstantPool<'_>) -> Result<(), Skipped> {
        let Some(buffer) = self.buffer else { return Ok(()) };
        let field = self.field(Member::At, b"I", pool)?;
        run.push(Instruction::with_local(Opcode::ALOAD, buffer));
        run.push(Instruction::with_local(Opcode::ILOAD, self.r));
        run.push(Instruction::with_constant(Opcode::PUTFIELD, field));
        Ok(())
    }

    /// `at` = no state: what was recorded before the last call has been read.
    pub(super) fn record_nothing(&self, run: &mut Run, pool: &mut ConstantPool<'_>) -> Result<(), Skipped> {
        let Some(buffer) = self.buffer else { return Ok(()) };
        let field = self.field(Member::At, b"I", pool)?;
        run.push(Instruction::with_local(Opcode::ALOAD, buffer));
        run.push(Opcode::ICONST_1.into());
        run.push(Instruction::with_constant(Opcode::PUTFIELD, field));
        Ok(())
    }

    /// `r` = the first code of the segment that begins at a block.
    pub(super) fn begin(
        &self,
        block: BlockId,
        run: &mut Run,
        pool: &mut ConstantPool<'_>,
    ) -> Result<(), Skipped> {
        self.set(self.number(block).start.unwrap_or(0), run, pool)
    }

    pub(super) fn set(&self, code: u32, run: &mut Run, pool: &mut ConstantPool<'_>) -> Result<(), Skipped> {
        run.push(push_number(self.first + code, pool)?);
        run.push(Instruction::with_local(Opcode::ISTORE, self.r));
        Ok(())
    }

    pub(super) fn add(&self, value: i32) -> Option<Instruction> {
        // `MAX_CODES` and the arms of a switch keep it in range.
        let value = i16::try_from(value).ok().filter(|&value| value != 0)?;
        Some(Instruction::increment(self.r, value))
    }

    pub(super) fn forget_iterations(&self, counted: bool, run: &mut Run) {
        if let Some(iterations) = self.iterations.filter(|_| counted) {
            run.extend(iterations.forget());
        }
    }
}
