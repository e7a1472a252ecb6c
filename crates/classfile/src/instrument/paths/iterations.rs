//! The iterations of counted loops, in the code that is inserted.

use super::Run;
use crate::constant_pool::ConstantPool;
use crate::instruction::Instruction;
use crate::opcode::Opcode;

/// The local that counts the iterations of the loop that runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Iterations {
    pub(super) slot: u16,
    pub(super) is_long: bool,
}

impl Iterations {
    pub(super) fn load(self) -> Instruction {
        Instruction::with_local(if self.is_long { Opcode::LLOAD } else { Opcode::ILOAD }, self.slot)
    }

    /// None were made.
    pub(super) fn forget(self) -> [Instruction; 2] {
        match self.is_long {
            true => [Opcode::LCONST_0.into(), Instruction::with_local(Opcode::LSTORE, self.slot)],
            false => [Opcode::ICONST_0.into(), Instruction::with_local(Opcode::ISTORE, self.slot)],
        }
    }

    /// One more.
    pub(super) fn count(self) -> Run {
        match self.is_long {
            true => {
                let store = Instruction::with_local(Opcode::LSTORE, self.slot);
                vec![self.load(), Opcode::LCONST_1.into(), Opcode::LADD.into(), store]
            }
            false => vec![Instruction::increment(self.slot, 1)],
        }
    }

    /// Pushes them as a long.
    pub(super) fn load_long(self, pool: &mut ConstantPool<'_>) -> crate::error::Result<Run> {
        let mut run = vec![self.load()];
        if !self.is_long {
            let low = pool.add_long(0xffff_ffff)?;
            let low = Instruction::with_constant(Opcode::LDC2_W, low);
            run.extend([Opcode::I2L.into(), low, Opcode::LAND.into()]);
        }
        Ok(run)
    }

    /// How it is written in a descriptor.
    pub(super) fn letter(self) -> u8 {
        if self.is_long { b'J' } else { b'I' }
    }
}
