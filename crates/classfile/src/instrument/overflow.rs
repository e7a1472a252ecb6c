//! What is done where the stack is too full to call the recorder: numbers are kept for later, without a
//! call. What they mean is written down at [`super::plan::Recorder`].

use super::plan::Recorder;
use crate::constant_pool::ConstantPool;
use crate::error::Result;
use crate::instruction::Instruction;
use crate::opcode::Opcode;

/// Constant indices of the fields.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields {
    pub(super) late: u16,
    pub(super) next: u16,
    pub(super) at: u16,
    pub(super) end: u16,
}

impl Fields {
    pub(super) fn of(recorder: &Recorder, pool: &mut ConstantPool<'_>) -> Result<Self> {
        let descriptor = [b"L", recorder.buffer, b";"].concat();
        Ok(Self {
            late: pool.add_field(recorder.buffer, b"late", &descriptor)?,
            next: pool.add_field(recorder.buffer, b"next", &descriptor)?,
            at: pool.add_field(recorder.buffer, b"at", b"I")?,
            end: pool.add_field(recorder.buffer, b"end", b"J")?,
        })
    }
}

/// `late = late.next; late.at = code`, with the iterations where there are some, and `end = 0`. `buffer`: the
/// local with the thread's buffer; `code`: what pushes the int; `iterations`: what pushes them as a long, and the
/// constant index of their field.
pub(super) fn put(
    run: &mut Vec<Instruction>,
    buffer: u16,
    fields: Fields,
    code: Instruction,
    iterations: Option<(Vec<Instruction>, u16)>,
) {
    let load = Instruction::with_local(Opcode::ALOAD, buffer);
    let field = Instruction::with_constant;
    run.extend([load.clone(), Opcode::DUP.into()]);
    run.extend([field(Opcode::GETFIELD, fields.late), field(Opcode::GETFIELD, fields.next)]);
    run.extend([Opcode::DUP_X1.into(), field(Opcode::PUTFIELD, fields.late)]);
    if let Some((push, index)) = iterations {
        run.push(Opcode::DUP.into());
        run.extend(push);
        run.push(field(Opcode::PUTFIELD, index));
    }
    run.extend([code, field(Opcode::PUTFIELD, fields.at)]);
    run.extend([load, Opcode::LCONST_0.into(), field(Opcode::PUTFIELD, fields.end)]);
}
