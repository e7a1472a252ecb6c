//! How many slots an instruction takes from the operand stack and puts on it.
//!
//! Source: JVM specification 6.5.

use crate::constant_pool::ConstantPool;
use crate::descriptor;
use crate::error::Result;
use crate::instruction::{Instruction, Operand};
use crate::opcode::{Opcode, VARIES};

/// Slots popped and pushed by one instruction.
pub(crate) fn slots(instruction: &Instruction, pool: &ConstantPool<'_>) -> Result<(u32, u32)> {
    let opcode = instruction.opcode;
    let (pops, pushes) = opcode.slots();
    if pops != VARIES {
        return Ok((u32::from(pops), u32::from(pushes)));
    }
    let index = match instruction.operand {
        Operand::Constant(index) => index,
        Operand::Interface { method, .. } => method,
        Operand::Dynamic { site, .. } => site,
        Operand::MultiArray { dimensions, .. } => return Ok((u32::from(dimensions), 1)),
        _ => 0,
    };
    let member = pool.member(index)?;
    let receiver = u32::from(!matches!(
        opcode,
        Opcode::GETSTATIC | Opcode::PUTSTATIC | Opcode::INVOKESTATIC | Opcode::INVOKEDYNAMIC
    ));
    if opcode.is_call() {
        let mut arguments = 0;
        let result = descriptor::each(member.descriptor, |kind| arguments += u32::from(kind.slots()))?;
        return Ok((arguments + receiver, u32::from(result.slots())));
    }
    let value = u32::from(descriptor::field(member.descriptor)?.slots());
    Ok(match opcode {
        Opcode::GETSTATIC | Opcode::GETFIELD => (receiver, value),
        _ => (receiver + value, 0),
    })
}

/// The effects of runs of code that name the same few members again and again.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    /// Of instructions that name a constant, by opcode and index.
    known: Vec<(u32, (u32, u32))>,
}

impl Effects {
    /// What a straight run of instructions does to the stack: how much deeper it gets at the deepest
    /// point, and how much deeper (or shallower) it is afterwards.
    pub(crate) fn of_run(&mut self, run: &[Instruction], pool: &ConstantPool<'_>) -> Result<(u32, i64)> {
        let (mut depth, mut deepest) = (0_i64, 0_i64);
        for instruction in run {
            let (pops, pushes) = match instruction.opcode.slots() {
                (VARIES, _) => self.slots(instruction, pool)?,
                (pops, pushes) => (u32::from(pops), u32::from(pushes)),
            };
            depth += i64::from(pushes) - i64::from(pops);
            deepest = deepest.max(depth);
        }
        Ok((u32::try_from(deepest).unwrap_or(u32::MAX), depth))
    }

    fn slots(&mut self, instruction: &Instruction, pool: &ConstantPool<'_>) -> Result<(u32, u32)> {
        let Operand::Constant(index) = instruction.operand else { return slots(instruction, pool) };
        let key = u32::from(instruction.opcode.0) << 16 | u32::from(index);
        if let Some(known) = self.known.iter().find(|known| known.0 == key) {
            return Ok(known.1);
        }
        let found = slots(instruction, pool)?;
        self.known.push((key, found));
        Ok(found)
    }
}
