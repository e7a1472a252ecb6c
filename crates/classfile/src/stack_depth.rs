//! How deep the operand stack is before each instruction.
//!
//! Wherever an instruction can be reached from, the stack is equally deep (JVM specification 4.10.1), so one way to
//! it says. Code that nothing reaches has no depth, and neither has a method with subroutines, which are followed by a
//! return address and not by the instruction below.

use crate::code::Code;
use crate::constant_pool::ConstantPool;
use crate::error::Result;
use crate::stack_effect;

/// The depths, by the index of the instruction; `None`: unknown.
#[derive(Debug, Default)]
pub(crate) struct StackDepths(Vec<Option<u32>>);

impl StackDepths {
    /// Works them out anew, for another method.
    pub(crate) fn of(&mut self, code: &Code<'_>, pool: &ConstantPool<'_>) -> Result<()> {
        self.0.clear();
        self.0.resize(code.instructions.len(), None);
        if code.has_subroutines() {
            return Ok(());
        }
        self.reach(code, 0, 0);
        for handler in &code.handlers {
            self.reach(code, handler.handler, 1);
        }
        // Once, mostly: what is only jumped back to is known at the end.
        let mut unknown = usize::MAX;
        loop {
            self.pass(code, pool)?;
            let left = self.0.iter().filter(|depth| depth.is_none()).count();
            if left == 0 || left == unknown {
                return Ok(());
            }
            unknown = left;
        }
    }

    /// The depth before the instruction at a pc.
    pub(crate) fn before(&self, code: &Code<'_>, pc: u32) -> Option<u32> {
        self.0.get(code.pcs.binary_search(&pc).ok()?).copied().flatten()
    }

    fn reach(&mut self, code: &Code<'_>, pc: u32, depth: u32) {
        if let Ok(index) = code.pcs.binary_search(&pc)
            && let Some(known) = self.0.get_mut(index)
        {
            known.get_or_insert(depth);
        }
    }

    /// From the first instruction to the last.
    fn pass(&mut self, code: &Code<'_>, pool: &ConstantPool<'_>) -> Result<()> {
        for (index, (_, instruction)) in code.iter().enumerate() {
            let Some(depth) = self.0.get(index).copied().flatten() else { continue };
            let (pops, pushes) = stack_effect::slots(instruction, pool)?;
            let after = depth.saturating_sub(pops).saturating_add(pushes);
            for target in instruction.targets() {
                self.reach(code, target, after);
            }
            if instruction.opcode.falls_through()
                && let Some(next) = self.0.get_mut(index + 1)
            {
                next.get_or_insert(after);
            }
        }
        Ok(())
    }
}
