//! Loops that end by themselves: they count a local variable to a bound that they do not change.
//!
//! ```text
//! for (i = 0; i < n; i++)   iload i, iload n, if_icmpge out   a test on every way round, one of whose ways leads out
//!                           iinc i 1                          a step on every way round; no other change of i or n
//! ```
//!
//! Of those that have no bound [`moving_loops`] says in which each round does something else.
//!
//! Whoever goes on until a certain time ends, too. A bound may be a constant, a local variable, a field or the length of an array, and what is computed of these. Fields and
//! arrays are taken for constant if the loop itself does not store into that field: what it calls could. So this says what
//! is meant to end, and proves nothing.

mod pace;
mod progress;

use std::collections::HashMap;

use crate::code::Code;
use crate::constant_pool::{Constant, ConstantPool};
use crate::control_flow_graph::ControlFlowGraph;
use crate::instruction::{Instruction, Operand};
use crate::natural_loops::LoopId;
use crate::opcode::Opcode;
use model::BlockId;

/// Parts of an expression that are looked at.
const PARTS: usize = 16;

/// Of each loop of a graph, whether it ends by itself.
pub fn bounded_loops(code: &Code<'_>, pool: &ConstantPool<'_>, graph: &ControlFlowGraph) -> Vec<bool> {
    (0..).zip(&graph.loops.loops).map(|(id, _)| Body::of(code, pool, graph, id).is_bounded()).collect()
}

/// Of each loop of a graph, whether each round does something else, fails only because another thread has succeeded, or goes
/// by the clock.
pub fn moving_loops(code: &Code<'_>, pool: &ConstantPool<'_>, graph: &ControlFlowGraph) -> Vec<bool> {
    let moves = |body: Body<'_>| body.counts_rounds() || body.retries_for_others() || body.is_paced();
    (0..).zip(&graph.loops.loops).map(|(id, _)| moves(Body::of(code, pool, graph, id))).collect()
}

/// One loop.
struct Body<'a> {
    code: &'a Code<'a>,
    pool: &'a ConstantPool<'a>,
    graph: &'a ControlFlowGraph,
    id: LoopId,
    /// How it changes local variables.
    changes: HashMap<u16, Change>,
    /// Constant indices of the fields that it stores into.
    fields: Vec<u16>,
}

/// How a loop changes a local variable.
#[derive(Clone, Copy, Default)]
struct Change {
    up: bool,
    down: bool,
    /// Otherwise.
    other: bool,
    /// On every way round.
    always: bool,
}

/// A value in a comparison.
#[derive(Clone, Copy, PartialEq)]
enum Value {
    /// Always the same in the loop; the number, where that is known.
    Fixed(Option<i32>),
    /// It grows with this variable.
    Of(u16),
    /// It grows with the time.
    Clock,
}

impl<'a> Body<'a> {
    fn of(code: &'a Code<'a>, pool: &'a ConstantPool<'a>, graph: &'a ControlFlowGraph, id: LoopId) -> Self {
        let mut body = Body { code, pool, graph, id, changes: HashMap::new(), fields: vec![] };
        let within = (0..).zip(&graph.blocks).filter(|(block, _)| graph.loops.contains(id, *block));
        for (number, block) in within {
            let always = body.is_always(number);
            let Some((first, last)) = code.index_at(block.start).zip(code.index_at(block.last)) else {
                continue;
            };
            (first..=last).for_each(|at| body.note(at, always));
        }
        body
    }

    /// Whether every way round leads through a block.
    fn is_always(&self, block: BlockId) -> bool {
        let found = self.graph.loops.loops.get(at(self.id));
        found.is_some_and(|found| {
            found.latches.iter().all(|latch| self.graph.dominators.dominates(block, *latch))
        })
    }

