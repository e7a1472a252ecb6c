//! Loops that have no bound, and in which each round does something else or another thread has come through.
//!
//! ```text
//! for (i = 0; !isOver; i++) sum.add(i)      counts its rounds, uses the number, and ends by a flag only
//! do old = n.get();                         fails only where another thread has succeeded since
//! while (!n.compareAndSet(old, old + 1))
//! ```

use std::ops::RangeInclusive;

use super::{Body, loaded, stored};
use crate::constant_pool::Member;
use crate::instruction::Operand;
use crate::opcode::Opcode;
use model::BlockId;

/// Where the atomic numbers and references are.
const ATOMIC: &[u8] = b"java/util/concurrent/atomic/";

/// Calls of these only wait, or look at what other threads do.
const WAITS: [&[u8]; 2] = [b"java/lang/Thread", b"java/util/concurrent/"];

/// What makes an object of a number, or a number of numbers.
const NUMBERS: [&[u8]; 3] = [b"java/lang/Integer", b"java/lang/Long", b"java/lang/Math"];

impl Body<'_> {
    /// Whether it counts its rounds, hands the number on, and is left by nothing but the test of a field that it does not store into.
    pub(super) fn counts_rounds(&self) -> bool {
        self.ends_by_flags()
            && self.changes.iter().any(|(slot, change)| {
                let counts = change.always && change.up != change.down && !change.other;
                counts && self.instructions().any(|at| self.hands_on(at, *slot))
            })
    }

    /// Whether it ends as soon as a number that it has read was not changed by another thread.
    pub(super) fn retries_for_others(&self) -> bool {
        let reads = || self.instructions().filter_map(|at| self.read_atomic(at));
        self.blocks().any(|(number, _, last)| {
            self.is_always(number)
                && self.leads_out(number)
                && self.is_zero_test(last)
                && last.checked_sub(1).and_then(|call| self.member(call)).is_some_and(|call| {
                    call.class.is_some_and(|class| class.starts_with(ATOMIC))
                        && (call.name == b"compareAndSet" || call.name.starts_with(b"weakCompareAndSet"))
                })
                && reads().any(|slot| {
                    let instructions = &self.code.instructions;
                    let loads = |at: usize| instructions.get(at).and_then(loaded) == Some(slot);
                    self.instructions().filter(|at| *at < last).any(loads)
                })
        })
    }

    /// Every way out is the test of a field that stays as it is, as far as the loop goes; there is one.
    fn ends_by_flags(&self) -> bool {
        let mut exits = self.blocks().filter(|(number, ..)| self.leads_out(*number)).peekable();
        exits.peek().is_some()
            && exits.all(|(_, _, last)| {
                let field = last.checked_sub(1).and_then(|before| self.code.instructions.get(before));
                self.is_zero_test(last)
                    && field.is_some_and(|field| {
                        let Operand::Constant(index) = field.operand else { return false };
                        matches!(field.opcode, Opcode::GETFIELD | Opcode::GETSTATIC)
                            && !self.fields.contains(&index)
                    })
            })
    }

    /// Whether this instruction loads a variable that goes into what is stored outside or passed on.
    fn hands_on(&self, at: usize, slot: u16) -> bool {
        let instructions = &self.code.instructions;
        if instructions.get(at).and_then(loaded) != Some(slot) {
            return false;
        }
        for (position, instruction) in instructions.iter().enumerate().skip(at + 1) {
            match instruction.opcode {
                // Constants, loads, arithmetic, conversions, what is below them on the stack, fields that are read.
                Opcode(1..=53 | 89..=131 | 133..=147) | Opcode::GETFIELD | Opcode::GETSTATIC => {}
                Opcode(79..=86) | Opcode::PUTFIELD | Opcode::PUTSTATIC => return true,
                opcode if opcode.is_call() => {
                    let Some(call) = self.member(position) else { return true };
                    let Some(class) = call.class else { return true };
                    // Whoever takes no argument is not given it.
                    if !NUMBERS.contains(&class) && !call.descriptor.starts_with(b"()") {
                        return class.starts_with(ATOMIC)
                            || !WAITS.iter().any(|begin| class.starts_with(begin));
                    }
                }
                _ => return false,
            }
        }
        false
    }

    /// The variable that what this call reads of an atomic is stored into as it is.
    fn read_atomic(&self, at: usize) -> Option<u16> {
        let call = self.member(at)?;
        let reads = call.name.starts_with(b"get") && !call.name.starts_with(b"getAnd");
        if !reads || !call.class?.starts_with(ATOMIC) {
            return None;
        }
        let next = self.code.instructions.get(at + 1)?;
        let next = if next.opcode == Opcode::CHECKCAST { self.code.instructions.get(at + 2)? } else { next };
        stored(next)
    }

    /// What a call names.
    pub(super) fn member(&self, at: usize) -> Option<Member<'_>> {
        let call = self.code.instructions.get(at).filter(|call| call.opcode.is_call())?;
        let (Operand::Constant(method) | Operand::Interface { method, .. }) = call.operand else {
            return None;
        };
        self.pool.member(method).ok()
    }

    fn is_zero_test(&self, last: usize) -> bool {
        self.code.instructions.get(last).is_some_and(|jump| matches!(jump.opcode.0, 153 | 154))
    }

    pub(super) fn leads_out(&self, block: BlockId) -> bool {
        self.graph.out_of(block).any(|edge| !self.graph.loops.contains(self.id, edge.to))
    }

    /// Its blocks, each with the indices of its first and last instruction.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (BlockId, usize, usize)> {
        let inside =
            (0..).zip(&self.graph.blocks).filter(|(number, _)| self.graph.loops.contains(self.id, *number));
        inside.filter_map(|(number, block)| {
            Some((number, self.code.index_at(block.start)?, self.code.index_at(block.last)?))
        })
    }

    pub(super) fn instructions(&self) -> impl Iterator<Item = usize> {
        self.blocks().flat_map(|(_, first, last)| RangeInclusive::new(first, last))
    }
}
