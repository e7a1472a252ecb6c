//! From where on `this` is an object in a constructor.
//!
//! Before the call of `super()` or `this()` no handler may be put around code without saying so in
//! its frame, so a catch-all covers only what is behind. Between two frames the code is a straight
//! line, and following `this` through the stack and the local variables along it says which
//! constructor call is the one on `this`. Without frames this works only if the call comes before
//! any jump or jump target; else nothing is covered.
//! Source: JVM specification 4.10.1.4 (`flagThisUninit`) and 4.10.1.9 (`invokespecial`).

use std::ops::Range;

use crate::code::Code;
use crate::constant_pool::ConstantPool;
use crate::instruction::{Instruction, Operand};
use crate::opcode::Opcode;
use crate::stack_effect;
use crate::stack_map::{StackMap, VerificationType};

/// The segments of instructions (by index) in which `this` is an object, in a constructor.
pub(crate) fn segments(code: &Code<'_>, map: &StackMap, pool: &ConstantPool<'_>) -> Vec<Range<usize>> {
    if map.frames.is_empty() { without_frames(code, pool) } else { with_frames(code, map, pool) }
}

fn with_frames(code: &Code<'_>, map: &StackMap, pool: &ConstantPool<'_>) -> Vec<Range<usize>> {
    let mut frames = map.frames.iter().peekable();
    let mut state = Some(State::at_start());
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut max = usize::from(code.max_stack);
    for (index, (pc, instruction)) in code.iter().enumerate() {
        while let Some(frame) = frames.next_if(|frame| frame.pc <= pc) {
            let (locals, stack) = (map.locals(frame), map.stack(frame));
            state = Some(State::at_frame(locals, stack));
            max = max.max(stack.len() * 2);
        }
        if state.as_ref().is_some_and(|state| !state.this_is_raw) {
            match found.last_mut().filter(|last| last.end == index) {
                Some(last) => last.end = index + 1,
                None => found.push(index..index + 1),
            }
        }
        state = state.and_then(|state| state.after(instruction, pool, max));
        if !instruction.opcode.falls_through() {
            state = None;
        }
    }
    found
}

fn without_frames(code: &Code<'_>, pool: &ConstantPool<'_>) -> Vec<Range<usize>> {
    let first_target = code.instructions.iter().flat_map(Instruction::targets);
    let first_target = first_target.chain(code.handlers.iter().map(|row| row.handler)).min();
    let mut state = Some(State::at_start());
    for (index, (pc, instruction)) in code.iter().enumerate() {
        if first_target.is_some_and(|target| target <= pc) || instruction.targets().next().is_some() {
            break;
        }
        state = state.and_then(|state| state.after(instruction, pool, usize::from(code.max_stack)));
        match &state {
            None => break,
            Some(state) if !state.this_is_raw => {
                return Vec::from_iter(Some(index + 1..code.instructions.len()));
            }
            Some(_) => {}
        }
    }
    Vec::new()
}

/// Where raw `this` lies, slot by slot.
struct State {
    this_is_raw: bool,
    stack: Vec<bool>,
    locals: Vec<u16>,
}

impl State {
    fn at_start() -> Self {
        Self { this_is_raw: true, stack: Vec::new(), locals: vec![0] }
    }

    fn at_frame(in_locals: &[VerificationType], on_stack: &[VerificationType]) -> Self {
        let raw = VerificationType::UninitializedThis;
        let (mut locals, mut slot) = (Vec::new(), 0_u32);
        for local in in_locals {
            if *local == raw {
                locals.extend(u16::try_from(slot));
            }
            slot += local.slots();
        }
        let mut stack = Vec::new();
        for entry in on_stack {
            stack.push(*entry == raw);
            if entry.slots() == 2 {
                stack.push(false);
            }
        }
        Self { this_is_raw: !locals.is_empty() || stack.contains(&true), stack, locals }
    }

    /// The state behind an instruction, `None` if the stack does not fit it.
    fn after(mut self, instruction: &Instruction, pool: &ConstantPool<'_>, max: usize) -> Option<Self> {
        if !self.this_is_raw {
            return Some(self); // once an object, always one; a frame says so if not
        }
        let (pops, pushes) = stack_effect::slots(instruction, pool).ok()?;
        let left = self.stack.len().checked_sub(usize::try_from(pops).ok()?)?;
        let taken = self.stack.split_off(left);
        if left + usize::try_from(pushes).ok()? > max {
            return None;
        }
        match instruction.opcode {
            Opcode::INVOKESPECIAL if taken.first() == Some(&true) => {
                self.this_is_raw = !is_constructor_call(instruction, pool);
            }
            Opcode::ASTORE | Opcode::ASTORE_0 | Opcode::ASTORE_1 | Opcode::ASTORE_2 | Opcode::ASTORE_3 => {
                let slot = slot(instruction, Opcode::ASTORE_0)?;
                self.locals.retain(|&local| local != slot);
                if taken == [true] {
                    self.locals.push(slot);
                }
            }
            _ => {}
        }
        match (instruction.opcode, taken.as_slice()) {
            (Opcode::ALOAD | Opcode::ALOAD_0 | Opcode::ALOAD_1 | Opcode::ALOAD_2 | Opcode::ALOAD_3, _) => {
                let slot = slot(instruction, Opcode::ALOAD_0)?;
                self.stack.push(self.locals.contains(&slot));
            }
            (Opcode::DUP, &[a]) => self.stack.extend([a, a]),
            (Opcode::DUP_X1, &[b, a]) => self.stack.extend([a, b, a]),
            (Opcode::DUP_X2, &[c, b, a]) => self.stack.extend([a, c, b, a]),
            (Opcode::DUP2, &[b, a]) => self.stack.extend([b, a, b, a]),
            (Opcode::DUP2_X1, &[c, b, a]) => self.stack.extend([b, a, c, b, a]),
            (Opcode::DUP2_X2, &[d, c, b, a]) => self.stack.extend([b, a, d, c, b, a]),
            (Opcode::SWAP, &[b, a]) => self.stack.extend([a, b]),
            _ => self.stack.extend((0..pushes).map(|_| false)),
        }
        Some(self)
    }
}

/// The slot of a load or store, in the form with an operand or one of the four without.
fn slot(instruction: &Instruction, first: Opcode) -> Option<u16> {
    match instruction.operand {
        Operand::Local { slot, .. } => Some(slot),
        _ => instruction.opcode.0.checked_sub(first.0).map(u16::from),
    }
}

fn is_constructor_call(instruction: &Instruction, pool: &ConstantPool<'_>) -> bool {
    match instruction.operand {
        Operand::Constant(index) => pool.member(index).is_ok_and(|member| member.name == b"<init>"),
        _ => false,
    }
}