    fn note(&mut self, at: usize, always: bool) {
        let Some(instruction) = self.code.instructions.get(at) else { return };
        let opcode = instruction.opcode;
        if let Operand::Increment { slot, by, .. } = instruction.operand {
            let change = self.changes.entry(slot).or_default();
            change.up |= by > 0;
            change.down |= by < 0;
            change.always |= always;
        } else if matches!(opcode, Opcode::PUTFIELD | Opcode::PUTSTATIC) {
            if let Operand::Constant(field) = instruction.operand {
                self.fields.push(field);
            }
        } else if let Some(slot) = stored(instruction) {
            // `i = i + 1` is how a long variable counts.
            let sum = at.checked_sub(1).and_then(|before| self.sum(before));
            let change = self.changes.entry(slot).or_default();
            match sum {
                Some((of, step)) if of == slot => {
                    change.up |= step > 0;
                    change.down |= step < 0;
                    change.always |= always;
                }
                _ => change.other = true,
            }
        }
    }

    /// The variable and the sign of what is added to it by an addition of a constant above 0.
    fn sum(&self, at: usize) -> Option<(u16, i32)> {
        let sign = match self.code.instructions.get(at)?.opcode {
            Opcode::IADD | Opcode::LADD => 1,
            Opcode::ISUB | Opcode::LSUB => -1,
            _ => return None,
        };
        let (constant, before) = self.constant(at.checked_sub(1)?)?;
        let slot = loaded(self.code.instructions.get(before)?)?;
        (constant != 0).then_some((slot, if constant > 0 { sign } else { -sign }))
    }

    /// The constant that is pushed last, and the instruction before it.
    fn constant(&self, at: usize) -> Option<(i32, usize)> {
        let instruction = self.code.instructions.get(at)?;
        let value = match (instruction.opcode.0, &instruction.operand) {
            (2..=8, _) => i32::from(instruction.opcode.0) - 3,
            (9 | 10, _) => i32::from(instruction.opcode.0) - 9,
            (_, Operand::Byte(value)) => i32::from(*value),
            (_, Operand::Short(value)) => i32::from(*value),
            (18 | 19, Operand::Constant(index)) => match self.pool.get(*index).ok()? {
                Constant::Integer(value) => value,
                _ => return None,
            },
            (133, _) => return self.constant(at.checked_sub(1)?),
            // Of a long the sign is not known.
            _ => return None,
        };
        Some((value, at.checked_sub(1)?))
    }

    fn is_bounded(&self) -> bool {
        let blocks = (0..).zip(&self.graph.blocks);
        let mut tests = blocks
            .filter(|(number, _)| self.graph.loops.contains(self.id, *number) && self.is_always(*number));
        tests.any(|(number, block)| self.ends_at(number, block.last).unwrap_or(false))
    }

    /// Whether the test that ends this block comes to lead out of the loop.
    fn ends_at(&self, block: BlockId, last: u32) -> Option<bool> {
        let index = self.code.index_at(last)?;
        let jump = self.code.instructions.get(index)?;
        let Operand::Jump(target) = jump.operand else { return None };
        if !jump.opcode.is_conditional_jump() {
            return None;
        }
        let leads_out = |to: BlockId| !self.graph.loops.contains(self.id, to);
        let taken = leads_out(self.graph.block_at(target)?);
        let mut out_edges = self.graph.out_of(block);
        if !out_edges.any(|edge| leads_out(edge.to)) {
            return None;
        }
        let before = index.checked_sub(1)?;
        let mut parts = PARTS;
        let (right, left) = match jump.opcode.0 {
            // Against 0, or after a comparison of longs.
            153..=158 if self.code.instructions.get(before)?.opcode == Opcode::LCMP => {
                let (right, next) = self.value(before.checked_sub(1)?, &mut parts)?;
                (right, self.value(next?, &mut parts)?.0)
            }
            153..=158 => (Value::Fixed(Some(0)), self.value(before, &mut parts)?.0),
            159..=164 => {
                let (right, next) = self.value(before, &mut parts)?;
                (right, self.value(next?, &mut parts)?.0)
            }
            _ => return None,
        };
        // eq, ne, lt, ge, gt, le: each the opposite of its neighbour.
        let relation = (jump.opcode.0 - 153) % 6;
        let stays = if taken { relation ^ 1 } else { relation };
        Some(match stays {
            2 | 5 => self.grows(left, right) && !(stays == 5 && right == Value::Fixed(Some(i32::MAX))),
            3 | 4 => self.grows(right, left) && !(stays == 3 && right == Value::Fixed(Some(i32::MIN))),
            _ => false,
        })
    }

