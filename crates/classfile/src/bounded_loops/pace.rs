//! Loops that go by the clock: each round looks at the time, and does something else once it has come.
//!
//! ```text
//! while (isOn) {
//!     now = nanoTime();              each round
//!     if (now < next) continue;      a test that does not lead out
//!     next += 16_666_667;            what the time is compared with moves on
//!     draw();
//! }
//! ```

use super::{Body, loaded, stored};
use crate::instruction::Operand;
use crate::opcode::Opcode;

impl Body<'_> {
    /// Whether each round compares the time with what some rounds move on.
    pub(super) fn is_paced(&self) -> bool {
        self.blocks().any(|(number, _, last)| {
            self.is_always(number) && !self.leads_out(number) && self.compares_time(last)
        })
    }

    /// Whether this test is one of the time and of what the loop changes.
    fn compares_time(&self, last: usize) -> bool {
        let instructions = &self.code.instructions;
        let Some(compared) = last.checked_sub(1) else { return false };
        let is_test = instructions.get(last).is_some_and(|jump| (153..=158).contains(&jump.opcode.0));
        if !is_test || instructions.get(compared).is_none_or(|it| it.opcode != Opcode::LCMP) {
            return false;
        }
        // A call ends a block, so the operands may begin in the one before.
        let operands = || (0..compared).rev().take_while(|at| self.is_in_expression(*at));
        let is_time = |at: usize| {
            self.is_clock(at)
                || instructions.get(at).and_then(loaded).is_some_and(|slot| self.holds_time(slot))
        };
        operands().any(is_time) && operands().any(|at| self.is_moved(at))
    }

    /// Constants, loads, arithmetic, conversions, fields that are read, and the time.
    fn is_in_expression(&self, at: usize) -> bool {
        self.code.instructions.get(at).is_some_and(|it| {
            matches!(it.opcode, Opcode(1..=53 | 96..=131 | 133..=147) | Opcode::GETFIELD | Opcode::GETSTATIC)
                || self.is_clock(at)
        })
    }

    /// Whether each round stores the time into a variable, and none anything else. What is stored only now and then is a moment that
    /// has passed.
    fn holds_time(&self, slot: u16) -> bool {
        let stores = || {
            self.blocks()
                .flat_map(|(number, first, last)| (first..=last).map(move |at| (number, at)))
                .filter(|(_, at)| self.code.instructions.get(*at).and_then(stored) == Some(slot))
        };
        stores().any(|(number, _)| self.is_always(number))
            && stores().all(|(_, at)| at.checked_sub(1).is_some_and(|at| self.is_clock(at)))
    }

    /// Whether an instruction reads a variable or a field that the loop changes, and not only to the time that it is.
    fn is_moved(&self, at: usize) -> bool {
        let Some(instruction) = self.code.instructions.get(at) else { return false };
        let is_changed = |slot| self.changes.contains_key(&slot) && !self.holds_time(slot);
        loaded(instruction).is_some_and(is_changed)
            || matches!(instruction.opcode, Opcode::GETFIELD | Opcode::GETSTATIC)
                && matches!(instruction.operand, Operand::Constant(field) if self.fields.contains(&field))
    }

    /// Whether this instruction asks for the time.
    pub(super) fn is_clock(&self, at: usize) -> bool {
        self.member(at).is_some_and(|call| {
            call.class == Some(&b"java/lang/System"[..])
                && (call.name == b"currentTimeMillis" || call.name == b"nanoTime")
        })
    }
}