    /// Whether `small` comes to exceed `large`.
    fn grows(&self, small: Value, large: Value) -> bool {
        let change = |value| match value {
            Value::Fixed(_) => Change::default(),
            Value::Of(slot) => self.changes.get(&slot).copied().unwrap_or_default(),
            Value::Clock => Change { up: true, always: true, ..Change::default() },
        };
        let (small, large) = (change(small), change(large));
        let is_steady = !small.other && !large.other && !small.down && !large.up;
        is_steady && (small.always || large.always)
    }

    /// The value that an instruction leaves on the stack, and the instruction before all that it is made of.
    fn value(&self, at: usize, parts: &mut usize) -> Option<(Value, Option<usize>)> {
        *parts = parts.checked_sub(1)?;
        let instruction = self.code.instructions.get(at)?;
        let before = at.checked_sub(1);
        if let Some((constant, _)) = self.constant(at) {
            let before = if instruction.opcode == Opcode::I2L { at.checked_sub(2) } else { before };
            return Some((Value::Fixed(Some(constant)), before));
        }
        if let Some(slot) = loaded(instruction) {
            let value = if self.changes.contains_key(&slot) { Value::Of(slot) } else { Value::Fixed(None) };
            return Some((value, before));
        }
        let fixed = |value: Value| matches!(value, Value::Fixed(_)).then_some(Value::Fixed(None));
        match instruction.opcode {
            // `i-- > 0`: between the load and the test.
            Opcode::IINC => self.value(before?, parts),
            Opcode::LDC2_W => Some((Value::Fixed(None), before)),
            Opcode::GETSTATIC | Opcode::GETFIELD => {
                let Operand::Constant(field) = instruction.operand else { return None };
                if self.fields.contains(&field) {
                    return None;
                }
                match instruction.opcode {
                    Opcode::GETSTATIC => Some((Value::Fixed(None), before)),
                    _ => {
                        let (object, next) = self.value(before?, parts)?;
                        Some((fixed(object)?, next))
                    }
                }
            }
            Opcode::INVOKESTATIC => self.is_clock(at).then_some((Value::Clock, before)),
            Opcode::ARRAYLENGTH => {
                let (array, next) = self.value(before?, parts)?;
                Some((fixed(array)?, next))
            }
            Opcode::AALOAD => {
                let (index, next) = self.value(before?, parts)?;
                let (array, next) = self.value(next?, parts)?;
                fixed(index)?;
                Some((fixed(array)?, next))
            }
            Opcode::I2L => self.value(before?, parts),
            // Additions, subtractions, products, quotients and shifts of ints and longs.
            Opcode(96 | 97 | 100 | 101 | 104 | 105 | 108 | 109 | 120..=125) => {
                let (right, next) = self.value(before?, parts)?;
                let (left, next) = self.value(next?, parts)?;
                let value = match (left, right) {
                    (Value::Fixed(_), Value::Fixed(_)) => Value::Fixed(None),
                    // `d * d`, `i + 1`
                    (Value::Of(one), Value::Of(other))
                        if one == other && matches!(instruction.opcode.0, 104 | 105) =>
                    {
                        left
                    }
                    (Value::Of(_) | Value::Clock, Value::Fixed(_))
                        if matches!(instruction.opcode.0, 96 | 97 | 100 | 101) =>
                    {
                        left
                    }
                    _ => return None,
                };
                Some((value, next))
            }
            _ => None,
        }
    }
}

/// The variable that an instruction loads.
fn loaded(instruction: &Instruction) -> Option<u16> {
    match (instruction.opcode.0, &instruction.operand) {
        (21..=25, Operand::Local { slot, .. }) => Some(*slot),
        (number @ 26..=45, _) => Some(u16::from((number - 26) % 4)),
        _ => None,
    }
}

/// The variable that an instruction stores into.
fn stored(instruction: &Instruction) -> Option<u16> {
    match (instruction.opcode.0, &instruction.operand) {
        (54..=58, Operand::Local { slot, .. }) => Some(*slot),
        (number @ 59..=78, _) => Some(u16::from((number - 59) % 4)),
        _ => None,
    }
}

fn at(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
